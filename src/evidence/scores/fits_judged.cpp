#include "evidence/scores/fits_judged.h"

#include <map>
#include <string_view>

#include "base/interval.h"

namespace gpuplan {
namespace {

/// A server, or a fixed batch, of unstated size: the prediction fills the card with it.
bool fills_the_card(const PredictedRun& run) {
  if (run.generation == nullptr || run.generation->batch) return false;
  const GenerationMode mode = mode_of(*run.generation);
  return mode == GenerationMode::kStatic || mode == GenerationMode::kSaturated;
}

}  // namespace

FitsJudged fits_judged(std::span<const PredictedRun> runs, bool training) {
  struct Source {
    double runs = 0, no_median = 0, no_p90 = 0;
  };
  std::map<std::string_view, Source> sources;
  for (const PredictedRun& run : runs) {
    const RunPrediction& p = run.prediction;
    if ((run.training != nullptr) != training || !run.counts() || !p.refused.empty() || p.gpu == nullptr) continue;
    if (fills_the_card(run)) continue;
    const MemoryUse& use = training ? p.estimate.memory : p.generation.memory;
    const auto need = lognormal(use.needed(), p.spread.memory);
    Source& source = sources[run.run->source];
    source.runs += 1;
    source.no_median += need.p50 > p.gpu->usable ? 1 : 0;
    source.no_p90 += need.p90 > p.gpu->usable ? 1 : 0;
  }
  FitsJudged result;
  result.sources = sources.size();
  if (sources.empty()) return result;
  double all = 0;
  for (const auto& [name, source] : sources) {
    all += source.runs;
    result.no_median += source.no_median;
    result.no_p90 += source.no_p90;
    result.source_no_median += source.no_median / source.runs / static_cast<double>(sources.size());
    result.source_no_p90 += source.no_p90 / source.runs / static_cast<double>(sources.size());
  }
  result.runs = static_cast<std::size_t>(all);
  result.no_median /= all;
  result.no_p90 /= all;
  return result;
}

}  // namespace gpuplan
