// Memory by the number of sequences at once, and which GPUs hold each.
#pragma once

#include <optional>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// A phase with a given number of sequences at once on one kind of GPU.
struct BatchHolder {
  const Gpu* gpu = nullptr;
  std::optional<PhaseEstimate> best;  ///< nullopt: does not run
  /// It holds the batch only with recomputation, offload or sharding that the job did not ask for.
  bool at_a_price = false;

  bool fits() const { return best && best->fit == Fit::kFits; }
};

struct BatchRow {
  int sequences = 1;  ///< of a micro-batch, or in flight a replica
  /// A GPU as it would be without recomputation, offload and sharding unless the job asks for them; p10 == p90 where
  /// no GPU holds it and only the median is known; zero: not known.
  Interval<Bytes> needed{};
  std::vector<BatchHolder> gpus;  ///< every GPU tried, smallest usable memory first
};

/// The phase with each of `batches` sequences at once on `count` of each GPU that `where.gpus` names (none: of the
/// catalogue). An optimizer step's batch grows with them; figures the job gives for memory do not count.
Result<std::vector<BatchRow>> memory_by_batch(const Job& job, int phase, const Catalogue& catalogue,
                                              const std::vector<int>& batches, int count);

}  // namespace gpuplan
