// How many sequences at once still fit, and what it would be like.
#pragma once

#include <optional>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// A phase of a job alone on given machines, whatever the job's own figures say; nullopt when it can not run.
std::optional<PhaseEstimate> try_phase(const Job& job, int phase, const Catalogue& catalogue, const Machines& machines,
                                       Tally& tally);

/// Whether a phase trains or generates: memory and speed on a GPU are questions of these only.
bool computes(const Phase& phase);

/// An engine that takes as many sequences as there is room for: the cache of the phase fills any card.
bool fills_memory(const Phase& phase);

/// Which framework a training with another number of sequences may have: that of the estimate, or any that the job
/// allows, of which another may hold more; none that nobody thinks of beside one that people do.
enum class FrameworkOf { kEstimate, kJob };

/// One way to run a phase with the number of sequences at once left open (a step's micro-batch, or requests in flight
/// a replica): every other choice is that of an estimate but recomputation, of which there may be as much as it takes,
/// and the batch of an optimizer step, which grows with the micro-batch.
class OpenBatch {
 public:
  /// `catalogue` must outlive it.
  OpenBatch(Job job, int phase, const Catalogue& catalogue, const Machines& machines, const PhaseEstimate& best,
            FrameworkOf framework = FrameworkOf::kEstimate);
  OpenBatch(const OpenBatch&) = delete;
  OpenBatch& operator=(const OpenBatch&) = delete;

  /// With so many sequences at once; nullopt when not even the median of the memory fits.
  std::optional<PhaseEstimate> with(int sequences);
  /// The same; `nearest` tells what came closest when it does not fit.
  std::optional<PhaseEstimate> with(int sequences, NearMiss& nearest);

  /// The largest number that fits with p90, however many sequences the job has; 0: none.
  int largest();

 private:
  std::optional<PhaseEstimate> run(Job& job, const std::optional<PhaseWorkload>& workload, int sequences,
                                   NearMiss* nearest = nullptr) const;
  std::optional<PhaseWorkload> workload_of(const Job& job) const;

  Job job_;
  int phase_;
  bool fills_ = false;          ///< the engine fills the memory it may use
  const Framework* framework_;  ///< of the estimate
  const Catalogue& catalogue_;
  Machines machines_;
  std::optional<PhaseWorkload> workload_;  ///< of job_; does not depend on the number of sequences
};

}  // namespace gpuplan
