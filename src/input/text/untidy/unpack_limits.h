// How much may come out of packed data before it counts as a bomb.
#pragma once

#include <cstdint>

namespace gpuplan {

struct UnpackLimits {
  std::uint64_t total = std::uint64_t{8} << 30U;     ///< bytes
  std::uint64_t harmless = std::uint64_t{4} << 20U;  ///< bytes up to which nobody asks how
  std::uint64_t ratio = 250;                         ///< tables pack 10 to 50 times, zeros 1000 times

  bool exceeded(std::uint64_t packed, std::uint64_t unpacked) const {
    return unpacked > total || (unpacked > harmless && unpacked / ratio > packed);
  }
};

}  // namespace gpuplan
