// The machines that a measured run used: what its source did not state is assumed, and said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/strategy.h"
#include "evidence/validation/measured_run.h"

namespace gpuplan {

struct RunMachine {
  NodeShape node;
  int nodes = 1;
};
RunMachine run_machine(const Catalogue& catalogue, const MeasuredRun& run, const Gpu& gpu, int gpus,
                       std::vector<std::string>& assumptions);

/// The software that a run names, and its position in the strategy; null where the catalogue has no such: then what is
/// assumed is told as `kind`: an `average` one.
const Framework* run_software(const Catalogue& catalogue, const MeasuredRun& run, std::string_view kind,
                              std::string_view average, Strategy& strategy, std::vector<std::string>& assumptions);

/// What to say of a shape or a GPU that nothing can be computed with; "" when all is well.
std::string refused_facts(const MeasuredRun& run, const Gpu* found);

}  // namespace gpuplan
