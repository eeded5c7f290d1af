// A planner that always gives the answer compiled into it, and the question it was asked inside: what a page does with an
// answer is told from what a planner says.
//   clang-22 --target=wasm32 -O1 -nostdlib -Wl,--no-entry -DANSWER='"answer.json"' ...   (see page_test.py)
extern const char answer_begin[];
__asm__(
    ".section .rodata.answer,\"\",@\n.globl answer_begin\n.type answer_begin,@object\nanswer_begin:\n.incbin \"" ANSWER "\"\n.int8 0\n"
    ".size answer_begin, .-answer_begin\n");

static char heap[1 << 22];
static unsigned long used;

__attribute__((export_name("_initialize"))) void initialize(void) { used = 0; }

__attribute__((export_name("malloc"))) void* allocate(unsigned long size) {
  if (used + size > sizeof heap) used = 0;
  void* place = heap + used;
  used += (size + 15) & ~15UL;
  return place;
}

__attribute__((export_name("gpuplan_free"))) void give_back(void* place) { (void)place; }

/// "@@asked@@" in the answer becomes the question, with each quote escaped.
__attribute__((export_name("gpuplan_ask"))) const char* ask(const char* question) {
  static char told[1 << 21];
  unsigned long at = 0;
  for (const char* from = answer_begin; *from != 0 && at + 2 < sizeof told;) {
    const char* mark = "@@asked@@";
    unsigned long same = 0;
    while (mark[same] != 0 && from[same] == mark[same]) ++same;
    if (mark[same] != 0) {
      told[at++] = *from++;
      continue;
    }
    from += same;
    for (const char* q = question; *q != 0 && at + 4 < sizeof told; ++q) {
      if (*q == '"' || *q == '\\') told[at++] = '\\';
      told[at++] = *q;
    }
  }
  told[at] = 0;
  return told;
}
