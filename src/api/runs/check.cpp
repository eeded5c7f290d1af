#include "api/runs/check.h"

#include <algorithm>
#include <utility>

#include "api/runs/check_memory.h"
#include "base/text.h"
#include "evidence/check/log_alone.h"
#include "input/text/gpu_name.h"
#include "model/training/rollouts.h"
#include "output/text/json_writer.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"
#include "plan/strategy/practice.h"

namespace gpuplan::api {
namespace {

bool trains(const Phase& phase) { return std::holds_alternative<TrainPhase>(phase.work); }
bool is_judged(const Phase& phase) { return !phase.succeed_when.empty() || !phase.metrics.empty(); }

}  // namespace

bool is_known(const RunLog& log) {
  const bool metric = std::ranges::any_of(log.metrics, [](const auto& one) { return !one.second.empty(); });
  return !log.formats.empty() || metric;
}

Result<void> check_known(const RunLog& log, const std::vector<std::string>& files) {
  const Place place{join(files, ", ")};
  if (log.quoted)
    return failure(
        "is a document or a program that quotes lines of a log, not the log of a run; expected the log itself", place);
  if (is_known(log)) return {};
  if (log.bytes == 0) return failure("is empty; expected the log of a run", place);
  std::vector<std::string> formats;
  for (const std::string_view name : all_names<LogFormat>()) formats.emplace_back(name);
  return failure("is not in a log format that gpuplan knows (" + join(formats, ", ") +
                     "), and no metric of the job matches; gpuplan check LOG --format lists its numbers, and "
                     "--map loss=NAME,step=NAME reads them",
                 place);
}

Result<CheckQuestion> CheckQuestion::read(const Request& request, CheckTerms terms, const Catalogue& catalogue) {
  CheckQuestion asked(std::move(terms), catalogue);
  if (const auto good = asked.read_plan(request); !good) return std::unexpected(good.error());
  if (!asked.nothing_fits_.empty()) return asked;
  if (const auto good = asked.choose_candidates(); !good) return std::unexpected(good.error());
  return asked;
}

Result<void> CheckQuestion::read_plan(Request request) {
  if (const auto& text = terms_.plan.kept) {
    auto kept = read_plan_file(text->text, text->name);
    if (!kept) return std::unexpected(std::move(kept.error()));
    kept_ = std::make_unique<PlanFile>(*std::move(kept));
    const auto plan = plan_named(*kept_, "");
    if (!plan) return std::unexpected(plan.error());
    kept_plan_ = *plan;
    if (!request.job) request.job = *text;
  }
  if (!request.job) return wrong_use("missing --job FILE or --plan FILE: which job does the log belong to?");
  settings_ = request.set;
  auto question = read_question(request, *catalogue_);
  if (!question) return std::unexpected(std::move(question.error()));
  question_ = std::make_unique<Question>(*std::move(question));
  if (kept_) {
    auto made = made_for(*kept_, question_->loaded.job.name);
    if (!made || !terms_.keep) return made;
    if (terms_.plan.id.empty()) terms_.plan.id = kept_plan_->id;
  }

  auto searched = search_job(question_->loaded.job, question_->known, *catalogue_, question_->terms);
  if (!searched) return std::unexpected(std::move(searched.error()));
  searched_ = std::make_unique<Searched>(*std::move(searched));
  const SearchResult& found = searched_->found;
  if (found.plans.empty()) {
    PlanReport report(found, searched_->job, *catalogue_);
    blame_phases(*searched_, *catalogue_, question_->terms, report);
    nothing_fits_ = nothing_fits_words(report);
    if (nothing_fits_.empty()) nothing_fits_.emplace_back("nothing fits");
    return {};
  }
  std::string id = terms_.plan.id;
  if (id.empty() && question_->written.kept) id = question_->written.kept->id;
  if (id.empty()) return {};
  const auto plan = plan_with_id(found, id);
  if (!plan && kept_)
    return failure(
        "plan " + printable(id, 40) + " is not among those that are found now; give --job, and the plan by --plan ID",
        {kept_->file});
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
  if (!terms_.phase.empty()) {
    choose([&](const Phase& phase) { return phase.name == terms_.phase; });
    if (chosen.empty()) {
      std::vector<std::string_view> names;
      std::vector<std::string> shown;
      for (const Phase& phase : phases) {
        names.emplace_back(phase.name);
        shown.push_back(printable(phase.name, 40));
      }
      const std::string near = did_you_mean(terms_.phase, names);
      return wrong_use("--phase: the job has no phase '" + printable(terms_.phase, 60) + "'" +
                       (near.empty() ? "; expected " + listed(shown, "or") : near));
    }
  } else {
    choose(trains);
    if (chosen.empty()) choose(is_judged);
    if (chosen.empty()) choose([](const Phase&) { return true; });
  }
  for (const std::size_t i : chosen) {
    auto conditions = PhaseConditions::read(phases[i]);
    if (!conditions) return failure(conditions.error().message, {question_->terms.job_file});
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
  notes.push_back("Compared with the plan for the GPUs in the log, " + printable(found->label, 60) +
                  " (recommended: " + printable(pick.label, 60) + "; --plan to change).");
  return &*found;
}

/// All plans run the phase on one kind of GPU, as in a market of one machine.
bool CheckQuestion::one_machine_kind(const Candidate& candidate) const {
  const Gpu* kind = nullptr;
  for (const Plan& plan : searched_->found.plans)
    for (const PhasePlan& part : plan.phases) {
      if (static_cast<std::size_t>(part.estimate->phase) != candidate.phase || !part.estimate->node) continue;
      const Gpu* gpu = part.estimate->node->gpu;
      if (kind != nullptr && gpu != kind) return false;
      kind = gpu;
    }
  return true;
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
    if (train->method == Method::kFull) {
      for (const ModelUse& model : train->models) {
        const double table = model.custom ? 0 : 1.0 * model.shape.vocab * model.shape.hidden;
        run.parameters += model.params();
        run.fewest_parameters += std::max(0.0, model.params() - table * (model.shape.tied ? 1 : 2));
        run.most_parameters += model.params() + (model.shape.tied ? table : 0);
      }
    }
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
    notes.push_back("Phase detected: " + printable(phase(*possible.front()).name, 60) + " (--phase to change).");
    return possible.front();
  }
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates_) names.push_back(printable(phase(candidate).name, 40));
  return wrong_use(std::string(possible.empty() ? "no phase matches this log" : "several phases match this log") +
                   "; add --phase " + listed(names, "or"));
}

Result<CheckAnswer> CheckQuestion::answer(const RunLog& log, bool final) const {
  CheckAnswer result;
  const Plan* plan = plan_like(log, gpu_of(log), result.notes);
  const auto candidate = candidate_like(log, plan, result.notes);
  if (!candidate) return std::unexpected(candidate.error());
  auto expectation = expected(**candidate, plan);
  if (!expectation)
    return failure("the plan has no phase " + printable(phase(**candidate).name, 60) + "; plan the job again",
                   {kept_ ? kept_->file : ""});
  result.expected = *std::move(expectation);
  result.log = log_of(**candidate, log);
  if (plan != nullptr)
    for (const PhasePlan& part : plan->phases)
      if (static_cast<std::size_t>(part.estimate->phase) == (*candidate)->phase)
        result.planned = PlannedPhase{&phase(**candidate), &*part.estimate};
  result.machine_known =
      kept_plan_ != nullptr || plan_ != nullptr || !gpu_of(log).empty() || one_machine_kind(**candidate);
  const CheckedRun run = checked(**candidate, result.expected, result.log);
  result.check = check_run(run);
  const bool wants_memory = final && result.check.out_of_memory > 0;
  result.advice =
      diagnose(run, result.check,
               wants_memory ? memory_trials(*question_, settings_, run, *catalogue_) : std::vector<MemoryTrial>{});
  return result;
}

Result<PlannedStep> CheckQuestion::planned_step(const GpuTrace& trace, std::vector<std::string>& notes) const {
  RunLog like;
  like.gpu = trace.gpu;
  like.processes = trace.processes;
  const Plan* plan = plan_like(like, gpu_of(like), notes);
  for (const Candidate& candidate : candidates_) {
    const auto* train = std::get_if<TrainPhase>(&phase(candidate).work);
    if (train == nullptr || plan == nullptr) continue;
    for (const PhasePlan& part : plan->phases) {
      const PhaseEstimate& estimate = part.estimate;
      if (static_cast<std::size_t>(estimate.phase) != candidate.phase || estimate.framework == nullptr) continue;
      const TrainPhase as_planned = as_run(*train, estimate);
      auto work = training_work(as_planned);
      if (!work || !estimate.node) continue;
      const Strategy& s = estimate.strategy;
      pad_answers(*work, static_cast<double>(s.micro_batch) * s.grad_accum);
      TrainingRates rates =
          training_rates(*catalogue_, *estimate.node, *estimate.framework, s.precision, s.compile, *work);
      if (estimate.work_is_model && searched_->found.errors) rates.errors = &*searched_->found.errors;
      const LayerCut cut{s.tp, s.cp, s.ep, s.micro_batch, s.recompute, s.attention};
      return PlannedStep{expectation_of(job(), *plan, part, strategy_words(estimate, phase(candidate))),
                         training_estimate(*work, rates, layer_cost(*work, rates, cut), s, estimate.nodes).step};
    }
  }
  return wrong_use(
      "no phase of the job trains on GPUs by gpuplan's model, so that a trace has no plan to be held against; "
      "leave --job and --plan out");
}

std::string CheckQuestion::nothing_fits_json() const {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/check@1").null_member("verdict");
  json.member("nothing_fits", join(nothing_fits_, " ")).end();
  return json.take();
}

Result<LogAnswer> answer_alone(RunLog log, std::vector<std::string> files, bool any) {
  RunCheck check = check_alone(log);
  // A run that failed before its first line of progress says why.
  const bool failed = !log.quoted && !check.reasons.empty() && !check.open_end;
  if ((!any && !failed) || log.bytes == 0)
    if (const auto known = check_known(log, files); !known) return std::unexpected(known.error());
  return LogAnswer{std::move(log), std::move(check), std::move(files)};
}

Result<CheckAnswer> check_texts(const CheckQuestion& question, const std::vector<NamedText>& logs) {
  auto reader = LogReader::make(question.metrics());
  if (!reader) return std::unexpected(std::move(reader.error()));
  std::vector<std::string> files;
  for (const NamedText& text : logs) {
    if (!files.empty()) reader->next_file();
    reader->name_file(text.name);
    reader->feed(text.text);
    files.push_back(text.name);
  }
  auto log = reader->finish();
  if (!log) {
    Error error = std::move(log.error());
    if (error.place.file.empty()) error.place.file = join(files, ", ");
    return std::unexpected(std::move(error));
  }
  if (const auto known = check_known(*log, files); !known) return std::unexpected(known.error());
  auto answer = question.answer(*log, true);
  if (answer) answer->files = std::move(files);
  return answer;
}

}  // namespace gpuplan::api
