#include "evidence/scores/own_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/random.h"
#include "base/sorting.h"
#include "model/error/error.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostTurns = 400;  // of one own run
constexpr std::size_t kDraws = 50;       // of several

/// The runs that are taken as own, one list a turn.
std::vector<std::vector<std::size_t>> turns_of(std::size_t runs, std::size_t own) {
  std::vector<std::vector<std::size_t>> turns;
  if (own == 1) {
    const std::size_t most = std::min(runs, kMostTurns);
    for (std::size_t turn = 0; turn < most; ++turn) turns.push_back({turn * runs / most});
    return turns;
  }
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    Random random(own, draw);
    std::vector<std::size_t> order(runs);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < own; ++i) {
      const double at = random.uniform01() * static_cast<double>(runs - i);
      std::swap(order[i], order[i + static_cast<std::size_t>(at)]);
    }
    order.resize(own);
    turns.push_back(std::move(order));
  }
  return turns;
}

/// A size of an error, and how much it counts.
struct Weighed {
  double size = 0, weight = 0;
};
double weighed_quantile(std::vector<Weighed> all, double share) {
  sort_stably(all, {}, &Weighed::size);
  double total = 0;
  for (const Weighed& each : all) total += each.weight;
  double below = 0;
  for (const Weighed& each : all) {
    below += each.weight;
    if (below >= share * total) return each.size;
  }
  return all.empty() ? 0 : all.back().size;
}

/// One source's predictions, tested turn after turn.
class Site {
 public:
  explicit Site(ErrorFigure figure) : figure_(figure) {}

  void add(const PredictedRun& run, const MetricPrediction& judged) {
    runs_.push_back({run.prediction.spread.labels, -judged.log_error(), sigma_of(judged.predicted)});
  }
  std::size_t size() const { return runs_.size(); }

  double median_before() const {
    std::vector<double> sizes;
    for (const Run& run : runs_) sizes.push_back(std::abs(run.error));
    return middle_of(std::move(sizes));
  }
  double inside_before() const {
    return share_of(std::ranges::count_if(runs_, [](const Run& run) { return within(run.error, run.deviation); }),
                    runs_.size());
  }

  /// With these runs as own, the others are predicted. REQUIRES: some are left.
  void test(const ErrorModel& plain, const std::vector<std::size_t>& own, double weight) {
    ErrorModel model = plain;
    std::vector<OwnRun> taken;
    for (const std::size_t i : own) {
      OwnRun& run = taken.emplace_back();
      run.labels = runs_[i].labels;
      run.states[index_of(figure_)] = true;
      run.error[index_of(figure_)] = runs_[i].error;
    }
    learn(model, taken);
    std::vector<double> sizes;
    std::size_t inside = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (std::ranges::find(own, i) != own.end()) continue;
      const ExpectedError expected = expected_error(model, figure_, runs_[i].labels);
      const double left = runs_[i].error - expected.shift;
      sizes.push_back(std::abs(left));
      inside += within(left, std::sqrt(expected.variance)) ? 1 : 0;
    }
    const double each = weight / static_cast<double>(sizes.size());
    for (const double size : sizes) errors_.push_back({size, each});
    insides_ += share_of(static_cast<std::ptrdiff_t>(inside), sizes.size());
    medians_ += middle_of(std::move(sizes));
  }

  double medians() const { return medians_; }
  double insides() const { return insides_; }
  const std::vector<Weighed>& errors() const { return errors_; }

 private:
  struct Run {
    ErrorLabels labels;
    double error = 0, deviation = 0;  ///< of ln(measured / predicted)
  };

  static bool within(double error, double deviation) { return std::abs(error) <= kZ90 * deviation; }
  static double share_of(std::ptrdiff_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  ErrorFigure figure_;
  std::vector<Run> runs_;
  std::vector<Weighed> errors_;
  double medians_ = 0, insides_ = 0;  ///< sums over turns
};

}  // namespace

OwnRunSums after_own_runs(const ErrorModel& model, std::span<const PredictedRun> runs, ErrorFigure figure, int own) {
  std::map<std::string_view, Site> sites;
  for (const PredictedRun& run : runs)
    if (const MetricPrediction* judged = run.counts() ? judged_figure(run, figure) : nullptr)
      sites.try_emplace(run.run->source, figure).first->second.add(run, *judged);
  OwnRunSums sums;
  sums.own = own;
  const auto taken = static_cast<std::size_t>(own);
  std::vector<double> before, after;
  std::vector<Weighed> errors;
  for (auto& [source, site] : sites) {
    if (site.size() <= taken) continue;
    const auto turns = turns_of(site.size(), taken);
    const auto count = static_cast<double>(turns.size());
    for (const auto& turn : turns) site.test(model, turn, static_cast<double>(site.size()) / count);
    sums.sources += 1;
    sums.runs += site.size();
    before.push_back(site.median_before());
    after.push_back(site.medians() / count);
    sums.inside_before += site.inside_before();
    sums.inside += site.insides() / count;
    errors.insert(errors.end(), site.errors().begin(), site.errors().end());
  }
  if (sums.sources == 0) return sums;
  sums.before = middle_of(std::move(before));
  sums.after = middle_of(std::move(after));
  sums.p90 = weighed_quantile(std::move(errors), 0.9);
  sums.inside_before /= static_cast<double>(sums.sources);
  sums.inside /= static_cast<double>(sums.sources);
  return sums;
}

}  // namespace gpuplan
