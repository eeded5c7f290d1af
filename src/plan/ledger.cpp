#include "plan/ledger.h"

#include <algorithm>

namespace gpuplan {

namespace {

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
  constexpr double kWorthALine = 0.005;
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
  const double stretch = 1 + job.buffer;  // starts have it already
  struct Use {
    Seconds from, to;
    int phase;
  };
  std::vector<Use> uses;
  std::vector<Seconds> edges;
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& part = plan.phases[i];
    if (part.offer == nullptr) continue;
    const Use use{part.start, part.start + part.hours.p50 * stretch, static_cast<int>(i)};
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

int peak_gpus(const std::vector<Spell>& spells) {
  int peak = 0;
  for (const Spell& spell : spells) peak = std::max(peak, spell.gpus);
  return peak;
}

}  // namespace gpuplan
