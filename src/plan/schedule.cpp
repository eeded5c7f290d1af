#include "plan/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

namespace gpuplan {

namespace {

int position_of(const Job& job, const std::string& name) {
  for (std::size_t i = 0; i < job.phases.size(); ++i)
    if (job.phases[i].name == name) return static_cast<int>(i);
  return -1;
}

/// Longer than anything takes, in seconds; finite, so that sums of it are numbers.
constexpr double kEver = 1e100;

}  // namespace

std::vector<Slot> slots_of(const Job& job, const std::vector<int>& gpus) {
  std::vector<Slot> slots(job.phases.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Phase& phase = job.phases[i];
    slots[i].gpus = gpus[i];
    slots[i].on_machine = gpus[i] > 0 || !phase.on.empty();
    for (const std::string& need : phase.needs)
      if (const int position = position_of(job, need); position >= 0) slots[i].needs.push_back(position);
  }
  return slots;
}

std::vector<int> sorted(const std::vector<Slot>& slots) {
  std::vector<int> order;
  std::vector<char> done(slots.size(), 0);
  order.reserve(slots.size());
  while (order.size() < slots.size()) {
    const std::size_t before = order.size();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (done[i] ||
          !std::ranges::all_of(slots[i].needs, [&](int need) { return done[static_cast<std::size_t>(need)] != 0; }))
        continue;
      done[i] = 1;
      order.push_back(static_cast<int>(i));
      break;
    }
    if (order.size() == before) break;  // a cycle, which the job file's reader has refused
  }
  return order;
}

Timeline::Timeline(const std::vector<Slot>& slots, std::vector<Lot> lots)
    : slots_(slots),
      lots_(std::move(lots)),
      order_(sorted(slots)),
      durations_(slots.size()),
      starts_(slots.size()),
      asked_(lots_.size()),
      ready_(lots_.size()),
      left_(lots_.size()),
      steps_(lots_.size()) {
  for (auto& steps : steps_) steps.reserve(2 * slots.size() + 1);
  uses_.reserve(slots.size());
}

double Timeline::earliest(std::size_t lot, double ready, double duration, int wanted) const {
  // Steps are in order of time and the last one is free: no search goes past it.
  const std::vector<Step>& steps = steps_[lot];
  const auto later = [](double time, const Step& step) { return time < step.from; };
  auto step = std::ranges::prev(std::upper_bound(steps.begin(), steps.end(), ready, later));
  double start = ready;
  for (; step != steps.end(); ++step) {
    const auto next = std::ranges::next(step);
    if (step->used + wanted > lots_[lot].gpus) {
      if (next != steps.end()) start = std::max(ready, next->from);
      continue;
    }
    if (next == steps.end() || next->from >= start + duration) break;
  }
  return start;
}

void Timeline::take(std::size_t lot, double from, double to, int gpus) {
  assert(gpus > 0 && from >= 0 && from <= to);
  std::vector<Step>& steps = steps_[lot];
  const auto split = [&](double time) {
    const auto at = std::ranges::lower_bound(steps, time, {}, &Step::from);
    if (at != steps.end() && at->from == time) return at - steps.begin();
    return steps.insert(at, {time, std::ranges::prev(at)->used}) - steps.begin();
  };
  const auto first = split(from);
  const auto last = split(to);
  for (auto i = first; i < last; ++i) steps[static_cast<std::size_t>(i)].used += gpus;
}

void Timeline::place(const std::vector<double>& durations) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  durations_ = durations;
  for (double& seconds : durations_) {
    assert(seconds >= 0 && seconds < kEver);
    seconds = seconds >= 0 ? std::min(seconds, kEver) : kEver;  // by mistake no time, and never none at all
  }
  for (auto& steps : steps_) steps.assign(1, {0, 0});
  std::ranges::fill(asked_, kNever);
  std::ranges::fill(left_, 0);
  for (const int index : order_) {
    const auto i = static_cast<std::size_t>(index);
    double ready = 0;
    for (const int need : slots_[i].needs) {
      const auto n = static_cast<std::size_t>(need);
      ready = std::max(ready, starts_[n] + durations_[n]);
    }
    starts_[i] = ready;
    if (!slots_[i].on_machine) continue;
    const auto lot = static_cast<std::size_t>(slots_[i].lot);
    if (ready < asked_[lot]) {
      asked_[lot] = ready;
      ready_[lot] = ready + lots_[lot].startup;
    }
    starts_[i] = std::max(ready, ready_[lot]);
    const int wanted = slots_[i].gpus;
    if (wanted > 0) {
      if (starts_[i] < left_[lot] && wanted <= lots_[lot].gpus)
        starts_[i] = earliest(lot, starts_[i], durations_[i], wanted);
      take(lot, starts_[i], starts_[i] + durations_[i], wanted);
    }
    left_[lot] = std::max(left_[lot], starts_[i] + durations_[i]);
  }
  for (std::size_t lot = 0; lot < lots_.size(); ++lot)
    if (asked_[lot] == kNever) asked_[lot] = left_[lot];
}

double Timeline::end() const {
  double last = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) last = std::max(last, starts_[i] + durations_[i]);
  return last;
}

const std::vector<Timeline::Use>& Timeline::uses(std::size_t lot) {
  uses_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].on_machine && static_cast<std::size_t>(slots_[i].lot) == lot)
      uses_.push_back({starts_[i], starts_[i] + durations_[i], static_cast<int>(i)});
  if (uses_.size() > 1) std::ranges::stable_sort(uses_, {}, &Use::from);
  return uses_;
}

double Timeline::busy(std::size_t lot) {
  double seconds = 0;
  double until = 0;
  for (const Use& use : uses(lot)) {
    seconds += std::max(0.0, use.to - std::max(use.from, until));
    until = std::max(until, use.to);
  }
  return seconds;
}

std::vector<double> Timeline::machine_seconds() const {
  std::vector<double> seconds(slots_.size(), 0);
  std::vector<double> events;
  for (std::size_t lot = 0; lot < lots_.size(); ++lot) {
    const auto on_lot = [&](std::size_t i) {
      return slots_[i].on_machine && static_cast<std::size_t>(slots_[i].lot) == lot;
    };
    events.clear();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!on_lot(i)) continue;
      events.push_back(starts_[i]);
      events.push_back(starts_[i] + durations_[i]);
    }
    std::ranges::sort(events);
    for (std::size_t e = 0; e + 1 < events.size(); ++e) {
      const auto runs = [&](std::size_t i) {
        return on_lot(i) && starts_[i] <= events[e] && events[e] < starts_[i] + durations_[i];
      };
      const auto weight = [&](std::size_t i) { return static_cast<double>(std::max(slots_[i].gpus, 1)); };
      double weights = 0;
      for (std::size_t i = 0; i < slots_.size(); ++i)
        if (runs(i)) weights += weight(i);
      for (std::size_t i = 0; i < slots_.size(); ++i)
        if (runs(i)) seconds[i] += (events[e + 1] - events[e]) * weight(i) / weights;
    }
  }
  return seconds;
}

double billed_seconds(double held, const Billing& billing) {
  if (held <= 0) return 0;
  const double at_least = std::max({held, billing.minimum.value, billing.term.value});
  const double increment = std::max(billing.increment.value, billing.term.value);
  if (increment <= 0) return at_least;
  // Small tolerance: 3600.0000001 s is an hour, not an hour and a minute.
  return std::ceil(at_least / increment - 1e-9) * increment;
}

}  // namespace gpuplan
