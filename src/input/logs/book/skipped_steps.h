// Steps that an optimizer left out because gradients were not finite, as mixed precision with a loss scale does. A few
// at the start, where the scale is looked for, and one now and then are as it should be; many at the end are no
// training.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>

namespace gpuplan {

class SkippedSteps {
 public:
  /// A line of `count` steps that were all left out and so have no loss, or of steps (0) that have one.
  void line(double count) {
    ++told_;
    if (count <= 0) trained_ = true;
    if (count <= 0 && !any_) return;  // nearly all logs
    any_ = true;
    lines_ = (lines_ << 1U).set(0, count > 0);
    in_a_row_ = count > 0 ? in_a_row_ + count : 0;
  }
  /// More than half of the lines that make the end (evidence/log/log_values.h) have no loss for it.
  bool at_end() const {
    constexpr std::size_t kPart = 20;
    constexpr double kSearch = 40;  // from 2^32 down to 1, with a second try
    const std::size_t end = std::clamp((told_ + kPart - 1) / kPart, std::size_t{1}, kMost);
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < end; ++i) left_out += lines_.test(i) ? 1U : 0U;
    if (2 * left_out <= end || (in_a_row_ == 1 && left_out == 1)) return false;
    return trained_ || in_a_row_ > kSearch;
  }
  bool last() const { return in_a_row_ > 0; }
  void begin_again() { *this = {}; }

 private:
  static constexpr std::size_t kMost = 100;
  std::bitset<kMost> lines_;  ///< the last one first
  std::size_t told_ = 0;
  double in_a_row_ = 0;  ///< steps without a loss at the end
  bool trained_ = false, any_ = false;
};

}  // namespace gpuplan
