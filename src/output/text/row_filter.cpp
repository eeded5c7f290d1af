#include "output/text/row_filter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/names.h"
#include "base/text.h"

namespace gpuplan {
namespace {

enum class Relation { kAtLeast, kAtMost, kNot, kIs, kAbove, kBelow };

}  // namespace

/// Longer signs first: ">=" begins with ">".
template <>
struct Names<Relation> {
  static constexpr std::array entries = {
      Named<Relation>{Relation::kAtLeast, ">="}, Named<Relation>{Relation::kAtMost, "<="},
      Named<Relation>{Relation::kNot, "!="},     Named<Relation>{Relation::kIs, "=="},
      Named<Relation>{Relation::kIs, "="},       Named<Relation>{Relation::kAbove, ">"},
      Named<Relation>{Relation::kBelow, "<"},
  };
};

namespace {

struct Condition {
  std::size_t field = 0;
  Relation comparison = Relation::kIs;
  double number = 0;
  std::string text;
};

/// Where a text's first sign of comparison stands.
struct Sign {
  std::size_t at;
  Named<Relation> what;
};

std::optional<Sign> find_sign(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return std::nullopt;
  for (const auto& entry : Names<Relation>::entries)
    if (text.substr(at).starts_with(entry.name)) return Sign{at, entry};
  return std::nullopt;
}

template <class T>
bool holds(const T& value, Relation comparison, const T& wanted) {
  switch (comparison) {
    case Relation::kAtLeast:
      return value >= wanted;
    case Relation::kAtMost:
      return value <= wanted;
    case Relation::kNot:
      return value != wanted;
    case Relation::kIs:
      return value == wanted;
    case Relation::kAbove:
      return value > wanted;
    case Relation::kBelow:
      return value < wanted;
  }
  return false;
}

/// A figure in the field's unit: bare, or with a unit of its kind.
std::optional<double> read_figure(std::string_view text, const FieldName& field) {
  if (const auto bare = parse_amount(text, AmountKind::kCount)) return *bare;
  const auto amount = parse_amount(text, field.kind);
  return amount ? std::optional(*amount / field.base_units) : std::nullopt;
}

Result<Condition> read_condition(std::string_view text, const Sign& sign, const FilterRows& rows,
                                 std::span<const FieldName> fields) {
  const std::string_view name = trim(text.substr(0, sign.at));
  const std::string_view value = trim(text.substr(sign.at + sign.what.name.size()));
  const std::string wanted = squeeze(name);
  const auto field = std::ranges::find_if(fields, [&](const FieldName& candidate) {
    return squeeze(candidate.name) == wanted || (!candidate.other.empty() && squeeze(candidate.other) == wanted);
  });
  if (field == fields.end()) {
    std::vector<std::string_view> names;
    std::vector<std::string> listed;
    for (const FieldName& candidate : fields) {
      names.push_back(candidate.name);
      listed.emplace_back(candidate.name);
    }
    std::string advice = did_you_mean(name, names);
    if (advice.empty()) advice = "; fields: " + join(listed, ", ");
    return wrong_use("filter '" + printable(text, 60) + "': unknown field '" + printable(name, 40) + "'" + advice);
  }
  Condition condition;
  condition.field = static_cast<std::size_t>(field - fields.begin());
  condition.comparison = sign.what.value;
  condition.text = squeeze(value);
  if (value.empty())
    return wrong_use("filter '" + printable(text, 60) + "': missing value after '" + std::string(sign.what.name) + "'");
  if (rows.is_figure(condition.field)) {
    const auto number = read_figure(value, *field);
    if (!number)
      return wrong_use("filter '" + printable(text, 60) + "': expected " + std::string(expectation(field->kind)) +
                       ", got '" + printable(value, 40) + "'");
    condition.number = *number;
  }
  return condition;
}

/// The pieces of a text that may stand as words: squeezed, between blanks and punctuation.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" -_/.,:;()|", at), text.size());
    if (std::string piece = squeeze(text.substr(at, end - at)); !piece.empty()) pieces.push_back(std::move(piece));
    at = end + 1;
  }
  return pieces;
}

bool stands_in(std::string_view text, std::string_view word) {
  const std::vector<std::string> pieces = pieces_of(text);
  for (std::size_t first = 0; first < pieces.size(); ++first) {
    std::string joined;
    for (std::size_t last = first; last < pieces.size() && joined.size() < word.size(); ++last) {
      joined += pieces[last];
      if (joined == word) return true;
    }
  }
  return false;
}

/// Whether any of the lines holds the word: as a whole, or (`inside`) anywhere.
bool has_word(std::string_view lines, std::string_view word, bool inside) {
  while (true) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    if (inside ? squeeze(line).find(word) != std::string::npos : stands_in(line, word)) return true;
    if (end == std::string_view::npos) return false;
    lines.remove_prefix(end + 1);
  }
}

std::vector<bool> rows_with(const FilterRows& rows, const std::string& written) {
  std::string word;  // squeezed piece by piece, as the texts are
  for (const std::string& piece : pieces_of(written)) word += piece;
  std::vector<bool> found(rows.count(), false);
  if (word.empty()) return found;
  for (const bool inside : {false, true}) {
    bool any = false;
    for (std::size_t row = 0; row < rows.count(); ++row) {
      found[row] = has_word(rows.words(row), word, inside);
      any = any || found[row];
    }
    if (any) break;
  }
  return found;
}

bool satisfies(const FilterRows& rows, std::size_t row, const Condition& condition) {
  if (rows.is_figure(condition.field)) {
    const double value = rows.figure(row, condition.field);
    return value == value && holds(value, condition.comparison, condition.number);
  }
  return holds(squeeze(rows.text(row, condition.field)), condition.comparison, condition.text);
}

/// "memory >= 40" in one argument or three is one condition; "memory>=40 vendor=amd" in one argument are two.
std::vector<std::string> separate_terms(std::span<const std::string> filter) {
  std::vector<std::string> terms;
  for (const std::string& argument : filter) {
    std::vector<std::string_view> parts;
    const auto sign = find_sign(argument);
    const bool several = sign && find_sign(std::string_view(argument).substr(sign->at + sign->what.name.size()));
    if (several) parts = split(argument, ' ');
    else parts = {trim(argument)};
    for (const std::string_view part : parts) {
      if (part.empty()) continue;
      const auto here = find_sign(part);
      const auto open = terms.empty() ? std::nullopt : find_sign(terms.back());
      const bool waits = open && trim(std::string_view(terms.back()).substr(open->at + open->what.name.size())).empty();
      if (!terms.empty() && (waits || (here && here->at == 0))) terms.back() += part;
      else terms.emplace_back(part);
    }
  }
  return terms;
}

}  // namespace

Result<std::vector<std::size_t>> filter_rows(const FilterRows& rows, std::span<const FieldName> fields,
                                             std::span<const std::string> filter) {
  std::vector<bool> kept(rows.count(), true);
  for (const std::string& term : separate_terms(filter)) {
    const auto sign = find_sign(term);
    if (!sign) {
      const std::vector<bool> found = rows_with(rows, term);
      for (std::size_t row = 0; row < kept.size(); ++row) kept[row] = kept[row] && found[row];
      continue;
    }
    const auto condition = read_condition(term, *sign, rows, fields);
    if (!condition) return std::unexpected(condition.error());
    for (std::size_t row = 0; row < kept.size(); ++row) kept[row] = kept[row] && satisfies(rows, row, *condition);
  }
  std::vector<std::size_t> result;
  for (std::size_t row = 0; row < kept.size(); ++row)
    if (kept[row]) result.push_back(row);
  return result;
}

}  // namespace gpuplan
