// Filters of the table commands: words that a row's names must hold, and conditions on its figures ("memory>=40").
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/amount.h"
#include "base/result.h"

namespace gpuplan {

/// What filters, messages and JSON call a fact of a row.
struct FieldName {
  std::string_view name;
  std::string_view unit = "";   ///< of a figure, as in JSON keys: "gib" makes "memory_gib"; empty: none
  std::string_view other = "";  ///< accepted in filters too, several between '|'
  AmountKind kind = AmountKind::kCount;
  double base_units = 1;  ///< one `unit` in base units of the kind, to read "80 GB" where GiB is meant

  /// In JSON and CSV: "memory_gib".
  std::string key() const { return std::string(name) + (unit.empty() ? "" : "_" + std::string(unit)); }
};

/// Rows as a filter sees them.
class FilterRows {
 public:
  virtual ~FilterRows() = default;
  virtual std::size_t count() const = 0;
  virtual bool is_figure(std::size_t field) const = 0;
  /// NaN when it is not known: no condition on it holds.
  virtual double figure(std::size_t row, std::size_t field) const = 0;
  virtual std::string text(std::size_t row, std::size_t field) const = 0;
  /// The rows that a text stands for beside those that have it: "region=eu". nullopt: it is no such text.
  virtual std::optional<std::vector<bool>> meant_by(std::size_t field, std::string_view wanted) const {
    static_cast<void>(field), static_cast<void>(wanted);
    return std::nullopt;
  }
  /// The rows that a word stands for whatever their names are: those with a spot price for "spot". nullopt: it stands
  /// for none but those in which it is written.
  virtual std::optional<std::vector<bool>> kept_by(std::string_view word) const {
    static_cast<void>(word);
    return std::nullopt;
  }
  /// What to say of a field that people know from elsewhere, and that these rows do not have; empty: nothing.
  virtual std::string why_none(std::string_view field) const {
    static_cast<void>(field);
    return "";
  }
  /// Texts in which words are looked for, separated by line feeds.
  virtual std::string words(std::size_t row) const = 0;
};

/// Where the sign of a condition stands ("memory>=40"); npos in a word that is none.
std::size_t condition_sign(std::string_view term);

/// The field of that name, or another of its names; nullopt for an empty name. An unknown one is a usage error of
/// `option`, with a suggestion.
Result<std::optional<std::size_t>> find_field(std::span<const FieldName> fields, std::string_view name,
                                              std::string_view option);
/// Sorts numbers of rows by a field, rows without it last, and leaves equal ones in their order.
void sort_rows(const FilterRows& rows, std::size_t field, bool largest_first, std::vector<std::size_t>& order);

struct FilteredRows {
  std::vector<std::size_t> rows;  ///< their numbers, in their order
  /// The first word or condition that no row satisfies even alone, as written; empty: there is none.
  std::string unmet{};
};

/// A filter as single words and conditions, however its arguments put them together: "memory >= 40" in three is one,
/// "gpus=8 H100" in one are two, "8x" and "H100" are one.
std::vector<std::string> filter_terms(std::span<const std::string> filter);

/// The rows that satisfy every word and condition.
///
/// A word matches where it stands as a whole ("L4" is not in "L40S", "h100-sxm" is in "H100 SXM"); when it does so in
/// no row, anywhere inside a text. "H100:8", "H100:1..8", "8x H100" and "24GB..80GB" bound numbers of GPUs and their
/// memory (output/text/row_shorthand.h), and so does the end of "RTX 4090 24GB" where no row is called that. Conditions
/// are FIELD, one of >= <= != = > <, and a value; texts are compared without regard to case and spaces, and one that is
/// no row's whole text ("gpu=H100", "region=us-east") stands for those in which it is a word, unless it has a meaning
/// of its own (FilterRows::meant_by), as some words have (FilterRows::kept_by: "spot", "spot=no"). An unknown field is
/// a usage error with a suggestion.
Result<FilteredRows> filter_rows(const FilterRows& rows, std::span<const FieldName> fields,
                                 std::span<const std::string> filter);

}  // namespace gpuplan
