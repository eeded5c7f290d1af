// Costs of layers, computed once for each way of cutting one: level 3 of the search (model/training/training.h).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "model/training/layer.h"
#include "model/training/training.h"

namespace gpuplan {

/// A dense array by (tp, cp, ep, micro-batch), for each recomputation, filled on first use. What else decides a cost
/// (the attention kernel) is the same for all entries. Not for two threads at once.
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
        tensor_cuts_(log2_of(most.tp) + 1) {}

  /// Forgets everything: other rates follow.
  void use(const TrainingRates& rates) {
    rates_ = &rates;
    cells_.assign(tensor_cuts_ * context_cuts_ * expert_cuts_ * micros_, {});
  }

  const LayerCost& at(const LayerCut& cut, std::size_t micro) {
    Cell& cell = with_memory(cut, micro);
    if (!cell.times) {
      add_layer_times(work_, *rates_, cut, cell.costs);
      cell.times = true;
    }
    return cell.costs[static_cast<std::size_t>(cut.recompute)];
  }

  /// The same of which only the memory is asked for; most candidates are too large, and never timed.
  const LayerCost& memory_at(const LayerCut& cut, std::size_t micro) {
    return with_memory(cut, micro).costs[static_cast<std::size_t>(cut.recompute)];
  }

 private:
  struct Cell {
    LayerCosts costs{};
    std::array<bool, std::tuple_size_v<LayerCosts>> memory{};  ///< which of the costs have it
    bool times = false;                                        ///< all have them
  };

  Cell& with_memory(const LayerCut& cut, std::size_t micro) {
    const std::size_t row = (log2_of(cut.tp) * context_cuts_ + log2_of(cut.cp)) * expert_cuts_ + log2_of(cut.ep);
    const auto recompute = static_cast<std::size_t>(cut.recompute);
    Cell& cell = cells_[row * micros_ + micro];
    if (!cell.memory[recompute]) {
      add_layer_memory(work_, *rates_, cut, cell.costs[recompute]);
      cell.memory[recompute] = true;
    }
    return cell;
  }

  static std::size_t log2_of(int degree) {
    return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(std::max(degree, 1)))) - 1;
  }

  const TrainingWork& work_;
  std::size_t micros_, context_cuts_, expert_cuts_, tensor_cuts_;
  const TrainingRates* rates_ = nullptr;
  std::vector<Cell> cells_;
};

}  // namespace gpuplan
