// Everything of a phase that is not its work: what its machines do before, between and after, and the bytes that this
// moves and keeps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

struct PhaseWorkload;

/// What a job says once for all its phases, as one phase sees it.
struct PhaseDefaults {
  Storage storage;
  std::optional<BytesPerSecond> inet_down;  ///< every machine downloads at least so fast
  CheckpointRule checkpoint;                ///< the phase's own, else the job's
  std::optional<Seconds> restart;           ///< `spot.restart`
  double stretch = 1;                       ///< 1 + buffer
  double confidence = 0.9;                  ///< chance at which targets must be reached
  bool fetched = false;                     ///< the phase that it stays `on` the machines of has fetched all it needs
};
PhaseDefaults defaults_of(const Job& job, const Phase& phase);

/// A rate between a machine and the world: what the job states, else the assumption, and no more than the machine's
/// own network sustains where data/nodes.csv knows it.
struct MovingRate {
  Interval<BytesPerSecond> value{};
  bool stated = false;     ///< by the job
  bool by_floor = false;   ///< by `where.inet_down`
  BytesPerSecond limit{};  ///< the machine's network, where it makes some or all of the rate slower; else zero

  /// Whether nothing of it is assumed.
  bool known() const { return stated || value.exact(); }
};
MovingRate download_rate(const PhaseDefaults& defaults, const Assumptions& assumed, const PhaseEstimate& estimate);
MovingRate upload_rate(const PhaseDefaults& defaults, const Assumptions& assumed, const PhaseEstimate& estimate);

/// Fills the terms of time beside the work, `extra`, and the bytes of an estimate whose work, strategy and memory are
/// known. What a phase states wins: with `setup`, an overhead or a given time for the whole phase nothing is assumed of
/// its start, with an overhead or such a time nothing of its checkpoints and uploads either.
void add_terms(const PhaseWorkload& workload, const Catalogue& catalogue, PhaseEstimate& estimate);

/// Jobs in a row that a phase is cut into where none may run longer than `limit`, by its p90; 1: it is not cut;
/// nullopt: it can not be, because it has no state to go on from or because a restart leaves no time for work. Adds the
/// restarts to the terms.
std::optional<int> cut_into_jobs(const PhaseWorkload& workload, const Catalogue& catalogue, Seconds limit,
                                 PhaseEstimate& estimate);

/// Whether a phase of this kind goes on where it was stopped: training from a checkpoint, generation from the samples
/// that are stored.
bool can_resume(const Phase& phase);

/// Whether a text of a command says that it goes on from its own checkpoints.
bool names_checkpoints(std::string_view text);

/// Somebody's own command of a known time, of which nothing says that it goes on where it was stopped: after an
/// interruption it begins anew, unless its checkpoint rule says otherwise.
bool starts_over(const Phase& phase);

/// Names of the models whose weights a phase fetches, sorted, each once.
std::vector<std::string> fetched_models(const Phase& phase);
/// Whether `later` needs no weights or data beyond those that `earlier` fetched to the same machine.
bool fetches_the_same(const Phase& earlier, const Phase& later);

/// Space on disks for as long as a phase holds it; zero where neither offer nor job says what it costs. `taken_away`:
/// the machines may be, so that more checkpoints are written.
Dollars disk_dollars(const Offer& offer, bool taken_away, const PhaseEstimate& phase, Seconds time);

/// Whether a phase runs on the user's own machine.
bool stays_home(const Phase& phase);
/// Whether the results of a phase are fetched home at its end: no later phase on machines needs them.
bool results_leave(const Job& job, int phase);

/// What leaving the provider costs for so many bytes; zero where neither offer nor job says what it costs.
Dollars egress_dollars(const Offer& offer, const PhaseEstimate& phase, Bytes bytes);

}  // namespace gpuplan
