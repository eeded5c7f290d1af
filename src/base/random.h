// Random numbers that are the same everywhere. The standard distributions differ between libraries, so the generator
// and the distributions are ours: same seed and stream, same numbers, natively and in a browser.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/math.h"

namespace gpuplan {

/// One step of splitmix64 (Steele, Lea and Flood 2014; constants of Vigna's public-domain version): advances the state
/// and returns a well mixed value. For seeding and hashing, not for long streams.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// A stream of random numbers: xoshiro256++ 1.0 (Blackman and Vigna 2019, "Scrambled linear pseudorandom number
/// generators"). Give every trial or thread its own stream number, and results do not depend on who runs what.
class Random {
 public:
  constexpr explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    // Both numbers pass through the mixer, so that (1, 0) and (0, 1), or neighbouring streams, share nothing.
    std::uint64_t stream_state = stream;
    std::uint64_t state = seed;
    state = splitmix64(state) ^ (splitmix64(stream_state) * 0xD1342543DE82EF95);
    for (std::uint64_t& word : state_) word = splitmix64(state);
  }

  /// A generator in a known state, which must not be all zero. For tests against published values.
  static constexpr Random from_state(const std::array<std::uint64_t, 4>& state) {
    Random random(0);
    random.state_ = state;
    return random;
  }

  /// The next 64 random bits.
  constexpr std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double uniform01() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Exponential with the given mean (in whatever unit the mean has).
  constexpr double exponential(double mean) { return -mean * math::log1p(-uniform01()); }

  /// Standard normal, by the inverse of the distribution function: one draw a value, and never infinite.
  double normal() { return math::normal_quantile((static_cast<double>(next() >> 12) + 0.5) * 0x1p-52); }

  /// A whole number in [0, count), every one as likely; count must be positive.
  constexpr std::uint64_t below(std::uint64_t count) {
    const std::uint64_t rejected = (0 - count) % count;  // 2^64 mod count: the part that would favour small values
    std::uint64_t bits = next();
    while (bits < rejected) bits = next();
    return bits % count;
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace gpuplan
