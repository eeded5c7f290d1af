// A plan as scripts that run it. Nothing is written, started or rented here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/questions/question.h"
#include "api/runs/choose_plan.h"
#include "launch/launch_report.h"
#include "launch/to/launchers.h"

namespace gpuplan::api {

std::vector<std::string> launcher_names();
/// Whatever the case of its letters. Usage error that names all of them when there is none.
Result<const Launcher*> launcher_named(const std::string& name);

struct LaunchTerms {
  std::string to{};                ///< the launcher
  std::vector<AskedPlan> plans{};  ///< empty: the plan of a kept job, else the pick
  std::string folder{};            ///< where the files are to lie; empty: a name after job and launcher
  std::string name{};              ///< of script, job and folder; empty: after job, phase and machine
  bool allow_tight = false;        ///< plans whose memory fits by the median only
  /// A trial of the plan in its place (launch/parts/smoke_job.h); counts of GPUs and machines in the flags are those of
  /// the trial, not of the plan.
  bool smoke = false;
  /// What was typed, for scripts and hints: "gpuplan launch job.yaml" and "gpuplan plan job.yaml"; empty: the job's
  /// name stands for it.
  std::string command{}, plan_command{};
};

/// Owns all that it shows.
class LaunchAnswer {
 public:
  LaunchAnswer(const LaunchAnswer&) = delete;
  LaunchAnswer& operator=(const LaunchAnswer&) = delete;
  LaunchAnswer(LaunchAnswer&&) noexcept;
  LaunchAnswer& operator=(LaunchAnswer&&) noexcept;
  ~LaunchAnswer();

  /// A folder for each plan. Who writes them adds what validators say. Lives as long as the answer, wherever that is
  /// moved.
  LaunchReport& report();
  const LaunchReport& report() const;
  /// The folder that holds all of it.
  const std::string& top() const;
  /// All that is to be written, paths below top(): of several plans a folder each, and a README.md that
  /// compares them.
  std::vector<LaunchFile> files() const;
  /// Other than kFound: there are no folders, and why() says it.
  Verdict verdict() const;
  const std::vector<std::string>& why() const;
  /// The document "gpuplan/launch@1".
  std::string json() const;

 private:
  struct Parts;
  struct Trial;  ///< a plan that is tried, and what is left of it
  static Result<LaunchAnswer> of(const Request& request, const LaunchTerms& terms, const Catalogue& catalogue,
                                 const Trial* trial);
  static Result<LaunchAnswer> trial_of(const Request& request, const LaunchTerms& terms, const Catalogue& catalogue);
  explicit LaunchAnswer(std::unique_ptr<Parts> parts);
  friend Result<LaunchAnswer> ask_launch(const Request&, const LaunchTerms&, const Catalogue&);
  std::unique_ptr<Parts> parts_;
};

/// `catalogue` must outlive the answer. Fails for wrong input, and for a plan that can not be started as it is, with
/// the line of the job that says so. That nothing fits, or that no plan keeps the limits and none was named, is an
/// answer.
Result<LaunchAnswer> ask_launch(const Request& request, const LaunchTerms& terms, const Catalogue& catalogue);

}  // namespace gpuplan::api
