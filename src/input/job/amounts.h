// The amounts that a job states, apart from what they mean: read from the tree, multiplied, and written back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/amount.h"
#include "base/interval.h"
#include "base/result.h"
#include "input/declaration/declaration.h"
#include "input/text/tree.h"

namespace gpuplan {

/// "x2", "x0.5", "+10%", "-20%" as the factor it stands for; nullopt for every other text.
std::optional<double> relative_factor(std::string_view text);

/// Whether an amount may stand in the place of this type, so that "x2" means twice as much there and is no text.
bool takes_amount(const ValueType& type);

/// One amount as the job states it.
struct Amount {
  AmountKind kind = AmountKind::kCount;
  Interval<double> value{};  ///< in base units; exact unless a range is written
  bool figure = false;       ///< a single one is read as +-20 %
  bool whole = false;
  bool steps = false;  ///< "100 steps"
};

/// The amount that a scalar is for this type; nullopt when it is none ("auto", a name, a band).
std::optional<Amount> amount_in(const Tree& tree, const ValueType& type);

/// The amount as a job file has it, in the largest unit that takes few digits: "2.5 h", "$8/h..$12/h", "200 steps".
/// Reads back as the same amount, to twelve digits.
std::string written(const Amount& amount);

/// The same to four digits, for people: "1.667 min", "12,800". REQUIRES: an exact amount.
std::string brief(const Amount& amount);

/// Multiplies the amount, or every amount where the value is a map that stands for one ({mean, max}, {sequences},
/// {by_gpu}). Whole numbers stay whole, the nearest one. Fails with words that name neither address nor factor.
Result<void> multiply(Tree& tree, const ValueType& type, double factor);

}  // namespace gpuplan
