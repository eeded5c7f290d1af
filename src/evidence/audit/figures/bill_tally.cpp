#include "evidence/audit/figures/bill_tally.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/text.h"

namespace gpuplan {

bool is_taken_off(std::string_view label) {
  return has_any(to_lower(label),
                 {"discount", "rabatt", "skonto", "credit", "gutschrift", "rebate", "voucher", "refund", "coupon",
                  "remise", "descuento", "deduct", "abzug", "less ", "already paid", "prepaid", "deposit", "saving"});
}

namespace {

/// Figures that are rounded each on its own are seldom off by all that their digits leave open together: beyond 2.8
/// standard deviations of such errors one in 200 is.
ClaimEnds likely(const ClaimEnds& sum, double open) {
  constexpr double kDeviations = 1.6;  // of half a unit each, whose deviation is 0.58 of it
  const double room = kDeviations * std::sqrt(open);
  const auto within = [&](ClaimSpan span) {
    const double middle = (span.low + span.high) / 2, half = std::min((span.high - span.low) / 2, room);
    return ClaimSpan{middle - half, middle + half};
  };
  return {within(sum.low), within(sum.high)};
}

double open_of(const ClaimEnds& value) {
  const double half = (value.low.high - value.low.low) / 2;
  return half * half;
}

}  // namespace

void BillTally::State::add(const ClaimEnds& value, int sign) {
  open_since += open_of(value);
  open_all += open_of(value);
  for (ClaimEnds* sum : {&since, &all}) *sum = sign < 0 ? *sum - value : *sum + value;
}

void BillTally::part(const ClaimAmount& value, std::string_view label, const ClaimEnds* instead) {
  const ClaimEnds one = ends_of(value);
  // Whole hours are what their author counts in: nothing of them was rounded.
  whole_times_ = whole_times_ && value.dimension == ClaimDimension::kTime && value.whole && !value.approximate &&
                 !value.range() && (unit_ == 0 || unit_ == value.unit);
  unit_ = value.unit;
  loose_ = loose_ || value.approximate || value.range();
  const bool off = is_taken_off(label);
  std::vector<State> next;
  // What the labels say comes first; every other way is behind it.
  for (const State& state : states_) {
    State plain = state;
    plain.add(one, value.taken || (off && !value.added) ? -1 : 1);
    next.push_back(plain);
  }
  if (instead != nullptr)
    for (const State& state : states_) {
      State right = state;
      right.add(*instead, value.taken || (off && !value.added) ? -1 : 1);
      next.push_back(right);
    }
  for (const State& state : states_) {
    // "Discount (10%): $20": told beside prices that hold it already, or taken off by its own sign.
    if (off && !value.taken) next.push_back(state);
    // "After discount: $180": a total by its value, whatever it is called.
    const bool more_than_one = state.before ? parts_ >= 1 : parts_ >= 2;
    if (more_than_one && !value.taken && fits(value, state.so_far())) {
      State closed = state;
      closed.before = one;
      closed.open_before = open_of(one);
      closed.since = ends_of(0.0);
      closed.open_since = 0;
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
    state.open_before = open_of(one);
    state.since = ends_of(0.0);
    state.open_since = 0;
  }
  // They differ in nothing but the sum of all.
  above_.push_back(one);
  longest_ = ends_of(0.0);
  parts_ = 0;
  words_ = value.text;
}

bool BillTally::is_total(const ClaimAmount& stated) const {
  return std::ranges::any_of(states_, [&](const State& state) {
    const bool exact = whole_times_ && stated.whole && !stated.approximate && !stated.range() && stated.unit == unit_;
    const auto is_sum = [&](const ClaimEnds& sum, double open) {
      if (exact) return std::fabs(sum.low_middle() - stated.low) < 0.01 * stated.low_step;
      return fits(stated, loose_ ? sum : likely(sum, open));
    };
    return is_sum(state.since, state.open_since) || is_sum(state.all, state.open_all) ||
           is_sum(state.so_far(), state.open_before + state.open_since);
  });
}

ClaimEnds BillTally::right_total() const { return states_.front().so_far(); }

bool BillTally::is_share(const ClaimAmount& stated, const ClaimAmount& share) const {
  const ClaimEnds part = ends_of(share, true);
  const auto is_of = [&](const ClaimEnds& whole) { return fits(stated, whole * part); };
  // Of some of the parts above: "contingency (10%)" of compute and storage, and not of what is sent out.
  constexpr std::size_t kFew = 8;
  if (above_.size() <= kFew)
    for (std::size_t some = 1; some < std::size_t{1} << above_.size(); ++some) {
      ClaimEnds sum = ends_of(0.0);
      for (std::size_t i = 0; i < above_.size(); ++i)
        if ((some >> i & 1U) != 0) sum = sum + above_[i];
      if (!has_total() && is_of(sum)) return true;
    }
  return std::ranges::any_of(above_, is_of) || std::ranges::any_of(states_, [&](const State& state) {
           return is_of(state.so_far()) || is_of(state.all) || is_of(state.since);
         });
}

ClaimEnds BillTally::right_share(const ClaimAmount& share) const { return so_far() * ends_of(share, true); }

}  // namespace gpuplan
