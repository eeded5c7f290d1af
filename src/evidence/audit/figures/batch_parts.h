// The numbers that make a batch, and which of them a text means.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "evidence/claims/claims.h"

namespace gpuplan::audit {

enum class BatchPart { kNone, kGlobal, kMicro, kAccumulation, kGpus };
inline constexpr std::size_t kBatchParts = 5;

/// The four numbers that belong together; nullptr: not said, or several times.
struct BatchFigures {
  std::array<const ClaimAmount*, kBatchParts> said{};
  std::array<int, kBatchParts> times{};
  int gpus = 0;  ///< by name: "8x H100"

  void add(BatchPart part, const ClaimAmount& value) {
    const auto place = static_cast<std::size_t>(part);
    said[place] = &value;
    ++times[place];
  }
  const ClaimAmount* one(BatchPart part) const {
    const auto place = static_cast<std::size_t>(part);
    return times[place] == 1 ? said[place] : nullptr;
  }
  bool says(BatchPart part) const { return times[static_cast<std::size_t>(part)] > 0; }
  double count() const {
    const ClaimAmount* stated = one(BatchPart::kGpus);
    return times[static_cast<std::size_t>(BatchPart::kGpus)] > 1 ? 0 : stated != nullptr ? stated->low : gpus;
  }
};

/// A whole number of GPUs, sequences or steps.
bool is_batch_count(const ClaimAmount& one);
/// What a head or label says that a number is.
BatchPart batch_part_of(std::string_view name);
/// What a sentence, in small letters, says that a number is, by the words around it.
BatchPart batch_part_in(std::string_view lower, const ClaimAmount& value);
/// "Stage 2", "run 3": which one, and not how many.
bool is_number_of_a_part(std::string_view lower, const ClaimAmount& value);
/// Whether a copy of the model may be on several GPUs: fewer of them have samples of their own then.
bool splits_models(const ClaimDocument& document);

}  // namespace gpuplan::audit
