// Costs of layers, computed once for each way of cutting one: level 3 of the search (model/training.h).
#pragma once

#include <algorithm>
#include <vector>

#include "model/training.h"

namespace gpuplan {

/// A dense array by (tp, ep, micro-batch, recomputation), filled on first use. Everything else that decides a cost
/// (context parallelism, attention kernel) is the same for all entries. Not for two threads at once.
class LayerTable {
 public:
  /// For tensor degrees up to most_tp, expert degrees up to most_ep and the micro-batches numbered as in the list.
  LayerTable(const TrainingWork& work, std::size_t micros, int most_tp, int most_ep)
      : work_(work),
        micros_(micros),
        expert_cuts_(log2_of(most_ep) + 1),
        cells_((log2_of(most_tp) + 1) * expert_cuts_ * micros * 3) {}

  /// Forgets everything: other rates follow.
  void use(const TrainingRates& rates) {
    rates_ = &rates;
    std::ranges::fill(filled_, char{0});
    filled_.resize(cells_.size());
  }

  const LayerCost& at(const LayerCut& cut, std::size_t micro) {
    const std::size_t index = ((log2_of(cut.tp) * expert_cuts_ + log2_of(cut.ep)) * micros_ + micro) * 3 +
                              static_cast<std::size_t>(cut.recompute);
    if (!filled_[index]) {
      cells_[index] = layer_cost(work_, *rates_, cut);
      filled_[index] = 1;
    }
    return cells_[index];
  }

 private:
  static std::size_t log2_of(int degree) {
    std::size_t result = 0;
    while ((1 << (result + 1)) <= degree) ++result;
    return result;
  }

  const TrainingWork& work_;
  std::size_t micros_, expert_cuts_;
  const TrainingRates* rates_ = nullptr;
  std::vector<LayerCost> cells_;
  std::vector<char> filled_;
};

}  // namespace gpuplan
