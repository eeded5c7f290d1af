#include "spot/checkpointing.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math.h"
#include "base/whole.h"

namespace gpuplan {

namespace {

constexpr Seconds kShortest{1};  // between checkpoints

/// (e^(rx) - 1) / r: the expected time until a stretch of x goes through without an interruption, started again at
/// once after each.
double unbroken(double r, double x) { return r > 0 ? math::expm1(r * x) / r : x; }

/// Infinite, no number, or longer than anybody waits: what is seen until then.
ExpectedRun limited(ExpectedRun run, Seconds mean_life, const Recoverable& how) {
  const Seconds most = kHopeless * how.work;
  if (run.wall <= most) return run;
  run.wall = most;
  run.interruptions = most / (mean_life + how.wait);
  run.billed = run.interruptions * mean_life;
  return run;
}

ExpectedRun memoryless_run(double r, const Recoverable& how) {
  const double c = how.checkpoint.value;
  const double pieces = how.pieces();
  const double last = how.work.value - (pieces - 1) * how.interval.value;
  const double exposed = how.work.value + pieces * c;
  ExpectedRun run;
  run.interval = how.interval;
  run.uninterrupted = math::exp(-r * exposed);
  double waits = 0;
  if (how.warned()) {
    // Interruptions come at rate r while working; one ends a checkpoint, which it lets finish. The last checkpoint
    // needs no restart.
    const double cut = -math::expm1(-r * c);
    const double restarts = r * how.work.value + (pieces - 1) * cut;
    run.billed = Seconds{exposed + r * how.work.value * c + restarts * unbroken(r, how.restart.value)};
    waits = restarts * math::exp(r * how.restart.value);
    run.interruptions = waits + cut;
  } else {
    const double whole = pieces > 1 ? unbroken(r, how.interval.value + c) : 0;
    run.billed = Seconds{math::exp(r * how.restart.value) * ((pieces - 1) * whole + unbroken(r, last + c))};
    run.interruptions = r * run.billed.value;
    waits = run.interruptions;
  }
  run.wall = run.billed + waits * how.wait;
  return limited(run, Seconds{1 / r}, how);
}

/// Lives that depend on the age of a machine, one after the other, each begun by a restart but the first. With n steps
/// left, E[n] = (time that the machine is there) + sum over the steps k done before it is taken of P(k) E[n - k].
class Renewal {
 public:
  Renewal(const Lifetimes& lives, const Recoverable& how, int most_steps) : lives_(lives), how_(how) {
    const double pieces = how.pieces();
    const bool on_grid = pieces <= most_steps && !how.warned();
    steps_ = on_grid ? whole<int>(pieces) : most_steps;
    const double exposed = how.work.value + pieces * how.checkpoint.value;
    if (on_grid) {
      step_ = how.interval.value + how.checkpoint.value;
      last_ = exposed - (pieces - 1) * step_;
    } else {
      // Checkpoints lie closer than steps, or nothing is lost: an interruption within a step leaves half of it done.
      step_ = last_ = exposed / steps_;
      halved_ = true;
      // Of work since the last checkpoint half a piece on average; on notice a checkpoint, unless one is being written.
      lost_ =
          how.warned() ? how.checkpoint.value * (how.work.value / exposed) : (how.interval + how.checkpoint).value / 2;
    }
  }

  ExpectedRun run() const {
    const std::vector<double> within = chances(how_.restart.value);
    std::vector<State> left(static_cast<std::size_t>(steps_) + 1);
    for (int n = 1; n <= steps_; ++n) left[static_cast<std::size_t>(n)] = after_restart(n, within, left);
    const Sum start = sum(steps_, 0, chances(0), left);  // the first machine needs none
    ExpectedRun result;
    result.interval = how_.interval;
    result.billed = Seconds{start.state.time};
    result.interruptions = start.state.interruptions;
    if (start.stay > 0) {
      result.billed += Seconds{start.stay * left.back().time};
      result.interruptions += start.stay * left.back().interruptions;
    }
    result.wall = result.billed + result.interruptions * how_.wait;
    result.uninterrupted = 1 - lives_.taken_by(Seconds{length(steps_)});
    return limited(result, lives_.mean(), how_);
  }

 private:
  struct State {
    double time = 0, interruptions = 0;
  };

  /// Running time of n steps, the last of which may be shorter.
  double length(int n) const { return (n - 1) * step_ + last_; }

  /// Chance to be taken within the k-th step after `begin`; before it ends its `begin`, for k = 0.
  std::vector<double> chances(double begin) const {
    std::vector<double> result(static_cast<std::size_t>(steps_) + 1);
    double before = 0;
    for (int k = 0; k < steps_; ++k) {
      const double until = lives_.taken_by(Seconds{begin + (k + 1) * step_});
      result[static_cast<std::size_t>(k)] = until - before;
      before = until;
    }
    return result;
  }

  /// What is expected with n steps left on a machine that runs after `begin`, where `left` has the expectations for
  /// fewer steps, or also for n. `within` is for whole steps; the last one may end earlier.
  struct Sum {
    State state;
    double stay = 0;  ///< chance to have n steps left again, not in `state`
  };
  Sum sum(int n, double begin, const std::vector<double>& within, const std::vector<State>& left) const {
    const Seconds all{begin + length(n)};
    const double taken = lives_.taken_by(all);
    Sum sum{{lives_.mean_until(all).value + lost_ * taken, taken}, 0};
    const auto go_on = [&](double chance, int done) {
      if (chance <= 0) return;
      if (done == 0) {
        sum.stay += chance;
        return;
      }
      const State& next = left[static_cast<std::size_t>(n - done)];
      sum.state.time += chance * next.time;
      sum.state.interruptions += chance * next.interruptions;
    };
    const double unready = lives_.taken_by(Seconds{begin});
    go_on(unready, 0);
    double counted = 0;
    for (int k = 0; k < n; ++k) {
      double chance = k < n - 1 ? within[static_cast<std::size_t>(k)] : taken - counted;
      counted += chance;
      if (k == 0) chance -= unready;
      go_on(halved_ ? chance / 2 : chance, k);
      if (halved_) go_on(chance / 2, k + 1);
    }
    return sum;
  }

  State after_restart(int n, const std::vector<double>& within, const std::vector<State>& left) const {
    const Sum all = sum(n, how_.restart.value, within, left);
    if (all.stay >= 1) return {math::detail::kInfinity, math::detail::kInfinity};
    return {all.state.time / (1 - all.stay), all.state.interruptions / (1 - all.stay)};
  }

  const Lifetimes& lives_;
  const Recoverable& how_;
  int steps_ = 1;
  double step_ = 0, last_ = 0;
  double lost_ = 0;      ///< running time lost with every interruption beyond what the steps say
  bool halved_ = false;  ///< an interruption leaves half of a step done
};

constexpr int kMostSteps = 200;
constexpr int kSearchSteps = 48;
constexpr int kFineSteps = 120;

Recoverable with_interval(Recoverable how, Seconds interval) {
  how.interval = std::min(interval, how.work);
  return how;
}

/// Derivative of the mean over rates of e^(rR) (e^(r(t+c)) - 1) / (r t), times t^2, and its own derivative.
struct Slope {
  double value = 0, rise = 0;
};
Slope slope(std::span<const PerSecond> rates, int machines, const Recoverable& how, double t) {
  Slope sum;
  for (const PerSecond one : rates) {
    const double r = one.value * machines;
    const double y = r * (t + how.checkpoint.value);
    const double again = math::exp(r * how.restart.value);
    if (r <= 0) {
      sum.value -= how.checkpoint.value;
      continue;
    }
    const double e = math::exp(y);
    // t e^y - (e^y - 1) / r; with small y in terms that do not cancel.
    sum.value += again * (y < 1e-4 ? t * y - r * (t + how.checkpoint.value) * (t + how.checkpoint.value) / 2 -
                                         how.checkpoint.value
                                   : t * e - (e - 1) / r);
    sum.rise += again * r * t * e;
  }
  return sum;
}

}  // namespace

double Recoverable::pieces() const {
  const double exact = work / interval;
  // Rounding must not make a piece of nothing.
  return std::max(std::ceil(exact * (1 - 1e-12)), 1.0);
}

ExpectedRun expected_run(const Lifetimes& lives, const Recoverable& how) {
  if (how.work <= Seconds{}) return {how.work, how.work, 0, how.work, 1};
  if (lives.memoryless()) return memoryless_run(lives.rate().value, how);
  return Renewal(lives, how, kMostSteps).run();
}

ExpectedRun expected_run(std::span<const PerSecond> rates, int machines, const Recoverable& how) {
  ExpectedRun mean{{}, how.interval, 0, {}, 0};
  const double share = 1 / static_cast<double>(rates.size());
  for (const PerSecond rate : rates) {
    const ExpectedRun run = expected_run(Lifetimes::exponential(rate, machines), how);
    mean.wall += run.wall * share;
    mean.billed += run.billed * share;
    mean.interruptions += run.interruptions * share;
    mean.uninterrupted += run.uninterrupted * share;
  }
  return mean;
}

Seconds young_interval(PerSecond rate, Seconds checkpoint) {
  return Seconds{std::sqrt(2 * checkpoint.value / rate.value)};
}

Seconds daly_interval(PerSecond rate, Seconds checkpoint) {
  const Seconds between = 1 / rate;
  if (checkpoint >= between / 2) return between;
  return young_interval(rate, checkpoint) - checkpoint;
}

Seconds daly_higher_interval(PerSecond rate, Seconds checkpoint) {
  const Seconds between = 1 / rate;
  if (checkpoint >= 2 * between) return between;
  const double x = checkpoint / (2 * between);
  return young_interval(rate, checkpoint) * (1 + std::sqrt(x) / 3 + x / 9) - checkpoint;
}

Seconds best_interval(std::span<const PerSecond> rates, int machines, const Recoverable& how) {
  if (how.work <= kShortest || how.warned()) return how.work;
  double mean = 0;
  for (const PerSecond rate : rates) mean += rate.value * machines / static_cast<double>(rates.size());
  if (mean <= 0) return how.work;
  double t = kShortest.value;
  if (how.checkpoint > Seconds{}) {
    // The slope rises and bends upwards: from the right of its root, which Young's interval is for one rate, Newton's
    // steps stay on the right of it.
    t = std::min(young_interval(PerSecond{mean}, how.checkpoint), how.work).value;
    for (int step = 0; step < 30; ++step) {
      const Slope here = slope(rates, machines, how, t);
      if (here.rise <= 0 || !(here.rise < math::detail::kInfinity)) {
        t /= 2;
        continue;
      }
      const double next = std::clamp(t - here.value / here.rise, t / 8, how.work.value);
      const bool done = std::abs(next - t) <= 1e-9 * t;
      t = next;
      if (done) break;
    }
    t = std::max(t, kShortest.value);
  }
  const double pieces = std::max(how.work.value / t, 1.0);
  const Seconds longer = how.work / std::floor(pieces);
  const Seconds shorter = how.work / std::ceil(pieces);
  const auto wall = [&](Seconds interval) { return expected_run(rates, machines, with_interval(how, interval)).wall; };
  return wall(longer) <= wall(shorter) ? longer : shorter;
}

Seconds best_interval(const Lifetimes& lives, const Recoverable& how) {
  if (lives.memoryless()) {
    const PerSecond rate = lives.rate();
    return best_interval(std::span(&rate, 1), 1, how);
  }
  if (how.work <= kShortest || how.warned()) return how.work;
  // Golden section (Kiefer 1953) over ln t.
  constexpr double kGolden = 0.61803398874989484820;
  const auto wall = [&](double log) {
    return Renewal(lives, with_interval(how, Seconds{math::exp(log)}), kSearchSteps).run().wall;
  };
  double low = math::log(std::max(kShortest, how.checkpoint / 16).value);
  double high = math::log(how.work.value);
  if (low >= high) return how.work;
  double left = high - kGolden * (high - low);
  double right = low + kGolden * (high - low);
  Seconds at_left = wall(left);
  Seconds at_right = wall(right);
  for (int step = 0; step < 9; ++step) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = wall(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = wall(right);
    }
  }
  // Whole pieces: the least is flat and, where pieces just fit into the longest life, ragged; so some around it are
  // tried on finer steps, and the whole work at once.
  const double pieces = how.work.value / math::exp((low + high) / 2);
  Seconds best = how.work;
  Seconds least = Renewal(lives, with_interval(how, best), kFineSteps).run().wall;
  for (const double factor : {0.75, 0.85, 0.93, 1.0, 1.08, 1.18, 1.33}) {
    const Seconds interval = how.work / std::max(std::floor(pieces * factor + 0.5), 1.0);
    const Seconds time = Renewal(lives, with_interval(how, interval), kFineSteps).run().wall;
    if (time >= least) continue;
    least = time;
    best = interval;
  }
  return best;
}

IntervalLoss interval_loss(std::span<const PerSecond> rates, int machines, const Recoverable& how, Seconds other,
                           DollarsPerSecond price) {
  IntervalLoss loss;
  loss.best = expected_run(rates, machines, with_interval(how, best_interval(rates, machines, how)));
  loss.other = expected_run(rates, machines, with_interval(how, other));
  loss.time = loss.other.wall - loss.best.wall;
  loss.money = price * (loss.other.billed - loss.best.billed);
  return loss;
}

}  // namespace gpuplan
