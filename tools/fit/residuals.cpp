#include "fit/residuals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "evidence/run_prediction.h"

namespace gpuplan::fit {

std::vector<Residual> residuals(const Catalogue& catalogue, const std::vector<TrainingRun>& runs,
                                const std::string& left_out) {
  std::vector<Residual> all;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!left_out.empty() && runs[i].source == left_out) continue;
    const RunPrediction prediction = predict_run(catalogue, runs[i]);
    bool time = false;
    for (const MetricPrediction& metric : prediction.metrics) {
      const bool memory = metric.metric == Metric::kPeakMemory;
      if (!memory && std::exchange(time, true)) continue;  // step and token rate say the same
      const Kind kind = memory ? Kind::kMemory : Kind::kTime;
      all.push_back({i, kind, metric.log_error(), 1});
    }
  }
  weigh(runs, all);
  return all;
}

void weigh(const std::vector<TrainingRun>& runs, std::vector<Residual>& all) {
  std::map<std::pair<std::string, Kind>, double> rows;
  for (const Residual& one : all) rows[{runs[one.run].source, one.kind}] += 1;
  for (Residual& one : all) one.weight = std::min(1.0, kSourceRows / rows[{runs[one.run].source, one.kind}]);
}

}  // namespace gpuplan::fit
