// Tables of measured runs of any bytes: an answer or an error, never a crash; every figure that is predicted is finite
// and its range in order, every other has a reason.
// seeds: tests/golden/inputs/runs.csv tests/golden/inputs/runs-generate.csv
#include <cstddef>
#include <cstdint>

#include "input/measured/run_table.h"
#include "validated.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return check_table(gpuplan::read_training_runs, gpuplan::kTrainingFigures, data, size);
}
