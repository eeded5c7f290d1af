#include "cli/questions/check_question.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "cli/io/read_file.h"
#include "cli/questions/choose_plan.h"
#include "input/text/gpu_name.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"

namespace gpuplan::cli {
namespace {

bool trains(const Phase& phase) { return std::holds_alternative<TrainPhase>(phase.work); }
bool is_judged(const Phase& phase) { return !phase.succeed_when.empty() || !phase.metrics.empty(); }

/// Of the same program, degrees of parallelism and sharding, as far as they are known.
bool is_alike(const PhaseEstimate& estimate, const Expectation& expected) {
  const bool program =
      expected.framework.empty() || (estimate.framework != nullptr && estimate.framework->name == expected.framework);
  if (!expected.layout) return program;
  const Strategy &a = estimate.strategy, &b = *expected.layout;
  return program && a.dp == b.dp && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.sharding == b.sharding;
}

/// What keeps the search to those; `address`: of the phase's training, with the dot behind it.
std::vector<std::string> layout_settings(const Expectation& expected, const std::string& address) {
  std::vector<std::string> settings;
  if (!expected.framework.empty()) settings.push_back(address + "framework=" + expected.framework);
  if (!expected.layout) return settings;
  const Strategy& layout = *expected.layout;
  const std::string parallel = address + "parallel.";
  for (const auto& [name, degree] :
       {std::pair("dp=", layout.dp), {"tp=", layout.tp}, {"pp=", layout.pp}, {"cp=", layout.cp}})
    settings.push_back(parallel + name + std::to_string(degree));
  settings.push_back(parallel + "sharding=" + std::string(name_of(layout.sharding)));
  return settings;
}

}  // namespace

Result<CheckQuestion> CheckQuestion::read(System& system, const CheckOptions& options, const Catalogue& catalogue) {
  CheckQuestion asked(options, catalogue);
  if (const auto good = asked.read_plan(system); !good) return std::unexpected(good.error());
  if (!asked.nothing_fits_.empty()) return asked;
  if (const auto good = asked.choose_candidates(); !good) return std::unexpected(good.error());
  return asked;
}

Result<void> CheckQuestion::read_plan(System& system) {
  JobOptions job_options = options_->job;
  if (names_plan_file(options_->plan)) {
    auto kept = open_plan(system, options_->plan);
    if (!kept) return std::unexpected(std::move(kept.error()));
    kept_ = std::make_unique<PlanFile>(*std::move(kept));
    const auto plan = plan_named(*kept_, "");
    if (!plan) return std::unexpected(plan.error());
    kept_plan_ = *plan;
    if (job_options.job.empty()) job_options.job = options_->plan;
  }
  if (job_options.job.empty())
    return wrong_use("--job: which job is the log of? Name its file, or a kept plan by --plan");
  auto question = read_question(system, job_options, *catalogue_);
  if (!question) return std::unexpected(std::move(question.error()));
  question_ = std::make_unique<api::Question>(*std::move(question));
  if (kept_) return made_for(*kept_, question_->loaded.job.name);

  auto searched = api::search_job(question_->loaded.job, question_->known, *catalogue_, question_->terms);
  if (!searched) return std::unexpected(std::move(searched.error()));
  searched_ = std::make_unique<api::Searched>(*std::move(searched));
  const SearchResult& found = searched_->found;
  if (found.plans.empty()) {
    PlanReport report(found, searched_->job, *catalogue_);
    api::blame_phases(*searched_, *catalogue_, question_->terms, report);
    nothing_fits_ = nothing_fits_words(report);
    if (nothing_fits_.empty()) nothing_fits_.emplace_back("nothing fits");
    return {};
  }
  std::string id = options_->plan;
  if (id.empty() && question_->written.kept) id = question_->written.kept->id;
  if (id.empty()) return {};
  const auto plan = plan_with_id(found, id);
  if (!plan) return std::unexpected(plan.error());
  plan_ = *plan;
  return {};
}

/// The phases that a log may be of: the one named; else those that train; else those with something to judge.
Result<void> CheckQuestion::choose_candidates() {
  const std::vector<Phase>& phases = job().phases;
  std::vector<std::size_t> chosen;
  const auto choose = [&](auto&& wanted) {
    for (std::size_t i = 0; i < phases.size(); ++i)
      if (wanted(phases[i])) chosen.push_back(i);
  };
  if (!options_->phase.empty()) {
    choose([&](const Phase& phase) { return phase.name == options_->phase; });
    if (chosen.empty()) {
      std::vector<std::string_view> names;
      std::vector<std::string> shown;
      for (const Phase& phase : phases) {
        names.emplace_back(phase.name);
        shown.push_back(printable(phase.name, 40));
      }
      const std::string near = did_you_mean(options_->phase, names);
      return wrong_use("--phase: the job has no phase '" + printable(options_->phase, 60) + "'" +
                       (near.empty() ? "; expected " + listed(shown, "or") : near));
    }
  } else {
    choose(trains);
    if (chosen.empty()) choose(is_judged);
    if (chosen.empty()) choose([](const Phase&) { return true; });
  }
  for (const std::size_t i : chosen) {
    auto conditions = PhaseConditions::read(phases[i]);
    if (!conditions) return failure(conditions.error().message, {shown_name(options_->job.job)});
    candidates_.push_back({i, *std::move(conditions)});
  }
  return {};
}

/// By pattern: phases call the same figure by the same or by other names.
std::vector<LogMetric> CheckQuestion::metrics() const {
  std::vector<LogMetric> metrics;
  for (const Candidate& candidate : candidates_)
    for (const auto& [name, pattern] : candidate.conditions.patterns())
      if (std::ranges::find(metrics, pattern, &LogMetric::name) == metrics.end()) metrics.push_back({pattern, pattern});
  return metrics;
}

/// The log with the metrics of one phase, by their own names.
RunLog CheckQuestion::log_of(const Candidate& candidate, const RunLog& log) {
  RunLog own = log;
  own.metrics.clear();
  own.no_numbers.clear();
  for (const auto& [name, pattern] : candidate.conditions.patterns()) {
    for (const auto& [found, series] : log.metrics)
      if (found == pattern) own.metrics.emplace_back(name, series);
    for (const auto& [found, text] : log.no_numbers)
      if (found == pattern) own.no_numbers.emplace_back(name, text);
  }
  return own;
}

std::optional<Expectation> CheckQuestion::expected(const Candidate& candidate, const Plan* plan) const {
  if (kept_plan_ != nullptr) {
    const Expectation* found = expectation_of(*kept_plan_, phase(candidate).name);
    return found != nullptr ? std::optional(*found) : std::nullopt;
  }
  for (const PhasePlan& part : plan->phases)
    if (static_cast<std::size_t>(part.estimate->phase) == candidate.phase)
      return expectation_of(job(), *plan, part, strategy_words(part.estimate, phase(candidate)));
  return std::nullopt;
}

std::string CheckQuestion::gpu_of(const RunLog& log) const {
  if (log.gpu.empty()) return "";
  const auto found = find_gpu(*catalogue_, log.gpu);
  return found ? found->gpu->name : "";
}

/// The plan asked for; else, of those on GPUs of the log's kind and number, the pick or the first of the list.
const Plan* CheckQuestion::plan_like(const RunLog& log, const std::string& gpu, std::vector<std::string>& notes) const {
  if (kept_plan_ != nullptr || plan_ != nullptr) return plan_;
  const std::vector<Plan>& plans = searched_->found.plans;
  const Plan& pick = plans[static_cast<std::size_t>(searched_->found.recommendations.pick.value_or(0))];
  const auto like = [&](const Plan& plan) {
    return std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
      const bool candidate = std::ranges::any_of(candidates_, [&](const Candidate& one) {
        return static_cast<std::size_t>(part.estimate->phase) == one.phase;
      });
      if (!candidate || !part.estimate->node || part.estimate->node->gpu == nullptr) return false;
      return (gpu.empty() || part.estimate->node->gpu->name == gpu) &&
             (!log.processes || part.estimate->gpus == static_cast<int>(*log.processes));
    });
  };
  if ((gpu.empty() && !log.processes) || like(pick)) return &pick;
  const auto better = [&](bool frontier) {
    return std::ranges::find_if(plans, [&](const Plan& plan) { return plan.on_frontier == frontier && like(plan); });
  };
  auto found = better(true);
  if (found == plans.end()) found = better(false);
  if (found == plans.end()) return &pick;
  notes.push_back("The pick is " + printable(pick.label, 60) +
                  "; the log is held against the plan on GPUs of its kind, " + printable(found->label, 60) +
                  " (--plan names another).");
  return &*found;
}

CheckedRun CheckQuestion::checked(const Candidate& candidate, const Expectation& expected, const RunLog& log) const {
  const Phase& of = phase(candidate);
  CheckedRun run{expected, of, candidate.conditions, log};
  run.gpu = gpu_of(log);
  if (!expected.gpu.empty())
    if (const auto gpu = find_gpu(*catalogue_, expected.gpu)) run.peak = gpu->gpu->bf16;
  if (of.evaluate) run.slow_steps_every.push_back(of.evaluate->every_steps);
  const CheckpointRule& rule = of.checkpoint ? *of.checkpoint : job().checkpoint;
  if (rule.every_steps) run.slow_steps_every.push_back(*rule.every_steps);
  if (const auto* train = std::get_if<TrainPhase>(&of.work)) {
    run.exact_steps = train->steps.has_value();
    if (train->method == Method::kFull)
      for (const ModelUse& model : train->models) run.parameters += model.params();
  }
  return run;
}

/// The phase whose numbers are those of the log.
Result<const CheckQuestion::Candidate*> CheckQuestion::candidate_like(const RunLog& log, const Plan* plan,
                                                                      std::vector<std::string>& notes) const {
  if (candidates_.size() == 1) return &candidates_.front();
  std::vector<const Candidate*> possible;
  int most = 0;
  for (const Candidate& candidate : candidates_) {
    const auto expectation = expected(candidate, plan);
    if (!expectation) continue;
    const CheckedRun run = checked(candidate, *expectation, log);
    const int agreeing = agreements(run);
    if (!contradictions(run).empty() || agreeing == 0 || agreeing < most) continue;
    if (agreeing > most) possible.clear();
    most = agreeing;
    possible.push_back(&candidate);
  }
  if (possible.size() == 1) {
    notes.push_back("The log is of phase " + printable(phase(*possible.front()).name, 60) + " by its numbers.");
    return possible.front();
  }
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates_) names.push_back(printable(phase(candidate).name, 40));
  return wrong_use("--phase: of which phase is the log? By its numbers it could be of " +
                   std::string(possible.empty() ? "none" : "several") + "; expected " + listed(names, "or"));
}

/// What the model makes of the phase on the same GPUs with half the micro-batch, and with full recomputation.
std::vector<MemoryTrial> CheckQuestion::memory_trials(const CheckedRun& run) const {
  std::vector<MemoryTrial> trials;
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  if (train == nullptr || run.expected.micro_batch < 1) return trials;
  const std::string address = "phases." + run.phase.name + ".train.";
  const std::vector<std::string> layout = layout_settings(run.expected, address);
  const auto attempt = [&](const std::string& change, const std::string& setting) {
    std::vector<std::string> settings = options_->job.set;
    settings.push_back(setting);
    settings.insert(settings.end(), layout.begin(), layout.end());
    auto changed = api::changed_job(*question_, settings, *catalogue_);
    if (!changed) return;
    const auto searched = api::search_job(std::move(changed->job), question_->known, *catalogue_, question_->terms);
    if (!searched) return;
    const PhasePlan* best = nullptr;
    for (const Plan& plan : searched->found.plans)
      for (const PhasePlan& part : plan.phases) {
        const PhaseEstimate& estimate = part.estimate;
        if (searched->job.phases[static_cast<std::size_t>(estimate.phase)].name != run.phase.name) continue;
        if (!estimate.node || estimate.node->gpu == nullptr || estimate.node->gpu->name != run.expected.gpu) continue;
        if (estimate.gpus != run.expected.gpus || estimate.nodes != run.expected.nodes) continue;
        if (!is_alike(estimate, run.expected)) continue;
        if (best == nullptr || part.hours.p50 < best->hours.p50) best = &part;
      }
    if (best == nullptr) {
      trials.push_back({.change = change, .setting = setting, .found = false});
      return;
    }
    if ((run.expected.memory && best->estimate->memory_total.p50 >= run.expected.memory->p50)) return;
    trials.push_back(
        {change, setting, best->estimate->memory_total.p50, best->hours.p50, best->estimate->fit == Fit::kFits});
  };
  const double micro = run.expected.micro_batch;
  if (micro >= 2)
    attempt("micro-batch " + count_text(std::floor(micro / 2)) + " instead of " + count_text(micro),
            address + "micro=" + number_text(std::floor(micro / 2)));
  attempt("recomputing all activations", address + "recompute=full");
  return trials;
}

Result<CheckQuestion::Answer> CheckQuestion::answer(const RunLog& log, bool final) const {
  Answer result;
  const Plan* plan = plan_like(log, gpu_of(log), result.notes);
  const auto candidate = candidate_like(log, plan, result.notes);
  if (!candidate) return std::unexpected(candidate.error());
  auto expectation = expected(**candidate, plan);
  if (!expectation)
    return failure("the plan has no phase " + printable(phase(**candidate).name, 60) + "; plan the job again",
                   {kept_ ? kept_->file : ""});
  result.expected = *std::move(expectation);
  result.log = log_of(**candidate, log);
  const CheckedRun run = checked(**candidate, result.expected, result.log);
  result.check = check_run(run);
  const bool wants_memory = final && result.check.out_of_memory > 0;
  result.advice = diagnose(run, result.check, wants_memory ? memory_trials(run) : std::vector<MemoryTrial>{});
  return result;
}

}  // namespace gpuplan::cli
