#include "api/runs/simulate.h"

#include <algorithm>
#include <utility>

#include "api/runs/simulated_plan.h"
#include "api/runs/simulated_work.h"
#include "base/text.h"
#include "output/text/json_writer.h"

namespace gpuplan::api {
namespace {

/// The policies to simulate, in their order.
std::vector<SpotPolicy> asked_policies(const SimulateWords& words, const Simulation& simulation) {
  const auto named = [&](std::string_view name) {
    return std::ranges::any_of(words.policies, [&](const std::string& one) { return iequals(one, name); });
  };
  std::vector<SpotPolicy> policies;
  for (const auto& entry : Names<SpotPolicy>::entries) {
    const bool asked =
        words.policies.empty() ? entry.value != SpotPolicy::kUniformProgressIdle : named("all") || named(entry.name);
    if (asked && can_simulate(simulation, entry.value)) policies.push_back(entry.value);
  }
  return policies;
}

Result<SimulateAnswer> simulated(SimulateReport report, const SimulateTerms& terms, PolicyProgress progress,
                                 void* context) {
  Simulation& simulation = report.simulation;
  if (terms.words.trials > 0) simulation.trials = terms.words.trials;
  if (terms.words.slices > 0) simulation.slices = terms.words.slices;
  simulation.seed = terms.seed;
  const std::vector<SpotPolicy> policies = asked_policies(terms.words, simulation);
  if (policies.empty())
    return wrong_use(simulation.deadline > Seconds{} ? "--policy: this policy needs an on-demand price"
                                                     : "--policy: this policy needs a deadline; add --deadline TIME");
  const int all = static_cast<int>(policies.size());
  if (progress != nullptr) progress(context, 0, all);
  for (int i = 0; i < all; ++i) {
    report.result.policies.push_back(
        simulate_policy(simulation, policies[static_cast<std::size_t>(i)], std::max(1, terms.threads)));
    if (progress != nullptr) progress(context, i + 1, all);
  }
  report.result.bound = simulate_bound(simulation);
  choose_best(simulation, report.result);
  return SimulateAnswer{std::move(report), {}};
}

}  // namespace

Verdict SimulateAnswer::verdict() const {
  if (!nothing_fits.empty()) return Verdict::kNothingFits;
  const PolicyResult& best = report.result.policies[*report.result.best];
  const bool late = report.simulation.deadline > Seconds{} && 1 - best.late < report.simulation.confidence;
  return late ? Verdict::kMissesLimits : Verdict::kFound;
}

std::string SimulateAnswer::json() const {
  if (nothing_fits.empty()) return simulate_json(report);
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/simulate@1").member("job", report.job);
  json.null_member("plan").key("policies").begin_array().end();
  json.member("nothing_fits", join(nothing_fits, " ")).end();
  return json.take();
}

Result<SimulateAnswer> simulate_work(const SimulateTerms& terms, PolicyProgress progress, void* context) {
  auto report = simulated_work(terms.words, terms.wishes, terms.texts);
  if (!report) return std::unexpected(std::move(report.error()));
  return simulated(*std::move(report), terms, progress, context);
}

Result<SimulateAnswer> simulate_job(Question question, const SimulateTerms& terms, const Catalogue& catalogue,
                                    PolicyProgress progress, void* context) {
  auto plan = simulated_plan(std::move(question), terms.words, terms.wishes, terms.texts, catalogue);
  if (!plan) return std::unexpected(std::move(plan.error()));
  if (!plan->nothing_fits.empty()) return SimulateAnswer{std::move(plan->report), std::move(plan->nothing_fits)};
  return simulated(std::move(plan->report), terms, progress, context);
}

}  // namespace gpuplan::api
