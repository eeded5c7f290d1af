#include "plan/billing/timeline.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace gpuplan {

namespace {

/// When machines are asked for that nothing uses.
constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

}  // namespace

std::vector<Slot> slots_of(const Job& job) {
  std::unordered_map<std::string_view, int> positions;
  for (std::size_t i = 0; i < job.phases.size(); ++i) positions.emplace(job.phases[i].name, static_cast<int>(i));
  std::vector<Slot> slots(job.phases.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].on_machine = !job.phases[i].on.empty();
    for (const std::string& need : job.phases[i].needs)
      if (const auto found = positions.find(need); found != positions.end()) slots[i].needs.push_back(found->second);
  }
  // From the phases that nothing waits for back to those they need: the longest row of phases behind each. What a cycle
  // holds, which the job file's reader refuses, is never reached.
  std::vector<int> behind(slots.size(), 0);
  std::vector<int> open(slots.size(), 0);  // phases that need it and are not done
  for (const Slot& slot : slots)
    for (const int need : slot.needs) ++open[static_cast<std::size_t>(need)];
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (open[i] == 0) ready.push_back(i);
  for (std::size_t next = 0; next < ready.size(); ++next) {
    for (const int need : slots[ready[next]].needs) {
      const auto n = static_cast<std::size_t>(need);
      behind[n] = std::max(behind[n], behind[ready[next]] + 1);
      if (--open[n] == 0) ready.push_back(n);
    }
  }
  std::vector<int> order(slots.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int a, int b) {
    const auto key = [&](int i) {
      const auto n = static_cast<std::size_t>(i);
      return std::tuple(-behind[n], std::string_view(job.phases[n].name), i);
    };
    return key(a) < key(b);
  });
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    slots[static_cast<std::size_t>(order[rank])].rank = static_cast<int>(rank);
  return slots;
}

namespace {

/// The slots by their ranks, where these are all different and no need comes behind what needs it, as slots_of() has
/// them; else nothing.
std::vector<int> by_rank(const std::vector<Slot>& slots) {
  std::vector<int> order(slots.size(), -1);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    const auto rank = static_cast<std::size_t>(slot.rank);
    if (slot.rank < 0 || rank >= order.size() || order[rank] >= 0) return {};
    order[rank] = static_cast<int>(i);
    for (const int need : slot.needs)
      if (slots[static_cast<std::size_t>(need)].rank >= slot.rank) return {};
  }
  return order;
}

}  // namespace

std::vector<int> sorted(const std::vector<Slot>& slots) {
  if (std::vector<int> order = by_rank(slots); !order.empty()) return order;
  std::vector<int> missing(slots.size(), 0);  // needs that are not in the order yet
  std::vector<std::vector<int>> needed_by(slots.size());
  std::set<std::pair<int, int>> ready;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (const int need : slots[i].needs) needed_by[static_cast<std::size_t>(need)].push_back(static_cast<int>(i));
    missing[i] = static_cast<int>(slots[i].needs.size());
    if (missing[i] == 0) ready.emplace(slots[i].rank, static_cast<int>(i));
  }
  std::vector<int> order;  // of a cycle, which the job file's reader has refused, nothing
  order.reserve(slots.size());
  while (!ready.empty()) {
    const int next = ready.extract(ready.begin()).value().second;
    order.push_back(next);
    for (const int later : needed_by[static_cast<std::size_t>(next)])
      if (--missing[static_cast<std::size_t>(later)] == 0)
        ready.emplace(slots[static_cast<std::size_t>(later)].rank, later);
  }
  return order;
}

std::vector<int> canonical_order(const Job& job) { return sorted(slots_of(job)); }

Timeline::Timeline(const std::vector<Slot>& slots, std::vector<LeaseCapacity> leases)
    : slots_(slots),
      leases_(std::move(leases)),
      order_(sorted(slots)),
      on_(leases_.size()),
      durations_(slots.size()),
      starts_(slots.size()),
      asked_(leases_.size()),
      ready_(leases_.size()),
      left_(leases_.size()),
      steps_(leases_.size()) {
  for (const int i : order_)
    if (const Slot& slot = slots_[static_cast<std::size_t>(i)]; slot.on_machine)
      on_[static_cast<std::size_t>(slot.lease)].push_back(i);
  for (std::size_t lease = 0; lease < leases_.size(); ++lease) steps_[lease].reserve(2 * on_[lease].size() + 1);
  // All that come behind one in the order wait for it when each of them needs it or one behind it.
  awaited_.resize(slots.size());
  std::vector<std::ptrdiff_t> place(slots.size());
  for (std::size_t at = 0; at < order_.size(); ++at)
    place[static_cast<std::size_t>(order_[at])] = static_cast<std::ptrdiff_t>(at);
  std::ptrdiff_t needed = std::ssize(order_);  // the least, over those behind, of the last that they need
  for (auto at = std::ssize(order_) - 1; at >= 0; --at) {
    const auto i = static_cast<std::size_t>(order_[static_cast<std::size_t>(at)]);
    awaited_[i] = needed >= at ? 1 : 0;
    std::ptrdiff_t last = -1;
    for (const int need : slots[i].needs) last = std::max(last, place[static_cast<std::size_t>(need)]);
    needed = std::min(needed, last);
  }
  size_of_.resize(slots.size());
  for (std::size_t lease = 0; lease < leases_.size(); ++lease) {
    const auto first = std::ssize(sizes_);
    for (const int phase : on_[lease]) {
      const auto i = static_cast<std::size_t>(phase);
      if (slots[i].gpus <= 0) continue;
      const auto known = std::find_if(sizes_.begin() + first, sizes_.end(),
                                      [&](const Size& size) { return size.wanted == slots[i].gpus; });
      size_of_[i] = static_cast<std::size_t>(known - sizes_.begin());
      if (known == sizes_.end()) sizes_.push_back({lease, slots[i].gpus, {}});
    }
  }
}

Seconds Timeline::earliest(std::size_t lease, Seconds ready, Seconds duration, std::size_t size) {
  // Steps are in order of time and the last one is free: no search goes past it.
  const std::vector<Step>& steps = steps_[lease];
  const int wanted = sizes_[size].wanted;
  Seconds& full_until = sizes_[size].full_until;
  const bool from_full = ready <= full_until;  // then whatever is found full below follows on it
  ready = std::max(ready, full_until);
  const auto later = [](Seconds time, const Step& step) { return time < step.from; };
  auto step = std::ranges::prev(std::upper_bound(steps.begin(), steps.end(), ready, later));
  Seconds start = ready;
  bool full = from_full;
  for (; step != steps.end(); ++step) {
    const auto next = std::ranges::next(step);
    if (step->used + wanted > leases_[lease].gpus) {
      if (next != steps.end()) {
        start = std::max(ready, next->from);
        if (full) full_until = start;
      }
      continue;
    }
    full = false;
    if (next == steps.end() || next->from >= start + duration) break;
  }
  return start;
}

void Timeline::take(std::size_t lease, Seconds from, Seconds to, int gpus) {
  assert(gpus > 0 && from >= Seconds{} && from <= to);
  std::vector<Step>& steps = steps_[lease];
  const auto split = [&](Seconds time) {
    // Of phases in a row each begins where the steps end.
    if (steps.back().from < time) {
      steps.push_back({time, steps.back().used});
      return std::ssize(steps) - 1;
    }
    if (steps.back().from == time) return std::ssize(steps) - 1;
    const auto at = std::ranges::lower_bound(steps, time, {}, &Step::from);
    if (at != steps.end() && at->from == time) return at - steps.begin();
    return steps.insert(at, {time, std::ranges::prev(at)->used}) - steps.begin();
  };
  const auto first = split(from);
  const auto last = split(to);
  for (auto i = first; i < last; ++i) steps[static_cast<std::size_t>(i)].used += gpus;
}

/// Takes over durations; nothing is placed.
void Timeline::begin(const std::vector<Seconds>& durations) {
  durations_ = durations;
  for (Seconds& time : durations_) {
    assert(time >= Seconds{} && time < kEver);
    time = sound(time);
  }
  std::ranges::fill(asked_, kNever);
  std::ranges::fill(left_, Seconds{});
}

/// When the phases that it needs have ended and its machines are there, which it asks for unless another phase has.
Seconds Timeline::ready_for(std::size_t phase) {
  Seconds ready{};
  for (const int need : slots_[phase].needs) {
    const auto n = static_cast<std::size_t>(need);
    ready = std::max(ready, starts_[n] + durations_[n]);
  }
  if (!slots_[phase].on_machine) return ready;
  const auto lease = static_cast<std::size_t>(slots_[phase].lease);
  if (ready < asked_[lease]) {
    asked_[lease] = ready;
    ready_[lease] = ready + leases_[lease].startup;
  }
  return std::max(ready, ready_[lease]);
}

void Timeline::leave(std::size_t phase) {
  if (!slots_[phase].on_machine) return;
  Seconds& left = left_[static_cast<std::size_t>(slots_[phase].lease)];
  left = std::max(left, starts_[phase] + durations_[phase]);
}

void Timeline::place(const std::vector<Seconds>& durations) {
  begin(durations);
  packed_ = false;
  for (auto& steps : steps_) steps.assign(1, {Seconds{}, 0});
  for (Size& size : sizes_) size.full_until = {};
  for (const int index : order_) {
    const auto i = static_cast<std::size_t>(index);
    starts_[i] = ready_for(i);
    const int wanted = slots_[i].gpus;
    if (slots_[i].on_machine && wanted > 0) {
      const auto lease = static_cast<std::size_t>(slots_[i].lease);
      const bool first = starts_[i] >= left_[lease];  // nothing runs there any more
      if (!first && wanted <= leases_[lease].gpus) starts_[i] = earliest(lease, starts_[i], durations_[i], size_of_[i]);
      if (!(first && awaited_[i] != 0)) take(lease, starts_[i], starts_[i] + durations_[i], wanted);
    }
    leave(i);
  }
}

/// Hands out the GPUs of each lease by the starts of its phases, those first that are free the longest.
void Timeline::pack() {
  struct Free {
    int phase;  ///< that had them; -1: none
    int gpus;
  };
  turns_ = order_;
  std::ranges::stable_sort(turns_, {}, [&](int i) { return starts_[static_cast<std::size_t>(i)]; });
  behind_.assign(slots_.size(), {});
  std::vector<std::multimap<Seconds, Free>> free(leases_.size());  // by when they become free
  for (std::size_t lease = 0; lease < leases_.size(); ++lease)
    free[lease].emplace(Seconds{}, Free{-1, leases_[lease].gpus});
  for (const int index : turns_) {
    const auto i = static_cast<std::size_t>(index);
    if (!slots_[i].on_machine || slots_[i].gpus <= 0) continue;
    auto& there = free[static_cast<std::size_t>(slots_[i].lease)];
    int taken = 0;
    while (taken < slots_[i].gpus && !there.empty()) {
      Free& first = there.begin()->second;
      const int some = std::min(first.gpus, slots_[i].gpus - taken);
      if (first.phase >= 0) behind_[i].push_back(first.phase);
      taken += some;
      first.gpus -= some;
      if (first.gpus == 0) there.erase(there.begin());
    }
    there.emplace(starts_[i] + durations_[i], Free{index, taken});
  }
  packed_ = true;
}

void Timeline::follow(const std::vector<Seconds>& durations) {
  if (!packed_) pack();
  begin(durations);
  for (const int index : turns_) {
    const auto i = static_cast<std::size_t>(index);
    starts_[i] = ready_for(i);
    for (const int before : behind_[i]) {
      const auto b = static_cast<std::size_t>(before);
      starts_[i] = std::max(starts_[i], starts_[b] + durations_[b]);
    }
    leave(i);
  }
}

Seconds Timeline::end() const {
  Seconds last{};
  for (std::size_t i = 0; i < slots_.size(); ++i) last = std::max(last, starts_[i] + durations_[i]);
  return last;
}

Seconds Timeline::busy(std::size_t lease) {
  const auto use = [&](int phase) {
    const auto i = static_cast<std::size_t>(phase);
    return std::tuple(starts_[i], starts_[i] + durations_[i], slots_[i].rank);
  };
  std::vector<int>& on = on_[lease];
  // Most often they are in order; where they are not, the next placing of the same phases begins with this order.
  if (!std::ranges::is_sorted(on, {}, use)) std::ranges::sort(on, {}, use);
  Seconds busy{};
  Seconds until{};
  for (const int phase : on) {
    const auto [from, to, rank] = use(phase);
    busy += std::max(Seconds{}, to - std::max(from, until));
    until = std::max(until, to);
  }
  return busy;
}

std::vector<Seconds> Timeline::machine_seconds() const {
  std::vector<Seconds> answered(slots_.size());
  const auto end = [&](int i) {
    return starts_[static_cast<std::size_t>(i)] + durations_[static_cast<std::size_t>(i)];
  };
  std::vector<Seconds> events;
  std::vector<int> running;
  for (std::size_t lease = 0; lease < on_.size(); ++lease) {
    std::vector<int> phases = on_[lease];
    events.clear();
    running.clear();
    for (const int i : phases) {
      events.push_back(starts_[static_cast<std::size_t>(i)]);
      events.push_back(end(i));
    }
    std::ranges::sort(events);
    std::ranges::stable_sort(phases, {}, [&](int i) { return starts_[static_cast<std::size_t>(i)]; });
    auto next = phases.begin();
    for (std::size_t e = 0; e + 1 < events.size(); ++e) {
      std::erase_if(running, [&](int i) { return end(i) <= events[e]; });
      for (; next != phases.end() && starts_[static_cast<std::size_t>(*next)] <= events[e]; ++next)
        if (end(*next) > events[e]) running.push_back(*next);
      Sharing sharing(leases_[lease].gpus);
      for (const int i : running) sharing.add(slots_[static_cast<std::size_t>(i)].gpus);
      const auto weight = [&](int i) { return sharing.weight(slots_[static_cast<std::size_t>(i)].gpus); };
      double weights = 0;
      for (const int i : running) weights += weight(i);
      for (const int i : running)
        answered[static_cast<std::size_t>(i)] += (events[e + 1] - events[e]) * weight(i) / weights;
    }
  }
  return answered;
}

}  // namespace gpuplan
