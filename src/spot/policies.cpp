#include "spot/policies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace gpuplan {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
// A microsecond: times are sums of seconds, and equal ones may differ in the last digits.
constexpr double kTiny = 1e-6;

/// Runs of a trace from a tick on, in seconds since then; from its end on the trace begins anew.
class TraceSource {
 public:
  TraceSource(const TraceRuns& runs, int tick)
      : runs_(runs), run_(static_cast<std::size_t>(runs.run_of[static_cast<std::size_t>(tick)])), offset_(-tick) {
    read();
  }
  bool up() const { return up_; }
  double until() const { return until_; }
  void taken(double) const {}     // what the trace says is what they live
  void postpone(double) const {}  // a trace goes by the clock
  /// Once around: whoever finds no machines for so long never will.
  double patience() const { return runs_.gap.value * static_cast<double>(runs_.ticks()); }
  void next() {
    ++run_;
    if (run_ == runs_.ends.size()) wrap();
    read();
  }

 private:
  void wrap() {
    run_ = 0;
    offset_ += runs_.ticks();
  }
  void read() {
    up_ = runs_.up(run_);
    if (runs_.ends.size() == 1) {
      until_ = kNoEnd;
      return;
    }
    // The last run and the first one of the next round are one when both are of a kind.
    if (run_ + 1 == runs_.ends.size() && runs_.up(0) == up_) wrap();
    until_ = runs_.gap.value * static_cast<double>(offset_ + runs_.ends[run_]);
  }

  const TraceRuns& runs_;
  std::size_t run_;
  std::int64_t offset_;  ///< tick, counted from the start, at which this round of the trace begins
  bool up_ = false;
  double until_ = 0;
};

/// Runs drawn at random.
class RandomSource {
 public:
  RandomSource(const SpotSupply& supply, Random& random)
      : lives_(supply.lives), random_(random), mean_wait_(supply.wait.value) {
    const double mean_life = lives_.mean().value;
    up_ = mean_wait_ <= 0 || random_.uniform01() * (mean_life + mean_wait_) < mean_life;
    until_ = draw();
  }
  bool up() const { return up_; }
  double until() const { return until_; }
  void next() {
    if (!up_ || mean_wait_ > 0) up_ = !up_;
    until_ += draw();
  }
  /// Machines are taken now. Lives without memory go on as they are; others begin.
  void taken(double time) {
    if (!lives_.memoryless()) until_ = time + draw();
  }
  /// They were held for so long after the notice.
  void postpone(double seconds) { until_ += seconds; }
  /// A wait longer than this is not met in the histories that anybody simulates.
  double patience() const { return 30 * mean_wait_; }

 private:
  double draw() { return up_ ? lives_.draw(random_).value : random_.exponential(mean_wait_); }

  const Lifetimes& lives_;
  Random& random_;
  double mean_wait_;
  bool up_ = true;
  double until_ = 0;
};

enum class State { kIdle, kSpot, kOnDemand };

/// One history of a job under a policy.
template <class Source>
class PolicyHistory {
 public:
  PolicyHistory(const SpotTask& task, SpotPolicy policy, Source source)
      : task_(task), policy_(policy), source_(std::move(source)), total_(task.work().value) {
    left_ = total_;
    deadline_ = needs_deadline(policy) ? task.deadline.value : kNoEnd;
    pace_ = deadline_ == kNoEnd ? 0 : total_ / deadline_;
    const double alone = total_ + task.first_start.value + task.restart.value;
    horizon_ = task.horizon > Seconds{} ? task.horizon.value
                                        : 20 * std::max(alone, task.deadline.value) + source_.patience() + 1;
    enter_piece();
  }

  SpotOutcome run() {
    while (piece_ < task_.pieces.size() && time_ < horizon_) {
      while (source_.until() <= time_) {
        if (source_.until() == kNoEnd) break;
        source_.next();
      }
      if (!piece().on_machine) stay_away();
      else if (state_ == State::kOnDemand) run_on_demand();
      else if (source_.up() && takes_spot()) run_on_spot();
      else decide_without_spot();
    }
    release();
    SpotOutcome& result = outcome_;
    result.finished = piece_ == task_.pieces.size();
    result.wall = Seconds{std::min(time_, result.finished ? kNoEnd : horizon_)};
    result.in_time = result.finished && (task_.deadline <= Seconds{} || time_ <= task_.deadline.value + kTiny);
    return result;
  }

 private:
  const SpotPiece& piece() const { return task_.pieces[piece_]; }
  double slack() const { return deadline_ - time_ - left_; }
  double start_delay() const { return (outcome_.starts == 0 ? task_.first_start : task_.restart).value; }

  /// What may go wrong between two looks at the clock while on spot, beyond a restart: a checkpoint that is written,
  /// or a whole interval that is lost. The paper has neither.
  double at_risk() const { return piece().checkpoint.value + (piece().saved_by_notice ? 0 : segment()); }
  /// Work until the next checkpoint. They stand on a grid of the work: who goes on within an interval only has the rest
  /// of it before him.
  double segment() const {
    return piece().interval > Seconds{} ? std::min(piece().interval.value - since_, piece_left_) : piece_left_;
  }

  void enter_piece() {
    while (piece_ < task_.pieces.size() && piece().work <= Seconds{}) ++piece_;
    piece_left_ = piece_ < task_.pieces.size() ? piece().work.value : 0;
    since_ = 0;
  }
  /// Work done within the piece.
  void advance(double work) {
    piece_left_ -= work;
    left_ -= work;
    if (piece_left_ > kTiny) {
      since_ += work;
      if (const double interval = piece().interval.value; interval > 0 && since_ + kTiny >= interval)
        since_ = std::max(since_ - std::floor((since_ + kTiny) / interval) * interval, 0.0);
      return;
    }
    left_ -= piece_left_;
    ++piece_;
    enter_piece();
    if (piece_ == task_.pieces.size()) left_ = 0;
  }

  // ---- machines held ----

  void take(State state) {
    delay_ = start_delay();
    ++outcome_.starts;
    state_ = state;
    taken_ = time_;
  }
  /// Gives the machines back, if any are held, and bills them.
  void release() {
    if (state_ == State::kIdle) return;
    const double held = time_ - taken_;
    const double paid = task_.billed == nullptr ? held : task_.billed(held, task_.billing);
    (state_ == State::kSpot ? outcome_.spot : outcome_.on_demand) += Seconds{paid};
    state_ = State::kIdle;
  }

  void stay_away() {
    release();
    time_ += piece_left_;
    advance(piece_left_);
  }

  // ---- decisions ----

  /// With the safety net: time for a start on spot, one more on demand, and what is at risk in between (the paper:
  /// R(t) >= C(t) + 2d).
  double reserve() const { return start_delay() + at_risk() + task_.restart.value; }
  bool can_risk_spot(double before = 0) const { return slack() + kTiny >= before + reserve(); }
  bool takes_spot() const { return policy_ != SpotPolicy::kOnDemand && !for_good_ && can_risk_spot(); }

  /// Idle, and spot is not there, or too risky.
  void decide_without_spot() {
    const double net = time_ + slack() - reserve();
    if (policy_ == SpotPolicy::kOnDemand || for_good_ || net <= time_ + kTiny) {
      go_on_demand_for_good();
      return;
    }
    double wake = std::min(source_.until(), net);
    if (policy_ == SpotPolicy::kTimeSliced) {
      next_slice();
      if (slice_net() <= time_ + kTiny) {
        take(State::kOnDemand);
        return;
      }
      wake = std::min(wake, slice_net());
    } else if (policy_ == SpotPolicy::kUniformProgress || policy_ == SpotPolicy::kUniformProgressIdle) {
      const double behind_from = done() / pace_;
      if (behind_from <= time_ + kTiny) {
        take(State::kOnDemand);
        return;
      }
      wake = std::min(wake, behind_from);
    }
    if (wake == kNoEnd) wake = horizon_;
    outcome_.waited += Seconds{wake - time_};
    time_ = wake;
  }

  double done() const { return total_ - left_; }
  double slice_end() const { return deadline_ * slice_ / task_.slices; }
  double slice_target() const { return total_ * slice_ / task_.slices; }
  /// Until when the slice can do without machines on demand.
  double slice_net() const { return slice_end() - (slice_target() - done()) - reserve(); }
  /// The first slice whose share of the work is not done yet.
  void next_slice() {
    while (slice_ < task_.slices && done() + kTiny >= slice_target()) ++slice_;
  }

  // ---- on demand ----

  void go_on_demand_for_good() {
    take(State::kOnDemand);
    for_good_ = true;
  }

  /// Until the job ends, a piece needs no machine, or the policy leaves for spot.
  void run_on_demand() {
    const double end = time_ + delay_ + machine_work();
    const double leave = for_good_ ? kNoEnd : leave_from();
    if (leave >= end) {
      work_on_demand(end - time_);
      if (piece_ == task_.pieces.size() || !piece().on_machine) release();
      return;
    }
    if (leave > time_ + kTiny) {
      work_on_demand(leave - time_);
      return;  // the policy has another look at the world of that time
    }
    if (policy_ == SpotPolicy::kTimeSliced && !source_.up()) {
      next_slice();
      if (slice_net() <= time_ + kTiny) return;  // the next slice would need them at once
    }
    const double save = piece().checkpoint.value;
    if (!source_.up() && policy_ == SpotPolicy::kUniformProgress) {
      work_on_demand(std::min(source_.until(), end) - time_);
    } else if (can_risk_spot(save)) {
      time_ += save;
      release();
    } else {
      for_good_ = true;
    }
  }

  /// Two restarts (the paper). Who waits without a machine needs some of it, or would come and go all the time.
  double hysteresis() const {
    constexpr double kLeast = 60;
    const double two = 2 * task_.restart.value;
    return policy_ == SpotPolicy::kUniformProgressIdle ? std::max(two, kLeast) : two;
  }

  /// The time from which the policy would rather be on spot.
  double leave_from() {
    if (policy_ == SpotPolicy::kTimeSliced) {
      // The slice that made it go on demand is done with.
      if (slice_ == task_.slices) return kNoEnd;
      return std::max(time_, time_ + delay_ + slice_target() - done());
    }
    // Hysteresis: progress must reach what the even pace asks for two restarts later.
    const double ahead = done() - pace_ * (time_ + hysteresis());
    if (ahead + kTiny >= 0 && delay_ <= 0) return time_;
    if (pace_ >= 1) return kNoEnd;
    return time_ + std::max(delay_, (delay_ - ahead) / (1 - pace_));
  }

  /// Work that is done before the machines are given back.
  double machine_work() const {
    double work = piece_left_;
    for (std::size_t i = piece_ + 1; i < task_.pieces.size() && task_.pieces[i].on_machine; ++i)
      work += task_.pieces[i].work.value;
    return work;
  }

  void work_on_demand(double seconds) {
    const double waited = std::min(delay_, seconds);
    delay_ -= waited;
    time_ += seconds;
    double work = seconds - waited;
    outcome_.work_on_demand += Seconds{work};
    while (work > 0 && piece_ < task_.pieces.size() && piece().on_machine) {
      const double part = std::min(work, piece_left_);
      advance(part);
      work -= part;
    }
  }

  // ---- on spot ----

  /// Until the machines are taken away, the job or its part on machines ends, or the deadline asks for safer ones.
  void run_on_spot() {
    take(State::kSpot);
    source_.taken(time_);
    if (source_.until() <= time_ + delay_) {
      time_ = source_.until();
      ++outcome_.interruptions;
      release();
      return;
    }
    time_ += delay_;
    while (piece_ < task_.pieces.size() && piece().on_machine) {
      if (skip_segments()) continue;
      if (slack() + kTiny < at_risk() + task_.restart.value) {
        release();
        go_on_demand_for_good();
        return;
      }
      const double work = segment();
      const double busy = work + piece().checkpoint.value;
      if (source_.until() < time_ + busy) {
        interrupt(work);
        return;
      }
      time_ += busy;
      outcome_.work_on_spot += Seconds{work};
      advance(work);
    }
    release();
  }

  /// Machines are taken away within a piece of work and the checkpoint after it.
  void interrupt(double work) {
    const double run = std::min(source_.until() - time_, work);
    if (!piece().saved_by_notice) {
      outcome_.lost += Seconds{run};
      time_ = source_.until();
    } else {
      // The notice lets a checkpoint be written, or the one under way be finished.
      time_ += run + piece().checkpoint.value;
      source_.postpone(time_ - source_.until());
      outcome_.work_on_spot += Seconds{run};
      advance(run);
    }
    ++outcome_.interruptions;
    release();
  }

  /// Many whole intervals at once; false when fewer than two can be skipped.
  bool skip_segments() {
    const double interval = piece().interval.value;
    if (interval <= 0 || since_ > 0 || piece_left_ <= 2 * interval) return false;
    const double checkpoint = piece().checkpoint.value;
    double count = std::ceil(piece_left_ / interval) - 2;
    if (source_.until() != kNoEnd)
      count = std::min(count, std::floor((source_.until() - time_) / (interval + checkpoint)) - 1);
    if (deadline_ != kNoEnd && checkpoint > 0)
      count = std::min(count, std::floor((slack() - at_risk() - task_.restart.value) / checkpoint));
    if (deadline_ != kNoEnd && slack() < at_risk() + task_.restart.value) return false;
    if (!(count >= 2)) return false;
    time_ += count * (interval + checkpoint);
    outcome_.work_on_spot += Seconds{count * interval};
    advance(count * interval);
    return true;
  }

  const SpotTask& task_;
  SpotPolicy policy_;
  Source source_;
  double total_, left_ = 0;  ///< work of the job, and what is not saved of it
  double deadline_ = kNoEnd, pace_ = 0, horizon_ = kNoEnd;
  std::size_t piece_ = 0;
  double piece_left_ = 0;
  double since_ = 0;  ///< work of the piece since its last checkpoint on the grid
  double time_ = 0;
  State state_ = State::kIdle;
  double taken_ = 0;  ///< when the machines held were taken
  double delay_ = 0;  ///< of the machines held, until work goes on
  bool for_good_ = false;
  int slice_ = 1;
  SpotOutcome outcome_;
};

}  // namespace

Seconds SpotTask::work() const {
  Seconds sum{};
  for (const SpotPiece& piece : pieces) sum += piece.work;
  return sum;
}

bool SpotTask::feasible() const {
  if (deadline <= Seconds{}) return true;
  // On demand the machines are held while they are needed, and taken anew after a part without any.
  Seconds needed = work();
  bool held = false;
  bool first = true;
  for (const SpotPiece& piece : pieces) {
    if (piece.work <= Seconds{}) continue;
    if (piece.on_machine && !held) needed += first ? first_start : restart;
    first = first && !piece.on_machine;
    held = piece.on_machine;
  }
  return needed <= deadline;
}

SpotOutcome replay(const SpotTask& task, SpotPolicy policy, const TraceRuns& runs, int tick) {
  return PolicyHistory<TraceSource>(task, policy, TraceSource(runs, tick)).run();
}

SpotOutcome simulate(const SpotTask& task, SpotPolicy policy, const SpotSupply& supply, Random& random) {
  return PolicyHistory<RandomSource>(task, policy, RandomSource(supply, random)).run();
}

Dollars cost_of(const SpotOutcome& outcome, DollarsPerSecond spot_price, DollarsPerSecond on_demand_price) {
  return outcome.spot * spot_price + outcome.on_demand * on_demand_price;
}

LowerBound lower_bound(const SpotTask& task, const TraceRuns& runs, int tick, DollarsPerSecond spot_price,
                       DollarsPerSecond on_demand_price) {
  const double delay = std::min(task.restart, task.first_start).value;
  std::vector<double> lengths;
  double time = 0;
  for (TraceSource source(runs, tick); time < task.deadline.value; source.next()) {
    const double until = std::min(source.until(), task.deadline.value);
    if (source.up() && until - time > delay) lengths.push_back(until - time - delay);
    time = until;
  }
  std::ranges::sort(lengths, std::greater<>());
  double needed = 0;
  for (const SpotPiece& piece : task.pieces)
    if (piece.on_machine) needed += piece.work.value;

  LowerBound best;
  double done = 0;
  const auto consider = [&](std::size_t used) {
    LowerBound bound;
    bound.work_on_spot = Seconds{done};
    bound.work_on_demand = Seconds{needed - done};
    bound.spot = Seconds{done + delay * static_cast<double>(used)};
    bound.on_demand = Seconds{needed - done + (needed - done > kTiny ? delay : 0)};
    bound.cost = bound.spot * spot_price + bound.on_demand * on_demand_price;
    if (used == 0 || bound.cost < best.cost) best = bound;
  };
  consider(0);
  for (std::size_t used = 1; used <= lengths.size() && done + kTiny < needed; ++used) {
    done = std::min(needed, done + lengths[used - 1]);
    consider(used);
  }
  return best;
}

}  // namespace gpuplan
