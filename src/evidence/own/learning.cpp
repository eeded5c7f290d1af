#include "evidence/own/learning.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "base/sorting.h"
#include "evidence/validation/generation_prediction.h"
#include "model/error/terms.h"

namespace gpuplan {

RunPrediction predict_own(const Catalogue& catalogue, const AnyRun& run) {
  if (const auto* training = std::get_if<TrainingRun>(&run)) return predict_run(catalogue, *training);
  return predict_generation_run(catalogue, std::get<GenerationRun>(run));
}

std::vector<ComparedRow> compare_own(const Catalogue& facts, const std::vector<OwnRow>& rows) {
  std::vector<ComparedRow> compared;
  compared.reserve(rows.size());
  for (const OwnRow& row : rows) {
    ComparedRow one{&row, predict_own(facts, row.run), {}};
    one.run.labels = one.prediction.spread.labels;
    for (const MetricPrediction& metric : one.prediction.metrics) {
      const std::size_t figure = index_of(error_figure(metric.judged));
      if (one.run.states[figure]) continue;  // of several rates, the first counts
      const double error = -metric.log_error();
      if (!std::isfinite(error)) continue;
      one.run.states[figure] = true;
      one.run.error[figure] = error;
    }
    compared.push_back(std::move(one));
  }
  sort_stably(compared, {}, [](const ComparedRow& one) { return one.row->date; });
  return compared;
}

void learn_own(Catalogue& catalogue, const std::vector<ComparedRow>& rows) {
  std::vector<OwnRun> runs;
  catalogue.own_runs_as_of.clear();
  for (const ComparedRow& row : rows) {
    if (!row.used()) continue;
    runs.push_back(row.run);
    catalogue.own_runs_as_of = std::max(catalogue.own_runs_as_of, row.row->date);
  }
  learn(catalogue.errors, runs);
}

std::vector<Teaching> teachings_of(const std::vector<ComparedRow>& rows, const ErrorModel& facts,
                                   const ErrorModel& learned) {
  std::vector<Teaching> found;
  for (const ComparedRow& row : rows) {
    if (!row.used()) continue;
    for (const auto& figure : Names<ErrorFigure>::entries) {
      if (!row.run.states[index_of(figure.value)]) continue;
      const auto same = std::ranges::find_if(found, [&](const Teaching& one) {
        return one.figure == figure.value && one.like->run.labels.software == row.run.labels.software &&
               one.like->run.labels.card == row.run.labels.card;
      });
      Teaching& teaching = same != found.end() ? *same : found.emplace_back();
      teaching.like = &row;
      teaching.figure = figure.value;
      ++teaching.runs;
      teaching.before = expected_error(facts, figure.value, row.run.labels);
      teaching.wider = wider_at(learned, figure.value, row.run.labels);
      teaching.now = expected_error(learned, figure.value, row.run.labels);
    }
  }
  return found;
}

std::vector<OwnContradiction> own_contradictions(const std::vector<ComparedRow>& rows) {
  std::vector<OwnContradiction> found;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const ComparedRow &a = rows[i], &b = rows[j];
      if (!a.used() || !b.used()) continue;
      if (a.run.labels.software != b.run.labels.software || a.run.labels.card != b.run.labels.card) continue;
      for (const auto& figure : Names<ErrorFigure>::entries) {
        const std::size_t at = index_of(figure.value);
        if (!a.run.states[at] || !b.run.states[at]) continue;
        const double apart = b.run.error[at] - a.run.error[at];
        if (std::abs(apart) < math::log(kOddFactor)) continue;
        if (apart > 0) found.push_back({a.row, b.row, figure.value, math::exp(apart)});
        else found.push_back({b.row, a.row, figure.value, math::exp(-apart)});
      }
    }
  return found;
}

std::optional<double> ratio_of(const ComparedRow& row) {
  if (row.prediction.metrics.empty()) return std::nullopt;
  return math::exp(-row.prediction.metrics.front().log_error());
}

}  // namespace gpuplan
