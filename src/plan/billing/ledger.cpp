#include "plan/billing/ledger.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "plan/billing/timeline.h"

namespace gpuplan {

namespace {

/// When each phase ends. The median of a phase and the start of the next, which comes from medians of parts, differ by
/// a little: such ends are moved to the start, or to the edge of the lease, that they stand for.
std::vector<Seconds> ends_of(const Job& job, const Plan& plan, const std::vector<Lease>& leases) {
  constexpr double kSame = 0.01;    // of the phase's time
  constexpr double kNeeded = 0.05;  // the same where the next phase waits for this one
  struct Edge {
    Seconds time;
    double share;
    bool needed;
  };
  std::vector<Seconds> ends;
  for (const PhasePlan& part : plan.phases) {
    const std::string& name = job.phases[static_cast<std::size_t>(part.estimate->phase)].name;
    std::vector<Edge> edges;
    for (const Lease& lease : leases) edges.push_back({lease.to, kSame, false});
    for (const PhasePlan& other : plan.phases) {
      const auto& needs = job.phases[static_cast<std::size_t>(other.estimate->phase)].needs;
      const bool needed = std::ranges::find(needs, name) != needs.end();
      edges.push_back({other.start, needed ? kNeeded : kSame, needed});
    }
    const Seconds stated = end_of(part);
    const Seconds time = stated - part.start;
    Seconds end = stated;
    Seconds near{};
    for (const Edge& edge : edges) {
      if (edge.time <= part.start) continue;
      const Seconds off = edge.time > stated ? edge.time - stated : stated - edge.time;
      if (off > std::max(units::second, time * edge.share) || (end != stated && off >= near)) continue;
      near = off;
      end = edge.time;
    }
    for (const Edge& edge : edges)  // what needs it does not start before
      if (edge.needed && edge.time > part.start) end = std::min(end, edge.time);
    ends.push_back(end);
  }
  return ends;
}

/// What each phase of a lease, and the time in which none runs on it, takes of the stretches: machine seconds, by
/// position of the stretch. An instant is shared by the phases running at it, as in Timeline::machine_seconds.
struct LeaseTime {
  std::vector<std::vector<double>> phases;  ///< by position among the lease's
  std::vector<double> idle;
};

LeaseTime time_of(const Plan& plan, const Lease& lease, int position, const std::vector<Stretch>& stretches) {
  LeaseTime time{{}, std::vector<double>(stretches.size(), 0)};
  time.phases.assign(lease.phases.size(), time.idle);
  const auto gpus = [&](int phase) { return plan.phases[static_cast<std::size_t>(phase)].estimate->gpus; };
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    const Stretch& line = stretches[s];
    if (std::ranges::find(line.leases, position) == line.leases.end()) continue;
    const auto runs = [&](int phase) { return std::ranges::find(line.phases, phase) != line.phases.end(); };
    Sharing sharing(lease.gpus);
    for (const int phase : lease.phases)
      if (runs(phase)) sharing.add(gpus(phase));
    double weights = 0;
    for (const int phase : lease.phases) weights += runs(phase) ? sharing.weight(gpus(phase)) : 0;
    if (weights == 0) time.idle[s] = line.length().value;
    for (std::size_t n = 0; n < lease.phases.size(); ++n)
      if (runs(lease.phases[n]))
        time.phases[n][s] = line.length().value * sharing.weight(gpus(lease.phases[n])) / weights;
  }
  return time;
}

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Time billed after the last use, by the offer's rules.
Seconds beyond_of(const Lease& lease) {
  const Seconds held = lease.to - lease.from;
  const Seconds unpaid = lease.offer->billing.startup_billed ? Seconds{} : lease.offer->billing.startup;
  const Seconds beyond = billed_seconds(held - unpaid, lease.offer->billing) - (held - unpaid);
  return beyond < Seconds{1} ? Seconds{} : beyond;
}

/// Shares what one lease costs out over the stretches: each phase's cost over its time, and what is no phase's over the
/// time in which none runs, that beyond the last use included.
void share_out(const Plan& plan, int position, StretchLedger& ledger) {
  const Lease& lease = ledger.leases[static_cast<std::size_t>(position)];
  const LeaseTime time = time_of(plan, lease, position, ledger.stretches);
  std::vector<double> dollars(ledger.stretches.size(), 0);
  std::vector<double> machines = dollars;  // GPUs idle, disks and what leaves do not
  const auto spread = [&](Dollars cost, Dollars beside, const std::vector<double>& seconds, double after) {
    const double all = sum_of(seconds) + after;
    if (all <= 0) {  // too short to be seen
      ledger.beyond += cost;
      return;
    }
    for (std::size_t s = 0; s < seconds.size(); ++s) {
      dollars[s] += cost.value * seconds[s] / all;
      machines[s] += (cost - beside).value * seconds[s] / all;
    }
    ledger.beyond += cost * (after / all);
  };
  for (std::size_t n = 0; n < lease.phases.size(); ++n) {
    const PhasePlan& part = plan.phases[static_cast<std::size_t>(lease.phases[n])];
    spread(part.cost.p50, part.disk + part.egress, time.phases[n], 0);
  }
  const double beyond = (lease.idle > Dollars{} ? beyond_of(lease) : Seconds{}).value;
  spread(lease.idle, Dollars{}, time.idle, beyond);
  ledger.beyond_gpu_hours += beyond / 3600 * lease.gpus;
  for (std::size_t s = 0; s < dollars.size(); ++s) {
    Stretch& line = ledger.stretches[s];
    const auto held = std::ranges::find(line.leases, position) - line.leases.begin();
    if (held == std::ssize(line.leases)) continue;
    int used = 0;
    for (std::size_t n = 0; n < lease.phases.size(); ++n)
      if (time.phases[n][s] > 0) used += plan.phases[static_cast<std::size_t>(lease.phases[n])].gpus_used();
    const Dollars share{dollars[s]};
    line.shares[static_cast<std::size_t>(held)] = share;
    line.cost += share;
    if (lease.gpus > used) line.idle += Dollars{machines[s]} * (1 - static_cast<double>(used) / lease.gpus);
  }
}

}  // namespace

Ledger ledger_of(const Job& job, const Plan& plan) {
  Ledger ledger;
  for (const PhasePlan& part : plan.phases) {
    const LedgerLine line{part.gpu_hours, part.billed_gpu_hours, part.cost.p50};
    ledger.subtotal.used += line.used;
    ledger.subtotal.billed += line.billed;
    ledger.subtotal.cost += line.cost;
    ledger.phases.push_back(line);
  }
  ledger.total = {plan.gpu_hours, plan.billed_gpu_hours, plan.cost.p50};
  ledger.idle = {0, plan.billed_gpu_hours - ledger.subtotal.billed, plan.idle};
  if (ledger.idle.billed < plan.billed_gpu_hours * 1e-9) ledger.idle.billed = 0;  // no more than how sums round
  const double share = job.buffer / (1 + job.buffer);
  ledger.buffer = {ledger.subtotal.used * share, ledger.subtotal.billed * share, ledger.subtotal.cost * share};
  for (const Lease& lease : plan.leases)
    if (lease.offer->kind == OfferKind::kRented) ledger.machine_hours += lease.billed / units::hour * lease.nodes;
  return ledger;
}

std::vector<Spell> spells_of(const Plan& plan) {
  struct Use {
    Seconds from, to;
    int phase;
  };
  std::vector<Use> uses;
  std::vector<Seconds> edges;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    if (part.offer == nullptr) continue;
    const Use use{part.start, end_of(part), static_cast<int>(i)};
    uses.push_back(use);
    edges.push_back(use.from);
    edges.push_back(use.to);
  }
  std::ranges::sort(edges);
  std::vector<Spell> spells;
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    Spell spell{edges[e], edges[e + 1], {}, 0};
    // Edges that the medians put less than a second apart are one.
    if (spell.length() < units::second) continue;
    const Seconds middle = spell.from + spell.length() * 0.5;
    for (const Use& use : uses) {
      if (middle < use.from || middle > use.to) continue;
      spell.phases.push_back(use.phase);
      spell.gpus += plan.phases[static_cast<std::size_t>(use.phase)].gpus_used();
    }
    spells.push_back(std::move(spell));
  }
  return spells;
}

StretchLedger stretch_ledger(const Job& job, const Plan& plan) {
  StretchLedger ledger;
  ledger.leases = plan.leases;
  const std::vector<Seconds> ends = ends_of(job, plan, ledger.leases);
  std::vector<Seconds> edges = {Seconds{}};
  for (const Lease& lease : ledger.leases) edges.insert(edges.end(), {lease.from, lease.to});
  for (const PhasePlan& part : plan.phases) edges.push_back(part.start);
  edges.insert(edges.end(), ends.begin(), ends.end());
  std::ranges::sort(edges);

  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    Stretch line{.from = ledger.stretches.empty() ? edges[e] : ledger.stretches.back().to, .to = edges[e + 1]};
    if (line.length() < units::second) continue;  // edges that the medians put less than a second apart are one
    const Seconds middle = line.from + line.length() * 0.5;
    for (std::size_t i = 0; i < plan.phases.size(); ++i) {
      if (middle < plan.phases[i].start || middle > ends[i]) continue;
      line.phases.push_back(static_cast<int>(i));
      line.used += plan.phases[i].gpus_used();
    }
    for (std::size_t l = 0; l < ledger.leases.size(); ++l) {
      const Lease& lease = ledger.leases[l];
      if (middle < lease.from || middle > lease.to) continue;
      line.leases.push_back(static_cast<int>(l));
      line.shares.emplace_back();
      line.billed += lease.gpus;
    }
    if (!line.leases.empty()) ledger.held += line.length();
    ledger.stretches.push_back(std::move(line));
  }
  for (std::size_t l = 0; l < ledger.leases.size(); ++l) share_out(plan, static_cast<int>(l), ledger);
  for (const Stretch& line : ledger.stretches) ledger.idle += line.idle;
  return ledger;
}

Seconds end_of(const PhasePlan& part) { return part.start + part.hours.p50; }

int peak_gpus(const std::vector<Spell>& spells) {
  int peak = 0;
  for (const Spell& spell : spells) peak = std::max(peak, spell.gpus);
  return peak;
}

}  // namespace gpuplan
