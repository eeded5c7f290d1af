// What `gpuplan check` holds a log against: a job, a plan of it, and the phase that the log is of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/questions/question.h"
#include "api/runs/choose_plan.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/check/diagnosis.h"
#include "evidence/check/run_check.h"
#include "evidence/log/gpu_trace.h"
#include "input/logs/reader.h"
#include "input/question/plan_file.h"
#include "model/training/training.h"
#include "output/runs/check_report.h"
#include "output/runs/log_report.h"

namespace gpuplan::api {

struct CheckTerms {
  AskedPlan plan{};     ///< neither id nor text: the plan of a kept job, else the pick or what is like the log
  std::string phase{};  ///< its name; empty: the one that the log is of
  bool keep = false;    ///< a kept plan is looked up among those found now, as the run is kept or a step is taken apart
};

/// A phase as a plan that was searched runs it. Refers to the question.
struct PlannedPhase {
  const Phase* phase = nullptr;
  const PhaseEstimate* estimate = nullptr;
};

/// A log with what it was held against.
struct CheckAnswer {
  Expectation expected;
  RunLog log;
  RunCheck check;
  std::vector<Advice> advice;
  std::vector<std::string> notes;         ///< how phase and plan were chosen, a sentence each
  std::vector<std::string> files{};       ///< of the log, as messages call them
  std::optional<PlannedPhase> planned{};  ///< nullopt: the plan was kept, and nobody keeps the run
  bool machine_known = true;              ///< the log, the plan asked for or the market says which GPUs it ran on

  /// Refers to the answer.
  CheckReport report() const { return {expected, log, check, advice, files, notes}; }
};

/// What the plan says of one step of a phase that trains.
struct PlannedStep {
  Expectation expected;
  StepParts parts;
};

/// Everything that is known before a log is read. The log may come piece by piece: input/logs/reader.h, asked for
/// metrics().
class CheckQuestion {
 public:
  /// Reads the job, and the kept plan or searches one. A kept plan brings its job where the request has none.
  /// `catalogue` must outlive the question. That nothing fits is no error: nothing_fits() says.
  static Result<CheckQuestion> read(const Request& request, CheckTerms terms, const Catalogue& catalogue);

  /// Not empty: no plan at all, and why.
  const std::vector<std::string>& nothing_fits() const { return nothing_fits_; }
  /// The document "gpuplan/check@1" that says so.
  std::string nothing_fits_json() const;

  /// What the log is searched for beside what all logs hold.
  std::vector<LogMetric> metrics() const;

  /// The phase and plan that a log is held against, with what it comes to. `final`: it is all of the log; advice then
  /// asks the model what would need less memory. Fails where it can not be told which phase the log is of.
  Result<CheckAnswer> answer(const RunLog& log, bool final) const;
  /// The step that a profiler's trace is held against; `notes`: how phase and plan were chosen. Fails for a phase that
  /// does not train, and where the model does not predict it.
  Result<PlannedStep> planned_step(const GpuTrace& trace, std::vector<std::string>& notes) const;

 private:
  /// A phase that the log may be of.
  struct Candidate {
    std::size_t phase = 0;
    PhaseConditions conditions;
  };
  CheckQuestion(CheckTerms terms, const Catalogue& catalogue) : terms_(std::move(terms)), catalogue_(&catalogue) {}

  Result<void> read_plan(Request request);
  Result<void> choose_candidates();
  const Job& job() const { return searched_ ? searched_->job : question_->loaded.job; }
  const Phase& phase(const Candidate& candidate) const { return job().phases[candidate.phase]; }
  static RunLog log_of(const Candidate& candidate, const RunLog& log);
  bool one_machine_kind(const Candidate& candidate) const;
  /// Nullopt: the plan has no such phase.
  std::optional<Expectation> expected(const Candidate& candidate, const Plan* plan) const;
  const Plan* plan_like(const RunLog& log, const std::string& gpu, std::vector<std::string>& notes) const;
  std::string gpu_of(const RunLog& log) const;
  CheckedRun checked(const Candidate& candidate, const Expectation& expected, const RunLog& log) const;
  Result<const Candidate*> candidate_like(const RunLog& log, const Plan* plan, std::vector<std::string>& notes) const;

  CheckTerms terms_;
  const Catalogue* catalogue_;
  std::vector<std::string> settings_;  ///< of the request
  std::unique_ptr<Question> question_;
  std::unique_ptr<Searched> searched_;  ///< null where the plan was kept
  std::unique_ptr<PlanFile> kept_;
  const KeptPlan* kept_plan_ = nullptr;
  const Plan* plan_ = nullptr;  ///< of `searched_`
  std::vector<Candidate> candidates_;
  std::vector<std::string> nothing_fits_;
};

/// Whether there is anything in it that gpuplan or the job's metrics could read.
bool is_known(const RunLog& log);
/// Fails where there is nothing; the error names the files and what could be read.
Result<void> check_known(const RunLog& log, const std::vector<std::string>& files);

/// A log without a job: what it holds.
struct LogAnswer {
  RunLog log;
  RunCheck check;
  std::vector<std::string> files;  ///< as messages call them

  /// Refers to the answer. `lines`: also what was read from which lines.
  LogReport report(bool lines) const { return {log, check, files, lines}; }
};

/// `any`: a log of which nothing was understood is an answer too. Fails else for one, with what to do.
Result<LogAnswer> answer_alone(RunLog log, std::vector<std::string> files, bool any);

/// Whole logs of one run, which count together. REQUIRES: something fits. Fails for what is no log.
Result<CheckAnswer> check_texts(const CheckQuestion& question, const std::vector<NamedText>& logs);

}  // namespace gpuplan::api
