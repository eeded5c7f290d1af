// Random choices for tests: the same ones everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace gpuplan {

/// A small generator of its own, whose draws no change of the core moves.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((state_ >> 33U) % n);
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(below(10'000)) / 10'000; }

 private:
  std::uint64_t state_;
};

}  // namespace gpuplan
