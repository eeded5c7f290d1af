#include "fit/residuals.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gpuplan::fit {

std::vector<Residual> residuals(const Catalogue& catalogue, const Evidence& evidence, const std::string& left_out) {
  std::vector<Residual> all;
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) {
    if (!left_out.empty() && evidence.publishers[i] == left_out) continue;
    const RunPrediction prediction = evidence.predict(catalogue, i);
    unsigned seen = 0;  // figures of one kind say the same
    for (const MetricPrediction& figure : prediction.metrics) {
      const unsigned kind = 1U << static_cast<unsigned>(figure.judged);
      if ((std::exchange(seen, seen | kind) & kind) == 0) all.push_back({i, figure.judged, figure.log_error(), 1});
    }
  }
  weigh(evidence, all);
  return all;
}

void weigh(const Evidence& evidence, std::vector<Residual>& all) {
  // How long a request waits depends on when others came, which no table says.
  constexpr double kArrivals = 0.3;
  std::map<std::pair<std::string, Judged>, double> rows;
  for (const Residual& one : all) rows[{evidence.sources[one.run], one.kind}] += 1;
  for (Residual& one : all)
    one.weight = std::min(1.0, kSourceRows / rows[{evidence.sources[one.run], one.kind}]) *
                 (one.kind == Judged::kFirstToken ? kArrivals : 1);
}

}  // namespace gpuplan::fit
