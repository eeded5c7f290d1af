#include "output/words/serving_words.h"

#include <algorithm>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string rate_range(const Interval<TokensPerSecond>& rate) {
  std::string text = rate_text(rate.p50.value) + " tokens/s";
  if (!rate.exact()) text += " (" + range_text(rate_text(rate.p10.value), rate_text(rate.p90.value)) + ")";
  return text;
}

/// The serving of that phase in a plan; null when it has none.
const Serving* serving_in(const Plan& plan, int phase) {
  for (const PhasePlan& part : plan.phases)
    if (part.estimate->phase == phase && part.estimate->serving) return &*part.estimate->serving;
  return nullptr;
}

/// "1,730 tokens/s, TTFT 0.8 s, TPOT 33 ms": what a plan has of what was asked for.
std::string reached_words(const GenerationTarget& target, const Serving& serving) {
  std::vector<std::string> parts;
  if (target.tokens_per_second) {
    const auto& speed = serving.output.p50 > TokensPerSecond{} ? serving.output : serving.processed;
    parts.push_back(rate_text(speed.p50.value) + " tokens/s");
  }
  if (target.time_to_first_token) parts.push_back("TTFT " + hours_words(serving.time_to_first_token.p50));
  if (target.time_per_output_token) parts.push_back("TPOT " + hours_words(serving.time_per_output_token.p50));
  return join(parts, ", ");
}

/// For each GPU the plan with the fewest of them that counts, fewest and then cheapest first.
template <class Counts>
std::vector<const Plan*> fewest(const PlanReport& report, Counts counts) {
  std::vector<const Plan*> found;
  for (const Plan& plan : report.found.plans) {
    if (plan.offer == nullptr || !counts(plan)) continue;
    const auto same = std::ranges::find_if(found, [&](const Plan* p) { return p->node.gpu == plan.node.gpu; });
    if (same == found.end()) found.push_back(&plan);
    else if (plan.gpus < (*same)->gpus) *same = &plan;
  }
  sort_stably(found, {}, [](const Plan* plan) { return std::pair(plan->gpus, plan->cost.p50.value); });
  return found;
}

}  // namespace

std::string target_words(const GenerationTarget& target) {
  std::vector<std::string> parts;
  if (target.tokens_per_second) parts.push_back(rate_text(target.tokens_per_second->value) + " tokens/s");
  if (target.time_to_first_token) parts.push_back("TTFT " + to_text(*target.time_to_first_token));
  if (target.time_per_output_token) parts.push_back("TPOT " + to_text(*target.time_per_output_token));
  return listed(parts);
}

bool has_target(const Job& job) {
  return std::ranges::any_of(job.phases, [](const Phase& phase) {
    const auto* generate = std::get_if<GeneratePhase>(&phase.work);
    return generate != nullptr && generate->target.any();
  });
}

std::string serving_words(const PhaseEstimate& estimate, const Phase& phase) {
  const auto* generate = std::get_if<GeneratePhase>(&phase.work);
  if (generate == nullptr || !estimate.serving) return "";
  const Serving& serving = *estimate.serving;
  if (generate->forward_only) {
    return rate_range(serving.processed) + " processed; a batch of " + count_text(estimate.strategy.micro_batch) +
           " takes " + range_words(serving.time_to_first_token);
  }
  std::string text = rate_range(serving.output) + ", " + rate_text(serving.processed.p50.value) + " with input tokens";
  // Beside a stated speed these are the model's all the same.
  text += (estimate.evidence == Evidence::kGiven ? "; predicted TTFT " : "; TTFT ") +
          range_words(serving.time_to_first_token) + ", TPOT " + range_words(serving.time_per_output_token);
  if (serving.in_flight > 1) text += "; " + count_text(serving.in_flight) + " concurrent requests";
  if (serving.chance) text += "; " + chance_words(*serving.chance) + " chance to reach the target";
  return text;
}

std::string target_chance_words(const Plan& plan) {
  const auto chance = target_chance(plan);
  return chance ? chance_words(*chance, plan.reaches_target) : std::string();
}

std::vector<std::string> target_lines(const PlanReport& report) {
  constexpr std::size_t kNamed = 6;
  std::vector<std::string> lines;
  const auto& plans = report.found.plans;
  for (std::size_t i = 0; i < report.job.phases.size(); ++i) {
    const auto* generate = std::get_if<GeneratePhase>(&report.job.phases[i].work);
    if (generate == nullptr || !generate->target.any()) continue;
    const int phase = static_cast<int>(i);
    const auto reaches = [&](const Plan& plan) {
      const Serving* serving = serving_in(plan, phase);
      return serving != nullptr && serving->reaches_target && plan.fit == Fit::kFits;
    };
    const auto count = std::ranges::count_if(plans, reaches);
    std::string text = "Target " + target_words(generate->target);
    if (report.job.phases.size() > 1) text += " in " + printable(report.job.phases[i].name, 40);
    text += ": " + std::to_string(count) + " of " + count_of(static_cast<double>(plans.size()), "plan") +
            (count == 1 ? " reaches it" : " reach it");
    if (count > 0) {
      const std::vector<const Plan*> least = fewest(report, reaches);
      std::vector<std::string> names;
      for (std::size_t k = 0; k < std::min(kNamed, least.size()); ++k)
        names.push_back(std::to_string(least[k]->gpus) + "x " + least[k]->node.gpu->name);
      if (!names.empty())
        text += ". Smallest that do: " + join(names, ", ") + (least.size() > kNamed ? ", … (--show serving)" : "");
      if (const Plan* pick = report.pick(); pick != nullptr)
        if (const Serving* serving = serving_in(*pick, phase); serving != nullptr && serving->chance)
          text += ". " + report.name(*pick) + ": " + chance_words(*serving->chance) + " chance";
    } else {
      std::vector<const Plan*> nearest;
      for (const Plan& plan : plans)
        if (serving_in(plan, phase) != nullptr) nearest.push_back(&plan);
      sort_stably(nearest, {}, [&](const Plan* plan) {
        return std::pair(serving_in(*plan, phase)->shortfall, plan->cost.p50.value);
      });
      std::vector<std::string> names, labels;
      for (const Plan* plan : nearest) {
        if (std::ranges::find(labels, plan->label) != labels.end()) continue;
        labels.push_back(plan->label);
        names.push_back(printable(plan->label, 60) + " (" + reached_words(generate->target, *serving_in(*plan, phase)) +
                        ")");
        if (names.size() == 3) break;
      }
      if (!names.empty()) text += ". Closest: " + join(names, "; ");
    }
    lines.push_back(text + ".");
  }
  return lines;
}

}  // namespace gpuplan
