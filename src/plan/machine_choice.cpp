#include "plan/machine_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "plan/schedule.h"

namespace gpuplan {

namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// Billing by the second is continuous: the fraction of a second that it rounds up decides nothing.
double increment_of(const Billing& billing) {
  const double increment = std::max(billing.increment.value, billing.term.value);
  return increment <= 1 ? 0 : increment;
}

double least_of(const Billing& billing) { return std::max(billing.minimum.value, billing.term.value); }

double rounded_up(double seconds, double increment) {
  return increment > 0 ? std::ceil(seconds / increment - 1e-9) * increment : seconds;
}

/// Seconds paid for machines that are held so long.
double paid_for(const Billing& billing, double seconds) {
  return rounded_up(std::max(seconds, least_of(billing)), increment_of(billing));
}

}  // namespace

MachineChoice::MachineChoice(const ChoiceProblem& problem, const Module& order, std::size_t most)
    : problem_(problem),
      most_(most),
      most_in_blocks_(std::max<std::size_t>(20, 4 * most / (problem.machines.size() + 1))) {
  for (std::size_t i = 0; i < problem.stages.size(); ++i) groups_.push_back({static_cast<int>(i)});
  shortest_.assign(problem.machines.size(), kNowhere);
  for (const Stage& stage : problem.stages)
    for (std::size_t m = 0; stage.machine && m < stage.seconds.size(); ++m)
      shortest_[m] = std::min(shortest_[m], stage.seconds[m]);
  in_play_.assign(problem.machines.size(), 1);
  keeps_ = problem.keep;
  search(order);
  for (int less = 0; too_much() && less < 3; ++less) {
    if (less == 0) {
      std::vector<char> best(in_play_.size(), 0);
      for (const Stage& stage : problem.stages) {
        if (!stage.machine) continue;
        for (const int machine : worth_taking({stage.seconds, 0, stage.lends, false, false}, false).once)
          best[static_cast<std::size_t>(machine)] = 1;
      }
      in_play_ = std::move(best);
    }
    if (less == 1) most_ /= 8;
    if (less == 2) keeps_ = false;
    search(order);
    cut_ = true;
  }
}

void MachineChoice::search(const Module& order) {
  steps_.clear();
  points_.clear();
  ends_.clear();
  looked_at_ = 0;
  thinned_ = 0;
  cut_ = false;
  groups_.resize(problem_.stages.size());
  const Labels ends = released(solve(order, nothing_held(), false));
  for (const Label& label : ends) {
    points_.push_back({label.time, label.cost});
    ends_.push_back(label.step);
  }
}

MachineChoice::Sets MachineChoice::nothing_held() const {
  Sets sets;
  sets.held.resize(problem_.machines.size());
  sets.released.push_back({});
  return sets;
}

int MachineChoice::step_of(const Step& step) {
  steps_.push_back(step);
  return static_cast<int>(steps_.size()) - 1;
}

/// Dollars for `seconds` more of machines of which so much is paid for already; what is left of it then.
double MachineChoice::extension(int machine, double slack, double seconds, double& left) const {
  const MachineTerms& terms = problem_.machines[static_cast<std::size_t>(machine)];
  const double more = rounded_up(std::max(0.0, seconds - slack), increment_of(terms.billing));
  left = slack + more - seconds;
  return terms.price * more;
}

/// Most that can be saved by going on with held machines instead of taking the same ones again: for a stage of D
/// seconds at most max(minimum, D + start-up) + increment is paid then, and D - slack at least now.
double MachineChoice::worth_of_holding(int machine, double slack) const {
  const auto m = static_cast<std::size_t>(machine);
  const MachineTerms& terms = problem_.machines[m];
  const Billing& billing = terms.billing;
  const double startup = billing.startup_billed ? billing.startup.value : 0;
  const double least = least_of(billing) - shortest_[m];
  return terms.price * (std::max(least, startup) + increment_of(billing) + slack);
}

/// All machines but those that another one beats even when they could go on to be used for nothing.
MachineChoice::Takers MachineChoice::worth_taking(const Block& block, bool apart) const {
  struct Option {
    double time, cost, startup, worth;
    int machine;
  };
  std::vector<Option> options;
  for (std::size_t m = 0; m < block.seconds.size(); ++m) {
    const MachineTerms& terms = problem_.machines[m];
    if (block.seconds[m] == kNowhere || in_play_[m] == 0 || (apart && !terms.side_by_side)) continue;
    const double startup = terms.billing.startup.value;
    const double held = block.seconds[m] + (terms.billing.startup_billed ? startup : 0);
    const double paid = paid_for(terms.billing, held);
    const int machine = static_cast<int>(m);
    options.push_back(
        {block.seconds[m] + startup, terms.price * paid, startup, worth_of_holding(machine, paid - held), machine});
  }
  const auto beaten = [&](const Option& option, double startup, double worth) {
    return std::ranges::any_of(options, [&](const Option& other) {
      if (other.machine == option.machine) return false;
      const double time = other.time + startup;
      const double cost = other.cost + worth;
      if (time > option.time || cost > option.cost) return false;
      return time < option.time || cost < option.cost || other.machine < option.machine;
    });
  };
  Takers takers;
  for (const Option& option : options) {
    if (!beaten(option, 0, 0)) takers.once.push_back(option.machine);
    // A later stage may need just these machines, and beside a branch that takes longer their start costs no time.
    if (block.lends || (keeps_ && apart && option.startup > 0) ||
        (keeps_ && !beaten(option, option.startup, option.worth)))
      takers.any.push_back(option.machine);
  }
  return takers;
}

/// Those that no other beats in time and cost, by rising time. Too many: those that save least on the one before are
/// left out.
template <class T>
std::vector<T> MachineChoice::frontier_of(std::vector<T> all) {
  std::ranges::sort(all, [](const T& a, const T& b) { return a.time != b.time ? a.time < b.time : a.cost < b.cost; });
  std::size_t size = 0;
  for (const T& one : all)
    if (size == 0 || one.cost < all[size - 1].cost) all[size++] = one;
  all.resize(size);
  if (size <= most_) return all;
  std::vector<T> fewer;
  double share = 0.5e-5;
  do {
    share *= 2;
    fewer.assign(1, all.front());
    for (const T& one : all)
      if (one.cost < fewer.back().cost * (1 - share)) fewer.push_back(one);
    if (fewer.back().cost > all.back().cost) fewer.push_back(all.back());
  } while (fewer.size() > most_);
  thinned_ = std::max(thinned_, share);
  return fewer;
}

/// The frontier of candidates after which nothing is held.
MachineChoice::Labels MachineChoice::settle(const Candidates& candidates) {
  Labels labels;
  for (const Candidate& candidate : frontier_of(candidates))
    labels.push_back({candidate.time, candidate.cost, 0, step_of(candidate.step)});
  return labels;
}

/// Whether a label that still holds `machine` may end better for it than those of `released`, which would have to take
/// it again.
bool MachineChoice::worth_holding(int machine, const Candidate& candidate, const Labels& released) const {
  const double startup = problem_.machines[static_cast<std::size_t>(machine)].billing.startup.value;
  const auto later = std::ranges::upper_bound(released, candidate.time - startup, {}, &Label::time);
  if (later == released.begin()) return true;
  return std::ranges::prev(later)->cost + worth_of_holding(machine, candidate.slack) > candidate.cost;
}

/// Candidates that hold `machine`, without those that another one beats.
MachineChoice::Labels MachineChoice::settle_held(int machine, Candidates candidates) {
  Labels labels;
  for (const Candidate& one : unbeaten(machine, std::move(candidates)))
    labels.push_back({one.time, one.cost, one.slack, step_of(one.step)});
  return labels;
}

MachineChoice::Candidates MachineChoice::unbeaten(int machine, Candidates candidates) {
  looked_at_ += candidates.size();
  const MachineTerms& terms = problem_.machines[static_cast<std::size_t>(machine)];
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.time != b.time) return a.time < b.time;
    return a.cost != b.cost ? a.cost < b.cost : a.slack > b.slack;
  });
  const double increment = increment_of(terms.billing);
  const auto pick = [&](double share) {
    std::vector<const Candidate*> kept;
    const auto beats = [&](const Candidate& a, const Candidate& b) {
      const double lacking = a.slack >= b.slack ? 0 : rounded_up(b.slack - a.slack, increment);
      return (a.cost + terms.price * lacking) * (1 - share) <= b.cost;
    };
    const auto net = [&](const Candidate& c) { return c.cost - terms.price * c.slack; };
    const Candidate* cheapest = nullptr;  // of those kept: the least cost, and the least once what is left is used
    const Candidate* richest = nullptr;
    for (const Candidate& candidate : candidates) {
      const auto beaten = [&](const Candidate* one) { return one != nullptr && beats(*one, candidate); };
      if (beaten(cheapest) || beaten(richest)) continue;
      if (increment > 0) {
        looked_at_ += kept.size() / 8;
        if (std::ranges::any_of(kept, beaten)) continue;
      }
      if (cheapest == nullptr || candidate.cost < cheapest->cost) cheapest = &candidate;
      if (richest == nullptr || net(candidate) < net(*richest)) richest = &candidate;
      kept.push_back(&candidate);
    }
    return kept;
  };
  std::vector<const Candidate*> kept = pick(0);
  // What is left of a block makes labels that hardly differ.
  const std::size_t most = increment > 0 ? most_in_blocks_ : std::max<std::size_t>(20, most_ / 4);
  for (double share = 1e-4; kept.size() > most; share *= 2) {
    kept = pick(share);
    thinned_ = std::max(thinned_, share);
  }
  Candidates result;
  for (const Candidate* candidate : kept) result.push_back(*candidate);
  return result;
}

MachineChoice::Sets MachineChoice::taken(const Candidates& open, std::vector<Candidates>& held, bool must_hold,
                                         bool apart) {
  looked_at_ += open.size();
  if (too_much()) return nothing_held();
  Sets sets;
  sets.released = settle(open);
  for (std::size_t m = 0; m < held.size(); ++m) {
    const int machine = static_cast<int>(m);
    // What a later stage needs can not be let go and taken again; and beside a branch that takes longer, machines that
    // are held cost money and no time.
    const bool startup = problem_.machines[m].billing.startup > Seconds{};
    if (!must_hold && !(apart && startup))
      std::erase_if(held[m], [&](const Candidate& one) { return !worth_holding(machine, one, sets.released); });
    sets.held.push_back(settle_held(machine, std::move(held[m])));
  }
  return sets;
}

/// All labels with everything let go.
MachineChoice::Labels MachineChoice::released(const Sets& sets) {
  Labels all = sets.released;
  for (const Labels& labels : sets.held) all.insert(all.end(), labels.begin(), labels.end());
  for (Label& label : all) label.slack = 0;
  return frontier_of(std::move(all));
}

MachineChoice::Sets MachineChoice::solve(const Module& module, const Sets& start, bool apart) {
  if (too_much()) return nothing_held();
  if (module.kind == Module::Kind::kParallel) return run_parallel(module, start, apart);
  if (module.kind == Module::Kind::kPhase) return run_stage(module, start, apart);
  Sets sets = start;
  for (const Module& part : module.parts) sets = solve(part, sets, apart);
  return sets;
}

MachineChoice::Sets MachineChoice::run_stage(const Module& module, const Sets& start, bool apart) {
  const Stage& stage = problem_.stages[static_cast<std::size_t>(module.phase)];
  if (!stage.machine) return run_idle(stage.seconds.front(), module.phase, start, stage.holds, apart);
  return run_block({stage.seconds, module.phase, stage.lends, stage.stays, stage.holds}, start, apart);
}

/// A phase that needs no machine: what is held waits, paid for, or is let go.
MachineChoice::Sets MachineChoice::run_idle(double seconds, int group, const Sets& start, bool holds, bool apart) {
  Candidates open;
  std::vector<Candidates> held(problem_.machines.size());
  const auto step = [&](const Label& label, bool keeps) {
    Step next;
    next.before = label.step;
    next.group = group;
    next.inherits = keeps ? 1 : 0;
    return next;
  };
  if (!holds && !start.go_on)
    for (const Label& label : released(start))
      open.push_back({label.time + seconds, label.cost, 0, step(label, false)});
  for (std::size_t m = 0; m < start.held.size(); ++m) {
    for (const Label& label : start.held[m]) {
      Candidate next{label.time + seconds, label.cost, 0, step(label, true)};
      next.cost += extension(static_cast<int>(m), label.slack, seconds, next.slack);
      held[m].push_back(next);
    }
  }
  Sets sets = taken(open, held, holds || start.go_on, apart);
  sets.go_on = start.go_on;
  return sets;
}

/// A block of stages on one machine: held before it, taken for it, or taken while another one waits.
MachineChoice::Sets MachineChoice::run_block(const Block& block, const Sets& start, bool apart) {
  Candidates open;
  std::vector<Candidates> held(problem_.machines.size());
  const auto step = [&](Move move, const Label& label, int machine) {
    Step next;
    next.move = move;
    next.before = label.step;
    next.machine = machine;
    next.group = block.group;
    return next;
  };
  const bool keeps = keeps_ || block.lends;
  const auto finish = [&](int machine, const Candidate& end) {
    open.push_back(end);
    if (keeps) held[static_cast<std::size_t>(machine)].push_back(end);
  };
  for (std::size_t m = 0; m < start.held.size() && (keeps_ || block.stays); ++m) {
    if (block.seconds[m] == kNowhere) continue;
    const int machine = static_cast<int>(m);
    for (const Label& label : start.held[m]) {
      Candidate next{label.time + block.seconds[m], label.cost, 0, step(Move::kContinue, label, machine)};
      next.cost += extension(machine, label.slack, block.seconds[m], next.slack);
      finish(machine, next);
    }
  }
  if (block.stays) return taken(open, held, block.lends, apart);

  const Labels free = block.holds || start.go_on ? Labels{} : released(start);
  const auto take = [&](int machine, bool once) {
    const auto m = static_cast<std::size_t>(machine);
    const MachineTerms& terms = problem_.machines[m];
    const double startup = terms.billing.startup.value;
    const double used = block.seconds[m] + (terms.billing.startup_billed ? startup : 0);
    const double paid = paid_for(terms.billing, used);
    const double time = block.seconds[m] + startup;
    const double cost = terms.price * paid;
    for (const Label& label : free) {
      const Candidate end{label.time + time, label.cost + cost, paid - used, step(Move::kFresh, label, machine)};
      (once ? open : held[m]).push_back(end);
    }
    if (!once || (!keeps_ && !block.holds)) return;
    for (std::size_t other = 0; other < start.held.size(); ++other) {
      if (other == m) continue;
      for (const Label& label : start.held[other]) {
        Candidate next{label.time + time, label.cost + cost, 0, step(Move::kBeside, label, machine)};
        next.cost += extension(static_cast<int>(other), label.slack, time, next.slack);
        held[other].push_back(next);
      }
    }
  };
  const Takers takers = worth_taking(block, apart);
  for (const int machine : takers.once) take(machine, true);
  for (const int machine : takers.any) take(machine, false);
  return taken(open, held, block.lends || block.holds, apart);
}

/// Ends of two branches that begin together, everything let go.
MachineChoice::Labels MachineChoice::side_by_side(const Labels& a, const Labels& b) {
  Candidates joined;
  std::size_t i = 0;
  std::size_t j = 0;
  // Both are by rising time: at each end of one, the cheapest of the other that has ended by then.
  while (i < a.size() || j < b.size()) {
    const bool first = j == b.size() || (i < a.size() && a[i].time <= b[j].time);
    const double time = first ? a[i].time : b[j].time;
    ++(first ? i : j);
    if (i == 0 || j == 0) continue;
    Step step;
    step.move = Move::kJoin;
    step.a = a[i - 1].step;
    step.b = b[j - 1].step;
    joined.push_back({time, a[i - 1].cost + b[j - 1].cost, 0, step});
  }
  return settle(joined);
}

/// A branch that ends with machines held, which wait for the other branches where these take longer.
MachineChoice::Labels MachineChoice::wait_for(int machine, const Labels& own, const Labels& others, int inherits) {
  Candidates joined;
  for (const Label& label : own) {
    const Label* before = nullptr;  // the cheapest of the others that does not make it wait
    const auto join = [&](const Label& other) {
      const double wait = std::max(0.0, other.time - label.time);
      Step step;
      step.move = Move::kJoin;
      step.a = label.step;
      step.b = other.step;
      step.inherits = inherits;
      step.keeper = 1;
      Candidate next{label.time + wait, label.cost + other.cost, 0, step};
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

/// Seconds that the stages of a module take on each machine when they share it.
std::vector<double> MachineChoice::shared_seconds(const Module& module) const {
  const std::vector<int> stages = phases_of(module);
  std::vector<Slot> slots(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const int need : problem_.stages[static_cast<std::size_t>(stages[i])].needs)
      if (const auto at = std::ranges::find(stages, need); at != stages.end())
        slots[i].needs.push_back(static_cast<int>(at - stages.begin()));
  std::vector<double> seconds(problem_.machines.size(), kNowhere);
  std::vector<double> durations(stages.size());
  for (std::size_t m = 0; m < seconds.size(); ++m) {
    bool runs = true;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const Stage& stage = problem_.stages[static_cast<std::size_t>(stages[i])];
      durations[i] = stage.machine ? stage.seconds[m] : stage.seconds.front();
      slots[i].on_machine = stage.machine;
      slots[i].gpus = stage.machine ? stage.gpus[m] : 0;
      runs = runs && durations[i] != kNowhere;
    }
    if (!runs) continue;
    Timeline timeline(slots, {{problem_.machines[m].gpus, 0}});
    timeline.place(durations);
    seconds[m] = timeline.end();
  }
  return seconds;
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
      run_block({shared_seconds(module), group, any(&Stage::lends), any(&Stage::stays), holds}, start, apart);
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
  const auto append = [](const Label& fork, const Label& end, bool inherits, Candidates& to) {
    Step step;
    step.move = Move::kAppend;
    step.before = fork.step;
    step.a = end.step;
    step.inherits = inherits ? 1 : 0;
    to.push_back({fork.time + end.time, fork.cost + end.cost, end.slack, step});
  };
  /// `branch` ends with machines held; `inherits`: which side goes on with those of the fork (1 it, 2 the others).
  const auto keep_ends = [&](const Sets& branch, const Labels& others, const Labels& forks, int inherits) {
    for (std::size_t m = 0; m < branch.held.size(); ++m) {
      if (branch.held[m].empty()) continue;
      const Labels waiting = wait_for(static_cast<int>(m), branch.held[m], others, inherits);
      for (const Label& fork : some_of(forks, kPairs / std::max<std::size_t>(waiting.size(), 1)))
        for (const Label& end : waiting) append(fork, end, inherits > 0, held[m]);
      if (held[m].size() > kMostHeld) held[m] = unbeaten(static_cast<int>(m), std::move(held[m]));
    }
  };
  /// Ends of a branch that goes on with the machines of the fork, beside those of others.
  const auto beside = [&](const Labels& branch, const Labels& others) {
    Labels joined = side_by_side(branch, others);
    for (const Label& end : joined) steps_[static_cast<std::size_t>(end.step)].inherits = 1;
    return joined;
  };
  const std::size_t none = ends.size();
  const Labels all = all_but(none, none);
  const Labels free = holds || start.go_on ? Labels{} : released(start);
  for (const Label& fork : free) {
    for (const Label& end : all) append(fork, end, false, open);
    if (open.size() > kMostOpen) open = frontier_of(std::move(open));
  }
  // Machines held at the fork wait for the join.
  for (std::size_t m = 0; m < start.held.size(); ++m) {
    for (const Label& fork : some_of(start.held[m], kPairs / std::max<std::size_t>(all.size(), 1))) {
      for (const Label& end : all) {
        append(fork, end, false, held[m]);
        Candidate& last = held[m].back();
        last.step.keeper = 1;
        last.cost += extension(static_cast<int>(m), fork.slack, end.time, last.slack);
      }
    }
  }
  // Machines held at the fork: one branch goes on with them. Only what is left of them matters to it.
  const std::vector<Fork> forks = forks_of(start);
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const Labels others = all_but(b, none);
    keep_ends(branches[b], others, free, 0);
    for (const Fork& fork : forks) {
      Sets own = nothing_held();
      own.released.clear();
      own.go_on = true;
      own.held[fork.machine].push_back({0, 0, fork.slack, -1});
      const Sets branch = solve(module.parts[b], own, true);
      const Labels branch_ends = released(branch);
      for (const Label& end : beside(branch_ends, others))
        for (const Label& label : fork.labels) append(label, end, true, open);
      keep_ends(branch, others, fork.labels, 1);
      for (std::size_t k = 0; k < branches.size(); ++k) {
        if (k == b) continue;
        keep_ends(branches[k], branches.size() == 2 ? branch_ends : beside(branch_ends, all_but(b, k)), fork.labels, 2);
      }
    }
  }
  bool lends = holds;
  for (const int stage : phases_of(module)) lends = lends || problem_.stages[static_cast<std::size_t>(stage)].lends;
  return taken(open, held, lends, apart);
}

std::vector<ChosenMachines> MachineChoice::machines_of(std::size_t point) const {
  std::vector<ChosenMachines> held;
  collect(ends_[point], -1, held);
  return held;
}

/// Follows the steps from the beginning; the result is what is held after `step`: a position in `held`, -1 for nothing.
int MachineChoice::collect(int step, int inherited, std::vector<ChosenMachines>& held) const {
  if (step < 0) return inherited;
  const Step& s = steps_[static_cast<std::size_t>(step)];
  const auto run_on = [&](int position) {
    std::vector<int>& stages = held[static_cast<std::size_t>(position)].stages;
    for (const int stage : groups_[static_cast<std::size_t>(s.group)])
      if (problem_.stages[static_cast<std::size_t>(stage)].machine) stages.push_back(stage);
    return position;
  };
  if (s.move == Move::kJoin) {
    const int a = collect(s.a, s.inherits == 1 ? inherited : -1, held);
    collect(s.b, s.inherits == 2 ? inherited : -1, held);
    return s.keeper == 1 ? a : -1;
  }
  const int before = collect(s.before, inherited, held);
  switch (s.move) {
    case Move::kNone:
      return s.inherits == 1 ? before : -1;
    case Move::kContinue:
      return run_on(before);
    case Move::kFresh:
    case Move::kBeside:
      held.push_back({s.machine, {}});
      run_on(static_cast<int>(held.size()) - 1);
      return s.move == Move::kFresh ? static_cast<int>(held.size()) - 1 : before;
    case Move::kAppend: {
      const int after = collect(s.a, s.inherits == 1 ? before : -1, held);
      return s.keeper == 1 ? before : after;
    }
    case Move::kJoin:
      break;
  }
  return -1;
}

}  // namespace gpuplan
