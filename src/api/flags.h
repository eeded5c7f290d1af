// Flags by their names, where they do not come from a command line.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "input/question/sketch.h"

namespace gpuplan::api {

/// Sets what the flag says; `name` is without its dashes. Usage errors for names that are none, and for a second value
/// where there is one.
Result<void> set_flag(const std::string& name, const std::string& value, Sketch& sketch, Wishes& wishes);

}  // namespace gpuplan::api
