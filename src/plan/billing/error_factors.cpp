#include "plan/billing/error_factors.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/error/error.h"

namespace gpuplan {

namespace {

/// The same network trained or served in the same way: strategies are equal, and so is, to the last bit, the memory
/// that follows from the network's shape.
bool same_configuration(const PhaseEstimate& a, const PhaseEstimate& b) {
  const auto gpu = [](const PhaseEstimate& e) { return e.node ? e.node->gpu : nullptr; };
  return &a == &b || (a.work_is_model && b.work_is_model && a.framework == b.framework && gpu(a) == gpu(b) &&
                      a.gpus == b.gpus && a.nodes == b.nodes && a.sequence == b.sequence && a.batch == b.batch &&
                      a.memory_total.p50 == b.memory_total.p50 && a.strategy == b.strategy);
}

}  // namespace

std::size_t ErrorFactors::number_of(const Factor& factor) {
  const auto same = [&](const Factor& known) {
    if (known.figure != factor.figure || known.part != factor.part || known.learned != factor.learned) return false;
    if (known.estimate != nullptr && factor.estimate != nullptr)
      return same_configuration(*known.estimate, *factor.estimate);
    return known.estimate == factor.estimate && known.label == factor.label && known.more == factor.more &&
           known.number == factor.number;
  };
  const auto known = std::ranges::find_if(factors_, same);
  const auto number = static_cast<std::size_t>(known - factors_.begin());
  if (known == factors_.end()) factors_.push_back(factor);
  return number;
}

ErrorWeights ErrorFactors::of(const PhaseEstimate& estimate) {
  const ErrorFigure figure = estimate.error_figure;
  const Factor own{.figure = figure, .estimate = &estimate};
  std::vector<ErrorLoad> loads;
  if (estimate.work_is_model) loads = unit_error_loads(model_, figure, estimate.labels);
  if (loads.empty()) return {{number_of(own), 1}};
  ErrorWeights weights;
  weights.reserve(loads.size());
  for (const ErrorLoad& load : loads) {
    const bool configuration = load.part == ErrorPart::kConfiguration && load.learned < 0;
    const Factor shared{figure, load.part, load.label, load.more, load.number, load.learned, nullptr};
    weights.push_back({number_of(configuration ? own : shared), load.load});
  }
  return weights;
}

std::optional<std::size_t> one_factor(const std::vector<ErrorWeights>& all, std::size_t i) {
  const ErrorWeights& one = all[i];
  const auto is_shared = [&](const ErrorWeight& weight) {
    return std::ranges::find(one, weight.factor, &ErrorWeight::factor) != one.end();
  };
  for (const ErrorWeights& other : all)
    if (other != one && std::ranges::any_of(other, is_shared)) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find(all, one) - all.begin());
}

Strata strata_of(const Scores& scores, const ErrorWeights& weights, int first) {
  Samples sum{};
  for (const ErrorWeight& weight : weights) {
    const Samples draws = scores.of(first + static_cast<int>(weight.factor));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight.weight * draws[i];
  }
  std::array<std::pair<double, int>, static_cast<std::size_t>(kSamples)> order;
  for (std::size_t i = 0; i < sum.size(); ++i) order[i] = {sum[i], static_cast<int>(i)};
  std::ranges::sort(order);
  Strata strata{};
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    strata[static_cast<std::size_t>(order[rank].second)] = static_cast<int>(rank);
  return strata;
}

}  // namespace gpuplan
