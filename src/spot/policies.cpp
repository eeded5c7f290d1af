#include "spot/policies.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/sorting.h"

namespace gpuplan {
namespace {

constexpr Seconds kNoEnd{std::numeric_limits<double>::infinity()};
// A microsecond: times are sums of seconds, and equal ones may differ in the last digits.
constexpr Seconds kTiny{1e-6};

/// Runs of a trace from a tick on, in seconds since then; from its end on the trace begins anew.
class TraceSource {
 public:
  TraceSource(const TraceRuns& runs, int tick)
      : runs_(runs), run_(static_cast<std::size_t>(runs.run_of[static_cast<std::size_t>(tick)])), offset_(-tick) {
    read();
  }
  bool up() const { return up_; }
  Seconds until() const { return until_; }
  void taken(Seconds) const {}     // what the trace says is what they live
  void postpone(Seconds) const {}  // a trace goes by the clock
  /// Once around: whoever finds no machines for so long never will.
  Seconds patience() const { return runs_.gap * static_cast<double>(runs_.ticks()); }
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
    until_ = runs_.gap * static_cast<double>(offset_ + runs_.ends[run_]);
  }

  const TraceRuns& runs_;
  std::size_t run_;
  std::int64_t offset_;  ///< tick, counted from the start, at which this round of the trace begins
  bool up_ = false;
  Seconds until_{};
};

/// Runs drawn at random.
class RandomSource {
 public:
  RandomSource(const SpotSupply& supply, Random& random)
      : lives_(supply.lives), random_(random), mean_wait_(supply.wait) {
    const Seconds mean_life = lives_.mean();
    up_ = mean_wait_ <= Seconds{} || random_.uniform01() * (mean_life + mean_wait_) < mean_life;
    until_ = draw();
  }
  bool up() const { return up_; }
  Seconds until() const { return until_; }
  void next() {
    if (!up_ || mean_wait_ > Seconds{}) up_ = !up_;
    until_ += draw();
  }
  /// Machines are taken now. Lives without memory go on as they are; others begin.
  void taken(Seconds time) {
    if (!lives_.memoryless()) until_ = time + draw();
  }
  /// They were held for so long after the notice.
  void postpone(Seconds time) { until_ += time; }
  /// A wait longer than this is not met in the histories that anybody simulates.
  Seconds patience() const { return 30 * mean_wait_; }

 private:
  Seconds draw() { return up_ ? lives_.draw(random_) : Seconds{random_.exponential(mean_wait_.value)}; }

  const Lifetimes& lives_;
  Random& random_;
  Seconds mean_wait_;
  bool up_ = true;
  Seconds until_{};
};

enum class State { kIdle, kSpot, kOnDemand };

/// One history of a job under a policy.
template <class Source>
class PolicyHistory {
 public:
  PolicyHistory(const SpotTask& task, SpotPolicy policy, Source source)
      : task_(task), policy_(policy), source_(std::move(source)), total_(task.work()) {
    left_ = total_;
    deadline_ = needs_deadline(policy) ? task.deadline : kNoEnd;
    pace_ = deadline_ == kNoEnd ? 0 : total_ / deadline_;
    const Seconds alone = total_ + task.first_start + task.restart;
    horizon_ =
        task.horizon > Seconds{} ? task.horizon : 20 * std::max(alone, task.deadline) + source_.patience() + Seconds{1};
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
    result.wall = std::min(time_, result.finished ? kNoEnd : horizon_);
    result.in_time = result.finished && (task_.deadline <= Seconds{} || time_ <= task_.deadline + kTiny);
    return result;
  }

 private:
  const SpotPiece& piece() const { return task_.pieces[piece_]; }
  Seconds slack() const { return deadline_ - time_ - left_; }
  Seconds start_delay() const { return outcome_.starts == 0 ? task_.first_start : task_.restart; }

  /// What may go wrong between two looks at the clock while on spot, beyond a restart: a checkpoint that is written,
  /// or a whole interval that is lost. The paper has neither.
  Seconds at_risk() const { return piece().checkpoint + (piece().saved_by_notice ? Seconds{} : segment()); }
  /// Work until the next checkpoint. They stand on a grid of the work: who goes on within an interval only has the rest
  /// of it before him.
  Seconds segment() const {
    return piece().interval > Seconds{} ? std::min(piece().interval - since_, piece_left_) : piece_left_;
  }

  void enter_piece() {
    while (piece_ < task_.pieces.size() && piece().work <= Seconds{}) ++piece_;
    piece_left_ = piece_ < task_.pieces.size() ? piece().work : Seconds{};
    since_ = {};
  }
  /// Work done within the piece.
  void advance(Seconds work) {
    piece_left_ -= work;
    left_ -= work;
    if (piece_left_ > kTiny) {
      since_ += work;
      if (const Seconds interval = piece().interval; interval > Seconds{} && since_ + kTiny >= interval)
        since_ = std::max(since_ - std::floor((since_ + kTiny) / interval) * interval, Seconds{});
      return;
    }
    left_ -= piece_left_;
    ++piece_;
    enter_piece();
    if (piece_ == task_.pieces.size()) left_ = {};
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
    const Seconds held = time_ - taken_;
    const Seconds paid = task_.billed == nullptr ? held : task_.billed(held, task_.billing);
    (state_ == State::kSpot ? outcome_.spot : outcome_.on_demand) += paid;
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
  Seconds reserve() const { return start_delay() + at_risk() + task_.restart; }
  bool can_risk_spot(Seconds before = {}) const { return slack() + kTiny >= before + reserve(); }
  bool takes_spot() const { return policy_ != SpotPolicy::kOnDemand && !for_good_ && can_risk_spot(); }

  /// Idle, and spot is not there, or too risky.
  void decide_without_spot() {
    const Seconds net = time_ + slack() - reserve();
    if (policy_ == SpotPolicy::kOnDemand || for_good_ || net <= time_ + kTiny) {
      go_on_demand_for_good();
      return;
    }
    Seconds wake = std::min(source_.until(), net);
    if (policy_ == SpotPolicy::kTimeSliced) {
      next_slice();
      if (slice_net() <= time_ + kTiny) {
        take(State::kOnDemand);
        return;
      }
      wake = std::min(wake, slice_net());
    } else if (policy_ == SpotPolicy::kUniformProgress || policy_ == SpotPolicy::kUniformProgressIdle) {
      const Seconds behind_from = done() / pace_;
      if (behind_from <= time_ + kTiny) {
        take(State::kOnDemand);
        return;
      }
      wake = std::min(wake, behind_from);
    }
    if (wake == kNoEnd) wake = horizon_;
    outcome_.waited += wake - time_;
    time_ = wake;
  }

  Seconds done() const { return total_ - left_; }
  Seconds slice_end() const { return deadline_ * slice_ / task_.slices; }
  Seconds slice_target() const { return total_ * slice_ / task_.slices; }
  /// Until when the slice can do without machines on demand.
  Seconds slice_net() const { return slice_end() - (slice_target() - done()) - reserve(); }
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
    const Seconds end = time_ + delay_ + machine_work();
    const Seconds leave = for_good_ ? kNoEnd : leave_from();
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
    const Seconds save = piece().checkpoint;
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
  Seconds hysteresis() const {
    constexpr Seconds kLeast{60};
    const Seconds two = 2 * task_.restart;
    return policy_ == SpotPolicy::kUniformProgressIdle ? std::max(two, kLeast) : two;
  }

  /// The time from which the policy would rather be on spot.
  Seconds leave_from() {
    if (policy_ == SpotPolicy::kTimeSliced) {
      // The slice that made it go on demand is done with.
      if (slice_ == task_.slices) return kNoEnd;
      return std::max(time_, time_ + delay_ + slice_target() - done());
    }
    // Hysteresis: progress must reach what the even pace asks for two restarts later.
    const Seconds ahead = done() - pace_ * (time_ + hysteresis());
    if (ahead + kTiny >= Seconds{} && delay_ <= Seconds{}) return time_;
    if (pace_ >= 1) return kNoEnd;
    return time_ + std::max(delay_, (delay_ - ahead) / (1 - pace_));
  }

  /// Work that is done before the machines are given back.
  Seconds machine_work() const {
    Seconds work = piece_left_;
    for (std::size_t i = piece_ + 1; i < task_.pieces.size() && task_.pieces[i].on_machine; ++i)
      work += task_.pieces[i].work;
    return work;
  }

  void work_on_demand(Seconds time) {
    const Seconds waited = std::min(delay_, time);
    delay_ -= waited;
    time_ += time;
    Seconds work = time - waited;
    outcome_.work_on_demand += work;
    while (work > Seconds{} && piece_ < task_.pieces.size() && piece().on_machine) {
      const Seconds part = std::min(work, piece_left_);
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
      if (slack() + kTiny < at_risk() + task_.restart) {
        release();
        go_on_demand_for_good();
        return;
      }
      const Seconds work = segment();
      const Seconds busy = work + piece().checkpoint;
      if (source_.until() < time_ + busy) {
        interrupt(work);
        return;
      }
      time_ += busy;
      outcome_.work_on_spot += work;
      advance(work);
    }
    release();
  }

  /// Machines are taken away within a piece of work and the checkpoint after it.
  void interrupt(Seconds work) {
    const Seconds run = std::min(source_.until() - time_, work);
    if (!piece().saved_by_notice) {
      outcome_.lost += run;
      time_ = source_.until();
    } else {
      // The notice lets a checkpoint be written, or the one under way be finished.
      time_ += run + piece().checkpoint;
      source_.postpone(time_ - source_.until());
      outcome_.work_on_spot += run;
      advance(run);
    }
    ++outcome_.interruptions;
    release();
  }

  /// Many whole intervals at once; false when fewer than two can be skipped.
  bool skip_segments() {
    const Seconds interval = piece().interval;
    if (interval <= Seconds{} || since_ > Seconds{} || piece_left_ <= 2 * interval) return false;
    const Seconds checkpoint = piece().checkpoint;
    double count = std::ceil(piece_left_ / interval) - 2;
    if (source_.until() != kNoEnd)
      count = std::min(count, std::floor((source_.until() - time_) / (interval + checkpoint)) - 1);
    if (deadline_ != kNoEnd && checkpoint > Seconds{})
      count = std::min(count, std::floor((slack() - at_risk() - task_.restart) / checkpoint));
    if (deadline_ != kNoEnd && slack() < at_risk() + task_.restart) return false;
    if (!(count >= 2)) return false;
    time_ += count * (interval + checkpoint);
    outcome_.work_on_spot += count * interval;
    advance(count * interval);
    return true;
  }

  const SpotTask& task_;
  SpotPolicy policy_;
  Source source_;
  Seconds total_, left_;  ///< work of the job, and what is not saved of it
  Seconds deadline_ = kNoEnd, horizon_ = kNoEnd;
  double pace_ = 0;
  std::size_t piece_ = 0;
  Seconds piece_left_;
  Seconds since_;  ///< work of the piece since its last checkpoint on the grid
  Seconds time_;
  State state_ = State::kIdle;
  Seconds taken_;  ///< when the machines held were taken
  Seconds delay_;  ///< of the machines held, until work goes on
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
  const Seconds delay = std::min(task.restart, task.first_start);
  std::vector<Seconds> lengths;
  Seconds time{};
  for (TraceSource source(runs, tick); time < task.deadline; source.next()) {
    const Seconds until = std::min(source.until(), task.deadline);
    if (source.up() && until - time > delay) lengths.push_back(until - time - delay);
    time = until;
  }
  sort_stably(lengths, std::greater<>());
  Seconds needed{};
  for (const SpotPiece& piece : task.pieces)
    if (piece.on_machine) needed += piece.work;

  LowerBound best;
  Seconds done{};
  const auto consider = [&](std::size_t used) {
    LowerBound bound;
    bound.work_on_spot = done;
    bound.work_on_demand = needed - done;
    bound.spot = done + delay * static_cast<double>(used);
    bound.on_demand = needed - done + (needed - done > kTiny ? delay : Seconds{});
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
