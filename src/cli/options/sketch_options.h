// Questions without a job file, and wishes beside one: their flags, and how a hint repeats them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options/command_spec.h"
#include "input/question/sketch.h"

namespace gpuplan::cli {

void add_sketch_options(CommandSpec& command, Sketch& sketch);
void add_wish_options(CommandSpec& command, Wishes& wishes);
/// The other spellings of the flags that the command has; call it last.
void add_aliases(CommandSpec& command);

/// " --model Qwen2.5-7B --tokens 10M --gpu 'RTX 4090'": the flags as given, to be typed again.
std::string flag_words(const Sketch& sketch, const Wishes& wishes);

}  // namespace gpuplan::cli
