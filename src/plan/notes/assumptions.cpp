#include "plan/notes/assumptions.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "plan/billing/interruptions.h"
#include "plan/notes/collection_notes.h"
#include "plan/notes/command_text.h"
#include "plan/notes/interruption_notes.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {

namespace {

/// Whether time beside the work is what data/assumptions.csv says.
bool assumes_time(const Plan& plan) {
  return std::ranges::any_of(plan.phases, [](const PhasePlan& part) {
    for (std::size_t i = 0; i < kTimeTerms; ++i)
      if (part.estimate->origins[i] == TermOrigin::kAssumed && part.estimate->terms[i].p50 > Seconds{}) return true;
    return false;
  });
}

/// "collect": phases whose many results leave rented machines at no price.
std::vector<std::string> leave_free_of_charge(const Job& job, const std::vector<Plan>& plans) {
  constexpr Bytes kMuch{5e10};  // below it, what others ask for traffic decides nothing
  std::vector<std::string> names;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const int phase = static_cast<int>(i);
    const auto leaves = [&](const Plan& plan) {
      return plan.on_frontier && std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
               return part.estimate->phase == phase && part.estimate->results_bytes >= kMuch && part.offer != nullptr &&
                      part.offer->kind == OfferKind::kRented && !part.offer->egress_price &&
                      !part.estimate->egress_price;
             });
    };
    if (results_leave(job, phase) && std::ranges::any_of(plans, leaves)) names.push_back(job.phases[i].name);
  }
  return names;
}

/// Phases whose GPUs are given back while somebody works.
std::string worked_without(const Job& job) {
  std::vector<std::string> names;
  for (const Phase& phase : job.phases) {
    const auto* fixed = std::get_if<FixedPhase>(&phase.work);
    if (let_go(job, phase) && fixed->gpus > 0) names.push_back(phase.name);
  }
  return listed(names);
}

/// Conditions that the job names and that no offer's row can answer.
std::string unanswered(const Where& where) {
  std::vector<std::string> names;
  if (where.reliability) names.push_back("reliability");
  if (where.inet_down) names.push_back("inet_down");
  if (where.disk) names.push_back("disk");
  return listed(names);
}

}  // namespace

std::vector<std::string> assumptions(const Job& job, const std::vector<Plan>& plans) {
  std::vector<std::string> lines = job.assumed;
  if (std::ranges::any_of(plans, assumes_time))
    lines.push_back(
        "fetching, loading, warm-up and checkpoints take what rates of disks and networks make of their bytes; "
        "storage, or setup and overhead of a phase, replace the rates and times that nobody states (--explain).");
  if (const std::string names = worked_without(job); !names.empty())
    lines.push_back("whoever works in " + names +
                    " can do without the GPUs meanwhile: stop_when_idle lets the machines go. With schedule: best or "
                    "keep, or on: with the name of a phase, they stay.");
  if (const std::string names = unanswered(job.where); !names.empty())
    lines.push_back("every offer keeps " + names + " of where: the market's rows do not say.");
  const bool unknown_network = std::ranges::any_of(
      plans, [](const Plan& p) { return p.nodes > 1 && p.node.gpu != nullptr && p.node.network <= BytesPerSecond{}; });
  if (unknown_network)
    lines.push_back(to_text(kUnknownNetwork) + " between machines whose network no row of data/nodes.csv names.");
  for (const Phase& phase : job.phases) {
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    if (train == nullptr || !train->batch || !train->epochs) continue;
    const double sequences = train->batch->sequences.value_or(0);
    double samples = train->data.samples.value_or(0);
    if (train->data.tokens && train->sequence.value_or(0) > 0) samples = train->data.tokens->value / *train->sequence;
    if (samples > 0 && sequences > samples * *train->epochs)
      lines.push_back("phases." + phase.name + ": one step of the whole batch of " + count_text(sequences) +
                      " sequences, more than all data (" + count_text(samples * *train->epochs) +
                      "); a batch in tokens is written batch: {tokens: 0.5M}.");
  }
  add_collection_notes(job, plans, lines);
  if (const auto names = leave_free_of_charge(job, plans); !names.empty())
    lines.push_back("results of " + listed(names) +
                    " leave the provider at no price: no offer states egress_price (storage.egress_price does so for "
                    "all).");
  const auto frontier = [&](auto holds) {
    return std::ranges::any_of(plans, [&](const Plan& p) { return p.on_frontier && p.offer && holds(p); });
  };
  if (frontier([&](const Plan& p) { return p.offer->preemptible && !interruption_rate(job, *p.offer); }))
    lines.push_back("nobody takes the GPUs of a preemptible pool away during the run (spot.interruptions).");
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const auto cut_short = [&](const Plan& plan) {
      return std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
        const bool taken = part.offer != nullptr && (part.spot || part.offer->preemptible);
        return plan.on_frontier && part.estimate->phase == static_cast<int>(i) && (taken || part.estimate->jobs > 1);
      });
    };
    if (!command_resumes(job.phases[i]) && std::ranges::any_of(plans, cut_short))
      lines.push_back("phases." + job.phases[i].name +
                      ": its command finds its own checkpoints when it is started again; it names no {checkpoints}.");
  }
  add_interruption_notes(job, plans, lines);
  return lines;
}

}  // namespace gpuplan
