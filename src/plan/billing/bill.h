// Hours and dollars of a job on given machines: phases placed in time, machines billed, uncertainty joined.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/error_model.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/billing/arrangement.h"
#include "plan/billing/drawn_times.h"
#include "plan/billing/error_factors.h"
#include "plan/billing/own_terms.h"
#include "plan/billing/samples.h"
#include "plan/billing/timeline.h"

namespace gpuplan {

/// The phases of a job placed in time on its machines, before any price: all that offers share which differ in price
/// alone.
struct JobSchedule {
  Arrangement arrangement;
  std::vector<Slot> slots;
  std::vector<Seconds> medians;    ///< duration of each phase, interruptions inside, without buffer
  std::vector<Seconds> starts;     ///< of each phase, by the medians, buffer inside
  std::vector<Seconds> ends;       ///< the same
  std::vector<Seconds> answers;    ///< machine time each phase answers for, by the medians (Timeline::machine_seconds)
  std::vector<Samples> durations;  ///< seconds of each phase, without buffer
  Samples wall{};                  ///< seconds from start to end, buffer inside
  std::vector<Samples> held;       ///< of each lease: seconds from asking for the machines to giving them back
  std::vector<Seconds> busy;       ///< of each lease: median of the time in which a phase uses them
  std::vector<Samples> away;       ///< of each lease: seconds of these in which no machine is there, which nobody bills
  /// A phase that meets interruptions, and how many in each sample.
  struct Interrupted {
    ExposedPhase phase;
    Shared<Samples> interruptions;
  };
  std::vector<std::vector<Interrupted>> interrupted;  ///< of each lease: each begins a rental of its own
  std::vector<Outcome<Seconds>> phase_hours;          ///< without buffer; shared by all prices of these machines
  Outcome<Seconds> hours{};                           ///< of `wall`, likewise
  Seconds spot_loss{};                                ///< expected
  double interruptions = 0;
  double uninterrupted = 1;  ///< chance of no interruption
};

/// What plans are compared by: hours and dollars of a whole job, as they are told.
struct Medians {
  Seconds hours{};
  Dollars cost{};
};

/// Joint samples of a whole plan: seconds from start to end with the buffer inside, and dollars.
struct PlanSamples {
  Samples seconds{}, dollars{};
};

/// What bills of one schedule have in common where offers differ in their price alone: each pays the same times it.
class BilledBefore {
 public:
  struct Bill {
    Billing billing;
    Samples seconds{};  ///< paid for, in each sample, times the range of a stated price
    Quantiles told{};   ///< of these
    Seconds billed{};   ///< median of the seconds paid for
  };
  /// Null: none of these terms was billed yet.
  const Bill* find(const Billing& billing) const;
  const Bill& keep(const Bill& bill) { return bills_.emplace_back(bill); }

 private:
  std::vector<Bill> bills_;
};

/// Keeps what it has drawn: for one thread at a time, also where it is const.
class Biller {
 public:
  /// All that is given must outlive it.
  Biller(const Job& job, const ErrorModel& errors, std::uint64_t seed);

  /// Median time of a phase on these machines, interruptions inside, without buffer.
  Seconds median_time(const PhaseEstimate& estimate, const LeaseRequest& lease) const;

  /// What a phase costs on an offer, by the medians, beside the machines: its disks, and its results where these are
  /// fetched home in any case.
  Dollars beside(const PhaseEstimate& estimate, const LeaseRequest& lease) const;

  /// Places the phases in time. Of the leases' offers only the start-up time counts and, on spot, what interruptions
  /// take, which is inside every duration: a quantile of its own in each sample.
  JobSchedule schedule(Arrangement arrangement) const;
  /// The same for medians() alone: price() needs more, and so does whoever looks at the phases' hours.
  JobSchedule schedule_for_medians(Arrangement arrangement) const;
  /// The same for starts and ends alone: no sample is placed.
  JobSchedule schedule_for_starts(Arrangement arrangement) const;

  /// What it costs on the offers of its leases. `before`: of bills of this very schedule; what they have in common is
  /// looked up and kept there.
  Plan price(const JobSchedule& laid, BilledBefore* before = nullptr) const;
  /// The medians of that plan, for much less work.
  Medians medians(const JobSchedule& laid) const;

  /// What the ranges and chances of a plan of this job are read from, drawn again. REQUIRES: it was billed with the
  /// same errors and seed.
  PlanSamples samples_of(const Plan& plan) const;

  /// The same with machines given back wherever no phase uses them, by the medians, for longer than it takes to get
  /// them again.
  Arrangement let_go(const JobSchedule& laid) const;

  /// canonical_order() of the job.
  const std::vector<int>& order() const { return order_; }
  const OwnTerms& own() const { return own_; }

 private:
  std::vector<ErrorWeights> weigh_errors(const std::vector<Shared<PhaseEstimate>>& phases) const;
  /// Seconds of a phase in which its machines are away, in each sample.
  struct Away {
    int phase = 0;
    Samples seconds{};
  };
  std::vector<Away> draw(const std::vector<int>& lease_by_phase, JobSchedule& laid) const;
  void add_rentals(const JobSchedule& laid, std::size_t lease, Samples& billed) const;
  /// What of a schedule is asked for; each has all that those before it have.
  enum class Depth { kStarts, kMedians, kAll };
  void place(const std::vector<Away>& away, Depth depth, JobSchedule& laid) const;
  JobSchedule lay(Arrangement arrangement, Depth depth) const;

  struct Paid;
  class Parts;
  BilledBefore::Bill bill_of(const JobSchedule& laid, std::size_t lease, const Interval<DollarsPerSecond>& price,
                             int stream, Depth depth) const;
  std::vector<std::vector<CoveredGpus>> covered(const JobSchedule& laid) const;
  struct Hourly;
  void add_machines(const JobSchedule& laid, std::size_t lease, const Hourly& price, int stream, Depth depth,
                    BilledBefore* before, Paid& paid) const;
  Paid pay(const JobSchedule& laid, std::size_t lease, const std::vector<CoveredGpus>& covered, int stream, Depth depth,
           BilledBefore* before) const;
  void use_credits(const JobSchedule& laid, std::vector<Paid>& paid) const;
  std::vector<Paid> pay_all(const JobSchedule& laid, Depth depth, BilledBefore* before = nullptr) const;
  static Samples sum_of(const std::vector<Paid>& paid);
  std::vector<LeaseRequest> one_job_each(const Arrangement& arrangement) const;
  Interval<Seconds> waits(const JobSchedule& laid) const;
  void widen(Plan& plan) const;
  Samples doubted(Samples dollars, const Plan& plan) const;
  void judge(const Samples& wall, const Samples& paid, Plan& plan) const;
  void add_phases(const JobSchedule& laid, Plan& plan) const;
  void share_out(const JobSchedule& laid, const std::vector<Paid>& paid, Plan& plan) const;
  Lease lease_of(const JobSchedule& laid, std::size_t lease, const Paid& paid, const Outcome<Dollars>& cost,
                 Parts& parts, Plan& plan) const;

  void in_canonical_order(std::vector<LeaseRequest>& leases) const;
  void fetch_once(const std::vector<int>& lease_by_phase, const std::vector<LeaseRequest>& leases,
                  std::vector<Shared<PhaseEstimate>>& phases) const;
  Dollars leaving_dollars(const JobSchedule& laid, const PhaseEstimate& phase) const;

  const Job& job_;
  const ErrorModel& errors_;
  OwnTerms own_;
  mutable DrawnTimes drawn_;
  // What does not depend on the machines, by phase.
  std::vector<Slot> slots_;
  std::vector<int> order_;
  std::vector<std::vector<int>> needed_by_;
  std::vector<char> leaves_;               ///< results_leave()
  std::vector<std::vector<int>> weights_;  ///< fetched, as numbers in rising order
};

/// How a plan was laid out, to bill it again with other estimates.
Arrangement arrangement_of(const Plan& plan);

}  // namespace gpuplan
