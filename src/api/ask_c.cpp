#include <cstdlib>
#include <cstring>
#include <exception>
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

extern "C" char* gpuplan_ask(const char* json) {
  try {
    return copied(gpuplan::ask(json == nullptr ? "" : json));
  } catch (const std::exception&) {  // want of memory, or a fault of a library
    return copied(R"({"schema": "gpuplan/answer@1", "outcome": "wrong", "error": {"message": "out of memory",)"
                  R"( "file": null, "line": null, "column": null}})");
  }
}

extern "C" void gpuplan_free(char* answer) { std::free(answer); }
