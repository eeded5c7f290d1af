#include "api/c_text.h"

#include <cstdlib>
#include <cstring>

#include "api/ask.h"

namespace gpuplan::api {

char* c_text(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace gpuplan::api

extern "C" void gpuplan_free(char* answer) { std::free(answer); }
