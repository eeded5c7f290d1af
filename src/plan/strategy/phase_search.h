// The best way to run one phase on given GPUs. Knows strategies, not offers.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/answer/tally.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {

/// A phase with everything worked out that no machine changes.
struct PhaseWorkload {
  const Phase* phase = nullptr;
  int index = 0;
  std::optional<TrainingWork> training;
  std::optional<GenerationWork> generation;
  bool let_go = false;  ///< let_go(): it holds no GPU, though it names some
  PhaseDefaults defaults{};
  /// With what the job's own figures tell of machines that they are not about (plan/capacity/given_evidence.h); null:
  /// the catalogue's.
  const ErrorModel* errors = nullptr;
  bool usual = false;  ///< of training frameworks only those that people think of, where there are any
  double care = 1;     ///< counted_care() of the job's goal

  /// GPUs the phase must have; 0: none, nullopt: gpuplan chooses.
  std::optional<int> fixed_gpus() const;
  /// What predictions go by on machines that the figure is about; null: on others.
  const ErrorModel& errors_with(const Given* given, const Catalogue& catalogue) const;
};

/// Whether machines are given back while somebody works (`fixed` with `human`): under `schedule: stop_when_idle`,
/// unless the phase says whose machines it stays `on`. The person then works without the phase's GPUs.
bool let_go(const Job& job, const Phase& phase);

/// All phases of a job. Fails when a phase does not say how much work there is; the message names the phase.
Result<std::vector<PhaseWorkload>> prepare(const Job& job);

/// GPUs of one kind in one or several equal machines.
struct Machines {
  NodeShape node;  ///< of a whole machine
  int nodes = 1;
  int gpus = 1;                       ///< that the phase may use, over all machines
  bool exact = false;                 ///< use that many, not fewer
  std::optional<Seconds> max_time{};  ///< longest a job may run on them
  bool joined = true;                 ///< something is known of what joins several, or the job asks for them by name
};

/// The fastest way that fits (p90 of memory below usable memory); the fastest tight one when none does; nullopt, and
/// the reasons counted in `tally`, when nothing runs.
std::optional<PhaseEstimate> best_estimate(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally);

// The kinds of phase, each in a file of its own; best_estimate() chooses among them.
std::optional<PhaseEstimate> best_training(const PhaseWorkload& workload, const Catalogue& catalogue,
                                           const Machines& machines, bool ignore_given, Tally& tally);
std::optional<PhaseEstimate> best_generation(const PhaseWorkload& workload, const Catalogue& catalogue,
                                             const Machines& machines, bool ignore_given, Tally& tally);

/// The part of an estimate that training and generation share: place, strategy, and the model's time with its spread.
PhaseEstimate modelled(const PhaseWorkload& workload, const Machines& machines, int gpus, const Strategy& strategy,
                       bool fits, Seconds time, const Spread& spread);

}  // namespace gpuplan
