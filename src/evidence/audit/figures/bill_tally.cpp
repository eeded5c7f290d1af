#include "evidence/audit/figures/bill_tally.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace gpuplan {

bool is_taken_off(std::string_view label) {
  return has_any(to_lower(label),
                 {"discount", "rabatt", "skonto", "credit", "gutschrift", "rebate", "voucher", "refund", "coupon",
                  "remise", "descuento", "deduct", "abzug", "less ", "already paid", "prepaid", "deposit", "saving"});
}

void BillTally::State::add(const ClaimEnds& value, int sign) {
  for (ClaimEnds* sum : {&since, &all}) *sum = sign < 0 ? *sum - value : *sum + value;
}

void BillTally::part(const ClaimAmount& value, std::string_view label) {
  const ClaimEnds one = ends_of(value);
  const bool off = is_taken_off(label);
  std::vector<State> next;
  // What the labels say comes first; every other way is behind it.
  for (const State& state : states_) {
    State plain = state;
    plain.add(one, value.taken || (off && !value.added) ? -1 : 1);
    next.push_back(plain);
  }
  for (const State& state : states_) {
    // "Discount (10%): $20": told beside prices that hold it already, or taken off by its own sign.
    if (off && !value.taken) next.push_back(state);
    // "After discount: $180": a total by its value, whatever it is called.
    const bool more_than_one = state.before ? parts_ >= 1 : parts_ >= 2;
    if (more_than_one && !value.taken && fits(value, state.so_far())) {
      State closed = state;
      closed.before = one;
      closed.since = ends_of(0.0);
      next.push_back(closed);
    }
  }
  constexpr std::size_t kMost = 64;
  if (next.size() > kMost) next.resize(kMost);
  states_ = std::move(next);
  above_.push_back(one);
  if (one.most() > longest_.most()) longest_ = one;
  ++parts_;
  constexpr std::size_t kLongest = 160;
  const std::string_view sign = words_.empty() ? "" : value.taken || off ? " - " : " + ";
  if (words_.size() < kLongest) words_ += std::string(sign) + value.text;
  else if (!words_.ends_with("...")) words_ += " + ...";
}

void BillTally::total(const ClaimAmount& value) {
  const ClaimEnds one = ends_of(value);
  for (State& state : states_) {
    state.before = one;
    state.since = ends_of(0.0);
  }
  // They differ in nothing but the sum of all.
  above_.push_back(one);
  longest_ = ends_of(0.0);
  parts_ = 0;
  words_ = value.text;
}

bool BillTally::is_total(const ClaimAmount& stated) const {
  return std::ranges::any_of(states_, [&](const State& state) {
    return fits(stated, state.since) || fits(stated, state.all) || fits(stated, state.so_far());
  });
}

ClaimEnds BillTally::right_total() const { return states_.front().so_far(); }

bool BillTally::is_share(const ClaimAmount& stated, const ClaimAmount& share) const {
  const ClaimEnds part = ends_of(share, true);
  const auto is_of = [&](const ClaimEnds& whole) { return fits(stated, whole * part); };
  return std::ranges::any_of(above_, is_of) || std::ranges::any_of(states_, [&](const State& state) {
           return is_of(state.so_far()) || is_of(state.all) || is_of(state.since);
         });
}

ClaimEnds BillTally::right_share(const ClaimAmount& share) const { return so_far() * ends_of(share, true); }

}  // namespace gpuplan
