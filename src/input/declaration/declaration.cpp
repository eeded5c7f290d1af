#include "input/declaration/declaration.h"

#include <cmath>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "domain/work/job.h"
#include "input/declaration/codec.h"
#include "input/declaration/other_words.h"
#include "input/prices/offer_clues.h"
#include "input/text/csv.h"
#include "input/text/gpu_name.h"

namespace gpuplan {

namespace {

/// No amount of its kind is larger in a sensible job: a slip of the keyboard or of the unit is.
double greatest(AmountKind kind) {
  switch (kind) {
    case AmountKind::kCount:
    case AmountKind::kTokens:
      return 1e18;
    case AmountKind::kShare:
      return 10;
    case AmountKind::kTime:
    case AmountKind::kSeconds:
      return (100 * 365 * units::day).value;
    case AmountKind::kMoney:
      return 1e12;
    case AmountKind::kPrice:
      return 1e6 / units::hour.value;
    case AmountKind::kRate:
      return 60 / units::hour.value;
    case AmountKind::kBytes:
      return 1e18;
    case AmountKind::kBytesPerSecond:
      return 1e15;
    case AmountKind::kTokensPerSecond:
    case AmountKind::kSamplesPerSecond:
      return 1e12;
    case AmountKind::kDollarsPerByteMonth:
      return (1000 * units::dollar / units::GB / units::month).value;
    case AmountKind::kDollarsPerByte:
      return (1000 * units::dollar / units::GB).value;
    case AmountKind::kPower:
      return 1e8;
  }
  return 1e18;
}

/// What is smaller and not 0 is a slip; with this much, products with the greatest figures are still numbers.
double least(AmountKind kind) {
  constexpr double kLeast = 1e-15;
  if (kind == AmountKind::kDollarsPerByteMonth) return (kLeast * units::dollar / units::GB / units::month).value;
  if (kind == AmountKind::kDollarsPerByte) return (kLeast * units::dollar / units::GB).value;
  return kLeast;
}

std::vector<std::string_view> words_of(const ValueType& type) { return {type.words, type.words + type.word_count}; }

/// The record behind a type that may also be written otherwise ("auto", a name, a list of it).
const ValueType* record_in(const ValueType& type) {
  if (type.kind == ValueType::Kind::kRecord) return &type;
  for (std::size_t i = 0; i < type.option_count; ++i)
    if (const ValueType* record = record_in(*type.options[i])) return record;
  return nullptr;
}

bool unknown_key(Reader& reader, const Tree& child, const ValueType& type) {
  std::string message = "unknown key '" + printable(child.key, 60) + "'";
  std::vector<std::string_view> names;
  std::string_view home;
  for (const Key& key : type) {
    names.push_back(key.name);
    const ValueType* inner = record_in(*key.type);
    if (home.empty() && inner != nullptr && inner->find(child.key) != nullptr) home = key.name;
  }
  const std::string guess = did_you_mean(child.key, names);
  std::string_view advice = child.is_list() ? advice_on("list", child.key) : std::string_view();
  if (advice.empty()) advice = advice_on("key", child.key);
  if (!advice.empty()) {
    message += "; " + std::string(advice);
  } else if (!home.empty()) {
    message += "; it belongs inside ";
    message += home;
  } else if (!guess.empty()) {
    message += guess;
  } else {
    message += "; known keys are " + key_list(type, 100);
  }
  return reader.fail_at_key(child, message);
}

}  // namespace

const Key* ValueType::end() const { return keys + key_count; }

const Key* ValueType::find(std::string_view name) const {
  for (const Key& key : *this)
    if (key.name == name) return &key;
  return nullptr;
}

bool mismatch(Reader& reader, const Tree& tree, const ValueType& type) {
  std::string message = "expected " + expected_text(type) + ", got " + got_text(tree);
  if (tree.is_scalar())
    if (const std::string_view advice = advice_on("value", tree.text); !advice.empty())
      message += "; " + std::string(advice);
  return reader.fail(tree, message);
}

bool is_auto(const Tree& tree) { return tree.is_scalar() && iequals(tree.text, "auto"); }

bool read_record(Reader& reader, const Tree& tree, void* object, const ValueType& type) {
  if (!tree.is_map()) return mismatch(reader, tree, type);
  const bool outer_exact = reader.exact;
  if (const Tree* exact = tree.find("exact"); exact != nullptr && type.find("exact") != nullptr) {
    const Reader::Scope scope(reader, "exact");
    if (!read_flag(reader, *exact, reader.exact)) return false;
  }
  for (const Tree& child : tree.children) {
    const Key* key = type.find(child.key);
    if (key == nullptr) return unknown_key(reader, child, type);
    const Reader::Scope scope(reader, key->name);
    reader.map = &tree;
    if (!key->read(reader, child, object, key->bounds)) return false;
  }
  reader.map = nullptr;
  reader.exact = outer_exact;
  for (const Key& key : type) {
    if (!key.required() || tree.find(key.name) != nullptr) continue;
    return reader.fail(tree, "missing '" + std::string(key.name) + "'; expected " + expected_text(*key.type) + ": " +
                                 std::string(key.help));
  }
  return true;
}

bool read_amount(Reader& reader, const Tree& tree, const ValueType& type, const Bounds& bounds, Interval<double>& out) {
  if (!tree.is_scalar()) return mismatch(reader, tree, type);
  if (type.range) {
    auto parsed = parse_interval(tree.text, type.amount);
    if (!parsed) return reader.fail(tree, parsed.error().message);
    out = *parsed;
  } else {
    auto parsed = parse_amount(tree.text, type.amount);
    if (!parsed) return reader.fail(tree, parsed.error().message);
    out = exactly(*parsed);
  }
  const auto too_little = [&](double value) { return value != 0 && std::abs(value) < least(type.amount); };
  if (too_little(out.p10) || too_little(out.p90))
    return reader.fail(tree, "expected " + expected_text(type) + ", got " + got_text(tree) + " (it is too small)");
  const double most = bounds.max > 0 ? bounds.max : greatest(type.amount);
  const bool too_small = bounds.above_min ? out.p10 <= bounds.min : out.p10 < bounds.min;
  if (too_small || out.p90 > most) {
    std::string wanted = bounds_text(type, bounds);
    if (too_small && wanted.empty()) wanted = "at least " + amount_text(type.amount, bounds.min);
    if (too_small && bounds.min == 0 && !bounds.above_min && bounds.max > 0)
      wanted = "at least " + amount_text(type.amount, 0) + " and " + wanted;
    if (!too_small && bounds.max <= 0) wanted = "at most " + amount_text(type.amount, most);
    return reader.fail(tree, "expected " + wanted + ", got " + got_text(tree));
  }
  if (type.whole && out.p50 != std::floor(out.p50))
    return reader.fail(tree, "expected a whole number, got " + got_text(tree));
  if (type.figure && out.exact() && !reader.exact) {
    out.p10 = out.p50 / 1.2;
    out.p90 = out.p50 * 1.2;
  }
  return true;
}

bool read_text(Reader& reader, const Tree& tree, std::string& out) {
  if (!tree.is_scalar()) return reader.fail(tree, "expected text, got " + got_text(tree));
  out = tree.text;
  return true;
}

bool read_flag(Reader& reader, const Tree& tree, bool& out) {
  for (const std::string_view word : {"true", "yes", "on"}) {
    if (tree.is_scalar() && iequals(tree.text, word)) return out = true;
  }
  for (const std::string_view word : {"false", "no", "off"}) {
    if (!tree.is_scalar() || !iequals(tree.text, word)) continue;
    out = false;
    return true;
  }
  return reader.fail(tree, "expected true or false, got " + got_text(tree));
}

namespace {

bool unknown_gpu(Reader& reader, const Tree& tree, const Error& error) {
  const std::string clues = clue_words(reader.catalogue, tree.text, clues_in(reader.map));
  return reader.fail(tree, error.message + (clues.empty() ? "" : "; " + clues));
}

}  // namespace

bool read_gpus(Reader& reader, const Tree& tree, std::vector<std::string>& gpus, int& count) {
  if (!tree.is_scalar()) return mismatch(reader, tree, {.kind = ValueType::Kind::kGpu});
  const auto found = find_gpus(reader.catalogue, tree.text);
  if (!found) return unknown_gpu(reader, tree, found.error());
  for (const Gpu* gpu : found->gpus) gpus.push_back(gpu->name);
  count = found->count;
  return true;
}

bool read_gpu(Reader& reader, const Tree& tree, std::string& gpu, int& count) {
  if (!tree.is_scalar()) return mismatch(reader, tree, {.kind = ValueType::Kind::kGpu});
  const auto found = find_gpu(reader.catalogue, tree.text);
  if (!found) return unknown_gpu(reader, tree, found.error());
  gpu = found->gpu->name;
  count = found->count;
  return true;
}

bool read_date(Reader& reader, const Tree& tree, std::string& out) {
  if (!tree.is_scalar() || !is_iso_date(tree.text)) return mismatch(reader, tree, DateCodec::type);
  out = tree.text;
  return true;
}

std::optional<std::size_t> read_word(Reader& reader, const Tree& tree, const ValueType& type) {
  if (tree.is_scalar()) {
    for (std::size_t i = 0; i < type.word_count; ++i)
      if (iequals(type.words[i], tree.text)) return i;
  }
  std::string message = "expected " + expected_text(type) + ", got " + got_text(tree);
  if (tree.is_scalar()) {
    const std::string_view kind = &type == &Codec<Method>::type      ? "method"
                                  : &type == &Codec<Objective>::type ? "method"
                                  : &type == &Codec<Optimizer>::type ? "optimizer"
                                  : &type == &Codec<Recompute>::type ? "recompute"
                                                                     : "";
    std::string_view advice = advice_on(kind, tree.text);
    if (advice.empty()) advice = advice_on("value", tree.text);
    if (&type == &Codec<Goal>::type && tree.text.find(' ') != std::string::npos)
      message += "; what the job is for, in words, is purpose";
    else if (!advice.empty()) message += "; " + std::string(advice);
    else message += did_you_mean(tree.text, words_of(type));
  }
  reader.fail(tree, message);
  return std::nullopt;
}

bool expect_list(Reader& reader, const Tree& tree, const ValueType& type) {
  if (!tree.is_list() || tree.children.empty()) return mismatch(reader, tree, type);
  if (tree.children.size() <= type.max_items) return true;
  const std::string_view advice = advice_on("many", tree.key);
  return reader.fail(tree, "expected at most " + count_text(static_cast<double>(type.max_items)) + " items, got " +
                               count_text(static_cast<double>(tree.children.size())) +
                               (advice.empty() ? "" : "; " + std::string(advice)));
}

}  // namespace gpuplan
