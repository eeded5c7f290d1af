#include "plan/billing/drawn_times.h"

#include <algorithm>

namespace gpuplan {

namespace {

/// Each of these takes about two or three kilobytes. Beyond, all of a kind are forgotten: a market with thousands of
/// machines seldom asks for one again.
constexpr std::size_t kMostKept = 300;

template <class Kept>
void make_room(Kept& kept) {
  if (kept.size() >= kMostKept) kept.clear();
}

}  // namespace

void DrawnTime::tell() {
  told = outcome<Seconds>(quantiles(seconds, order));
  median = told.p50;  // the middle sample: their number is odd
}

Shared<DrawnTime> DrawnTimes::time(const TimeKey& key, int first) {
  if (const auto known = times_.find(key); known != times_.end()) return known->second;
  DrawnTime drawn;
  const auto add = [&](const Interval<Seconds>& time) {
    if (time.exact()) return add_samples(time, Samples{}, drawn.seconds);
    auto rising = rising_.find(time);
    if (rising == rising_.end()) {
      make_room(rising_);
      rising = rising_.emplace(time, Samples{}).first;
      add_samples(time, scores_, 0, rising->second);
    }
    for (std::size_t i = 0; i < drawn.seconds.size(); ++i)
      drawn.seconds[i] += rising->second[static_cast<std::size_t>(drawn.order[i])];
  };
  drawn.order = scores_.strata(std::max(key.works.stream, 0));  // of exact ones any order is right
  if (key.works.stream == TimeKey::Draw::kWeighed) drawn.order = strata_of(scores_, key.works.weights, first);
  add(key.work);
  if (key.extras != TimeKey::Draw::kNone) drawn.order = scores_.strata(key.extras);
  add(key.extra);
  drawn.tell();
  make_room(times_);
  return times_.emplace(key, drawn).first->second;
}

Samples DrawnTimes::price(const Interval<DollarsPerSecond>& price, int stream) {
  Samples drawn{};
  if (price.exact()) {
    add_samples(price, Samples{}, drawn);
    return drawn;
  }
  const auto known = prices_.find({price, stream});
  if (known != prices_.end()) return known->second;
  add_samples(price, scores_, stream, drawn);
  make_room(prices_);
  prices_.emplace(std::pair(price, stream), drawn);
  return drawn;
}

std::size_t DrawnTimes::met(const SpotTerms& terms, Seconds work) {
  const auto known = std::ranges::find_if(
      interrupted_, [&](const Interrupted& one) { return one.work == work && one.terms == terms; });
  if (known != interrupted_.end()) return static_cast<std::size_t>(known - interrupted_.begin());
  if (interrupted_.size() >= kMostKept) interrupted_times_.clear();  // they name positions
  make_room(interrupted_);
  interrupted_.emplace_back(terms, work, interrupted_phase(terms, work, seed_, kSamples));
  return interrupted_.size() - 1;
}

const InterruptedPhase& DrawnTimes::interrupted(const SpotTerms& terms, Seconds work) {
  const std::size_t position = met(terms, work);
  return interrupted_[position].phase;
}

Seconds DrawnTimes::paid_beyond(const ExposedPhase& phase, const Billing& billing) {
  const auto known = std::ranges::find_if(paid_beyond_, [&](const PaidBeyond& one) {
    return one.work == phase.work && one.billing == billing && one.terms == phase.terms;
  });
  if (known != paid_beyond_.end()) return known->beyond;
  const Seconds beyond =
      gpuplan::paid_beyond(phase.terms, phase.work, interrupted(phase.terms, phase.work), billing, seed_);
  make_room(paid_beyond_);
  paid_beyond_.emplace_back(phase.terms, phase.work, billing, beyond);
  return beyond;
}

Seconds written_anyway(const ExposedPhase& phase, const InterruptedPhase& met) {
  return std::max(phase.busy - phase.work * met.undisturbed, Seconds{});
}

const InterruptedTime& DrawnTimes::time(const TimeKey& key, int first, const ExposedPhase& phase, int luck) {
  const std::size_t position = met(phase.terms, phase.work);
  const InterruptedKey of{key, position, phase.busy, luck};
  if (const auto known = interrupted_times_.find(of); known != interrupted_times_.end()) return known->second;
  const InterruptedPhase& interrupted = interrupted_[position].phase;
  InterruptedTime drawn{time(key, first)};
  // What a phase takes longer than its median, its interruptions stretch as well.
  const double work = phase.work / phase.busy;
  const double beside = written_anyway(phase, interrupted) / phase.busy;
  DrawnTime& own = drawn.time.change();
  own.order = scores_.strata(luck);
  if (phase.terms.wait > Seconds{}) drawn.away.emplace();
  Samples interruptions{};
  const double median = own.median.value;
  const double lost = phase.work > Seconds{} ? interrupted.expected.billed / phase.work - interrupted.undisturbed : 0;
  for (std::size_t s = 0; s < own.order.size(); ++s) {
    const double wall = interrupted.wall[static_cast<std::size_t>(own.order[s])];
    const double billed = interrupted.billed[static_cast<std::size_t>(own.order[s])];
    if (drawn.away) (*drawn.away)[s] = own.seconds[s] * work * (wall - billed);
    if (lost > 0)
      interruptions[s] = interrupted.expected.interruptions * std::max(billed - interrupted.undisturbed, 0.0) / lost *
                         (median > 0 ? own.seconds[s] / median : 1);
    own.seconds[s] *= work * wall + beside;
  }
  drawn.interruptions = interruptions;
  own.tell();
  make_room(interrupted_times_);
  return interrupted_times_.emplace(of, std::move(drawn)).first->second;
}

}  // namespace gpuplan
