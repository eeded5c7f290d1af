// Labels of the choice of machines: what they cost to hold, and which of them another one beats.
#include <algorithm>
#include <utility>

#include "plan/answer/block_billing.h"
#include "plan/machines/machine_choice.h"

namespace gpuplan {

/// The price of `time` more of machines of which so much is paid for already; what is left of it then.
Dollars MachineChoice::extension(int machine, Seconds slack, Seconds time, Seconds& left) const {
  const MachineTerms& terms = problem_.machines[static_cast<std::size_t>(machine)];
  const Seconds more = rounded_up(std::max(Seconds{}, time - slack), increment_of(terms.billing));
  left = slack + more - time;
  return terms.price * more;
}

/// Most that can be saved by going on with held machines instead of taking the same ones again: for a stage of
/// time D at most max(minimum, D + start-up) + increment is paid then, and D - slack at least now.
Dollars MachineChoice::worth_of_holding(int machine, Seconds slack) const {
  const auto m = static_cast<std::size_t>(machine);
  const MachineTerms& terms = problem_.machines[m];
  const Billing& billing = terms.billing;
  const Seconds startup = billing.startup_billed ? billing.startup : Seconds{};
  const Seconds least = least_of(billing) - shortest_[m];
  return terms.price * (std::max(least, startup) + increment_of(billing) + slack);
}

bool MachineChoice::both_to_be_had(int one, int other) const {
  const MachineTerms& a = problem_.machines[static_cast<std::size_t>(one)];
  const MachineTerms& b = problem_.machines[static_cast<std::size_t>(other)];
  return std::ranges::none_of(a.rooms, [&](int room) {
    return std::ranges::find(b.rooms, room) != b.rooms.end() &&
           a.gpus + b.gpus > problem_.rooms[static_cast<std::size_t>(room)];
  });
}

/// All machines but those that another one beats even when they could go on to be used for nothing.
MachineChoice::Takers MachineChoice::worth_taking(const Block& block, bool apart) const {
  struct Option {
    Seconds time;
    Dollars cost;
    Seconds startup;
    Dollars worth;
    int machine;
  };
  std::vector<Option> options;
  for (std::size_t m = 0; m < block.times.size(); ++m) {
    const MachineTerms& terms = problem_.machines[m];
    if (block.times[m] == kNowhere || in_play_[m] == 0 || (apart && !terms.side_by_side)) continue;
    const Seconds startup = terms.billing.startup;
    const Seconds held = block.times[m] + (terms.billing.startup_billed ? startup : Seconds{});
    const Seconds paid = paid_for(terms.billing, held);
    const int machine = static_cast<int>(m);
    options.push_back({block.times[m] + startup, terms.price * paid + block.dollars[m], startup,
                       worth_of_holding(machine, paid - held), machine});
  }
  const auto beaten = [&](const Option& option, Seconds startup, Dollars worth) {
    return std::ranges::any_of(options, [&](const Option& other) {
      if (other.machine == option.machine) return false;
      const Seconds time = other.time + startup;
      const Dollars cost = other.cost + worth;
      if (time > option.time || cost > option.cost) return false;
      return time < option.time || cost < option.cost || other.machine < option.machine;
    });
  };
  Takers takers;
  for (const Option& option : options) {
    if (!beaten(option, {}, {})) takers.once.push_back(option.machine);
    // A later stage may need just these machines, and beside a branch that takes longer their start costs no time.
    if (block.lends || (keeps_ && apart && option.startup > Seconds{}) ||
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
    labels.push_back({candidate.time, candidate.cost, {}, step_of(candidate.step)});
  return labels;
}

/// Whether a label that still holds `machine` may end better for it than those of `released`, which would have to take
/// it again.
bool MachineChoice::worth_holding(int machine, const Candidate& candidate, const Labels& released) const {
  const Seconds startup = problem_.machines[static_cast<std::size_t>(machine)].billing.startup;
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
  const Seconds increment = increment_of(terms.billing);
  const auto pick = [&](double share) {
    std::vector<const Candidate*> kept;
    const auto beats = [&](const Candidate& a, const Candidate& b) {
      const Seconds lacking = a.slack >= b.slack ? Seconds{} : rounded_up(b.slack - a.slack, increment);
      return (a.cost + terms.price * lacking) * (1 - share) <= b.cost;
    };
    const auto net = [&](const Candidate& c) { return c.cost - terms.price * c.slack; };
    const Candidate* cheapest = nullptr;  // of those kept: the least cost, and the least once what is left is used
    const Candidate* richest = nullptr;
    for (const Candidate& candidate : candidates) {
      const auto beaten = [&](const Candidate* one) { return one != nullptr && beats(*one, candidate); };
      if (beaten(cheapest) || beaten(richest)) continue;
      if (increment > Seconds{}) {
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
  const std::size_t most = increment > Seconds{} ? most_in_blocks_ : std::max<std::size_t>(20, most_ / 4);
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
  for (Label& label : all) label.slack = {};
  return frontier_of(std::move(all));
}

// Used by the other files of the class.
template std::vector<MachineChoice::Candidate> MachineChoice::frontier_of(std::vector<Candidate> all);
template std::vector<MachineChoice::Label> MachineChoice::frontier_of(std::vector<Label> all);

}  // namespace gpuplan
