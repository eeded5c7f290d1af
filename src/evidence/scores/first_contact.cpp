#include "evidence/scores/first_contact.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace gpuplan {
namespace {

/// Runs of training and of generation may have the same id; a figure belongs to the run that states it.
bool same(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

}  // namespace

FirstContact first_contact(std::span<const ContactFigure> figures, std::span<const PredictedRun> today) {
  std::map<std::tuple<std::string_view, std::string_view>, std::vector<const ContactFigure*>> by_run;
  std::set<std::string> versions;
  for (const ContactFigure& figure : figures) {
    by_run[{figure.source, figure.id}].push_back(&figure);
    versions.insert(figure.version);
  }
  FirstContact result;
  result.versions.assign(versions.begin(), versions.end());
  std::set<const ContactFigure*> found;
  for (const PredictedRun& run : today) {
    const auto at = by_run.find({run.run->source, run.run->id});
    if (at == by_run.end()) continue;
    PredictedRun then = run;
    then.prediction = {};
    then.prediction.spread = run.prediction.spread;
    bool met = false;
    for (const MeasuredFigure& stated : measured_figures(run)) {
      for (const ContactFigure* figure : at->second) {
        if (figure->metric != stated.metric || !same(figure->measured, stated.value)) continue;
        met = true;
        found.insert(figure);
        if (figure->predicted)
          then.prediction.metrics.push_back({stated.metric, stated.value, *figure->predicted, stated.judged});
        else then.prediction.refused = figure->reason;
        break;
      }
    }
    if (!met) continue;
    result.then.push_back(std::move(then));
    result.now.push_back(run);
  }
  for (const ContactFigure& figure : figures)
    if (!found.contains(&figure)) result.lost.push_back(figure.id + " " + std::string(name_of(figure.metric)));
  return result;
}

}  // namespace gpuplan
