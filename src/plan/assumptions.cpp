#include "plan/assumptions.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "plan/collection_notes.h"
#include "plan/interruption_notes.h"
#include "plan/interruptions.h"
#include "plan/phase_search.h"

namespace gpuplan {

namespace {

bool states_waiting(const Phase& phase) {
  return phase.setup || phase.before || phase.overhead.time.range.p50 > Seconds{} ||
         phase.overhead.each_model.range.p50 > Seconds{};
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

/// Longer than the pool lets a job run at a time.
bool too_long(const Plan& plan) { return plan.offer && plan.offer->max_time && plan.hours.p90 > *plan.offer->max_time; }

}  // namespace

std::vector<std::string> assumptions(const Job& job, const std::vector<Plan>& plans) {
  std::vector<std::string> lines = job.assumed;
  if (std::ranges::none_of(job.phases, states_waiting))
    lines.push_back(
        "machines start, data and weights are in place at once; state setup or overhead where they take time.");
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
  const auto frontier = [&](auto holds) {
    const auto found = std::ranges::find_if(plans, [&](const Plan& p) { return p.on_frontier && p.offer && holds(p); });
    return found == plans.end() ? nullptr : &*found;
  };
  if (const Plan* plan = frontier(too_long))
    lines.push_back("a run that the pool stops after " + to_text(*plan->offer->max_time) +
                    " goes on from a checkpoint at once (" + plan->label + " takes longer).");
  if (frontier([&](const Plan& p) { return p.offer->preemptible && !interruption_rate(job, *p.offer); }))
    lines.push_back("nobody takes the GPUs of a preemptible pool away during the run (spot.interruptions).");
  add_interruption_notes(job, plans, lines);
  return lines;
}

}  // namespace gpuplan
