#include "evidence/validation/validation.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/math.h"
#include "base/sorting.h"
#include "base/units.h"
#include "evidence/validation/run_groups.h"

namespace gpuplan {
namespace {

double magnitude(double value) { return value < 0 ? -value : value; }

/// Median of the distances from the value at a place to all others: the nearest ones left and right in turn.
double median_distance(std::span<const double> ascending, std::ptrdiff_t place) {
  const auto size = static_cast<std::ptrdiff_t>(ascending.size());
  const auto at = [&](std::ptrdiff_t i) { return ascending[static_cast<std::size_t>(i)]; };
  std::ptrdiff_t left = place - 1, right = place + 1;
  const auto nearest = [&] {
    const bool to_left = right >= size || (left >= 0 && at(place) - at(left) <= at(right) - at(place));
    return to_left ? at(place) - at(left--) : at(right++) - at(place);
  };
  const std::ptrdiff_t others = size - 1;
  double middle = 0;
  for (std::ptrdiff_t i = 0; i <= (others - 1) / 2; ++i) middle = nearest();
  return others % 2 == 1 ? middle : middle + (nearest() - middle) * 0.5;
}

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Predictions by source, in the order of names.
template <class What>
std::map<std::string_view, std::vector<Miss>> misses_by_source(std::span<const PredictedRun> runs, What what) {
  std::map<std::string_view, std::vector<Miss>> sources;
  for (const PredictedRun& run : runs)
    if (const MetricPrediction* figure = run.counts() ? judged_figure(run, what) : nullptr)
      sources[run.run->source].push_back(miss_of(*figure));
  return sources;
}

/// The first prediction of the run whose kind is meant.
template <class Means>
const MetricPrediction* first_figure(const PredictedRun& run, const Means& means) {
  const MetricPrediction* first = nullptr;
  for (const MetricPrediction& each : run.prediction.metrics)
    if (means(each.judged) && (first == nullptr || each.metric < first->metric)) first = &each;
  return first;
}

template <class What>
Headline headline_of(std::span<const PredictedRun> runs, What what) {
  Headline result;
  std::vector<Miss> misses;
  for (const PredictedRun& run : runs) {
    if (!run.counts()) continue;
    result.stated += states(run, what) ? 1 : 0;
    if (const MetricPrediction* figure = judged_figure(run, what)) misses.push_back(miss_of(*figure));
  }
  result.predicted = misses.size();
  result.all = misses_of(misses);

  std::vector<double> medians, inside, any, middle;
  for (const auto& [source, of_source] : misses_by_source(runs, what)) {
    const Misses sums = misses_of(of_source);
    medians.push_back(sums.median);
    inside.push_back(sums.inside);
    if (of_source.size() < 2) continue;
    std::vector<double> errors;
    for (const Miss& miss : of_source) errors.push_back(miss.error);
    const Calibrated after = calibrated(errors);
    any.push_back(after.any);
    middle.push_back(after.middle);
  }
  result.sources = medians.size();
  result.calibrated_sources = any.size();
  result.source_median = middle_of(std::move(medians));
  result.source_inside = mean(inside);
  result.calibrated = {middle_of(std::move(any)), middle_of(std::move(middle))};
  return result;
}

/// Runs by what `reason` says of them, those without one left out, the commonest first.
std::vector<RefusedGroup> groups_by_reason(std::span<const PredictedRun> runs,
                                           std::string (*reason)(const PredictedRun&)) {
  std::vector<RefusedGroup> groups;
  for (const PredictedRun& run : runs) {
    std::string why = reason(run);
    if (why.empty()) continue;
    auto at = std::ranges::find(groups, why, &RefusedGroup::reason);
    if (at == groups.end()) at = groups.insert(at, {std::move(why), {}});
    at->runs.push_back(run.run);
  }
  sort_stably(groups, std::greater<>{}, [](const RefusedGroup& group) { return group.runs.size(); });
  return groups;
}

}  // namespace

std::vector<PredictedRun> predict_runs(const Catalogue& catalogue, std::span<const TrainingRun> runs) {
  std::vector<PredictedRun> predicted;
  predicted.reserve(runs.size());
  for (const TrainingRun& run : runs) predicted.emplace_back(&run, predict_run(catalogue, run));
  return predicted;
}

std::vector<PredictedRun> predict_runs(const Catalogue& catalogue, std::span<const GenerationRun> runs) {
  std::vector<PredictedRun> predicted;
  predicted.reserve(runs.size());
  for (const GenerationRun& run : runs) predicted.emplace_back(&run, predict_generation_run(catalogue, run));
  return predicted;
}

FigureList measured_figures(const TrainingRun& run) {
  FigureList figures;
  if (run.step) figures.add(Metric::kStepSeconds, *run.step / units::second, Judged::kTime);
  if (run.token_rate) figures.add(Metric::kTokenRate, run.token_rate->value, Judged::kTime);
  if (run.memory) figures.add(Metric::kPeakMemory, *run.memory / units::GiB, Judged::kMemory);
  return figures;
}

FigureList measured_figures(const PredictedRun& run) {
  if (run.training != nullptr) return measured_figures(*run.training);
  return run.generation != nullptr ? measured_figures(*run.generation) : FigureList{};
}

const MetricPrediction* prediction_of(const PredictedRun& run, Metric metric) {
  const auto& figures = run.prediction.metrics;
  const auto at = std::ranges::find(figures, metric, &MetricPrediction::metric);
  return at == figures.end() ? nullptr : &*at;
}

const MetricPrediction* judged_figure(const PredictedRun& run, Judged what) {
  return first_figure(run, [&](Judged each) { return each == what; });
}

const MetricPrediction* judged_figure(const PredictedRun& run, ErrorFigure figure) {
  return first_figure(run, [&](Judged each) { return error_figure(each) == figure; });
}

bool states(const PredictedRun& run, Judged what) {
  return std::ranges::any_of(measured_figures(run), [&](const MeasuredFigure& each) { return each.judged == what; });
}

bool states(const PredictedRun& run, ErrorFigure figure) {
  return std::ranges::any_of(measured_figures(run),
                             [&](const MeasuredFigure& each) { return error_figure(each.judged) == figure; });
}

std::string refusal_of(const PredictedRun& run) {
  if (!run.prediction.refused.empty()) return run.prediction.refused;
  const FigureList figures = measured_figures(run);
  const bool complete =
      std::ranges::all_of(figures, [&](const MeasuredFigure& f) { return prediction_of(run, f.metric) != nullptr; });
  return complete ? "" : "the configuration is incomplete for this metric";
}

std::vector<std::string> assumptions_of(const PredictedRun& run) {
  std::vector<std::string> all;
  for (const auto* list : {&run.run->assumptions, &run.prediction.assumptions})
    for (const std::string& text : *list)
      if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  return all;
}

Miss miss_of(const MetricPrediction& figure) {
  // A rate below its p10 is a time above its p90.
  const bool above =
      is_rate(figure.metric) ? figure.measured < figure.predicted.p10 : figure.measured > figure.predicted.p90;
  return {figure.log_error(), figure.inside(), above};
}

double quantile(std::span<const double> ascending, double share) {
  if (ascending.empty()) return 0;
  const double place = share * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= ascending.size()) return ascending.back();
  return ascending[below] + (ascending[below + 1] - ascending[below]) * (place - static_cast<double>(below));
}

double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

Misses misses_of(std::span<const Miss> misses) {
  Misses result;
  if (misses.empty()) return result;
  std::vector<double> signed_errors, sizes, relative;
  for (const Miss& miss : misses) {
    signed_errors.push_back(miss.error);
    sizes.push_back(magnitude(miss.error));
    relative.push_back(magnitude(math::expm1(miss.error)));
    result.inside += miss.inside ? 1 : 0;
    result.above += miss.above ? 1 : 0;
  }
  std::ranges::sort(signed_errors);
  std::ranges::sort(sizes);
  std::ranges::sort(relative);
  result.runs = misses.size();
  result.median = quantile(sizes, 0.5);
  result.p90 = quantile(sizes, 0.9);
  result.relative = quantile(relative, 0.5);
  result.p90_relative = quantile(relative, 0.9);
  result.bias = quantile(signed_errors, 0.5);
  result.mean_bias = mean(signed_errors);
  result.inside /= static_cast<double>(misses.size());
  result.above /= static_cast<double>(misses.size());
  return result;
}

Calibrated calibrated(std::span<const double> errors) {
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, {}, [&](std::size_t i) { return errors[i]; });
  std::vector<double> ascending;
  for (const std::size_t i : order) ascending.push_back(errors[i]);
  std::vector<double> each(errors.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    each[order[place]] = median_distance(ascending, static_cast<std::ptrdiff_t>(place));
  return {mean(each), each[order[(order.size() - 1) / 2]]};
}

Headline headline(std::span<const PredictedRun> runs, Judged what) {
  Headline result = headline_of(runs, what);
  result.what = what;
  return result;
}

Headline headline(std::span<const PredictedRun> runs, ErrorFigure figure) {
  Headline result = headline_of(runs, figure);
  for (const auto& [what, name] : Names<Judged>::entries) {
    if (error_figure(what) != figure) continue;
    result.what = what;
    break;
  }
  return result;
}

std::vector<GroupMisses> by_group(std::span<const PredictedRun> runs, Judged what, Grouping grouping) {
  struct Group {
    std::size_t stated = 0;
    std::vector<Miss> misses;
  };
  std::map<GroupLabel, Group> groups;
  for (const PredictedRun& run : runs) {
    if (!run.counts() || !states(run, what)) continue;
    const MetricPrediction* figure = judged_figure(run, what);
    for (const GroupLabel& label : labels_of(run, grouping)) {
      Group& group = groups[label];
      ++group.stated;
      if (figure != nullptr) group.misses.push_back(miss_of(*figure));
    }
  }
  std::vector<GroupMisses> result;
  for (const auto& [label, group] : groups) result.push_back({label.name, group.stated, misses_of(group.misses)});
  return result;
}

std::vector<RefusedGroup> refused_groups(std::span<const PredictedRun> runs) {
  return groups_by_reason(runs, [](const PredictedRun& run) { return run.counts() ? run.prediction.refused : ""; });
}

std::vector<RefusedGroup> distrusted_groups(std::span<const PredictedRun> runs) {
  return groups_by_reason(runs, [](const PredictedRun& run) { return run.run->distrust; });
}

std::vector<std::size_t> worst_first(std::span<const PredictedRun> runs, Judged what) {
  std::vector<std::size_t> order;
  std::vector<double> sizes(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const MetricPrediction* figure = judged_figure(runs[i], what);
    if (figure == nullptr || !runs[i].counts()) continue;
    sizes[i] = magnitude(figure->log_error());
    order.push_back(i);
  }
  sort_stably(order, std::greater<>{}, [&](std::size_t i) { return sizes[i]; });
  return order;
}

}  // namespace gpuplan
