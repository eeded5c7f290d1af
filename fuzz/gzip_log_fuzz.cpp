// Any bytes as the inside of a gzip log, and behind one that is whole.
// seeds: tests/logs/*.gz
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "read_pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace std::string_view_literals;
  // The header of gzip, and the whole of an empty text.
  constexpr std::string_view kHeader = "\x1f\x8b\x08\0\0\0\0\0\0\x03"sv;
  constexpr std::string_view kEmpty = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"sv;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::uint64_t seed = gpuplan::hash_of(text);
  read_pieces(text, seed);
  read_pieces(std::string(kHeader).append(text), seed);
  read_pieces(std::string(kEmpty).append(text), seed);
  return 0;
}
