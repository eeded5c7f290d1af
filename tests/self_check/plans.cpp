#include "domain/work/job.h"
#include "plan/answer/market.h"
#include "plan/capacity/fit.h"
#include "plan/search.h"
#include "self_check/hash.h"
#include "self_check/world.h"

namespace gpuplan::self_check {
namespace {

using units::dollar;
using units::hour;
using units::minute;

Interval<Seconds> about(Seconds time) { return {time * 0.8, time, time * 1.3}; }

Phase phase(std::string name, PhaseWork work, std::vector<std::string> needs = {}) {
  Phase result;
  result.name = std::move(name);
  result.work = std::move(work);
  result.needs = std::move(needs);
  return result;
}

TrainPhase training(const ModelUse& network, double tokens) {
  TrainPhase result;
  result.models = {network};
  result.sequence = 2048;
  result.data.tokens = Tokens{tokens};
  return result;
}

GeneratePhase generation(const ModelUse& network, double samples) {
  GeneratePhase result;
  result.models = {network};
  result.data = {{"prompts", samples, {300, 900}, {150, 400}}};
  return result;
}

/// Training on one or several machines, with limits, spot offers and evaluations.
Job pretraining(const std::vector<ModelUse>& all) {
  Job job;
  job.name = "pretraining";
  TrainPhase train = training(all[0], 3e9);
  train.batch = BatchSize{512.0, std::nullopt};
  job.phases = {phase("train", std::move(train))};
  job.phases[0].evaluate = Evaluate{500, std::nullopt, {about(3 * minute)}};
  job.phases[0].overhead.share = 0.03;
  job.where.nodes = {1, 2, 4};
  job.where.spot = SpotUse::kAllow;
  job.limits.deadline = 48 * hour;
  job.limits.budget = 1500 * dollar;
  job.goal = Goal::kFastest;
  return job;
}

/// Phases of every kind that wait for each other, with figures of the user's own.
Job pipeline(const std::vector<ModelUse>& all) {
  Job job;
  job.name = "pipeline";
  TrainPhase tune = training(all[1], 2e8);
  tune.batch = BatchSize{std::nullopt, Tokens{524288}};
  TrainPhase adapters = training(all[4], 5e7);
  adapters.method = Method::kLora;
  TrainPhase totals = training(all[6], 0);
  totals.data.tokens = std::nullopt;
  totals.data.samples = 20000;
  totals.epochs = 4;
  WorkPhase work;
  work.items = 400;
  work.each = {{"compile", {about(40 * units::second)}}, {"run", {about(2 * minute)}}};
  work.workers = 6;
  work.gpus = 1;
  job.phases = {phase("prepare", CpuPhase{{about(30 * minute)}, ""}),
                phase("tune", std::move(tune), {"prepare"}),
                phase("adapters", std::move(adapters), {"prepare"}),
                phase("totals", std::move(totals), {"tune"}),
                phase("sample", generation(all[0], 3000), {"adapters"}),
                phase("test", std::move(work), {"sample", "totals"}),
                phase("look", FixedPhase{1, {about(20 * minute)}, true}, {"test"})};
  job.phases[1].setup = Step{"", {about(7 * minute)}};
  job.phases[1].before = Step{"read", {about(9 * minute)}};
  Given speed;
  speed.gpu = "Card";
  speed.tokens_per_second = Interval<TokensPerSecond>{TokensPerSecond{500}, TokensPerSecond{600}, TokensPerSecond{720}};
  job.phases[4].given = {speed};
  Given memory;
  memory.gpu = "Server";
  memory.gpus = 4;
  memory.memory = exactly(21 * units::GiB);
  job.phases[2].given = {memory};
  job.buffer = 0.15;
  job.contingency = 5 * dollar;
  return job;
}

/// Several networks whose activations are kept.
Job collection(const std::vector<ModelUse>& all) {
  Job job;
  job.name = "collection";
  GeneratePhase collect = generation(all[4], 1500);
  collect.models.assign(4, all[4]);
  collect.collect = true;
  collect.situation = Situation::kSingle;
  collect.store = Store{16, 2304, Format::kFp16, "disk"};
  GeneratePhase serve = generation(all[2], 9000);
  serve.target.tokens_per_second = TokensPerSecond{20000};
  job.phases = {phase("collect", std::move(collect)), phase("serve", std::move(serve))};
  job.value_of_time = 7 * dollar / hour;
  job.goal = Goal::kFewestGpus;
  job.limits.deadline = 5 * hour;
  return job;
}

/// Networks that few of the machines hold: cuts, offload, and what would help.
Job large(const std::vector<ModelUse>& all) {
  Job job;
  job.name = "large";
  job.phases = {phase("mixture", training(all[3], 1e8)), phase("quantised", training(all[0], 1e7))};
  std::get<TrainPhase>(job.phases[1].work).method = Method::kQlora;
  job.where.spot = SpotUse::kOnly;
  job.goal = Goal::kCheapest;
  return job;
}

void add_memory(Hash& hash, const NearMiss& miss) {
  hash.add(miss.phase);
  hash.add(miss.gpus);
  hash.add(miss.needed);
  hash.add_amounts(miss.memory);
}

void add_phase(Hash& hash, const PhasePlan& part) {
  const PhaseEstimate& estimate = part.estimate;
  const Strategy& s = estimate.strategy;
  for (const int value : {s.dp, s.tp, s.pp, s.cp, s.ep, s.micro_batch, s.grad_accum, s.interleave, estimate.nodes,
                          estimate.gpus, part.gpus_billed, int{s.framework}})
    hash.add(value);
  hash.add(s.sharding);
  hash.add(s.recompute);
  hash.add(s.offload);
  hash.add(s.placement);
  hash.add(s.precision);
  hash.add(s.weights);
  hash.add(estimate.evidence);
  hash.add(estimate.work);
  hash.add(estimate.extra);
  hash.add(estimate.model_interval);
  hash.add(estimate.regime);
  for (const double value : {estimate.steps, estimate.units, estimate.tokens, estimate.batch}) hash.add(value);
  hash.add_amounts(estimate.memory);
  hash.add(estimate.memory_total);
  hash.add(part.start);
  hash.add_amounts(part.hours);
  hash.add_amounts(part.cost);
  hash.add(part.seconds_per_step);
  hash.add(part.tokens_per_second);
}

void add_plan(Hash& hash, const Plan& plan) {
  hash.add(plan.id);
  hash.add(plan.label);
  hash.add(plan.gpus);
  hash.add(plan.spot);
  hash.add(plan.kept);
  hash.add(plan.fit);
  hash.add_amounts(plan.hours);
  hash.add_amounts(plan.cost);
  for (const double value : {plan.idle.value, plan.gpu_hours, plan.billed_gpu_hours, plan.buffer.value,
                             plan.spot_loss.value, plan.interruptions})
    hash.add(value);
  hash.add(plan.chance_in_time);
  hash.add(plan.on_frontier);
  for (const int other : plan.dominated_by) hash.add(other);
  hash.add(plan.price_of_time_saved);
  hash.add(plan.close_to_previous);
  hash.add(plan.meets_deadline);
  hash.add(plan.meets_budget);
  for (const PhasePlan& part : plan.phases) add_phase(hash, part);
}

void add_search(Hash& hash, const Job& job, const Catalogue& all, const std::vector<Offer>& known,
                const SearchOptions& options) {
  MarketFilter filter;
  const std::vector<Offer> market = market_for(job, all, known, filter);
  hash.add(filter.used);
  const auto found = search(job, all, market, options);
  hash.add(found.has_value());
  if (!found) return hash.add(found.error().message);
  hash.add(found->plans.size());
  for (const Plan& plan : found->plans) add_plan(hash, plan);
  for (const ValueRange& range : found->values) {
    hash.add(range.plan);
    hash.add(range.from);
    hash.add(range.to);
  }
  const Recommendations& r = found->recommendations;
  for (const auto& choice :
       {r.cheapest, r.fastest, r.best_value, r.fewest_gpus, r.within_deadline, r.within_budget, r.pick})
    hash.add(choice);
  hash.add(r.limits_missed);
  hash.add(found->tally.considered);
  for (const long count : found->tally.rejected) hash.add(count);
  add_memory(hash, found->tally.nearest);
  for (const std::string& line : found->assumptions) hash.add(line);
}

void add_fit(Hash& hash, const Job& job, const Catalogue& all) {
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const auto rows = fit_phase(job, static_cast<int>(i), all, {1, 8});
    hash.add(rows.has_value());
    if (!rows) continue;
    for (const FitRow& row : *rows) {
      hash.add(row.gpus);
      hash.add(row.largest_micro_batch);
      hash.add(row.best.has_value());
      if (row.best) hash.add(row.best->memory_total);
      add_memory(hash, row.nearest);
      if (row.nearest.phase < 0) continue;
      for (const Remedy& remedy : remedies(job, all, row.nearest)) {
        hash.add(remedy.change);
        hash.add(remedy.needed);
        hash.add(remedy.enough);
      }
    }
  }
}

}  // namespace

void add_plans(Hash& hash) {
  const Catalogue all = catalogue();
  const std::vector<Offer> known = offers(all);
  const std::vector<ModelUse> parts = networks();
  for (Job job : {pretraining(parts), pipeline(parts), collection(parts), large(parts)}) {
    for (const Schedule schedule : {Schedule::kBest, Schedule::kKeep, Schedule::kStopWhenIdle, Schedule::kEachPhase}) {
      job.schedule = schedule;
      add_search(hash, job, all, known, {.ignore_given = schedule == Schedule::kKeep, .threads = 3, .seed = 1});
    }
    add_search(hash, job, all, known, {.ignore_given = false, .threads = 1, .seed = 2});
    add_fit(hash, job, all);
  }
}

}  // namespace gpuplan::self_check
