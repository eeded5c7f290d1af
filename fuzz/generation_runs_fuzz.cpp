// Tables of measured generation runs of any bytes: what fuzz/runs_fuzz.cpp asks of training runs.
// seeds: tests/golden/inputs/generation-runs.csv tests/golden/inputs/runs-generate.csv
#include <cstddef>
#include <cstdint>

#include "input/measured/generation_run_table.h"
#include "validated.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return check_table(gpuplan::read_generation_runs, gpuplan::kGenerationFigures, data, size);
}
