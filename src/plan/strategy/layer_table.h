// Costs of layers, computed once for each way of cutting one: level 3 of the search (model/training/training.h).
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "model/training/training.h"

namespace gpuplan {

/// A dense array by (tp, cp, ep, micro-batch, recomputation), filled on first use. What else decides a cost (the
/// attention kernel) is the same for all entries. Not for two threads at once.
class LayerTable {
 public:
  /// Largest degrees that will be asked for.
  struct Most {
    int tp = 1, cp = 1, ep = 1;
  };

  /// For micro-batches numbered as in the caller's list. Degrees that are not powers of two are the fixed ones of a
  /// job, alone in their direction.
  LayerTable(const TrainingWork& work, std::size_t micros, Most most)
      : work_(work),
        micros_(micros),
        context_cuts_(log2_of(most.cp) + 1),
        expert_cuts_(log2_of(most.ep) + 1),
        cells_((log2_of(most.tp) + 1) * context_cuts_ * expert_cuts_ * micros * 3) {}

  /// Forgets everything: other rates follow.
  void use(const TrainingRates& rates) {
    rates_ = &rates;
    filled_.assign(cells_.size(), Filled::kNothing);
  }

  const LayerCost& at(const LayerCut& cut, std::size_t micro) {
    const std::size_t index = filled_with_memory(cut, micro);
    if (filled_[index] != Filled::kAll) {
      add_layer_times(work_, *rates_, cut, cells_[index]);
      filled_[index] = Filled::kAll;
    }
    return cells_[index];
  }

  /// The same of which only the memory is asked for; most candidates are too large, and never timed.
  const LayerCost& memory_at(const LayerCut& cut, std::size_t micro) { return cells_[filled_with_memory(cut, micro)]; }

 private:
  enum class Filled : char { kNothing, kMemory, kAll };

  std::size_t filled_with_memory(const LayerCut& cut, std::size_t micro) {
    const std::size_t row = (log2_of(cut.tp) * context_cuts_ + log2_of(cut.cp)) * expert_cuts_ + log2_of(cut.ep);
    const std::size_t index = (row * micros_ + micro) * 3 + static_cast<std::size_t>(cut.recompute);
    if (filled_[index] == Filled::kNothing) {
      cells_[index] = layer_memory(work_, *rates_, cut);
      filled_[index] = Filled::kMemory;
    }
    return index;
  }

  static std::size_t log2_of(int degree) {
    return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(std::max(degree, 1)))) - 1;
  }

  const TrainingWork& work_;
  std::size_t micros_, context_cuts_, expert_cuts_;
  const TrainingRates* rates_ = nullptr;
  std::vector<LayerCost> cells_;
  std::vector<Filled> filled_;
};

}  // namespace gpuplan
