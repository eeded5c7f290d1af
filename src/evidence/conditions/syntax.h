// The language of `succeed_when` and of metrics that are formulas: text to a tree of bounded depth.
//
//   refinement in 15%..25%            step_0 > step_1 > step_2            loss decreases smoothly
//   last(loss) < 3.2 and not (memory > 70 GiB)            (step_0 - step_3) / step_0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"

namespace gpuplan {

/// What a number counts. Plain ones have no unit.
enum class Dimension : std::uint8_t { kPlain, kBytes, kTokenRate, kTime, kTruth };

enum class SeriesFunction : std::uint8_t { kFirst, kLast, kMin, kMax, kMean, kMedian };
template <>
struct Names<SeriesFunction> {
  static constexpr std::array entries = {
      Named<SeriesFunction>{SeriesFunction::kFirst, "first"}, Named<SeriesFunction>{SeriesFunction::kLast, "last"},
      Named<SeriesFunction>{SeriesFunction::kMin, "min"},     Named<SeriesFunction>{SeriesFunction::kMax, "max"},
      Named<SeriesFunction>{SeriesFunction::kMean, "mean"},   Named<SeriesFunction>{SeriesFunction::kMedian, "median"},
  };
};

enum class ComparisonSign : std::uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kUnequal };
template <>
struct Names<ComparisonSign> {
  static constexpr std::array entries = {
      Named<ComparisonSign>{ComparisonSign::kLess, "<"},
      Named<ComparisonSign>{ComparisonSign::kLessEqual, "<="},
      Named<ComparisonSign>{ComparisonSign::kGreater, ">"},
      Named<ComparisonSign>{ComparisonSign::kGreaterEqual, ">="},
      Named<ComparisonSign>{ComparisonSign::kEqual, "=="},
      Named<ComparisonSign>{ComparisonSign::kUnequal, "!="},
      Named<ComparisonSign>{ComparisonSign::kLessEqual, "≤"},
      Named<ComparisonSign>{ComparisonSign::kGreaterEqual, "≥"},
      Named<ComparisonSign>{ComparisonSign::kEqual, "="},
      Named<ComparisonSign>{ComparisonSign::kUnequal, "≠"},
  };
};

/// A part of a condition. Parts stand before what they are part of; the last node is the whole.
struct ConditionNode {
  enum class Kind : std::uint8_t {
    kNumber,
    kName,
    kNegative,
    kSum,
    kDifference,
    kProduct,
    kQuotient,
    kFunction,
    kChain,      ///< a > b > c: parts, and a comparison between each two
    kIn,         ///< parts: value, low, high
    kDecreases,  ///< part: series
    kDecreasesSmoothly,
    kIncreases,
    kFinite,
    kReaches,  ///< parts: value, goal
    kNot,
    kAnd,
    kOr
  };
  Kind kind = Kind::kNumber;
  std::vector<int> parts;
  std::vector<ComparisonSign> comparisons;
  SeriesFunction function = SeriesFunction::kLast;
  double number = 0;
  Dimension dimension = Dimension::kPlain;  ///< of a number as written; of all nodes after check_dimensions
  bool has_unit = false;
  bool percent = false;  ///< a number written with %, or something compared with one
  std::string name;
  std::size_t at = 0;  ///< where it begins in the text
};

struct ConditionTree {
  std::string text;
  std::vector<ConditionNode> nodes;
  const ConditionNode& root() const { return nodes.back(); }
};

/// Longer ones are refused.
inline constexpr std::size_t kMaxConditionBytes = 2000;
inline constexpr int kMaxConditionDepth = 40;
inline constexpr std::size_t kMaxConditionParts = 300;

/// What is wrong with it, in one line: "expected a number, a name or ( at character 19, found the end".
struct ConditionProblem {
  std::string message;
};

/// A condition such as `loss < 3`.
std::expected<ConditionTree, ConditionProblem> parse_condition(std::string_view text);
/// A number computed from others, such as `(step_0 - step_3) / step_0`.
std::expected<ConditionTree, ConditionProblem> parse_formula(std::string_view text);

/// The names in it, each once, in order.
std::vector<std::string_view> names_in(const ConditionTree& tree);

}  // namespace gpuplan
