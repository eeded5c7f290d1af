#include "evidence/scores/pairs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/interval.h"
#include "base/math.h"
#include "base/text.h"
#include "model/error/error.h"

namespace gpuplan {
namespace {

/// Two that are stated and not the same.
template <class T>
bool contradict(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a != *b;
}

bool other_gpu(const PredictedRun& a, const PredictedRun& b) {
  return a.prediction.gpu != b.prediction.gpu || a.run->gpu_power_w != b.run->gpu_power_w ||
         contradict(a.run->nvlink, b.run->nvlink) || contradict(a.run->inter_node_gbps, b.run->inter_node_gbps);
}

double gpus_of(const PredictedRun& run) { return run.run->gpus.value_or(run.prediction.strategy.gpus()); }

/// What is left of a strategy without the batch, and without replicas, which follow from the number of GPUs.
Strategy layout_of(const PredictedRun& run) {
  Strategy layout = run.prediction.strategy;
  layout.dp = layout.micro_batch = layout.grad_accum = 1;
  return layout;
}

bool other_strategy(const PredictedRun& a, const PredictedRun& b) {
  if (a.prediction.framework != b.prediction.framework || a.run->framework != b.run->framework) return true;
  if (layout_of(a) != layout_of(b)) return true;
  if (a.training != nullptr) {
    const TrainingRun &x = *a.training, &y = *b.training;
    return x.method != y.method || x.lora_rank != y.lora_rank || x.optimizer != y.optimizer ||
           x.master_weights != y.master_weights || x.optimizer_state != y.optimizer_state ||
           x.sequence_parallel != y.sequence_parallel;
  }
  const GenerationRun &x = *a.generation, &y = *b.generation;
  return x.weights != y.weights || x.bits_per_weight != y.bits_per_weight || x.kv_cache != y.kv_cache;
}

bool other_batch(const PredictedRun& a, const PredictedRun& b) {
  if (a.training != nullptr) {
    const TrainingRun &x = *a.training, &y = *b.training;
    const Strategy &s = a.prediction.strategy, &t = b.prediction.strategy;
    return x.sequence != y.sequence || x.global_batch != y.global_batch || s.micro_batch != t.micro_batch ||
           s.grad_accum != t.grad_accum;
  }
  const GenerationRun &x = *a.generation, &y = *b.generation;
  return mode_of(x) != mode_of(y) || x.batch != y.batch || x.input_tokens != y.input_tokens ||
         x.output_tokens != y.output_tokens || x.cache_tokens != y.cache_tokens;
}

/// Tokens of one step of training; nullopt where the source does not say.
std::optional<double> tokens_of_step(const PredictedRun& run) {
  const TrainingRun& training = *run.training;
  const Strategy& s = run.prediction.strategy;
  if (!training.sequence || !(training.global_batch || training.micro_batch)) return std::nullopt;
  const double made = static_cast<double>(s.dp) * s.micro_batch * s.grad_accum;
  return *training.sequence * training.global_batch.value_or(made);
}

/// ln of what was measured, per unit of work: s/token of all GPUs together, s/output token of the whole server, GiB.
std::optional<double> log_measured(const PredictedRun& run, const MetricPrediction& figure) {
  const double value = math::log(figure.measured);
  switch (figure.metric) {
    case Metric::kStepSeconds:
      if (const auto tokens = tokens_of_step(run)) return value - math::log(*tokens);
      return std::nullopt;
    case Metric::kTokenRate:
      return -value - math::log(gpus_of(run));
    case Metric::kOutputRate:
    case Metric::kTotalRate:
    case Metric::kPrefillRate:
      return -value;
    case Metric::kFirstToken: {
      if (figure.judged != Judged::kPrefill) return value;  // under load: what a user waits
      const auto input = run.generation->input_tokens;
      if (!input) return std::nullopt;
      return value - math::log(*input * run.generation->batch.value_or(1));
    }
    case Metric::kPerToken:
    case Metric::kPeakMemory:
      break;
  }
  return value;
}

/// Of one source and model, measured in the same way.
using Family = std::tuple<std::string_view, std::string, double, int, MemoryKind>;
Family family_of(const PredictedRun& run, const MetricPrediction& figure) {
  const bool memory = figure.metric == Metric::kPeakMemory;
  // Steps and rates of training are both times of a token; those of generation count different things.
  const int metric = run.generation != nullptr ? static_cast<int>(figure.metric) : -1;
  return {run.run->source, to_lower(run.run->model), run.prediction.parameters, metric,
          memory ? run.run->memory_kind : MemoryKind::kUnknown};
}

/// Calls `use(i, j)`, i < j < size, for all pairs, or for `most` of them at even distances.
template <class Use>
void for_each_pair(std::size_t size, std::size_t most, const Use& use) {
  const double all = 0.5 * static_cast<double>(size) * (static_cast<double>(size) - 1);
  const double stride = std::max(1.0, all / static_cast<double>(most));
  double next = 0, row = 0;  // the number of the next pair, and of the first of this row
  for (std::size_t i = 0; i + 1 < size; ++i) {
    const double in_row = static_cast<double>(size - 1 - i);
    while (next < row + in_row) {
      use(i, i + 1 + static_cast<std::size_t>(next - row));
      next += stride;
    }
    row += in_row;
  }
}

constexpr std::size_t kMostPairs = 300;
constexpr double kApart = 0.13976194237515868;  // ln 1.15

struct Source {
  std::vector<double> sizes;
  double inside = 0, apart = 0, named = 0;
};

}  // namespace

std::optional<Differs> difference(const PredictedRun& a, const PredictedRun& b) {
  if (other_gpu(a, b)) return Differs::kGpu;
  if (gpus_of(a) != gpus_of(b)) return Differs::kCount;
  if (other_strategy(a, b)) return Differs::kStrategy;
  if (other_batch(a, b)) return Differs::kBatch;
  return std::nullopt;
}

bool RunPair::inside() const { return std::abs(error) <= kZ90 * deviation; }
bool RunPair::apart() const { return measured && std::abs(*measured) > kApart; }
bool RunPair::named() const { return (*measured > 0) == (*measured + error > 0); }

std::vector<RunPair> pairs_of(const ErrorModel& model, std::span<const PredictedRun> runs, ErrorFigure figure) {
  std::map<Family, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (const MetricPrediction* judged = runs[i].counts() ? judged_figure(runs[i], figure) : nullptr)
      families[family_of(runs[i], *judged)].push_back(i);
  std::vector<RunPair> pairs;
  for (const auto& [family, members] : families) {
    for_each_pair(members.size(), kMostPairs, [&](std::size_t i, std::size_t j) {
      const PredictedRun &a = runs[members[i]], &b = runs[members[j]];
      const auto differs = difference(a, b);
      if (!differs) return;
      const MetricPrediction &of_a = *judged_figure(a, figure), &of_b = *judged_figure(b, figure);
      RunPair pair{.a = members[i], .b = members[j], .differs = *differs};
      pair.error = of_a.log_error() - of_b.log_error();
      pair.deviation = std::sqrt(ratio_variance(model, figure, a.prediction.spread.labels, b.prediction.spread.labels));
      const auto time_a = log_measured(a, of_a), time_b = log_measured(b, of_b);
      if (time_a && time_b) pair.measured = *time_a - *time_b;
      pairs.push_back(pair);
    });
  }
  return pairs;
}

PairSums pair_sums(std::span<const PredictedRun> runs, std::span<const RunPair> pairs, std::optional<Differs> differs) {
  std::map<std::string_view, Source> sources;
  Source all;
  for (const RunPair& pair : pairs) {
    if (differs && pair.differs != *differs) continue;
    for (Source* to : {&sources[runs[pair.a].run->source], &all}) {
      to->sizes.push_back(std::abs(pair.error));
      to->inside += pair.inside() ? 1 : 0;
      if (!pair.apart()) continue;
      to->apart += 1;
      to->named += pair.named() ? 1 : 0;
    }
  }
  PairSums sums;
  sums.pairs = all.sizes.size();
  sums.sources = sources.size();
  if (sums.pairs == 0) return sums;
  std::vector<double> medians;
  double naming = 0;
  for (auto& [name, source] : sources) {
    sums.source_inside += source.inside / static_cast<double>(source.sizes.size() * sources.size());
    medians.push_back(middle_of(std::move(source.sizes)));
    if (source.apart == 0) continue;
    naming += 1;
    sums.source_named += source.named / source.apart;
  }
  sums.source_median = middle_of(std::move(medians));
  std::ranges::sort(all.sizes);
  sums.median = quantile(all.sizes, 0.5);
  sums.p90 = quantile(all.sizes, 0.9);
  sums.inside = all.inside / static_cast<double>(sums.pairs);
  sums.apart = static_cast<std::size_t>(all.apart);
  if (naming > 0) {
    sums.named = all.named / all.apart;
    sums.source_named /= naming;
  }
  return sums;
}

}  // namespace gpuplan
