/* A question as JSON from standard input, its answer as JSON. */
#include <gpuplan/ask.h>
#include <stdio.h>

int main(void) {
  static char question[1 << 20];
  question[fread(question, 1, sizeof question - 1, stdin)] = 0;
  char* answer = gpuplan_ask(question);
  if (answer == NULL) return 1;
  fputs(answer, stdout);
  gpuplan_free(answer);
  return 0;
}
