// The door of pages, as src/api/ask_c.cpp is that of programs: where nothing can be thrown, want of memory ends the
// module.
#include "api/ask.h"
#include "api/c_text.h"
#include "api/gpuplan.h"

extern "C" char* gpuplan_ask(const char* json) {
  return gpuplan::api::c_text(gpuplan::ask(json == nullptr ? "" : json));
}
