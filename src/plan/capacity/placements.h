// What more GPUs do to the memory of each: copies of everything, shares of it, cuts through the layers, and one model a
// GPU are four different things.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/effort.h"

namespace gpuplan {

enum class Layout { kOneGpu, kReplicated, kOptimizerSharded, kFullySharded, kTensorParallel, kModelsApart };
template <>
struct Names<Layout> {
  static constexpr std::array entries = {
      Named<Layout>{Layout::kOneGpu, "one GPU"},
      Named<Layout>{Layout::kReplicated, "replicated (data parallel)"},
      Named<Layout>{Layout::kOptimizerSharded, "optimizer sharded (zero1)"},
      Named<Layout>{Layout::kFullySharded, "fully sharded (zero3)"},
      Named<Layout>{Layout::kTensorParallel, "tensor parallel"},
      Named<Layout>{Layout::kModelsApart, "one model a GPU"},
  };
};

struct PlacementRow {
  Layout layout = Layout::kOneGpu;
  int gpus = 1;
  int micro_batch = 0;       ///< sequences at once on a GPU or replica
  MemoryUse memory{};        ///< of the fullest GPU
  Interval<Bytes> needed{};  ///< p10 == p90 when only the median is known; zero: it does not run, `why_not` says why
  bool fits = false;         ///< p90 is below usable memory
  bool tight = false;        ///< only the median is
  bool recomputed = false;   ///< with full activation checkpointing, which the other rows can do without
  const Framework* framework = nullptr;  ///< that it was worked out for; nullptr: none runs it
  Effort effort = Effort::kOneProcess;
  std::string why_not;
  std::vector<std::pair<std::string, Bytes>> models;  ///< kModelsApart: what each needs on its own
};

struct Placements {
  const Gpu* gpu = nullptr;
  Recompute recompute = Recompute::kNone;  ///< the same in all rows, as are precision and offload
  Offload offload = Offload::kNone;
  std::vector<PlacementRow> rows;
};

/// The layouts of a phase that trains or generates on each of `counts` GPUs of one kind in one machine. Micro-batch,
/// recomputation, offload and framework are those of the fewest of 1 and these GPUs that hold it in the best way
/// (without offload if any does), so that rows differ by the layout alone: a framework that knows copies and shares
/// alike, where there is one. A micro-batch gets smaller where the batch of a step is shared by more GPUs than it has
/// parts, and a layout that holds it only with full recomputation is shown with that.
Result<Placements> placements_of(const Job& job, int phase, const Catalogue& catalogue, const Gpu& gpu,
                                 const std::vector<int>& counts);

}  // namespace gpuplan
