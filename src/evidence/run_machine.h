// The machines that a measured run used: what its source did not state is assumed, and said.
#pragma once

#include <string>
#include <vector>

#include "domain/catalogue.h"
#include "evidence/measured_run.h"

namespace gpuplan {

struct RunMachine {
  NodeShape node;
  int nodes = 1;
};
RunMachine run_machine(const Catalogue& catalogue, const MeasuredRun& run, const Gpu& gpu, int gpus,
                       std::vector<std::string>& assumptions);

/// What to say of a shape, a GPU or degrees that nothing can be computed with; "" when all is well.
std::string refused_shape(const MeasuredRun& run);
std::string refused_gpu(const MeasuredRun& run, const Gpu* found);

}  // namespace gpuplan
