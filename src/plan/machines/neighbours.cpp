#include "plan/machines/neighbours.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "plan/answer/block_billing.h"
#include "plan/billing/timeline.h"
#include "plan/machines/rooms.h"

namespace gpuplan {

namespace {

/// As a share: machines that others beat by more in both time and cost are no alternative, whatever the spread.
constexpr double kClearly = 0.1;

const MachineTerms& terms_of(const ChoiceProblem& problem, int machine) {
  return problem.machines[static_cast<std::size_t>(machine)];
}

const Stage& stage_of(const ChoiceProblem& problem, int stage) {
  return problem.stages[static_cast<std::size_t>(stage)];
}

/// Machines to run these stages on, one after the other, by rising time.
std::vector<int> alternatives(const ChoiceProblem& problem, const std::vector<int>& stages) {
  struct Option {
    Seconds time;
    Dollars cost;
    int machine;
  };
  std::vector<Option> options;
  for (std::size_t m = 0; m < problem.machines.size(); ++m) {
    const MachineTerms& terms = problem.machines[m];
    Option option{{}, {}, static_cast<int>(m)};
    for (const int s : stages) {
      option.time += stage_of(problem, s).times[m];
      option.cost += stage_of(problem, s).beside(option.machine);
    }
    if (option.time == kNowhere) continue;
    const Seconds startup = terms.billing.startup;
    option.cost +=
        terms.price * paid_for(terms.billing, option.time + (terms.billing.startup_billed ? startup : Seconds{}));
    option.time += startup;
    options.push_back(option);
  }
  std::ranges::stable_sort(options, {}, &Option::time);
  std::vector<int> machines;
  Dollars least{
      std::numeric_limits<double>::infinity()};  // of those clearly faster that are not used up by another stage
  std::size_t faster = 0;
  for (const Option& option : options) {
    for (; faster < options.size() && options[faster].time < option.time * (1 - kClearly); ++faster)
      if (terms_of(problem, options[faster].machine).side_by_side) least = std::min(least, options[faster].cost);
    if (least > option.cost * (1 - kClearly)) machines.push_back(option.machine);
  }
  return machines;
}

}  // namespace

std::optional<ByMedians> by_medians(const ChoiceProblem& problem, const ChosenSchedule& schedule) {
  const std::size_t size = problem.stages.size();
  ByMedians result;
  std::vector<Slot> slots(size);
  std::vector<Seconds> durations(size);
  std::vector<LeaseCapacity> leases;
  for (std::size_t i = 0; i < size; ++i) {
    slots[i].needs = problem.stages[i].needs;
    slots[i].rank = static_cast<int>(i);
    if (!problem.stages[i].machine) durations[i] = problem.stages[i].times.front();
  }
  for (std::size_t h = 0; h < schedule.size(); ++h) {
    const auto m = static_cast<std::size_t>(schedule[h].machine);
    const MachineTerms& terms = problem.machines[m];
    leases.push_back({terms.gpus, terms.billing.startup});
    for (const int s : schedule[h].stages) {
      const auto i = static_cast<std::size_t>(s);
      slots[i].on_machine = true;
      slots[i].lease = static_cast<int>(h);
      slots[i].gpus = problem.stages[i].gpus[m];
      durations[i] = problem.stages[i].times[m];
      if (durations[i] == kNowhere) return std::nullopt;
      result.work += durations[i];
      result.cost += problem.stages[i].beside(schedule[h].machine);
    }
  }
  Timeline timeline(slots, leases);
  timeline.place(durations);
  result.hours = timeline.end();
  std::vector<HeldMachines> all;
  for (std::size_t h = 0; h < schedule.size(); ++h) {
    const MachineTerms& terms = terms_of(problem, schedule[h].machine);
    const auto [from, to] = timeline.held(h);
    const Seconds unpaid = terms.billing.startup_billed ? Seconds{} : terms.billing.startup;
    result.cost += terms.price * paid_for(terms.billing, to - from - unpaid);
    if (!problem.rooms.empty()) all.push_back({from, to, terms.gpus, terms.rooms});
    if (terms.side_by_side) continue;
    for (std::size_t other = 0; other < h; ++other) {
      const auto [begin, end] = timeline.held(other);
      if (schedule[other].machine == schedule[h].machine && begin < to && from < end) return std::nullopt;
    }
  }
  if (overbooked(problem.rooms, all)) return std::nullopt;
  return result;
}

std::vector<ChosenSchedule> neighbours(const ChoiceProblem& problem, const ChosenSchedule& schedule) {
  std::vector<ChosenSchedule> near;
  std::vector<int> all;  // stages, and the kinds of machines they are on
  std::vector<int> kinds;
  for (const ChosenMachines& held : schedule) {
    all.insert(all.end(), held.stages.begin(), held.stages.end());
    if (std::ranges::find(kinds, held.machine) == kinds.end()) kinds.push_back(held.machine);
  }
  // As many machines, all of one kind; or another kind in place of one.
  const auto exchange = [&](int machine, auto counts) {
    near.push_back(schedule);
    for (ChosenMachines& held : near.back())
      if (counts(held)) held.machine = machine;
  };
  if (schedule.size() > 1)
    for (const int machine : alternatives(problem, all)) exchange(machine, [](const ChosenMachines&) { return true; });
  for (std::size_t h = 0; h < schedule.size(); ++h) {
    const ChosenMachines& held = schedule[h];
    for (const int machine : alternatives(problem, held.stages)) {
      if (machine == held.machine) continue;
      near.push_back(schedule);
      near.back()[h].machine = machine;
    }
    for (const int stage : held.stages) {
      // What stays on the machines of another stage goes nowhere without it.
      if (stage_of(problem, stage).stays || stage_of(problem, stage).lends) continue;
      ChosenSchedule without = schedule;
      std::erase(without[h].stages, stage);
      const bool alone = without[h].stages.empty();
      if (!alone) {
        for (const int machine : alternatives(problem, {stage})) {
          near.push_back(without);
          near.back().push_back({machine, {stage}});
        }
      }
      for (std::size_t other = 0; problem.keep && other < schedule.size(); ++other) {
        const auto m = static_cast<std::size_t>(schedule[other].machine);
        if (other == h || stage_of(problem, stage).times[m] == kNowhere) continue;
        near.push_back(without);
        near.back()[other].stages.push_back(stage);
        if (alone) near.back().erase(near.back().begin() + static_cast<std::ptrdiff_t>(h));
      }
    }
  }
  for (ChosenSchedule& one : near)
    for (ChosenMachines& held : one) std::ranges::sort(held.stages);
  return near;
}

}  // namespace gpuplan
