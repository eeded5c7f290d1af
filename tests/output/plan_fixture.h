// A search result by hand, so that what users see can be compared word by word: four offers of one job that collects
// activations, figures given by the user.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "input/tables/constants.h"
#include "input/text/embedded_data.h"
#include "output/words/plan_report.h"
#include "plan/answer/search_result.h"
#include "plan/ranking/frontier.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {

/// Everything a report refers to, in one place that does not move.
struct PlanFixture {
  Catalogue catalogue;
  Job job;
  std::vector<Offer> market;
  SearchResult found;

  PlanFixture();
  PlanFixture(const PlanFixture&) = delete;
  PlanFixture& operator=(const PlanFixture&) = delete;

  PlanReport report() const { return {found, job, catalogue}; }
  Plan& add(const std::string& gpu, double usable_gib, double dollars_an_hour, double hours, double spread);
  /// Frontier, dominators, ranges and recommendations as the search would mark them.
  void mark();
};

inline Plan& PlanFixture::add(const std::string& gpu, double usable_gib, double dollars_an_hour, double hours,
                              double spread) {
  Gpu& card = catalogue.gpus.emplace_back();
  card.name = gpu;
  card.usable = usable_gib * units::GiB;
  card.bf16 = FlopsPerSecond{1e14};
  Offer& offer = market.emplace_back();
  offer.gpu = gpu;
  offer.gpus = 4;
  offer.price = exactly(dollars_an_hour * units::dollar / units::hour);

  Plan& plan = found.plans.emplace_back();
  plan.id = "k" + std::to_string(found.plans.size());
  plan.label = "4x " + gpu;
  plan.offer = &offer;
  plan.node = {.gpu = &card, .gpus = 4};
  plan.gpus = 4;
  plan.evidence = Evidence::kGiven;
  plan.hours = {hours / spread * units::hour, hours * units::hour, hours * spread * units::hour, hours * units::hour};
  const double dollars = hours * dollars_an_hour;
  plan.cost = {dollars / spread * units::dollar, dollars * units::dollar, dollars * spread * units::dollar,
               dollars * units::dollar};
  plan.gpu_hours = 4 * hours;
  plan.billed_gpu_hours = 4 * hours;

  PhasePlan& part = plan.phases.emplace_back();
  part.offer = &offer;
  part.hours = plan.hours;
  part.cost = plan.cost;
  part.gpus_billed = 4;
  PhaseEstimate& estimate = part.estimate.change();
  estimate.node = plan.node;
  estimate.gpus = 4;
  estimate.strategy.dp = 4;
  estimate.strategy.placement = Placement::kOneModelPerGpu;
  estimate.strategy.weights = Format::kFp16;
  estimate.evidence = Evidence::kGiven;
  estimate.work = {plan.hours.p10, plan.hours.p50, plan.hours.p90};
  estimate.work_by_model = 2 * plan.hours.p50;
  estimate.units = 6000;
  estimate.tokens = 6000 * 512.0;
  estimate.memory.weights = 13.6 * units::GiB;
  estimate.memory.kv_cache = 0.4 * units::GiB;
  estimate.memory.activations = 0.5 * units::GiB;
  estimate.memory.logits = 0.25 * units::GiB;
  estimate.memory.framework = 1.55 * units::GiB;
  const Bytes total = estimate.memory.total();
  estimate.memory_total = {total * 0.9, total, total * 1.1};
  estimate.batch = 4;
  const auto rate = [&](Seconds time) { return Tokens{estimate.tokens} / time; };
  part.tokens_per_second = {rate(plan.hours.p90), rate(plan.hours.p50), rate(plan.hours.p10)};
  return plan;
}

inline void PlanFixture::mark() {
  mark_frontier(found.plans);
  found.values = value_ranges(found.plans);
  found.recommendations = recommend(job, found.plans);
}

inline PlanFixture::PlanFixture() {
  catalogue.gpus.reserve(8);  // plans point into these
  const auto constants =
      read_answer_constants(embedded_data("answer_constants.csv"), "answer_constants.csv", catalogue);
  if (!constants) std::abort();
  market.reserve(8);
  found.plans.reserve(8);

  job.name = "phase-2-collection";
  job.value_of_time = 7 * units::dollar / units::hour;
  job.value_of_time_given = true;
  Phase& phase = job.phases.emplace_back();
  phase.name = "collect";
  GeneratePhase generate;
  generate.models.resize(4);
  generate.data = {{"prompts", 1500, {200, 200}, {512, 512}}};
  generate.situation = Situation::kSingle;
  generate.collect = true;
  generate.store = Store{16, 4096, Format::kFp16, "disk"};
  phase.work = generate;

  add("RTX 3090", 23.7, 1.40, 3.4, 1.2);
  add("RTX 5090", 31.8, 3.20, 1.6, 1.07).phases[0].estimate.change().model_interval =
      Interval<Seconds>{3.4 * units::hour, 5 * units::hour, 7.5 * units::hour};
  add("H100 SXM", 79.6, 12.00, 1.27, 1.05);
  add("B200", 179, 22.00, 0.89, 1.12);
  add("RTX 4090", 23.5, 2.40, 2.4, 1.1);
  market[1].availability = "rare";
  market[3].availability = "very rare";

  found.as_of = "2026-01";
  found.market.offers = 15;
  found.market.used = 15;
  found.tally.considered = 120;
  found.tally.feasible = 90;
  found.tally.rejected[static_cast<std::size_t>(Misfit::kMemory)] = 20;
  found.tally.rejected[static_cast<std::size_t>(Misfit::kUneven)] = 10;
  job.market.offers = market;
  job.market.only = true;
  mark();
}

}  // namespace gpuplan
