// A whole job placed on offers: what each phase does there, how long it takes, what it costs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/shared.h"
#include "domain/work/job.h"
#include "model/estimate.h"
#include "model/generation/collection.h"
#include "model/generation/generation.h"
#include "model/training/training.h"

namespace gpuplan {

/// Where a number comes from, weakest claim of gpuplan first.
enum class Evidence { kGiven, kMeasured, kCalibrated, kModel };
template <>
struct Names<Evidence> {
  static constexpr std::array entries = {
      Named<Evidence>{Evidence::kGiven, "given"},
      Named<Evidence>{Evidence::kMeasured, "measured"},
      Named<Evidence>{Evidence::kCalibrated, "calibrated"},
      Named<Evidence>{Evidence::kModel, "model"},
  };
};

/// `fits`: p90 of memory is below usable memory; `tight`: only the median is.
enum class Fit { kFits, kTight };
template <>
struct Names<Fit> {
  static constexpr std::array entries = {Named<Fit>{Fit::kFits, "fits"}, Named<Fit>{Fit::kTight, "tight"}};
};

/// Quantiles and mean of a total.
template <class T>
struct Outcome {
  T p10{}, p50{}, p90{}, mean{};

  friend Outcome operator*(const Outcome& outcome, double factor) {
    return {outcome.p10 * factor, outcome.p50 * factor, outcome.p90 * factor, outcome.mean * factor};
  }
};

/// What comes out of a generation phase while it runs, and what its requests meet: by the model, or by the speed that
/// the user gave.
struct Serving {
  double in_flight = 0;                   ///< sequences at once, all replicas
  Interval<TokensPerSecond> output{};     ///< new tokens, all replicas
  Interval<TokensPerSecond> processed{};  ///< prompts too
  Interval<Seconds> time_to_first_token{};
  Interval<Seconds> time_per_output_token{};  ///< zero when nothing is generated
  std::optional<double> chance;               ///< that the phase's target is reached; nullopt: it has none
  bool reaches_target = true;                 ///< with the chance that the job asks for

  /// How far it is from the target, at the chance asked for: the largest of the ratios; at most 1 when it is reached.
  double shortfall = 0;
};

/// What a phase takes beside its work, in the order of time.
enum class TimeTerm { kSetup, kManual, kFetch, kLoad, kWarmUp, kEvaluate, kCheckpoint, kRestart, kUpload, kOverhead };
template <>
struct Names<TimeTerm> {
  static constexpr std::array entries = {
      Named<TimeTerm>{TimeTerm::kSetup, "setup"},
      Named<TimeTerm>{TimeTerm::kManual, "manual_step"},
      Named<TimeTerm>{TimeTerm::kFetch, "fetch"},
      Named<TimeTerm>{TimeTerm::kLoad, "load"},
      Named<TimeTerm>{TimeTerm::kWarmUp, "warm_up"},
      Named<TimeTerm>{TimeTerm::kEvaluate, "evaluations"},
      Named<TimeTerm>{TimeTerm::kCheckpoint, "checkpoints"},
      Named<TimeTerm>{TimeTerm::kRestart, "restarts"},
      Named<TimeTerm>{TimeTerm::kUpload, "upload"},
      Named<TimeTerm>{TimeTerm::kOverhead, "overheads"},
  };
};
inline constexpr std::size_t kTimeTerms = Names<TimeTerm>::entries.size();

/// Who says how long a term takes: the job; the job's rates and the model's bytes; or an assumed figure has part in it.
enum class TermOrigin { kJob, kModel, kAssumed };
template <>
struct Names<TermOrigin> {
  static constexpr std::array entries = {
      Named<TermOrigin>{TermOrigin::kJob, "job"},
      Named<TermOrigin>{TermOrigin::kModel, "model"},
      Named<TermOrigin>{TermOrigin::kAssumed, "assumed"},
  };
};

/// One phase on one kind of machine with the strategy chosen: everything that needs no price.
struct PhaseEstimate {
  int phase = 0;                  ///< index in the job
  std::optional<NodeShape> node;  ///< nullopt: needs no GPU
  int nodes = 1;
  int gpus = 0;  ///< used
  Strategy strategy;
  const Framework* framework = nullptr;
  Evidence evidence = Evidence::kModel;
  Fit fit = Fit::kFits;

  Interval<Seconds> work{};    ///< the work proper, overhead share included; model or given
  Interval<Seconds> extra{};   ///< what the phase takes beside: the sum of `terms`
  bool work_is_model = false;  ///< its spread is the model's, shared by all phases of this kind on this GPU
  std::string_view regime;     ///< what makes the spread wide
  ErrorFigure error_figure = ErrorFigure::kTime;  ///< what the model's error of `work` is one of
  ErrorLabels labels;                             ///< whose errors it shares
  Seconds work_by_model{};  ///< median by the model without overhead_share, also where a figure given took its place; 0
                            ///< unknown
  std::optional<Interval<Seconds>> model_interval;  ///< set when a given figure lies outside of it

  std::array<Interval<Seconds>, kTimeTerms> terms{};  ///< of `extra`, by TimeTerm
  std::array<TermOrigin, kTimeTerms> origins{};
  Interval<Seconds> fetch{};      ///< part of `extra` that a machine which has weights and data already does not need
  bool whole_time_given = false;  ///< the job states the time of the whole phase
  int jobs = 1;                   ///< in a row, where the pool limits how long one may run

  Bytes weights_bytes{};             ///< fetched to all machines together, as they are stored
  Bytes data_bytes{};                ///< training data or prompts, once
  Bytes checkpoint_bytes{};          ///< of one checkpoint: weights that learn, master weights and optimizer states
  BytesPerSecond checkpoint_rate{};  ///< at which all machines that write it do so together
  double checkpoints = 0;            ///< written in a run without interruptions, the final one included
  double kept_checkpoints = 0;       ///< at the end
  int keep_checkpoints = 0;          ///< as many of them stay, of all that are ever written; 0: all
  bool checkpoints_asked = false;    ///< the job says how often they are written
  Bytes results_bytes{};             ///< final model, text or activations
  Bytes disk_bytes{};                ///< that all machines together must have room for
  Bytes machine_disk_bytes{};        ///< the same of the fullest machine
  Bytes spare_disk_bytes{};  ///< the same for checkpoints that stay beside those on machines that are taken away
  std::optional<DollarsPerByteSecond> disk_price;  ///< by the job, for offers that state none
  std::optional<DollarsPerByte> egress_price;      ///< by the job, for offers that state none

  double rounds = 1;  ///< models that a replica runs one after the other
  double steps = 0;   ///< optimizer steps; 0 when it is no training
  double units = 0;   ///< samples (sequences) processed, all models
  double tokens = 0;  ///< trained, or newly generated, all models
  MemoryUse memory{};
  Interval<Bytes> memory_total{};
  Bytes host_memory{};
  CollectionUse collection{};  ///< activations kept
  double batch = 0;            ///< sequences a step, or in flight over all replicas
  double batch_wanted = 0;   ///< of a training step, before it was made to divide by the GPUs; 0: open, or no training
  bool lighter = false;      ///< trained as lighter() says, because the job's way does not fit on the GPUs
  bool batch_usual = false;  ///< that of practice: the job states none
  double mean_tokens = 0;    ///< that one has on average
  int sequence = 0;          ///< tokens that a training sequence may have; 0 when it is no training
  int rows = 1;              ///< sequences that each of a batch is: 2 for pairs of answers
  StartFrom start = StartFrom::kScratch;  ///< what training starts from
  double overhead_share = 0;              ///< part of the work's time that the job added on top, as a share of the rest
  std::optional<Serving> serving;         ///< of a generation phase
  std::optional<RolloutUse> rollouts;     ///< of training that gives the answers it learns from

  const Interval<Seconds>& term(TimeTerm which) const { return terms[static_cast<std::size_t>(which)]; }
  TermOrigin origin(TimeTerm which) const { return origins[static_cast<std::size_t>(which)]; }
};

/// One line of the bill. All its figures are on one basis: the job's buffer is inside of hours, cost and GPU-hours, and
/// the costs of all phases and `Plan::idle` add up to the plan's, in the units that bills are rounded to.
struct PhasePlan {
  Shared<PhaseEstimate> estimate;  ///< one for all plans on such machines
  const Offer* offer = nullptr;    ///< null: needs no GPU
  bool spot = false;
  Seconds start{};           ///< median, from the beginning of the job
  Outcome<Seconds> hours{};  ///< interruptions and buffer inside
  Outcome<Dollars> cost{};   ///< its share of the bill: by the GPU-seconds the machine is held for it, and its disk
  Dollars disk{};            ///< part of the median cost that is space on disks, while the phase runs
  Dollars egress{};          ///< the same for results that are fetched home
  std::optional<DollarsPerSecond>
      own_price{};  ///< of its machines, median, where own terms cover some (Lease::covered)
  int gpus_billed = 0;
  bool human = false;           ///< somebody works, and its GPUs are held for that and wait
  double gpu_hours = 0;         ///< used, median, buffer inside: of the hours that are billed, so never more than these
  double billed_gpu_hours = 0;  ///< its share of what is paid for, median, buffer inside
  Interval<Seconds> seconds_per_step{};
  Interval<TokensPerSecond> tokens_per_second{};

  /// That compute while it runs.
  int gpus_used() const { return human ? 0 : estimate->gpus; }
};

/// Share of a plan's cost below which what no phase uses is no line of its own: phases share it like the rest.
inline constexpr double kWorthALine = 0.005;

/// A stretch of time for which machines of one offer are taken and given back. By the medians, with the job's buffer.
struct Lease {
  const Offer* offer = nullptr;
  bool spot = false;
  int nodes = 1;
  int gpus = 0;                                 ///< of all its machines: billed for rented ones, used for pools
  Seconds from{}, to{};                         ///< from asking for them to giving them back
  Seconds billed{};                             ///< what the offer's rules make of it
  Dollars cost{};                               ///< median, disks inside: of its phases and `idle`
  Dollars idle{};                               ///< the part of it that is no phase's
  std::vector<int> phases;                      ///< positions in the plan of those that run on it
  int covered = 0;                              ///< GPUs of them at prices of the user's own (Job::commitments)
  std::optional<DollarsPerSecond> own_price{};  ///< where there are any: of all its machines, median
  double in_doubt = 0;                          ///< share of `cost` that stands and falls with the price of the offer
  Dollars credits{};                            ///< what its provider's credits pay of its bill beside `cost`, median
};

/// Most leases, and most GPUs of leases, that are held at one time.
int leases_at_once(const std::vector<Lease>& leases);
int gpus_at_once(const std::vector<Lease>& leases);

/// Of a list of 100,000 offers a plan may be beaten by thousands.
inline constexpr std::size_t kMostDominators = 16;

struct Plan {
  std::string id;                ///< short hash of offer, nodes and strategy; no other plan of an answer has it
  std::uint64_t identity = 0;    ///< what `id` is made from (plan/answer/identity.h)
  std::string label;             ///< "4x RTX 3090"
  const Offer* offer = nullptr;  ///< null when phases are on different offers
  NodeShape node;
  int nodes = 1;
  int gpus = 0;  ///< of the plan: billed for rented machines, used for pools
  bool spot = false;
  bool kept = true;  ///< machine held from first to last phase, or let go when idle
  int at_once = 1;   ///< most leases held at one time
  Evidence evidence = Evidence::kModel;
  Fit fit = Fit::kFits;
  Outcome<Seconds> hours{};
  Outcome<Dollars> cost{};      ///< what the user pays: after credits
  Dollars credits{};            ///< what these pay beside it, median
  Dollars disk{};               ///< part of the median cost that is space on disks, of all phases
  Dollars egress{};             ///< the same for results that are fetched home
  Dollars idle{};               ///< part of the median cost that is no phase's: machines held while none uses them, and
                                ///< what billing rounds up, where it is worth a line (kWorthALine)
  double gpu_hours = 0;         ///< used, median: of all phases
  double billed_gpu_hours = 0;  ///< median
  Interval<Seconds> wait{};     ///< in queues, before jobs start; no part of the hours, counts where plans are compared
                                ///< and against a deadline
  Seconds buffer{};             ///< part of the median hours that is the job's `buffer`
  Seconds spot_loss{};          ///< what interruptions and checkpoints are expected to take, inside of the mean hours
  double interruptions = 0;     ///< expected number
  double uninterrupted = 1;     ///< chance of none
  std::optional<double> chance_in_time;    ///< to keep the deadline; nullopt: there is none
  std::optional<double> chance_in_budget;  ///< to keep the budget, contingency inside; nullopt: there is none
  std::vector<PhasePlan> phases;
  std::vector<Lease> leases;  ///< in order of time

  bool on_frontier = false;
  std::vector<int> dominated_by;  ///< positions of frontier plans, nearest in cost first, at most kMostDominators
  std::optional<DollarsPerSecond> price_of_time_saved;  ///< against the frontier plan before it
  bool close_to_previous = false;                       ///< 80 % intervals overlap in hours and dollars
  std::optional<double> chance_best;  ///< to be the best of those that are compared, for the job's goal, in joint
                                      ///< samples (plan/ranking/comparison.h); nullopt: it is not among them
  bool meets_deadline = true;
  bool meets_budget = true;
  bool reaches_target = true;  ///< of every generation phase, with the chance that the job asks for
  bool too_long = false;       ///< longer than anybody waits (PracticeConstants::longest_days)

  /// Until the result is there, median: queues and hours. What plans are ranked by.
  Seconds done() const { return hours.p50 + wait.p50; }
  /// Part of the median cost that is machines: without disks and what leaves. What a GPU-hour costs is told by it.
  Dollars machines_cost() const { return cost.p50 - disk - egress; }
  /// Deadline, budget and targets; what they mean with which chance the job says.
  bool keeps_limits() const { return meets_deadline && meets_budget && reaches_target; }
  /// The most that are held at one time, where leases overlap.
  int gpus_at_once() const;
  /// Of at least one, while a phase runs; hours of the buffer are as exposed as others.
  double chance_of_interruption() const { return 1 - uninterrupted; }
  /// How far the phase that is furthest from its target is from it: at most 1 when all are reached.
  double shortfall() const;
  /// The phase whose memory is the fullest; null when no phase uses a GPU.
  const PhasePlan* fullest() const;
};

/// A frontier plan is the best value while an hour is worth between `from` and `to`.
struct ValueRange {
  int plan = 0;
  DollarsPerSecond from{};
  std::optional<DollarsPerSecond> to;  ///< nullopt: no upper end
};

/// What the pick falls short of the plan that turns out best: in 8 of 10 joint samples no more than this. In dollars
/// for cheapest and best_value (there the value of the hours is inside), in time for fastest.
struct Regret {
  std::optional<Dollars> cost;
  std::optional<Seconds> time;
};

/// Positions in the list of plans; nullopt: there is none.
struct Recommendations {
  std::optional<int> cheapest, fastest, best_value, fewest_gpus, within_deadline, within_budget;
  std::optional<int> pick;  ///< for the job's goal and limits
  std::optional<int>
      tied_with;  ///< best by the medians, where the pick is as good and asks less; nullopt: the pick is it
  std::optional<Regret> regret;  ///< of the pick; nullopt: it was not compared with others
  bool limits_missed =
      false;  ///< plans fit, none keeps deadline, budget and targets (exit code 4); `pick` is the nearest miss
};

}  // namespace gpuplan
