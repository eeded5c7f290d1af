// A bill from top to bottom: parts, what is taken off, taxes and buffers in percent, totals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/audit/figures/span.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

/// A line that lowers what stands above it: "Discount", "Rabatt", "Credits".
bool is_taken_off(std::string_view label);

/// Adds up the amounts of a column or list. Where a label leaves open how one counts, all ways are kept, and a total is
/// right where it is that of any of them.
class BillTally {
 public:
  /// `instead`: what it should be, where that has been told; what follows may go on from either.
  void part(const ClaimAmount& value, std::string_view label, const ClaimEnds* instead = nullptr);
  /// A total closes the parts above it; what follows is added to it, or begins anew.
  void total(const ClaimAmount& value);

  bool is_total(const ClaimAmount& stated) const;
  ClaimEnds right_total() const;
  /// So many percent of some sum, part or total above.
  bool is_share(const ClaimAmount& stated, const ClaimAmount& share) const;
  ClaimEnds right_share(const ClaimAmount& share) const;

  int parts() const { return parts_; }  ///< since the last total
  bool has_total() const { return states_.front().before.has_value(); }
  const ClaimEnds& longest() const { return longest_; }  ///< of the parts since the last total
  const std::string& words() const { return words_; }    ///< "$20 + $3"
  /// What a percentage is of: the last total with what follows.
  ClaimEnds so_far() const { return states_.front().so_far(); }

 private:
  struct State {
    ClaimEnds since = ends_of(0.0), all = ends_of(0.0);
    std::optional<ClaimEnds> before{};  ///< the total above

    /// Sums of the squares of what the digits of each part leave open.
    double open_since = 0, open_all = 0, open_before = 0;

    ClaimEnds so_far() const { return before ? *before + since : since; }
    void add(const ClaimEnds& value, int sign);
  };

  std::vector<State> states_{State{}};  ///< the first is what the labels say
  std::vector<ClaimEnds> above_;        ///< every amount so far
  ClaimEnds longest_ = ends_of(0.0);
  int parts_ = 0;
  bool loose_ = false;       ///< a part is a range, or about so much
  bool whole_times_ = true;  ///< all parts are times in whole units of one kind
  double unit_ = 0;          ///< of them
  std::string words_;
};

}  // namespace gpuplan
