#include "evidence/conditions/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/digits/decimal.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::array<std::string_view, 10> kWords = {"and",       "or",       "not",       "in",      "is",
                                                     "decreases", "smoothly", "increases", "reaches", "finite"};

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A unit behind a number. Words of counting ("steps") change nothing.
struct UnitWord {
  std::string_view word;
  Dimension dimension;
  AmountKind kind;
  bool counts = false;
};
constexpr UnitWord kUnits[] = {
    {"tokens/s", Dimension::kTokenRate, AmountKind::kTokensPerSecond},
    {"tok/s", Dimension::kTokenRate, AmountKind::kTokensPerSecond},
    {"kB", Dimension::kBytes, AmountKind::kBytes},
    {"MB", Dimension::kBytes, AmountKind::kBytes},
    {"GB", Dimension::kBytes, AmountKind::kBytes},
    {"TB", Dimension::kBytes, AmountKind::kBytes},
    {"KiB", Dimension::kBytes, AmountKind::kBytes},
    {"MiB", Dimension::kBytes, AmountKind::kBytes},
    {"GiB", Dimension::kBytes, AmountKind::kBytes},
    {"TiB", Dimension::kBytes, AmountKind::kBytes},
    {"us", Dimension::kTime, AmountKind::kTime},
    {"ms", Dimension::kTime, AmountKind::kTime},
    {"s", Dimension::kTime, AmountKind::kTime},
    {"min", Dimension::kTime, AmountKind::kTime},
    {"h", Dimension::kTime, AmountKind::kTime},
    {"steps", Dimension::kPlain, AmountKind::kCount, true},
    {"step", Dimension::kPlain, AmountKind::kCount, true},
    {"tokens", Dimension::kPlain, AmountKind::kCount, true},
};

}  // namespace

std::optional<ConditionToken> ConditionLexer::next() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  ConditionToken token{.at = at_};
  if (at_ == text_.size()) return token;
  const char c = text_[at_];
  if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number(token);
  if (starts_name(c)) {
    token.text = word();
    token.kind = std::ranges::find(kWords, token.text) == kWords.end() ? ConditionToken::Kind::kName
                                                                       : ConditionToken::Kind::kWord;
    return token;
  }
  return sign(token);
}

std::string_view ConditionLexer::word() {
  const std::size_t from = at_;
  while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  return text_.substr(from, at_ - from);
}

std::optional<ConditionToken> ConditionLexer::sign(ConditionToken token) {
  // Longer ones first.
  for (const std::string_view one :
       {"..", "…", "<=", ">=", "==", "!=", "≤", "≥", "≠", "<", ">", "=", "+", "-", "−", "*", "×", "/", "(", ")"})
    if (text_.substr(at_).starts_with(one)) {
      token.kind = ConditionToken::Kind::kSign;
      token.text = one == "…" ? ".." : one == "−" ? "-" : one == "×" ? "*" : one;
      at_ += one.size();
      if (one == ".." && at_ < text_.size() && text_[at_] == '.') ++at_;  // three points
      return token;
    }
  const std::size_t length = std::max(utf8_length(text_, at_), std::size_t{1});
  problem_ = "'" + printable(text_.substr(at_, length)) + "' at character " + std::to_string(at_ + 1) +
             " is not valid here; examples: loss < 3.2, refinement in 15%..25%, loss decreases smoothly";
  return std::nullopt;
}

std::optional<ConditionToken> ConditionLexer::number(ConditionToken token) {
  const std::size_t from = at_;
  const auto digits = [&] {
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '_')) ++at_;
  };
  const auto at = [&](std::size_t where) { return where < text_.size() ? text_[where] : '\0'; };
  digits();
  if (at(at_) == '.' && is_digit(at(at_ + 1))) {
    ++at_;
    digits();
  }
  if (at(at_) == 'e' || at(at_) == 'E') {
    const std::size_t sign = at(at_ + 1) == '-' || at(at_ + 1) == '+' ? 1 : 0;
    if (is_digit(at(at_ + 1 + sign))) {
      at_ += 1 + sign;
      digits();
    }
  }
  std::string plain(text_.substr(from, at_ - from));
  std::erase(plain, '_');
  const auto [stop, wrong] = read_number(plain.data(), plain.data() + plain.size(), token.number);
  if (wrong != std::errc{} || stop != plain.data() + plain.size() || !std::isfinite(token.number)) {
    problem_ = "'" + printable(plain, 40) + "' at character " + std::to_string(from + 1) + " is not a number";
    return std::nullopt;
  }
  token.kind = ConditionToken::Kind::kNumber;
  if (!unit(token)) return std::nullopt;
  token.text = text_.substr(from, at_ - from);
  return token;
}

/// A suffix of counts, then a unit, which may stand apart.
bool ConditionLexer::unit(ConditionToken& token) {
  if (at_ < text_.size() && (at_ + 1 == text_.size() || !in_name(text_[at_ + 1]))) {
    constexpr std::pair<char, double> kSuffixes[] = {{'k', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    for (const auto& [suffix, factor] : kSuffixes)
      if (text_[at_] == suffix) {
        token.number *= factor;
        ++at_;
        break;
      }
  }
  const std::size_t apart = at_;
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  if (at_ < text_.size() && text_[at_] == '%') {
    ++at_;
    token.unit = 0.01;
    token.number *= token.unit;
    token.has_unit = token.percent = true;
    return true;
  }
  const std::string_view rest = text_.substr(at_);
  for (const UnitWord& unit : kUnits) {
    if (!rest.starts_with(unit.word)) continue;
    if (rest.size() > unit.word.size() && in_name(rest[unit.word.size()])) continue;
    at_ += unit.word.size();
    if (unit.counts) return true;
    token.unit = parse_amount("1 " + std::string(unit.word), unit.kind).value_or(1);
    token.number *= token.unit;
    token.dimension = unit.dimension;
    token.has_unit = true;
    return true;
  }
  if (at_ == apart && at_ < text_.size() && starts_name(text_[at_])) {
    problem_ = "'" + printable(word(), 40) + "' at character " + std::to_string(apart + 1) +
               " is not a unit; expected %, k, M, GiB, ms, s, tokens/s or similar";
    return false;
  }
  at_ = apart;
  return true;
}

}  // namespace gpuplan
