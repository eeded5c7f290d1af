#include "plan/machines/machine_choice.h"

#include <algorithm>
#include <utility>

#include "plan/answer/block_billing.h"

namespace gpuplan {

MachineChoice::MachineChoice(const ChoiceProblem& problem, const Module& order, std::size_t most)
    : problem_(problem),
      most_(most),
      most_in_blocks_(std::max<std::size_t>(20, 4 * most / (problem.machines.size() + 1))) {
  for (std::size_t i = 0; i < problem.stages.size(); ++i) groups_.push_back({static_cast<int>(i)});
  shortest_.assign(problem.machines.size(), kNowhere);
  for (const Stage& stage : problem.stages)
    for (std::size_t m = 0; stage.machine && m < stage.times.size(); ++m)
      shortest_[m] = std::min(shortest_[m], stage.times[m]);
  in_play_.assign(problem.machines.size(), 1);
  keeps_ = problem.keep;
  search(order);
  for (int less = 0; too_much() && less < 3; ++less) {
    if (less == 0) {
      std::vector<char> best(in_play_.size(), 0);
      for (std::size_t i = 0; i < problem.stages.size(); ++i) {
        const Stage& stage = problem.stages[i];
        if (!stage.machine) continue;
        const Block block{stage.times, 0, stage.lends, false, false, beside_machines({static_cast<int>(i)})};
        for (const int machine : worth_taking(block, false).once) best[static_cast<std::size_t>(machine)] = 1;
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
  if (!stage.machine) return run_idle(stage.times.front(), module.phase, start, stage.holds, apart);
  return run_block({stage.times, module.phase, stage.lends, stage.stays, stage.holds, beside_machines({module.phase})},
                   start, apart);
}

/// A phase that needs no machine: what is held waits, paid for, or is let go.
MachineChoice::Sets MachineChoice::run_idle(Seconds time, int group, const Sets& start, bool holds, bool apart) {
  Candidates open;
  std::vector<Candidates> held(problem_.machines.size());
  const auto step = [&](const Label& label, bool keeps) {
    Step next;
    next.before = label.step;
    next.group = group;
    if (keeps) next.heir = Heir::kFirst;
    return next;
  };
  if (!holds && !start.go_on)
    for (const Label& label : released(start)) open.push_back({label.time + time, label.cost, {}, step(label, false)});
  for (std::size_t m = 0; m < start.held.size(); ++m) {
    for (const Label& label : start.held[m]) {
      Candidate next{label.time + time, label.cost, {}, step(label, true)};
      next.cost += extension(static_cast<int>(m), label.slack, time, next.slack);
      held[m].push_back(next);
    }
  }
  Sets sets = taken(open, held, holds || start.go_on, apart);
  sets.go_on = start.go_on;
  return sets;
}

/// What stages cost on each machine beside the machine.
std::vector<Dollars> MachineChoice::beside_machines(const std::vector<int>& stages) const {
  std::vector<Dollars> dollars(problem_.machines.size());
  for (const int s : stages) {
    const Stage& stage = problem_.stages[static_cast<std::size_t>(s)];
    for (std::size_t m = 0; m < stage.dollars.size(); ++m) dollars[m] += stage.dollars[m];
  }
  return dollars;
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
    if (block.times[m] == kNowhere) continue;
    const int machine = static_cast<int>(m);
    for (const Label& label : start.held[m]) {
      Candidate next{
          label.time + block.times[m], label.cost + block.dollars[m], {}, step(Move::kContinue, label, machine)};
      next.cost += extension(machine, label.slack, block.times[m], next.slack);
      finish(machine, next);
    }
  }
  if (block.stays) return taken(open, held, block.lends, apart);

  const Labels free = block.holds || start.go_on ? Labels{} : released(start);
  const auto take = [&](int machine, bool once) {
    const auto m = static_cast<std::size_t>(machine);
    const MachineTerms& terms = problem_.machines[m];
    const Seconds startup = terms.billing.startup;
    const Seconds used = block.times[m] + (terms.billing.startup_billed ? startup : Seconds{});
    const Seconds paid = paid_for(terms.billing, used);
    const Seconds time = block.times[m] + startup;
    const Dollars cost = terms.price * paid + block.dollars[m];
    for (const Label& label : free) {
      const Candidate end{label.time + time, label.cost + cost, paid - used, step(Move::kFresh, label, machine)};
      (once ? open : held[m]).push_back(end);
    }
    if (!once || (!keeps_ && !block.holds)) return;
    for (std::size_t other = 0; other < start.held.size(); ++other) {
      if (other == m || start.held[other].empty() || !both_to_be_had(machine, static_cast<int>(other))) continue;
      for (const Label& label : start.held[other]) {
        Candidate next{label.time + time, label.cost + cost, {}, step(Move::kBeside, label, machine)};
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
    const int a = collect(s.a, s.heir == Heir::kFirst ? inherited : -1, held);
    collect(s.b, s.heir == Heir::kSecond ? inherited : -1, held);
    return s.keeps ? a : -1;
  }
  const int before = collect(s.before, inherited, held);
  switch (s.move) {
    case Move::kNone:
      return s.heir == Heir::kFirst ? before : -1;
    case Move::kContinue:
      return run_on(before);
    case Move::kFresh:
    case Move::kBeside:
      held.push_back({s.machine, {}});
      run_on(static_cast<int>(held.size()) - 1);
      return s.move == Move::kFresh ? static_cast<int>(held.size()) - 1 : before;
    case Move::kAppend: {
      const int after = collect(s.a, s.heir == Heir::kFirst ? before : -1, held);
      return s.keeps ? before : after;
    }
    case Move::kJoin:
      break;
  }
  return -1;
}

}  // namespace gpuplan
