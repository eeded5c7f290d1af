// `args` of a phase that gpuplan writes the program for: what they may say, and what becomes of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/work/parts.h"

namespace gpuplan {

/// Fails for what the program would silently take otherwise or break at: a value that is none of its kind, a number
/// that is the plan's own, a name that the program does not have. REQUIRES: the phase trains or generates, without a
/// `command`.
Result<void> check_arguments(const WorkPlace& place);

/// The value of an argument, where it is a number.
std::optional<double> argument_number(std::string_view text);
/// What `args` say of `name`, under whichever of its names (kArguments): "learning_rate", "weight_decay", ...
std::optional<double> argument(const WorkPlace& place, std::string_view name);
/// The same for a word; "" where `args` do not have it.
std::string word_argument(const WorkPlace& place, std::string_view name);
double number_argument(const WorkPlace& place, std::string_view name, double otherwise);
/// The same for true and false.
bool argument_says(const WorkPlace& place, std::string_view name);
/// Steps of warming up: as many as `args` say, the share of all steps that they say, else `otherwise`.
int warm_up_steps(const WorkPlace& place, int otherwise);

/// Of LLaMA-Factory: in which words it writes messages.
inline constexpr std::string_view kTemplateArgument = "template";

/// What people set of adapters beside what the plan says of them.
struct AdapterNumbers {
  int alpha = 0;
  double dropout = 0;
  bool rslora = false, dora = false;
};
AdapterNumbers adapter_numbers(const WorkPlace& place);

/// An argument that the program gets as it is, under the name that it has there.
struct PassedOn {
  std::string name, value;
};
std::vector<PassedOn> passed_on(const WorkPlace& place);
/// The same as flags: words of the shell.
std::vector<std::string> flag_words(const WorkPlace& place);
/// Writes them as members of the open object: numbers and true, false as such.
void write_arguments(JsonWriter& json, const std::vector<PassedOn>& passed);

}  // namespace gpuplan
