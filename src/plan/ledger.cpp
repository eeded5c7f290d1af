#include "plan/ledger.h"

#include <algorithm>

namespace gpuplan {

namespace {

/// Share of the plan's cost.
constexpr double kWorthALine = 0.005;

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
    const std::string& name = job.phases[static_cast<std::size_t>(part.estimate.phase)].name;
    std::vector<Edge> edges;
    for (const Lease& lease : leases) edges.push_back({lease.to, kSame, false});
    for (const PhasePlan& other : plan.phases) {
      const auto& needs = job.phases[static_cast<std::size_t>(other.estimate.phase)].needs;
      const bool needed = std::ranges::find(needs, name) != needs.end();
      edges.push_back({other.start, needed ? kNeeded : kSame, needed});
    }
    const Seconds stated = end_of(job, part);
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

/// Most of `weight`, summed over the leases that are held at one time.
template <class Weight>
int most_at_once(const std::vector<Lease>& leases, Weight weight) {
  int most = 0;
  for (const Lease& lease : leases) {
    int held = 0;
    for (const Lease& other : leases)
      if (other.from <= lease.from && lease.from + units::second < other.to) held += weight(other);
    most = std::max(most, held);
  }
  return most;
}

/// Scales all lines to the plan's cost: medians of parts do not add up to the median of their sum.
void share_out(Dollars cost, StretchLedger& ledger) {
  // Less than that beyond the last use is no more than how medians round.
  if (ledger.beyond < cost * kWorthALine) ledger.beyond = {};
  Dollars told = ledger.beyond;
  for (const Stretch& line : ledger.stretches) told += line.cost;
  const double scale = told > Dollars{} ? cost / told : 1;
  ledger.beyond *= scale;
  for (Stretch& line : ledger.stretches) {
    line.cost *= scale;
    if (line.billed > line.used) line.idle = line.cost * (1 - static_cast<double>(line.used) / line.billed);
    ledger.idle += line.idle;
  }
}

/// Share of what is billed while no phase uses the machines.
double idle_share_of(const Job& job, const Plan& plan) {
  if (plan.cost.p50 > Dollars{}) return plan.idle / plan.cost.p50;
  if (!plan.kept) return 0;
  Seconds idle{};
  Seconds held{};
  for (const Spell& spell : spells_of(job, plan)) {
    held += spell.length();
    if (spell.phases.empty()) idle += spell.length();
  }
  return held > Seconds{} ? idle / held : 0;
}

/// The same; what billing rounds up by less than is worth a line counts as the phases'.
double idle_share(const Job& job, const Plan& plan) {
  const double share = idle_share_of(job, plan);
  return share < kWorthALine ? 0 : share;
}

}  // namespace

Ledger ledger_of(const Job& job, const Plan& plan) {
  Ledger ledger;
  const double stretch = 1 + job.buffer;
  const double buffer_share = job.buffer / stretch;
  double used = 0;
  double weight = 0;
  Dollars cost{};
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    used += part.hours.p50 / units::hour * part.estimate.gpus;
    weight += part.billed_gpu_hours;
    cost += part.cost.p50;
  }
  const double share = idle_share(job, plan);
  ledger.total = {plan.gpu_hours, plan.billed_gpu_hours, plan.cost.p50};
  ledger.idle = {0, plan.billed_gpu_hours * share, plan.cost.p50 * share};
  const LedgerLine busy = {ledger.total.used, ledger.total.billed - ledger.idle.billed,
                           ledger.total.cost - ledger.idle.cost};
  ledger.buffer = {busy.used * buffer_share, busy.billed * buffer_share, busy.cost * buffer_share};
  ledger.subtotal = {busy.used / stretch, busy.billed / stretch, busy.cost / stretch};
  ledger.scale = used > 0 ? ledger.subtotal.used / used : 1;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    LedgerLine line;
    line.used = part.hours.p50 / units::hour * part.estimate.gpus * ledger.scale;
    line.billed = weight > 0 ? ledger.subtotal.billed * part.billed_gpu_hours / weight : 0;
    line.cost = cost > Dollars{} ? ledger.subtotal.cost * (part.cost.p50 / cost) : Dollars{};
    ledger.phases.push_back(line);
  }
  for (const Lease& lease : plan.leases)
    if (lease.offer->kind == OfferKind::kRented) ledger.machine_hours += lease.billed / units::hour * lease.nodes;
  return ledger;
}

std::vector<Spell> spells_of(const Job& job, const Plan& plan) {
  struct Use {
    Seconds from, to;
    int phase;
  };
  std::vector<Use> uses;
  std::vector<Seconds> edges;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    if (part.offer == nullptr) continue;
    const Use use{part.start, end_of(job, part), static_cast<int>(i)};
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
      spell.gpus += plan.phases[static_cast<std::size_t>(use.phase)].estimate.gpus;
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
      line.used += plan.phases[i].estimate.gpus;
    }
    for (std::size_t l = 0; l < ledger.leases.size(); ++l) {
      const Lease& lease = ledger.leases[l];
      if (middle < lease.from || middle > lease.to) continue;
      line.leases.push_back(static_cast<int>(l));
      line.billed += lease.gpus;
      line.cost += lease.cost * (line.length() / std::max(lease.billed, lease.to - lease.from));
    }
    if (!line.leases.empty()) ledger.held += line.length();
    ledger.stretches.push_back(std::move(line));
  }
  for (const Lease& lease : ledger.leases) {
    const Seconds beyond = lease.billed - (lease.to - lease.from);
    if (beyond < units::second) continue;
    ledger.beyond += lease.cost * (beyond / lease.billed);
    ledger.beyond_gpu_hours += beyond / units::hour * lease.gpus;
  }
  share_out(plan.cost.p50, ledger);
  return ledger;
}

Seconds end_of(const Job& job, const PhasePlan& part) { return part.start + part.hours.p50 * (1 + job.buffer); }

int leases_at_once(const std::vector<Lease>& leases) {
  return most_at_once(leases, [](const Lease&) { return 1; });
}

int gpus_at_once(const std::vector<Lease>& leases) {
  return most_at_once(leases, [](const Lease& lease) { return lease.gpus; });
}

int peak_gpus(const std::vector<Spell>& spells) {
  int peak = 0;
  for (const Spell& spell : spells) peak = std::max(peak, spell.gpus);
  return peak;
}

}  // namespace gpuplan
