#include "spot/interrupted_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "spot/histories.h"

namespace gpuplan {

namespace {

/// Of a sum of independent times, in seconds.
struct Moments {
  double mean = 0, variance = 0;

  friend Moments operator+(const Moments& a, const Moments& b) { return {a.mean + b.mean, a.variance + b.variance}; }
  friend Moments operator*(double copies, const Moments& one) { return {copies * one.mean, copies * one.variance}; }
};

/// Exponential.
Moments waiting(double mean) { return {mean, mean * mean}; }

/// Of something that is met with this chance, else nothing.
Moments perhaps(double chance, const Moments& met) {
  return {chance * met.mean, chance * met.variance + chance * (1 - chance) * met.mean * met.mean};
}

/// Of a memoryless life that ends before x.
Moments cut_short(double r, double x) {
  const double y = r * x;
  // Small ones in terms that do not cancel.
  if (y < 1e-3) return {x * (0.5 - y / 12), x * x * (1.0 / 12 - y * y / 240)};
  const double odds = math::exp(-y) / -math::expm1(-y);
  return {1 / r - x * odds, 1 / (r * r) - x * x * odds * (1 + odds)};
}

/// Until a stretch of x goes through, each try after the first begun after a wait: a geometric number of tries that are
/// cut short, and x itself.
Moments tries(double r, double x, double wait) {
  if (r <= 0) return {x, 0};
  const double through = math::exp(-r * x);
  const double failures = -math::expm1(-r * x) / through;
  const Moments one = cut_short(r, x) + waiting(wait);
  return {x + failures * one.mean, failures * one.variance + failures / through * one.mean * one.mean};
}

/// What interruptions add to a run: with waits of this mean, or without any.
struct Loss {
  double none = 1;  ///< chance that nothing is lost
  Moments lost;
};

Loss loss_of(double r, const Recoverable& how, double wait) {
  const double c = how.checkpoint.value;
  const double restart = how.restart.value;
  const double pieces = how.pieces();
  const double exposed = how.work.value + pieces * c;
  if (r <= 0) return {};
  if (how.warned()) {
    // Each interruption adds a checkpoint written on notice, a wait and the tries of a restart; one that ends a
    // periodic checkpoint does not add the checkpoint, and one that ends the last adds nothing.
    const Moments again = waiting(wait) + tries(r, restart, wait);
    const double rate = r * how.work.value;
    const double each = again.mean + c;
    const Moments ended = perhaps(-math::expm1(-r * c), again);
    return {math::exp(-r * (exposed - c)),
            Moments{rate * each, rate * (again.variance + each * each)} + (pieces - 1) * ended};
  }
  const auto piece = [&](double x) {
    const Moments again = cut_short(r, x) + waiting(wait) + tries(r, restart + x, wait);
    return perhaps(-math::expm1(-r * x), {again.mean - x, again.variance});
  };
  const double last = how.work.value - (pieces - 1) * how.interval.value;
  Loss loss{math::exp(-r * exposed), piece(last + c)};
  if (pieces > 1) loss.lost = loss.lost + (pieces - 1) * piece(how.interval.value + c);
  return loss;
}

/// Quantiles of one loss.
class LossQuantiles {
 public:
  explicit LossQuantiles(const Loss& loss) {
    const double some = 1 - loss.none;
    if (some <= 0 || loss.lost.mean <= 0) return;
    mean_ = loss.lost.mean / some;
    const double variance = (loss.lost.variance + loss.lost.mean * loss.lost.mean) / some - mean_ * mean_;
    const double ninth = std::max(variance / (mean_ * mean_), 1e-12) / 9;  // 1 / (9 x the gamma's shape)
    middle_ = 1 - ninth;
    slope_ = std::sqrt(ninth);
  }
  /// At a score among the runs that lose something.
  double at(double score) const {
    const double root = std::max(middle_ + slope_ * score, 0.0);
    return mean_ * root * root * root;
  }

 private:
  double mean_ = 0, middle_ = 1, slope_ = 0;
};

/// The last stands for all that is beyond.
void set_mean(double mean, double most, std::vector<Seconds>& values) {
  double rest = mean * static_cast<double>(values.size());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) rest -= values[i].value;
  const double before = values.size() > 1 ? values[values.size() - 2].value : 0;
  values.back() = Seconds{std::max(std::min(rest, most), before)};
}

/// Equally likely values in rising order, at fewer or more probabilities.
std::vector<Seconds> quantiles_of(std::vector<Seconds> pool, std::size_t wanted) {
  if (pool.size() == wanted) return pool;
  std::ranges::sort(pool);
  std::vector<Seconds> values(wanted);
  const auto last = static_cast<double>(pool.size() - 1);
  for (std::size_t i = 0; i < wanted; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(wanted);
    const double position = std::clamp(share * static_cast<double>(pool.size()) - 0.5, 0.0, last);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, pool.size() - 1);
    values[i] = pool[below] + (pool[above] - pool[below]) * (position - static_cast<double>(below));
  }
  return values;
}

/// Points of the distribution for each of several rates.
constexpr int kPoints = 31;

}  // namespace

TimeQuantiles interrupted_time(std::span<const PerSecond> rates, int machines, const Recoverable& how, int quantiles) {
  const int points = rates.size() == 1 ? quantiles : kPoints;
  const double most = kHopeless * how.work.value;
  const double exposed = how.work.value + how.pieces() * how.checkpoint.value;
  const bool waits = how.wait > Seconds{};
  TimeQuantiles pool;
  double wall = 0, billed = 0;  // means
  for (const PerSecond rate : rates) {
    const double r = rate.value * machines;
    const Loss running = loss_of(r, how, 0);
    const Loss all = waits ? loss_of(r, how, how.wait.value) : running;
    if (!(exposed + all.lost.mean < most)) {
      const ExpectedRun hopeless = expected_run(Lifetimes::exponential(rate, machines), how);
      pool.wall.insert(pool.wall.end(), static_cast<std::size_t>(points), Seconds{most});
      pool.billed.insert(pool.billed.end(), static_cast<std::size_t>(points), hopeless.billed);
      wall += most;
      billed += hopeless.billed.value;
      continue;
    }
    wall += exposed + all.lost.mean;
    billed += exposed + running.lost.mean;
    const LossQuantiles wall_loss(all), billed_loss(running);
    for (int i = 0; i < points; ++i) {
      const double share = ((i + 0.5) / points - all.none) / (1 - all.none);
      const bool lost = share > 0;
      const double score = lost ? math::normal_quantile(share) : 0;
      pool.billed.emplace_back(std::min(exposed + (lost ? billed_loss.at(score) : 0), most));
      if (waits) pool.wall.emplace_back(std::min(exposed + (lost ? wall_loss.at(score) : 0), most));
      else pool.wall.push_back(pool.billed.back());
    }
  }
  const auto wanted = static_cast<std::size_t>(quantiles);
  const auto levels = static_cast<double>(rates.size());
  TimeQuantiles times{quantiles_of(std::move(pool.wall), wanted), quantiles_of(std::move(pool.billed), wanted)};
  set_mean(wall / levels, most, times.wall);
  set_mean(billed / levels, most, times.billed);
  return times;
}

TimeQuantiles simulated_time(const Lifetimes& lives, const Recoverable& how, std::uint64_t seed, int quantiles) {
  constexpr std::size_t kEach = 4;  // histories of a quantile
  const auto wanted = static_cast<std::size_t>(quantiles);
  const ExpectedRun expected = expected_run(lives, how);
  if (expected.wall >= kHopeless * how.work)
    return {std::vector(wanted, expected.wall), std::vector(wanted, expected.billed)};
  std::vector<History> runs(wanted * kEach);
  simulate_histories(std::span(&lives, 1), how, seed, 1, runs);
  const auto means = [&](Seconds History::* time) {
    std::ranges::sort(runs, {}, time);
    std::vector<Seconds> values(wanted);
    for (std::size_t i = 0; i < runs.size(); ++i) values[i / kEach] += runs[i].*time / static_cast<double>(kEach);
    return values;
  };
  TimeQuantiles times;
  times.wall = means(&History::wall);
  times.billed = means(&History::billed);
  return times;
}

Seconds deviation(PerSecond rate, int machines, const Recoverable& how) {
  if (how.work <= Seconds{}) return {};
  return Seconds{std::sqrt(loss_of(rate.value * machines, how, 0).lost.variance)};
}

}  // namespace gpuplan
