// Any bytes inside of a trainer_state.json.
// seeds: tests/logs/trainer_state*.json
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "read_pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::uint64_t seed = gpuplan::hash_of(text);
  read_pieces(text, seed);
  read_pieces(R"({"global_step": 4, "log_history": [{"loss": 1.5, "step": )" + std::string(text), seed);
  return 0;
}
