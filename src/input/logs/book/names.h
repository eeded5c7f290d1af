// The names that programs give to what they log, for the formats that are lists of names and values.
#pragma once

#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

/// What the value of a name is, and in which unit: `scale` times the value is in base units.
struct NamedValue {
  enum class Kind { kNothing, kQuantity, kAllocated, kReserved, kEpoch, kStep, kMeanTime, kStepRate };
  Kind kind = Kind::kNothing;
  StepValue quantity = StepValue::kLoss;
  double scale = 1;
};

/// By the names of TensorBoard tags, W&B and Lightning columns and torchtune's fields. kNothing for any other name.
NamedValue named_value(std::string_view name);

/// Whether only programs that learn by rewards or preferences have a value of that name: "rewards/margins",
/// "actor/pg_loss".
bool tells_rewards(std::string_view name);

/// Puts a value where it belongs. False for a name that is not known.
bool note_value(LogBook& book, StepRecord& record, std::string_view name, double value);
bool note_value(LogBook& book, StepRecord& record, const NamedValue& named, double value);

}  // namespace gpuplan
