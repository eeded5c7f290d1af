#include <exception>

#include "api/ask.h"
#include "api/c_text.h"
#include "api/gpuplan.h"

extern "C" char* gpuplan_ask(const char* json) {
  using gpuplan::api::c_text;
  try {
    return c_text(gpuplan::ask(json == nullptr ? "" : json));
  } catch (const std::exception&) {  // want of memory, or a fault of a library
    return c_text(R"({"schema": "gpuplan/answer@1", "outcome": "wrong", "error": {"message": "out of memory",)"
                  R"( "file": null, "line": null, "column": null}})");
  }
}
