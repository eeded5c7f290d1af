// What the declaration says in words, for messages, help and documents.
#include <span>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "input/declaration/declaration.h"

namespace gpuplan {

namespace {

/// "a", "a or b", "a, b or c"; long lists end in "...".
std::string either(const std::vector<std::string>& parts) {
  constexpr std::size_t kShown = 16;
  if (parts.size() > kShown) return join(std::span(parts).first(kShown), ", ") + ", ...";
  return listed(parts, "or");
}

}  // namespace

std::string amount_text(AmountKind kind, double value) {
  switch (kind) {
    case AmountKind::kTime:
    case AmountKind::kSeconds:
      return value == 0 ? "0 s" : to_text(Seconds(value));
    case AmountKind::kMoney:
      return to_text(Dollars(value));
    case AmountKind::kPrice:
      return to_text(DollarsPerSecond(value));
    case AmountKind::kShare:
      return number_text(value * 100) + "%";
    case AmountKind::kRate:
      return to_text(PerSecond(value));
    case AmountKind::kBytes:
      return to_text(Bytes(value));
    case AmountKind::kBytesPerSecond:
      return to_text(BytesPerSecond(value));
    case AmountKind::kDollarsPerByteMonth:
      return to_text(Dollars(value * units::GB.value * units::month.value)) + "/GB-month";
    case AmountKind::kDollarsPerByte:
      return to_text(Dollars(value * units::GB.value)) + "/GB";
    case AmountKind::kPower:
      return number_text(value) + " W";
    default:
      return value >= 10'000 && value < 1e12 ? count_text(value) : number_text(value);
  }
}

std::string key_list(const ValueType& type, std::size_t most) {
  std::vector<std::string> names;
  for (const Key& key : type) {
    if (names.size() == most) {
      names.emplace_back("...");
      break;
    }
    names.emplace_back(key.name);
  }
  return join(names, ", ");
}

std::string_view bare_unit(AmountKind kind) {
  switch (kind) {
    case AmountKind::kCount:
    case AmountKind::kTime:  // a bare number is refused
      return "";
    case AmountKind::kShare:
      return "a fraction";
    case AmountKind::kSeconds:
      return "seconds";
    case AmountKind::kMoney:
      return "dollars";
    case AmountKind::kPrice:
      return "dollars per hour";
    case AmountKind::kRate:
      return "per hour";
    case AmountKind::kBytes:
      return "bytes";
    case AmountKind::kBytesPerSecond:
      return "bytes per second";
    case AmountKind::kTokens:
      return "tokens";
    case AmountKind::kTokensPerSecond:
      return "tokens per second";
    case AmountKind::kSamplesPerSecond:
      return "samples a second";
    case AmountKind::kDollarsPerByteMonth:
      return "dollars a GB and month";
    case AmountKind::kDollarsPerByte:
      return "dollars a GB";
    case AmountKind::kPower:
      return "watts";
  }
  return "";
}

std::string expected_text(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::kText:
      return type.title.empty() ? "a text" : std::string(type.title);
    case ValueType::Kind::kWord: {
      std::vector<std::string> words;
      const std::size_t shown = type.shown_words > 0 ? type.shown_words : type.word_count;
      for (std::size_t i = 0; i < shown; ++i) words.emplace_back(type.words[i]);
      return either(words);
    }
    case ValueType::Kind::kFlag:
      return "true or false";
    case ValueType::Kind::kAmount:
      return std::string(expectation(type.amount));
    case ValueType::Kind::kGpu:
      return "a GPU such as H100 SXM or 4x RTX 4090";
    case ValueType::Kind::kSteps:
      return "a number of steps such as 200 steps";
    case ValueType::Kind::kDate:
      return "a date such as 2026-01 or 2026-01-31";
    case ValueType::Kind::kRecord:
      return "a map of " + key_list(type, 8);
    case ValueType::Kind::kNamed:
      return type.title.empty() ? "a map from names to " + expected_text(*type.of) : std::string(type.title);
    case ValueType::Kind::kList:
      return "a list, each item " + expected_text(*type.of);
    case ValueType::Kind::kByGpu:
      return "auto, " + expected_text(*type.of) + ", or {by_gpu: {GPU: value, else: value}}";
    case ValueType::Kind::kOneOf: {
      std::vector<std::string> parts;
      for (std::size_t i = 0; i < type.option_count; ++i) parts.push_back(expected_text(*type.options[i]));
      return either(parts);
    }
    case ValueType::Kind::kMatrices:
      return "a list of matrices such as [[768, 256], [256, 4096]]";
    case ValueType::Kind::kAny:
      return "a value";
  }
  return "a value";
}

std::string bounds_text(const ValueType& type, const Bounds& bounds) {
  if (type.kind == ValueType::Kind::kText)
    return type.longest == 0 ? "" : "at most " + count_text(static_cast<double>(type.longest)) + " characters";
  const auto text = [&](double value) { return amount_text(type.amount, value); };
  if (bounds.above_min) {
    const std::string least = "more than " + text(bounds.min);
    return bounds.max > 0 ? least + " and at most " + text(bounds.max) : least;
  }
  if (bounds.min > 0 && bounds.max > 0) return "from " + text(bounds.min) + " to " + text(bounds.max);
  if (bounds.min > 0) return "at least " + text(bounds.min);
  return bounds.max > 0 ? "at most " + text(bounds.max) : "";
}

}  // namespace gpuplan
