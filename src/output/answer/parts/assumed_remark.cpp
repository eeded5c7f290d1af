#include "output/answer/parts/assumed_remark.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/amount.h"
#include "base/text.h"
#include "model/training/training.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"
#include "plan/advice/lighter_weights.h"
#include "plan/capacity/largest_batch.h"
#include "plan/notes/assumptions.h"
#include "plan/notes/batch_notes.h"
#include "plan/notes/interruption_notes.h"
#include "plan/strategy/practice.h"

namespace gpuplan {
namespace {

/// "no time to boot and to install (setup: {time: 10 min})" where the plan rents machines of whose start nobody has
/// said anything; with the phases that they begin with where others are said. A machine starts once: what one of its
/// phases says counts for all that run on it.
std::string start_of_machines_words(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> begun;
  std::size_t rented = 0;
  for (const Lease& lease : plan.leases) {
    if (lease.offer == nullptr || lease.offer->kind != OfferKind::kRented) continue;
    const PhasePlan* first = nullptr;
    bool said = lease.offer->billing.startup > Seconds{};
    for (const int position : lease.phases) {
      const PhasePlan& part = plan.phases[static_cast<std::size_t>(position)];
      const Phase& phase = report.job.phases[static_cast<std::size_t>(part.estimate->phase)];
      const bool works =
          std::holds_alternative<TrainPhase>(phase.work) || std::holds_alternative<GeneratePhase>(phase.work);
      said = said || phase.setup || phase.overhead.stated;
      if (works && part.estimate->evidence != Evidence::kGiven && first == nullptr) first = &part;
    }
    ++rented;
    if (!said && first != nullptr)
      begun.push_back(printable(report.job.phases[static_cast<std::size_t>(first->estimate->phase)].name, 30));
  }
  if (begun.empty()) return "";
  return "no time to boot and to install" + (begun.size() < rented ? " before " + listed(begun) : std::string()) +
         " (setup: {time: 10 min}).";
}

/// Null for other work.
const TrainPhase* training(const Job& job, const PhaseEstimate& estimate) {
  return std::get_if<TrainPhase>(&job.phases[static_cast<std::size_t>(estimate.phase)].work);
}

/// Where a published network reads tokens that no samples count, and about as many as make people mean either; ""
/// elsewhere.
std::string start_words(const PlanReport& report, const PhaseEstimate& estimate) {
  const TrainPhase* train = training(report.job, estimate);
  if (train == nullptr || train->start || train->data.samples || train->method != Method::kFull ||
      train->objective != Objective::kNextToken)
    return "";
  if (std::ranges::all_of(train->models, [](const ModelUse& use) { return use.drawn || use.custom; })) return "";
  double parameters = 0;
  for (const ModelUse& use : train->models) parameters += use.params();
  constexpr double kSurelyMore = 0.01, kSurelyAnew = 2;  // times the tokens from which training is taken to begin anew
  const double times = estimate.tokens / (parameters * report.catalogue.practice_constants.scratch_tokens);
  if (times < kSurelyMore || times > kSurelyAnew) return "";
  return estimate.start == StartFrom::kScratch ? "training from scratch, not from the published weights"
                                               : "training that goes on from the published weights, not from scratch";
}

/// "no adapters in the routed experts of Qwen3-30B-A3B": all linear layers, as libraries that keep experts in one
/// tensor understand it; "" elsewhere.
std::string adapter_words(const Job& job, const PhaseEstimate& estimate) {
  const TrainPhase* train = training(job, estimate);
  if (train == nullptr || (train->method != Method::kLora && train->method != Method::kQlora)) return "";
  for (const ModelUse& use : train->models)
    if (!use.frozen && !use.custom && use.shape.moe())
      return "no adapters in the routed experts of " + printable(use.name, 60);
  return "";
}

/// Whether a phase fits on the machines of an estimate in another framework.
bool holds_in(const PlanReport& report, const PhaseEstimate& estimate, const Framework& framework) {
  Job job = report.job;
  std::get<TrainPhase>(job.phases[static_cast<std::size_t>(estimate.phase)].work).framework = framework.name;
  Tally tally;
  const auto found =
      try_phase(job, estimate.phase, report.catalogue, {*estimate.node, estimate.nodes, estimate.gpus, true}, tally);
  return found && found->fit == Fit::kFits;
}

/// "torchtitan, as hf-trainer and torch do not train in fp8", "megatron, as hf-trainer and torch do not hold
/// micro-batch 8": where the precision or the micro-batch that the job states, and not the work, has changed the
/// framework; "" elsewhere.
std::string framework_words(const PlanReport& report, const PhaseEstimate& estimate) {
  const TrainPhase* train = training(report.job, estimate);
  if (train == nullptr || !train->framework.empty() || estimate.framework == nullptr || !estimate.node) return "";
  const bool by_precision = train->precision.given(), by_micro = train->micro.given();
  if (!by_precision && !by_micro) return "";
  const auto work = training_work(*train);
  if (!work) return "";
  const PracticeConstants& practice = report.catalogue.practice_constants;
  const double taken = framework_care(practice, *estimate.framework, *work, estimate.nodes);
  const Precision precision = estimate.strategy.precision;
  std::vector<std::string> others, small;
  for (const Framework& one : report.catalogue.frameworks) {
    const bool runs = std::ranges::find(one.vendors, estimate.node->gpu->vendor) != one.vendors.end();
    const bool first = runs && one.trains && thought_of(practice, one, *work) &&
                       framework_care(practice, one, *work, estimate.nodes) < taken;
    const bool trains = std::ranges::find(one.precisions, precision) != one.precisions.end();
    if (first && by_precision && !trains) others.push_back(one.name);
    if (first && by_micro && trains && !holds_in(report, estimate, one)) small.push_back(one.name);
  }
  if (others.empty() && small.empty()) return "";
  if (others.empty())
    return estimate.framework->name + ", as " + listed(small) + (small.size() == 1 ? " does" : " do") +
           " not hold micro-batch " + count_text(estimate.strategy.micro_batch);
  const bool one = others.size() == 1;
  return estimate.framework->name + ", as " + listed(others) + (one ? " does" : " do") + " not train in " +
         std::string(name_of(precision));
}

/// Samples longer than the sequence lose what is beyond it: a caution where that is much of the data; "" elsewhere.
std::string cut_words(const Job& job, const PhaseEstimate& estimate) {
  const TrainPhase* train = training(job, estimate);
  if (train == nullptr || !train->sequence || !train->data.tokens_per_sample || train->data.packing) return "";
  constexpr double kWorthALine = 0.05;
  const double whole = train->data.tokens_per_sample->mean;
  const double lost = whole > 0 ? 1 - estimate.mean_tokens / whole : 0;
  if (lost < kWorthALine) return "";
  const std::string& name = job.phases[static_cast<std::size_t>(estimate.phase)].name;
  return "Samples of " + printable(name, 40) + " are cut to " + count_text(*train->sequence) +
         " tokens (sequence): " + percent(lost) + " of their tokens are not trained on.";
}

/// What samples of different lengths cost a phase whose micro-batches are padded to their longest; "" where it is
/// little.
std::string padding_words(const Job& job, const PhaseEstimate& estimate) {
  const TrainPhase* train = training(job, estimate);
  if (train == nullptr || !train->data.tokens_per_sample || train->data.packing || !estimate.node ||
      train->objective != Objective::kNextToken)
    return "";
  const auto work = training_work(*train);
  if (!work || !(work->mean_tokens > 0)) return "";
  constexpr double kWorthALine = 0.2;
  const double padding = 1 - work->mean_tokens / padded_tokens(*work, estimate.strategy.micro_batch);
  if (padding < kWorthALine) return "";
  const std::string& name = job.phases[static_cast<std::size_t>(estimate.phase)].name;
  return percent(padding) + " of the tokens that " + printable(name, 40) +
         " computes are padding up to the longest sample of a micro-batch; packing saves most of it (--set " +
         "phases." + printable(name, 40) + ".data.packing=true).";
}

/// "no sample of more than 600 tokens: longer ones are cut" where one number says how long samples are; "" elsewhere.
std::string length_words(const Job& job, const PhaseEstimate& estimate) {
  const TrainPhase* train = training(job, estimate);
  if (train == nullptr || train->sequence || train->data.packing || !train->data.samples) return "";
  const auto& length = train->data.tokens_per_sample;
  if (!length || length->max > length->mean) return "";
  return "no sample of more than " + count_text(length->mean) + " tokens: longer ones are cut";
}

/// "1.25 GB/s between machines of hyperstack, whose network is not known (network)" where a phase is on several; ""
/// elsewhere.
std::string network_words(const Plan& plan) {
  for (const PhasePlan& part : plan.phases) {
    const PhaseEstimate& estimate = *part.estimate;
    if (estimate.nodes < 2 || !estimate.node || estimate.node->network > BytesPerSecond{}) continue;
    const std::string whose =
        part.offer == nullptr || part.offer->provider.empty() ? "" : " of " + printable(part.offer->provider, 40);
    return to_text(kUnknownNetwork) + " between machines" + whose + ", whose network is not known";
  }
  return "";
}

}  // namespace

std::string assumed_remark(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> lines;
  for (const PhasePlan& part : plan.phases) {
    const PhaseEstimate& phase = *part.estimate;
    const std::string& name = report.job.phases[static_cast<std::size_t>(phase.phase)].name;
    const std::string at = report.job.phases.size() > 1 ? " in " + printable(name, 30) : "";
    if (phase.batch_usual)
      lines.push_back("a global batch of " + batch_count(phase, phase.batch) + at + " (" +
                      (report.in_flags ? "--batch" : "batch") + ").");
    if (const std::string words = start_words(report, phase); !words.empty())
      lines.push_back(words + at + " (" + (report.in_flags ? "--set start=" : "start: ") +
                      (phase.start == StartFrom::kScratch ? "weights" : "scratch") + ").");
    if (const std::string words = adapter_words(report.job, phase); !words.empty()) lines.push_back(words + at + ".");
    if (const std::string words = framework_words(report, phase); !words.empty())
      lines.push_back(words + at + " (" + (report.in_flags ? "--framework" : "framework") + ").");
    if (const std::string words = length_words(report.job, phase); !words.empty())
      lines.push_back(words + at + " (" + (report.in_flags ? "--sequence" : "sequence") + ").");
    if (std::string words = slots_words(report.job, report.catalogue, phase); !words.empty())
      lines.push_back(std::move(words));
    if (phase.lighter)
      lines.push_back(lighter_words(report.job, phase) + at + " (" +
                      (states_optimizer(report.job, phase) ? "master_weights"
                       : report.in_flags                   ? "--optimizer"
                                                           : "optimizer") +
                      ").");
  }
  if (std::string words = network_words(plan); !words.empty()) lines.push_back(std::move(words) + ".");
  if (std::string words = software_words(report.catalogue, {&plan, 1}); !words.empty())
    lines.push_back(std::move(words));
  if (std::string words = rollout_words(report.job); !words.empty()) lines.push_back(std::move(words));
  if (std::string words = start_of_machines_words(report, plan); !words.empty()) lines.push_back(std::move(words));
  lines.insert(lines.end(), report.job.assumed.begin(), report.job.assumed.end());
  if (std::string words = assumed_rate_words(report.job, report.found.plans); !words.empty())
    lines.push_back(std::move(words));
  return assumed_words(std::move(lines));
}

std::string cut_remark(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> lines;
  for (const PhasePlan& part : plan.phases)
    if (std::string words = cut_words(report.job, *part.estimate); !words.empty()) lines.push_back(std::move(words));
  return join(lines, " ");
}

std::string padding_remark(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> lines;
  for (const PhasePlan& part : plan.phases)
    if (std::string words = padding_words(report.job, *part.estimate); !words.empty())
      lines.push_back(std::move(words));
  return join(lines, " ");
}

std::string assumed_words(std::vector<std::string> lines) {
  if (lines.empty()) return "";
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    if (lines[i].ends_with('.')) lines[i].pop_back();
  return "Assumed: " + join(lines, "; ");
}

std::string formats_words(const PlanReport& report, const Plan& plan) {
  const auto lighter = lighter_weights(report.job, report.catalogue, report.how, plan);
  if (!lighter) return "";
  const std::vector<Phase>& phases = report.job.phases;
  const std::string name(name_of(lighter->format));
  std::string words = "Weights in " + name;
  if (phases.size() > 1) words += " in " + printable(phases[lighter->phase].name, 40);
  words += " take " + hours_words(lighter->hours) + " and " + to_text(lighter->cost) + " on the same machines, not " +
           hours_words(plan.hours.p50) + " and " + to_text(plan.cost.p50);
  words += ". Check the quality of its answers first (";
  words += report.in_flags ? "--weights " : "weights: ";
  return words + name + ").";
}

}  // namespace gpuplan
