// Phases side by side in the choice of machines: branches from a fork to a join.
#include <algorithm>
#include <utility>

#include "plan/billing/timeline.h"
#include "plan/machines/machine_choice.h"

namespace gpuplan {

/// Ends of two branches that begin together, everything let go.
MachineChoice::Labels MachineChoice::side_by_side(const Labels& a, const Labels& b) {
  Candidates joined;
  std::size_t i = 0;
  std::size_t j = 0;
  // Both are by rising time: at each end of one, the cheapest of the other that has ended by then.
  while (i < a.size() || j < b.size()) {
    const bool first = j == b.size() || (i < a.size() && a[i].time <= b[j].time);
    const Seconds time = first ? a[i].time : b[j].time;
    ++(first ? i : j);
    if (i == 0 || j == 0) continue;
    Step step;
    step.move = Move::kJoin;
    step.a = a[i - 1].step;
    step.b = b[j - 1].step;
    joined.push_back({time, a[i - 1].cost + b[j - 1].cost, {}, step});
  }
  return settle(joined);
}

/// A branch that ends with machines held, which wait for the other branches where these take longer.
MachineChoice::Labels MachineChoice::wait_for(int machine, const Labels& own, const Labels& others, Heir heir) {
  Candidates joined;
  for (const Label& label : own) {
    const Label* before = nullptr;  // the cheapest of the others that does not make it wait
    const auto join = [&](const Label& other) {
      const Seconds wait = std::max(Seconds{}, other.time - label.time);
      Step step;
      step.move = Move::kJoin;
      step.a = label.step;
      step.b = other.step;
      step.heir = heir;
      step.keeps = true;
      Candidate next{label.time + wait, label.cost + other.cost, {}, step};
      next.cost += extension(machine, label.slack, wait, next.slack);
      joined.push_back(next);
    };
    for (const Label& other : others) {
      if (other.time <= label.time) before = &other;
      else join(other);
    }
    if (before != nullptr) join(*before);
  }
  return settle_held(machine, std::move(joined));
}

/// Time that the stages of a module take on each machine when they share it.
std::vector<Seconds> MachineChoice::shared_times(const Module& module) const {
  const std::vector<int> stages = phases_of(module);
  std::vector<Slot> slots(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const int need : problem_.stages[static_cast<std::size_t>(stages[i])].needs)
      if (const auto at = std::ranges::find(stages, need); at != stages.end())
        slots[i].needs.push_back(static_cast<int>(at - stages.begin()));
  std::vector<Seconds> times(problem_.machines.size(), kNowhere);
  std::vector<Seconds> durations(stages.size());
  for (std::size_t m = 0; m < times.size(); ++m) {
    bool runs = true;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const Stage& stage = problem_.stages[static_cast<std::size_t>(stages[i])];
      durations[i] = stage.machine ? stage.times[m] : stage.times.front();
      slots[i].on_machine = stage.machine;
      slots[i].gpus = stage.machine ? stage.gpus[m] : 0;
      runs = runs && durations[i] != kNowhere;
    }
    if (!runs) continue;
    Timeline timeline(slots, {{problem_.machines[m].gpus, {}}});
    timeline.place(durations);
    times[m] = timeline.end();
  }
  return times;
}

MachineChoice::Sets MachineChoice::run_parallel(const Module& module, const Sets& start, bool apart) {
  const std::vector<int> stages = phases_of(module);
  const auto any = [&](bool Stage::* what) {
    return std::ranges::any_of(stages, [&](int s) { return problem_.stages[static_cast<std::size_t>(s)].*what; });
  };
  const bool holds = any(&Stage::holds);
  Sets sets = run_branches(module, start, holds, apart);
  const auto machines =
      std::ranges::count_if(stages, [&](int s) { return problem_.stages[static_cast<std::size_t>(s)].machine; });
  if (machines < 2 || !keeps_) return sets;

  // All of them share one machine.
  groups_.push_back(stages);
  const int group = static_cast<int>(groups_.size()) - 1;
  const Sets shared =
      run_block({shared_times(module), group, any(&Stage::lends), any(&Stage::stays), holds, beside_machines(stages)},
                start, apart);
  const auto append = [](Labels& to, const Labels& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(sets.released, shared.released);
  for (std::size_t m = 0; m < sets.held.size(); ++m) append(sets.held[m], shared.held[m]);
  return sets;
}

/// Labels that hold machines when branches begin, grouped by what is left of them. Too many groups: what is left is
/// taken as the least of each machine's, and the machines with the cheapest labels are followed.
std::vector<MachineChoice::Fork> MachineChoice::forks_of(const Sets& start) {
  constexpr std::size_t kMost = 32;
  std::vector<Fork> forks;
  const auto gather = [&](bool by_slack) {
    forks.clear();
    for (std::size_t m = 0; m < start.held.size(); ++m) {
      Labels labels = start.held[m];
      std::ranges::sort(labels, {}, &Label::slack);
      for (const Label& label : labels) {
        const bool same =
            !forks.empty() && forks.back().machine == m && (!by_slack || forks.back().slack == label.slack);
        if (!same) forks.push_back({m, label.slack, {}});
        forks.back().labels.push_back(label);
      }
    }
  };
  gather(true);
  if (forks.size() <= kMost) return forks;
  cut_ = true;
  gather(false);
  const auto least = [](const Fork& fork) { return std::ranges::min(fork.labels, {}, &Label::cost).cost; };
  std::ranges::stable_sort(forks, {}, least);
  forks.resize(std::min(forks.size(), kMost));
  return forks;
}

/// At most so many of the labels, evenly spread.
MachineChoice::Labels MachineChoice::some_of(const Labels& labels, std::size_t most) {
  most = std::max<std::size_t>(most, 4);
  if (labels.size() <= most) return labels;
  cut_ = true;
  Labels some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(labels[i * (labels.size() - 1) / (most - 1)]);
  return some;
}

/// Every branch on machines of its own.
MachineChoice::Sets MachineChoice::run_branches(const Module& module, const Sets& start, bool holds, bool apart) {
  // Pairs of labels before and after the fork: of those that hold a machine not more than this for each.
  constexpr std::size_t kPairs = 4'000;
  constexpr std::size_t kMostHeld = 8'000;
  constexpr std::size_t kMostOpen = 100'000;
  Candidates open;
  std::vector<Candidates> held(problem_.machines.size());
  // Each branch from nothing, in time relative to the fork.
  std::vector<Sets> branches;
  std::vector<Labels> ends;
  for (const Module& part : module.parts) {
    branches.push_back(solve(part, nothing_held(), true));
    ends.push_back(released(branches.back()));
  }
  const auto all_but = [&](std::size_t left_out, std::size_t and_out) {
    Labels joined;
    bool first = true;
    for (std::size_t b = 0; b < ends.size(); ++b) {
      if (b == left_out || b == and_out) continue;
      joined = first ? ends[b] : side_by_side(joined, ends[b]);
      first = false;
    }
    return joined;
  };
  const auto append = [](const Label& fork, const Label& end, Heir heir, Candidates& to) {
    Step step;
    step.move = Move::kAppend;
    step.before = fork.step;
    step.a = end.step;
    step.heir = heir;
    to.push_back({fork.time + end.time, fork.cost + end.cost, end.slack, step});
  };
  /// `branch` ends with machines held; `heir`: it (the first) or the others (the second).
  const auto keep_ends = [&](const Sets& branch, const Labels& others, const Labels& forks, Heir heir) {
    for (std::size_t m = 0; m < branch.held.size(); ++m) {
      if (branch.held[m].empty()) continue;
      const Labels waiting = wait_for(static_cast<int>(m), branch.held[m], others, heir);
      for (const Label& fork : some_of(forks, kPairs / std::max<std::size_t>(waiting.size(), 1)))
        for (const Label& end : waiting)
          append(fork, end, heir == Heir::kNobody ? Heir::kNobody : Heir::kFirst, held[m]);
      if (held[m].size() > kMostHeld) held[m] = unbeaten(static_cast<int>(m), std::move(held[m]));
    }
  };
  /// Ends of a branch that goes on with the machines of the fork, beside those of others.
  const auto beside = [&](const Labels& branch, const Labels& others) {
    Labels joined = side_by_side(branch, others);
    for (const Label& end : joined) steps_[static_cast<std::size_t>(end.step)].heir = Heir::kFirst;
    return joined;
  };
  const std::size_t none = ends.size();
  const Labels all = all_but(none, none);
  const Labels free = holds || start.go_on ? Labels{} : released(start);
  for (const Label& fork : free) {
    for (const Label& end : all) append(fork, end, Heir::kNobody, open);
    if (open.size() > kMostOpen) open = frontier_of(std::move(open));
  }
  // Machines held at the fork wait for the join.
  for (std::size_t m = 0; m < start.held.size(); ++m) {
    for (const Label& fork : some_of(start.held[m], kPairs / std::max<std::size_t>(all.size(), 1))) {
      for (const Label& end : all) {
        append(fork, end, Heir::kNobody, held[m]);
        Candidate& last = held[m].back();
        last.step.keeps = true;
        last.cost += extension(static_cast<int>(m), fork.slack, end.time, last.slack);
      }
    }
  }
  // Machines held at the fork: one branch goes on with them. Only what is left of them matters to it.
  const std::vector<Fork> forks = forks_of(start);
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Labels others = all_but(b, none);
    keep_ends(branches[b], others, free, Heir::kNobody);
    for (const Fork& fork : forks) {
      Sets own = nothing_held();
      own.released.clear();
      own.go_on = true;
      own.held[fork.machine].push_back({{}, {}, fork.slack, -1});
      const Sets branch = solve(module.parts[b], own, true);
      const Labels branch_ends = released(branch);
      for (const Label& end : beside(branch_ends, others))
        for (const Label& label : fork.labels) append(label, end, Heir::kFirst, open);
      keep_ends(branch, others, fork.labels, Heir::kFirst);
      for (std::size_t k = 0; k < branches.size(); ++k) {
        if (k == b) continue;
        keep_ends(branches[k], branches.size() == 2 ? branch_ends : beside(branch_ends, all_but(b, k)), fork.labels,
                  Heir::kSecond);
      }
    }
  }
  bool lends = holds;
  for (const int stage : phases_of(module)) lends = lends || problem_.stages[static_cast<std::size_t>(stage)].lends;
  return taken(open, held, lends, apart);
}

}  // namespace gpuplan
