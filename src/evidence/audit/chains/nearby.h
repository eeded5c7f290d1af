// Chains of figures in sentences: what one comes to by others, and whether anything near it gives it in another way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/audit/checks.h"

namespace gpuplan::audit {

/// One value of a known unit, and no end of a range.
bool is_single_value(const ClaimAmount& one);
/// A whole number of things: GPUs, samples, "10 of them".
bool counts_things(const ClaimAmount& one);
/// A table of one sort of thing or a sentence, in words: the text before an amount within its sentence, in small
/// letters.
std::string front_of(const ClaimLine& line, const ClaimAmount& stated);
/// The two sentences that end before an amount begin here.
std::size_t begin_of_two_sentences(std::string_view text, std::size_t at);
/// Amounts like `stated` before it, from a place of its line on, in order.
std::vector<const ClaimAmount*> like_before(const ClaimLine& line, const ClaimAmount& stated, std::size_t from);

/// Holds what a sentence comes to against what it should be.
class Nearby {
 public:
  explicit Nearby(Bench& bench) : bench_(bench) {}

  /// `stated` is wrong where its digits do not allow `right`, it is not far from it (what is far off is of something
  /// else), and no other figures near it give it in one step. `sure`: the words leave
  /// nothing else that it could come from.
  void judge(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how,
             double far = 3, bool sure = false);

 private:
  bool is_given(const ClaimLine& line, const ClaimAmount& stated);
  bool follows_right(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right) const;
  bool is_given_share(const ClaimLine& line, const ClaimAmount& stated);
  std::vector<const ClaimAmount*> like_near(const ClaimLine& line, const ClaimAmount& stated) const;

  Bench& bench_;
};

}  // namespace gpuplan::audit
