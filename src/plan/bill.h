// Hours and dollars of a job on given machines: phases placed in time, machines billed, uncertainty joined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/job.h"
#include "plan/phase_search.h"
#include "plan/plan.h"
#include "plan/samples.h"
#include "plan/schedule.h"

namespace gpuplan {

/// A job on one kind and number of machines, before any price.
struct JobHours {
  std::vector<PhaseEstimate> phases;
  std::vector<Slot> slots;
  std::vector<double> stretch;  ///< of each phase: factor by interruptions and checkpoints, 1 without
  std::vector<double> medians;  ///< duration of each phase in seconds
  std::vector<double> starts;   ///< of each phase, by the medians
  std::vector<double> answers;  ///< machine seconds each phase answers for, by the medians (Timeline::machine_seconds)
  std::vector<Samples> durations;  ///< seconds of each phase, without buffer
  Samples wall{};                  ///< seconds from start to end, buffer included
  Samples held_kept{};             ///< seconds the machines are held from first to last use
  Samples held_busy{};             ///< seconds they are held when let go while idle
  Outcome<Seconds> hours{};
  std::vector<Outcome<Seconds>> phase_hours;
  Seconds spot_loss{};
  double interruptions = 0;
  int nodes = 1;
  int gpus = 1;
  NodeShape node;
};

/// What the model's error is shared by: GPU, software and kind of phase.
std::string model_factor(const PhaseEstimate& estimate, const Phase& phase);

class Biller {
 public:
  Biller(const Job& job, std::uint64_t seed);

  /// Every phase on the same machines, one estimate a phase. With a rate, the expected loss by interruptions is inside.
  JobHours hours(const std::vector<PhaseEstimate>& phases, const Machines& machines,
                 std::optional<PerSecond> interruptions = std::nullopt) const;

  /// The job on one offer; `hours` are those without interruptions.
  Plan plan(const JobHours& hours, const Offer& offer, bool spot) const;

  /// Dollars for one phase of `seconds` on an offer taken for it alone, at the median price, with its space on disks.
  Dollars paid(const Offer& offer, const PhaseEstimate& phase, double seconds) const;

  /// Every phase on an offer of its own, on demand, with machines taken and given back for it. Null offers: phases that
  /// need no GPU.
  Plan plan_each(const std::vector<PhaseEstimate>& phases, const std::vector<const Offer*>& offers,
                 std::string label) const;

 private:
  Plan price(const JobHours& hours, const Offer& offer, bool spot) const;
  void judge(const Samples& wall, const Samples& paid, Plan& plan) const;
  /// Adds what the phases' space on disks costs to `paid`; the share of each phase's in the median of all.
  std::vector<double> add_disks(const JobHours& hours, const Offer& offer, Samples& paid) const;
  void add_phases(const JobHours& hours, const Samples& billed, const std::vector<double>& disks, Plan& plan) const;

  const Job& job_;
  Scores scores_;
};

}  // namespace gpuplan
