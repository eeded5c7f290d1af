// Answers every line of standard input by gpuplan_ask(); a zero byte ends each answer. tools/ask_wasm.mjs does the same
// with the WebAssembly module.
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "api/ask.h"

int main() {
  for (std::string question; std::getline(std::cin, question);) {
    const std::unique_ptr<char, decltype(&gpuplan_free)> answer(gpuplan_ask(question.c_str()), gpuplan_free);
    if (answer == nullptr) return 1;
    std::fwrite(answer.get(), 1, std::char_traits<char>::length(answer.get()) + 1, stdout);
  }
}
