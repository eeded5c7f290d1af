// The words, numbers and signs of a condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/conditions/syntax.h"

namespace gpuplan {

struct ConditionToken {
  enum class Kind : std::uint8_t { kEnd, kNumber, kName, kWord, kSign };
  Kind kind = Kind::kEnd;
  std::string_view text{};
  std::size_t at = 0;
  double number = 0;  ///< in base units
  double unit = 1;    ///< what one of its unit is
  Dimension dimension = Dimension::kPlain;
  bool has_unit = false, percent = false;
};

class ConditionLexer {
 public:
  explicit ConditionLexer(std::string_view text) : text_(text) {}

  /// The next token; nullopt after a problem.
  std::optional<ConditionToken> next();
  /// What is wrong, in one line; empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  std::string_view word();
  std::optional<ConditionToken> sign(ConditionToken token);
  std::optional<ConditionToken> number(ConditionToken token);
  bool unit(ConditionToken& token);

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
};

}  // namespace gpuplan
