// What `gpuplan check` holds a log against: a job, a plan of it, and the phase that the log is of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"
#include "cli/load/job_options.h"
#include "domain/facts/catalogue.h"
#include "evidence/check/diagnosis.h"
#include "evidence/check/run_check.h"
#include "input/logs/reader.h"
#include "input/question/plan_file.h"

namespace gpuplan::cli {

struct CheckOptions {
  JobOptions job;
  std::string plan;   ///< id, or file of a kept plan; empty: the pick
  std::string phase;  ///< empty: the one that the log is of
};

/// Everything that is known before a log is read.
class CheckQuestion {
 public:
  /// Reads the job, and the plan or searches one. Exit code kNothingFits has no place in an Error: `nothing_fits` says.
  static Result<CheckQuestion> read(System& system, const CheckOptions& options, const Catalogue& catalogue);

  /// Not empty: no plan at all, and why.
  const std::vector<std::string>& nothing_fits() const { return nothing_fits_; }

  /// What the log is searched for beside what all logs hold.
  std::vector<LogMetric> metrics() const;

  /// The phase and plan that a log is held against, with what it comes to.
  struct Answer {
    Expectation expected;
    RunLog log;
    RunCheck check;
    std::vector<Advice> advice;
    std::vector<std::string> notes;
  };
  /// `final`: it is all of the log; advice then asks the model what would need less memory. Fails where it can not be
  /// told which phase the log is of.
  Result<Answer> answer(const RunLog& log, bool final) const;

 private:
  /// A phase that the log may be of.
  struct Candidate {
    std::size_t phase = 0;
    PhaseConditions conditions;
  };
  explicit CheckQuestion(const CheckOptions& options, const Catalogue& catalogue)
      : options_(&options), catalogue_(&catalogue) {}

  Result<void> read_plan(System& system);
  Result<void> choose_candidates();
  const Job& job() const { return searched_ ? searched_->job : question_->loaded.job; }
  const Phase& phase(const Candidate& candidate) const { return job().phases[candidate.phase]; }
  static RunLog log_of(const Candidate& candidate, const RunLog& log);
  /// Nullopt: the plan has no such phase.
  std::optional<Expectation> expected(const Candidate& candidate, const Plan* plan) const;
  const Plan* plan_like(const RunLog& log, const std::string& gpu, std::vector<std::string>& notes) const;
  std::string gpu_of(const RunLog& log) const;
  CheckedRun checked(const Candidate& candidate, const Expectation& expected, const RunLog& log) const;
  Result<const Candidate*> candidate_like(const RunLog& log, const Plan* plan, std::vector<std::string>& notes) const;
  std::vector<MemoryTrial> memory_trials(const CheckedRun& run) const;

  const CheckOptions* options_;
  const Catalogue* catalogue_;
  std::unique_ptr<api::Question> question_;
  std::unique_ptr<api::Searched> searched_;  ///< null where the plan was kept
  std::unique_ptr<PlanFile> kept_;
  const KeptPlan* kept_plan_ = nullptr;
  const Plan* plan_ = nullptr;  ///< of `searched_`
  std::vector<Candidate> candidates_;
  std::vector<std::string> nothing_fits_;
};

}  // namespace gpuplan::cli
