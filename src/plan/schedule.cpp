#include "plan/schedule.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace gpuplan {

namespace {

int position_of(const Job& job, const std::string& name) {
  for (std::size_t i = 0; i < job.phases.size(); ++i)
    if (job.phases[i].name == name) return static_cast<int>(i);
  return -1;
}

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

Timeline::Timeline(const std::vector<Slot>& slots, int gpus)
    : slots_(slots), gpus_(gpus), order_(sorted(slots)), durations_(slots.size()), starts_(slots.size()) {
  steps_.reserve(2 * slots.size() + 1);
  uses_.reserve(slots.size());
}

double Timeline::earliest(double ready, double duration, int wanted) const {
  // Steps are in order of time and the last one is free: no search goes past it.
  const auto later = [](double time, const Step& step) { return time < step.from; };
  auto step = std::ranges::prev(std::upper_bound(steps_.begin(), steps_.end(), ready, later));
  double start = ready;
  for (; step != steps_.end(); ++step) {
    const auto next = std::ranges::next(step);
    if (step->used + wanted > gpus_) {
      if (next != steps_.end()) start = std::max(ready, next->from);
      continue;
    }
    if (next == steps_.end() || next->from >= start + duration) break;
  }
  return start;
}

void Timeline::take(double from, double to, int gpus) {
  const auto split = [&](double time) {
    const auto at = std::ranges::lower_bound(steps_, time, {}, &Step::from);
    if (at != steps_.end() && at->from == time) return at - steps_.begin();
    return steps_.insert(at, {time, std::ranges::prev(at)->used}) - steps_.begin();
  };
  const auto first = split(from);
  const auto last = split(to);
  for (auto i = first; i < last; ++i) steps_[static_cast<std::size_t>(i)].used += gpus;
}

void Timeline::place(const std::vector<double>& durations) {
  durations_ = durations;
  steps_.assign(1, {0, 0});
  double busy_until = 0;
  for (const int index : order_) {
    const auto i = static_cast<std::size_t>(index);
    double ready = 0;
    for (const int need : slots_[i].needs) {
      const auto n = static_cast<std::size_t>(need);
      ready = std::max(ready, starts_[n] + durations_[n]);
    }
    starts_[i] = ready;
    const int wanted = slots_[i].gpus;
    if (wanted == 0) continue;
    if (ready < busy_until && wanted <= gpus_) starts_[i] = earliest(ready, durations_[i], wanted);
    const double end = starts_[i] + durations_[i];
    take(starts_[i], end, wanted);
    busy_until = std::max(busy_until, end);
  }
}

double Timeline::end() const {
  double last = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) last = std::max(last, starts_[i] + durations_[i]);
  return last;
}

double Timeline::held(bool keep) {
  uses_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].on_machine) uses_.emplace_back(starts_[i], starts_[i] + durations_[i]);
  if (uses_.empty()) return 0;
  if (uses_.size() > 1) std::ranges::sort(uses_);
  double held = 0;
  double from = uses_.front().first;
  double to = uses_.front().second;
  for (const auto& [start, end] : uses_) {
    if (start > to && !keep) {
      held += to - from;
      from = start;
    }
    to = std::max(to, end);
  }
  return held + (to - from);
}

std::vector<double> Timeline::machine_seconds() const {
  std::vector<double> events;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].on_machine) continue;
    events.push_back(starts_[i]);
    events.push_back(starts_[i] + durations_[i]);
  }
  std::ranges::sort(events);
  std::vector<double> seconds(slots_.size(), 0);
  for (std::size_t e = 0; e + 1 < events.size(); ++e) {
    const auto runs = [&](std::size_t i) {
      return slots_[i].on_machine && starts_[i] <= events[e] && events[e] < starts_[i] + durations_[i];
    };
    const auto weight = [&](std::size_t i) { return static_cast<double>(std::max(slots_[i].gpus, 1)); };
    double weights = 0;
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (runs(i)) weights += weight(i);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (runs(i)) seconds[i] += (events[e + 1] - events[e]) * weight(i) / weights;
  }
  return seconds;
}

double billed_seconds(double held, const Billing& billing) {
  if (held <= 0) return 0;
  const double at_least = std::max(held, billing.minimum.value);
  if (billing.increment <= Seconds{}) return at_least;
  // Small tolerance: 3600.0000001 s is an hour, not an hour and a minute.
  return std::ceil(at_least / billing.increment.value - 1e-9) * billing.increment.value;
}

}  // namespace gpuplan
