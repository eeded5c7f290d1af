// A flag of a question without a job file as the setting that says the same of one.
#pragma once

#include <string>
#include <vector>

#include "input/question/sketch.h"

namespace gpuplan {

/// "phases.train.train.micro=2" for each flag that is given, with the name of the first phase of its kind; empty for a
/// flag that the job has no place for.
struct FlagSetting {
  std::string_view flag;
  std::string setting;
};
std::vector<FlagSetting> flag_settings(const Sketch& sketch, const Tree& job);

/// Where a flag stands in a phase: "*.epochs", '*' being its work. "" for one that is nowhere.
std::string_view address_in_phase(std::string_view flag);

}  // namespace gpuplan
