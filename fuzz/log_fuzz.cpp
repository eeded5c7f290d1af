// Any bytes as a log, fed in pieces of any size: the same is read, whatever the pieces.
// seeds: tests/logs/*.log tests/logs/*.csv tests/logs/*.tsv tests/logs/*.json tests/logs/*.gz tests/logs/*.tfevents
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "read_pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::vector<gpuplan::LogMetric> metrics = {
      {"loss", "loss: *([0-9.]+)"}, {"any", "([0-9.]+)%"}, {"step_0", "step_0: ([0-9.]+)"}};
  const std::uint64_t seed = gpuplan::hash_of(text);
  // Patterns take longer to compile than short logs to read.
  read_pieces(
      text, seed, seed % 8 == 0 ? metrics : std::vector<gpuplan::LogMetric>{},
      seed % 8 == 1 ? gpuplan::LogReading{.names = "loss=norm,step=lr", .columns = true} : gpuplan::LogReading{});
  return 0;
}
