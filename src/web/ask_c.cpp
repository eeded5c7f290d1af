// The door of pages, as src/api/ask_c.cpp is that of programs: where nothing can be thrown, want of memory ends the
// module.
#include <cstdlib>
#include <cstring>
#include <string>

#include "api/ask.h"
#include "api/gpuplan.h"

namespace {

/// As C's callers free it.
char* copied(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" char* gpuplan_ask(const char* json) { return copied(gpuplan::ask(json == nullptr ? "" : json)); }

extern "C" void gpuplan_free(char* answer) { std::free(answer); }
