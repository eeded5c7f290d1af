// A plan as something to be started: its phases and machines with the names and limits that every launcher writes down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/ranking/fallback.h"

namespace gpuplan {

/// A file to be written. `path` is below the output folder: slugs, '/', '.' and '_' only.
struct LaunchFile {
  std::string path;
  std::string text;
  bool executable = false;
};

/// One phase of the job. Its script is `phases/SLUG.sh`, whatever launcher starts it.
struct LaunchPhase {
  const Phase* phase = nullptr;
  const PhasePlan* part = nullptr;
  std::string slug;                   ///< "02-sft": names files and jobs; unique
  int group = -1;                     ///< position in Launch::groups; -1: runs on the user's own machine
  std::vector<int> needs;             ///< positions in Launch::phases
  int nodes = 1;                      ///< machines
  int gpus = 0;                       ///< of one machine, that the phase uses
  Seconds limit{};                    ///< after which it is stopped: P90 of its hours and some room, whole minutes
  bool gated = false;                 ///< others wait for its `succeed_when`
  std::optional<TrainPhase> lighter;  ///< its training as the plan runs it, where that is not what the job says

  /// Whether several processes work together on it, one for each GPU.
  bool distributed() const { return nodes * gpus > 1; }
  std::string script() const { return "phases/" + slug + ".sh"; }
};

/// Machines of one offer taken together, from the first of these phases to the last: one lease of the plan.
struct LaunchGroup {
  const Lease* lease = nullptr;
  std::string slug;         ///< of its phase, or "machine-1" where it has several
  std::vector<int> phases;  ///< positions in Launch::phases, in the order in which they run
  std::vector<int> needs;   ///< groups that come before all of its phases
  Seconds limit{};          ///< of all its phases, idle time between them inside
};

struct Launch {
  const Job& job;
  const Plan& plan;
  const Catalogue& catalogue;
  std::string slug;                   ///< of the name that the user chose, else of the job
  std::string name{};                 ///< that the user chose, a safe one; empty: none
  std::string plan_name;              ///< "8x H100 SXM (lambda)"
  std::string command;                ///< that wrote the files: "gpuplan launch job.yaml --to slurm"
  std::vector<LaunchPhase> phases{};  ///< in an order in which needs come first
  std::vector<LaunchGroup> groups{};  ///< in the order of their first phase
  std::vector<std::string> rows{};    ///< wanted under the names DATA, TOKENIZER, ASSETS and PRETRAINED: where phases
                                      ///< want different ones under one name, it is another variable for each phase
  /// What to take where the plan's machines are not to be had, best first, the pick among them: for launchers that
  /// search a market. Empty: nobody looked. lay_out() leaves it empty.
  std::vector<Fallback> fallbacks{};
  /// The one script that holds all, where there is but one phase and the launcher needs no other:
  /// "train_8xH100_SXM.sh". Empty: a script for each phase below phases/.
  std::string one_script{};
  /// A trial (launch/parts/smoke_job.h): rows are written along, and a script stops and starts what it runs.
  bool smoke = false;
  /// Nobody reads the programs that are written along: their texts stay packed.
  bool without_programs = false;
  std::vector<std::string> notes{};  ///< sentences about the choice, for the README
};

/// Fails for a name that is no plain word: it becomes a folder, a script and a job.
Result<void> check_launch_name(const std::string& name);
/// A name after phase and machines: "train_8xH100_SXM", "train_2x8xH100_SXM". REQUIRES: one phase.
std::string single_name(const Launch& launch);

/// What a checkpoint of the phase is expected to take; 0: none is counted.
Seconds checkpoint_time(const PhaseEstimate& estimate);
/// From being told to stop to the end of the work: the step at hand (P90), and three times what a checkpoint is
/// expected to take.
Seconds stopping_time(const PhasePlan& part);
/// The same with a minute of room, an hour at most, in seconds: what the phase's script waits before it kills the work.
int stop_seconds(const PhasePlan& part);

/// Whether the job says itself what runs, in a folder that only the user knows.
bool brings_code(const Phase& phase);

/// The plan laid out for launching, but for `rows` and `fallbacks`. Fails (bad input, names the phase) where it can not
/// be started as it is: GPUs that the strategy's degrees do not multiply to, batches that do not divide, a time limit
/// below what is expected.
Result<Launch> lay_out_phases(const Job& job, const Plan& plan, const Catalogue& catalogue, std::string plan_name,
                              std::string command);

}  // namespace gpuplan
