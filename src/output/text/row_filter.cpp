#include "output/text/row_filter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/names.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/text/row_shorthand.h"

namespace gpuplan {
std::size_t condition_sign(std::string_view term) { return term.find_first_of("<>=!"); }

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
  std::vector<double> numbers{};     ///< any of them; empty: `number`
  std::vector<std::string> texts{};  ///< any of them
};

/// "price|dph|dph_total": one of the names.
bool goes_by(const FieldName& field, std::string_view name) {
  const std::string wanted = squeeze(name);
  if (squeeze(field.name) == wanted) return true;
  const auto others = split(field.other, '|');
  return std::ranges::any_of(others,
                             [&](std::string_view other) { return !other.empty() && squeeze(other) == wanted; });
}

/// Where a text's first sign of comparison stands.
struct Sign {
  std::size_t at;
  Named<Relation> what;
};

std::optional<Sign> find_sign(std::string_view text) {
  const std::size_t at = condition_sign(text);
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
  if (field.kind == AmountKind::kPrice && text.starts_with('$'))
    if (const auto bare = parse_amount(text.substr(1), AmountKind::kCount)) return *bare;
  const auto amount = parse_amount(text, field.kind);
  return amount ? std::optional(*amount / field.base_units) : std::nullopt;
}

Result<Condition> read_condition(std::string_view text, const Sign& sign, const FilterRows& rows,
                                 std::span<const FieldName> fields) {
  const std::string_view name = trim(text.substr(0, sign.at));
  const std::string_view value = trim(text.substr(sign.at + sign.what.name.size()));
  const auto found = find_field(fields, name, "filter '" + printable(text, 60) + "'");
  if (const std::string why = found ? std::string() : rows.why_none(name); !why.empty())
    return wrong_use("filter '" + printable(text, 60) + "': " + why);
  if (!found) return std::unexpected(found.error());
  if (!*found)
    return wrong_use("filter '" + printable(text, 60) + "': missing field before '" + std::string(sign.what.name) +
                     "'");
  const auto field = fields.begin() + static_cast<std::ptrdiff_t>(**found);
  Condition condition;
  condition.field = **found;
  condition.comparison = sign.what.value;
  // "gpu=RTX_4090,RTX_3090" and vast's "gpu_name in [RTX_4090, RTX_3090]" mean any of them; a region may have a
  // comma in it, "Secaucus, United States".
  condition.texts.emplace_back(value);
  const bool one_place = field->name == "region" && value.find(", ") != std::string_view::npos;
  if (value.find(',') != std::string_view::npos && !one_place)
    for (const std::string_view one : split(value, ','))
      if (!squeeze(one).empty()) condition.texts.emplace_back(trim(one));
  if (value.empty())
    return wrong_use("filter '" + printable(text, 60) + "': missing value after '" + std::string(sign.what.name) + "'");
  if (rows.is_figure(condition.field)) {
    // "8+", as SkyPilot writes it.
    const bool or_more = sign.what.value == Relation::kIs && value.ends_with('+');
    if (or_more) condition.comparison = Relation::kAtLeast;
    auto number = read_figure(or_more ? trim(value.substr(0, value.size() - 1)) : value, *field);
    const bool any_of = sign.what.value == Relation::kIs || sign.what.value == Relation::kNot;
    if (!number && any_of && condition.texts.size() > 2)
      for (std::size_t i = 1; i < condition.texts.size(); ++i) {
        number = read_figure(condition.texts[i], *field);
        if (!number) break;
        condition.numbers.push_back(*number);
      }
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

/// The pieces of a text in one.
std::string joined_pieces(std::string_view text) {
  std::string joined;
  for (const std::string& piece : pieces_of(text)) joined += piece;
  return joined;
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

/// Looks for a word in lines: as a whole, or (`inside`) anywhere. Rows have most of their lines in common, and one that
/// was looked at is not read again.
class WordInLines {
 public:
  WordInLines(std::string word, bool inside) : word_(std::move(word)), inside_(inside) {}
  bool any(std::string_view lines) {
    while (true) {
      const std::size_t end = lines.find('\n');
      if (has(lines.substr(0, end))) return true;
      if (end == std::string_view::npos) return false;
      lines.remove_prefix(end + 1);
    }
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view line) const { return std::hash<std::string_view>()(line); }
  };
  bool has(std::string_view line) {
    if (const auto known = known_.find(line); known != known_.end()) return known->second;
    const bool found = inside_ ? squeeze(line).find(word_) != std::string::npos : stands_in(line, word_);
    return known_.emplace(line, found).first->second;
  }

  std::string word_;
  bool inside_;
  std::unordered_map<std::string, bool, Hash, std::equal_to<>> known_;
};

std::vector<bool> rows_with(const FilterRows& rows, const std::string& written) {
  // "H100,H200" are those of either; "Paris, FR" is one.
  if (written.find(',') != std::string::npos && written.find(", ") == std::string::npos) {
    std::vector<bool> either(rows.count(), false);
    for (const std::string_view one : split(written, ','))
      if (!squeeze(one).empty()) {
        const std::vector<bool> some = rows_with(rows, std::string(trim(one)));
        for (std::size_t row = 0; row < some.size(); ++row) either[row] = either[row] || some[row];
      }
    return either;
  }
  const std::string word = joined_pieces(written);
  std::vector<bool> found(rows.count(), false);
  if (word.empty()) return found;
  for (const bool inside : {false, true}) {
    bool any = false;
    WordInLines lines(word, inside);
    for (std::size_t row = 0; row < rows.count(); ++row) {
      found[row] = lines.any(rows.words(row));
      any = any || found[row];
    }
    if (any) break;
  }
  return found;
}

/// Whether each row's text is one of those wanted. A wanted text that is no row's whole one may be a word of it.
std::vector<bool> rows_named(const FilterRows& rows, const Condition& condition) {
  std::vector<bool> named(rows.count(), false);
  for (const std::string& wanted : condition.texts) {
    bool any = false;
    const std::string whole = squeeze(wanted);
    for (std::size_t row = 0; row < rows.count(); ++row)
      if (squeeze(rows.text(row, condition.field)) == whole) named[row] = any = true;
    if (const auto meant = rows.meant_by(condition.field, wanted)) {
      for (std::size_t row = 0; row < rows.count(); ++row)
        if ((*meant)[row]) named[row] = any = true;
    }
    const std::string word = joined_pieces(wanted);
    if (any || word.empty()) continue;
    for (std::size_t row = 0; row < rows.count(); ++row)
      if (stands_in(rows.text(row, condition.field), word)) named[row] = true;
  }
  return named;
}

std::vector<bool> rows_that_meet(const FilterRows& rows, const Condition& condition) {
  std::vector<bool> meet(rows.count(), false);
  if (rows.is_figure(condition.field)) {
    for (std::size_t row = 0; row < rows.count(); ++row) {
      const double value = rows.figure(row, condition.field);
      const auto is_one = [&](double wanted) { return value == wanted; };
      if (condition.numbers.empty()) meet[row] = value == value && holds(value, condition.comparison, condition.number);
      else
        meet[row] =
            value == value && std::ranges::any_of(condition.numbers, is_one) == (condition.comparison == Relation::kIs);
    }
    return meet;
  }
  if (condition.comparison == Relation::kIs || condition.comparison == Relation::kNot) {
    meet = rows_named(rows, condition);
    if (condition.comparison == Relation::kNot) meet.flip();
    return meet;
  }
  for (const std::string& wanted : condition.texts) {
    const std::string whole = squeeze(wanted);
    for (std::size_t row = 0; row < rows.count(); ++row)
      if (holds(squeeze(rows.text(row, condition.field)), condition.comparison, whole)) meet[row] = true;
  }
  return meet;
}

void keep_both(std::vector<bool>& kept, const std::vector<bool>& other) {
  for (std::size_t row = 0; row < kept.size(); ++row) kept[row] = kept[row] && other[row];
}

/// Conditions of a range, on the field of that name.
Result<std::vector<Condition>> in_range(const WrittenRange& range, std::string_view field, const FilterRows& rows,
                                        std::span<const FieldName> fields) {
  std::vector<Condition> conditions;
  for (const auto& [text, relation] :
       {std::pair(&range.least, Relation::kAtLeast), std::pair(&range.most, Relation::kAtMost)}) {
    if (text->empty()) continue;
    const std::string sign(name_of(relation));
    const std::string term = std::string(field) + sign + *text;
    auto condition = read_condition(term, Sign{field.size(), {relation, name_of(relation)}}, rows, fields);
    if (!condition) return std::unexpected(std::move(condition.error()));
    // A card of 80 GB holds 80 GiB, or 85 GB: both are meant by either.
    constexpr double kSizes = 1.075;
    if (field == "memory") condition->number *= relation == Relation::kAtLeast ? 1 : kSizes;
    conditions.push_back(*std::move(condition));
  }
  return conditions;
}

/// "gpu_name in [RTX_4090, RTX_3090]", as vast.ai's command line has it, as "gpu_name=RTX_4090,RTX_3090", and "notin"
/// as "!=".
std::string without_lists(std::string_view argument) {
  constexpr std::string_view kIn = " in [", kNotIn = " notin [";
  std::string text;
  while (true) {
    const std::size_t in = argument.find(kIn), out = argument.find(kNotIn), at = std::min(in, out);
    const std::size_t end = argument.find(']', at == std::string_view::npos ? 0 : at);
    if (at == std::string_view::npos || end == std::string_view::npos) return text += argument;
    const std::size_t begin = at + (in < out ? kIn : kNotIn).size();
    text += argument.substr(0, at);
    text += in < out ? "=" : "!=";
    for (const char c : argument.substr(begin, end - begin))
      if (c != ' ' && c != '"' && c != '\'') text += c;
    argument.remove_prefix(end + 1);
  }
}

/// Whether a word is a GPU with its number or a range: "H100:8", "H100:1..8", "24GB..80GB".
bool any_counted(const std::vector<std::string_view>& words) {
  return std::ranges::any_of(words, [](std::string_view word) {
    if (word.find_first_of(":.") == std::string_view::npos || find_sign(word)) return false;
    const auto shorthand = read_shorthand(word);
    return shorthand && *shorthand;
  });
}

/// "8x", which is of the word behind it.
bool is_number_of_next(std::string_view term) {
  return term.size() > 1 && term.size() < 6 && (term.back() == 'x' || term.back() == 'X') &&
         std::ranges::all_of(term.substr(0, term.size() - 1), is_digit);
}

}  // namespace

std::vector<std::string> filter_terms(std::span<const std::string> filter) {
  std::vector<std::string> terms;
  for (const std::string& written : filter) {
    const std::string argument = without_lists(written);
    std::vector<std::string_view> parts;
    const auto sign = find_sign(argument);
    const bool several = sign && (find_sign(std::string_view(argument).substr(sign->at + sign->what.name.size())) ||
                                  any_counted(split(argument, ' ')));
    if (several) parts = split(argument, ' ');
    else parts = {trim(argument)};
    for (const std::string_view part : parts) {
      if (part.empty()) continue;
      const auto here = find_sign(part);
      const auto open = terms.empty() ? std::nullopt : find_sign(terms.back());
      const bool waits = open && trim(std::string_view(terms.back()).substr(open->at + open->what.name.size())).empty();
      if (!terms.empty() && (waits || (here && here->at == 0))) terms.back() += part;
      else if (!terms.empty() && !here && is_number_of_next(terms.back())) terms.back().append(" ").append(part);
      else terms.emplace_back(part);
    }
  }
  return terms;
}

namespace {

/// "RTX 4090" and "24GB" of "RTX 4090 24GB" and "RTX 4090 (24 GB)"; empty: no size stands at its end.
std::optional<std::pair<std::string, std::string>> word_and_memory(std::string_view text) {
  while (text.ends_with(')') || text.ends_with(' ')) text.remove_suffix(1);
  const std::string lower = to_lower(text);
  const std::size_t unit = lower.ends_with("gib") ? 3 : lower.ends_with("gb") ? 2 : lower.ends_with('g') ? 1 : 0;
  if (unit == 0) return std::nullopt;
  const std::string_view before = trim(text.substr(0, text.size() - unit));
  const std::size_t end = before.find_last_not_of("0123456789");
  const std::string_view size = before.substr(end == std::string_view::npos ? 0 : end + 1);
  if (size.empty() || (end != std::string_view::npos && is_letter(before[end]))) return std::nullopt;
  std::string_view word = before.substr(0, before.size() - size.size());
  while (word.ends_with('(') || word.ends_with(' ') || word.ends_with('-')) word.remove_suffix(1);
  return std::pair(std::string(word), std::string(size) + "GB");
}

/// The rows in which a word stands. Where none has it and its end is a size of memory, those of the rest that hold as
/// much: "RTX 4090 24GB" is a name and what its GPU has, as it is for --gpu.
Result<std::vector<bool>> rows_called(const std::string& word, const FilterRows& rows,
                                      std::span<const FieldName> fields) {
  if (auto kept = rows.kept_by(word)) return *std::move(kept);
  std::vector<bool> found = rows_with(rows, word);
  if (std::ranges::find(found, true) != found.end()) return found;
  const auto parts = word_and_memory(word);
  const bool sized = std::ranges::find(fields, "memory", &FieldName::name) != fields.end();
  if (!parts || !sized) return found;
  const auto conditions = in_range({parts->second, parts->second}, "memory", rows, fields);
  if (!conditions) return std::unexpected(conditions.error());
  if (parts->first.empty()) found.assign(rows.count(), true);
  else found = rows_with(rows, parts->first);
  for (const Condition& condition : *conditions) keep_both(found, rows_that_meet(rows, condition));
  return found;
}

/// "H100:8" of "accelerators=H100:8", which SkyPilot writes so; empty: it is no such condition.
std::string counted_gpu(std::string_view term, const Sign& sign, std::span<const FieldName> fields) {
  if (sign.what.value != Relation::kIs) return "";
  const auto field = find_field(fields, term.substr(0, sign.at), "");
  if (!field || !*field || fields[**field].name != "gpu") return "";
  const std::string_view value = trim(term.substr(sign.at + sign.what.name.size()));
  const auto said = read_shorthand(value);
  return said && *said && (*said)->gpus ? std::string(value) : "";
}

/// "H100:8,A100:8" in parts, one of which is more than a word; none: it is one term. "Paris, FR" is.
std::vector<std::string> counted_parts(const std::string& term) {
  std::vector<std::string> parts;
  if (term.find(',') == std::string::npos || term.find(", ") != std::string::npos) return parts;
  bool any = false;
  for (const std::string_view part : split(term, ',')) {
    const auto said = read_shorthand(part);
    any = any || (said && *said);
    if (!trim(part).empty()) parts.emplace_back(trim(part));
  }
  if (!any) parts.clear();
  return parts;
}

/// The rows of "spot=yes", or all others for "spot=no"; nullopt: it is another condition.
std::optional<std::vector<bool>> kept_or_not(std::string_view term, const Sign& sign, const FilterRows& rows) {
  const std::string value = to_lower(trim(term.substr(sign.at + sign.what.name.size())));
  const bool yes = value == "yes" || value == "true", no = value == "no" || value == "false";
  const bool is = sign.what.value == Relation::kIs, is_not = sign.what.value == Relation::kNot;
  if ((!yes && !no) || (!is && !is_not)) return std::nullopt;
  auto kept = rows.kept_by(trim(term.substr(0, sign.at)));
  if (kept && yes != is) kept->flip();
  return kept;
}

/// The rows that one term stands for.
Result<std::vector<bool>> rows_for(const std::string& term, const FilterRows& rows, std::span<const FieldName> fields) {
  if (const auto sign = find_sign(term)) {
    if (const std::string gpu = counted_gpu(term, *sign, fields); !gpu.empty()) return rows_for(gpu, rows, fields);
    if (auto kept = kept_or_not(term, *sign, rows)) return *std::move(kept);
    const auto condition = read_condition(term, *sign, rows, fields);
    if (!condition) return std::unexpected(condition.error());
    return rows_that_meet(rows, *condition);
  }
  if (const std::vector<std::string> parts = counted_parts(term); !parts.empty()) {
    std::vector<bool> either(rows.count(), false);
    for (const std::string& part : parts) {
      const auto some = rows_for(part, rows, fields);
      if (!some) return some;
      for (std::size_t row = 0; row < either.size(); ++row) either[row] = either[row] || (*some)[row];
    }
    return either;
  }
  auto shorthand = read_shorthand(term);
  if (!shorthand) return std::unexpected(std::move(shorthand.error()));
  const RowShorthand said = shorthand->value_or(RowShorthand{term, {}, {}});
  std::vector<bool> kept(rows.count(), true);
  for (const auto& [range, field] : {std::pair(&said.gpus, "gpus"), std::pair(&said.memory, "memory")}) {
    const bool known = std::ranges::any_of(fields, [&](const FieldName& one) { return one.name == field; });
    if (!*range || !known) continue;  // a table of GPUs has no machines
    const auto conditions = in_range(**range, field, rows, fields);
    if (!conditions) return std::unexpected(conditions.error());
    for (const Condition& condition : *conditions) keep_both(kept, rows_that_meet(rows, condition));
  }
  if (said.word.empty()) return kept;
  const auto named = rows_called(said.word, rows, fields);
  if (!named) return std::unexpected(named.error());
  keep_both(kept, *named);
  return kept;
}

}  // namespace

Result<std::optional<std::size_t>> find_field(std::span<const FieldName> fields, std::string_view name,
                                              std::string_view option) {
  if (trim(name).empty()) return std::nullopt;
  const auto field = std::ranges::find_if(fields, [&](const FieldName& one) { return goes_by(one, name); });
  if (field != fields.end()) return static_cast<std::size_t>(field - fields.begin());
  std::vector<std::string_view> names;
  std::vector<std::string> listed;
  for (const FieldName& candidate : fields) {
    names.push_back(candidate.name);
    listed.emplace_back(candidate.name);
  }
  std::string advice = did_you_mean(name, names);
  if (advice.empty()) advice = "; fields: " + join(listed, ", ");
  return wrong_use(std::string(option) + ": unknown field '" + printable(name, 40) + "'" + advice);
}

void sort_rows(const FilterRows& rows, std::size_t field, bool largest_first, std::vector<std::size_t>& order) {
  const auto before = [&](std::size_t a, std::size_t b) {
    if (!rows.is_figure(field)) {
      const std::string x = rows.text(a, field), y = rows.text(b, field);
      if (x.empty() != y.empty()) return y.empty();
      return largest_first ? y < x : x < y;
    }
    const double x = rows.figure(a, field), y = rows.figure(b, field);
    const bool known_x = x == x, known_y = y == y;
    if (known_x != known_y) return known_x;
    return largest_first ? y < x : x < y;
  };
  sort_stably(order, before);
}

Result<FilteredRows> filter_rows(const FilterRows& rows, std::span<const FieldName> fields,
                                 std::span<const std::string> filter) {
  FilteredRows result;
  const std::vector<std::string> terms = filter_terms(filter);
  if (terms.empty()) {
    result.rows.resize(rows.count());
    std::iota(result.rows.begin(), result.rows.end(), std::size_t{0});
    return result;
  }
  std::vector<bool> kept(rows.count(), true);
  for (const std::string& term : terms) {
    const auto met = rows_for(term, rows, fields);
    if (!met) return std::unexpected(met.error());
    if (result.unmet.empty() && std::ranges::find(*met, true) == met->end()) result.unmet = term;
    keep_both(kept, *met);
  }
  for (std::size_t row = 0; row < kept.size(); ++row)
    if (kept[row]) result.rows.push_back(row);
  return result;
}

}  // namespace gpuplan
