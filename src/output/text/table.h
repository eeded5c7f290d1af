// Tables for terminals: aligned columns that fit the screen, and paragraphs that wrap. The same for Markdown, CSV and
// JSON.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/word.h"
#include "output/text/style.h"

namespace gpuplan {

class JsonWriter;

enum class Align { kLeft, kRight };

/// A column as it is written down. Text: what holds the words.
template <class Text>
struct ColumnOf {
  Text title;
  Align align = Align::kLeft;
  /// When the table is too wide, the column of the highest number goes first; 0 never goes.
  int drop = 0;
  /// A text column may be narrowed to this width before any column goes; 0: its cells are never cut.
  int narrowest = 0;
  /// Narrowed cells continue on the next line, broken at spaces; otherwise they are cut with an ellipsis.
  bool wrap = false;
  /// Cells are aligned around this text ("…", " of "), as figures are around their point; empty: not.
  Text around{};
  Text unit{};  ///< under the title; a second line of heads appears when any column has one
  int gap = 2;  ///< blanks before the column
  /// Name in CSV and JSON, with its unit: "cost_usd"; empty: shown only. A column with a key and without a title is
  /// for CSV and JSON only.
  Text key{};
};
using Column = ColumnOf<std::string>;
/// In a list of columns nothing is made or freed for each of their words; a table copies them.
using ColumnHead = ColumnOf<std::string_view>;

struct Cell {
  std::string text;
  Paint paint = Paint::kPlain;
  std::optional<double> number{};  ///< the figure behind the text, in the unit of the column's key

  Cell() = default;
  // Rows of twenty cells are written everywhere: a call is less than what these would be in line.
  Cell(std::string what, Paint how = Paint::kPlain);  // NOLINT: a text is a cell
  Cell(const char* what, Paint how = Paint::kPlain);  // NOLINT
  Cell(const Word& what);                             // NOLINT
  Cell(double figure, std::string what, Paint how = Paint::kPlain);
  /// For columns that are not shown.
  explicit Cell(double figure) : number(figure) {}
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  Table(std::initializer_list<ColumnHead> columns);

  /// One cell for each column; missing ones are empty. Cells are one line and hold no escape sequences.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::size_t rows() const { return rows_.size(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& cells() const { return rows_; }

  /// The table with its heads, every line ending in a line feed and without trailing blanks. Columns empty in every
  /// row are left out. In Markdown no column is left out for want of room, and a line stays one.
  std::string text(const Screen& screen, int indent = 2) const;

  /// The columns that have a key, as RFC 4180 has it (but for the line ends): a line of keys, then one for each row.
  std::string csv() const;

  /// The same as an array of objects; a cell without text and number is null.
  void write_json(JsonWriter& json) const;

  /// Columns that the whole table takes when nothing is narrowed or left out.
  int width(int indent = 2) const;

  /// Titles of the columns that text() leaves out for want of room.
  std::vector<std::string> dropped(const Screen& screen, int indent = 2) const;

 private:
  struct Layout;
  Layout lay_out(int width, int indent) const;
  std::string markdown() const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// "Left out for want of room: P10–P90 of COST, STEPS.", each title once and without those of `silent`; empty when
/// nothing is.
std::string left_out_words(const Table& table, const Screen& screen, std::string_view silent = "");

struct NamedTable {
  std::string name;
  Table table;
};
/// Tables of the same columns as one CSV: the first column, called `key`, says which table a row is of.
std::string joined_csv(std::string_view key, const std::vector<NamedTable>& tables);

/// Lines of at most `width` columns, broken at spaces; words longer than a line stay whole. Line feeds in the text
/// stay.
std::vector<std::string> wrapped(std::string_view text, int width);

/// A paragraph: wrapped to the screen, the first line indented by `indent` and the others by `hang`, each with a line
/// feed. In Markdown it is one line and an empty one; a text that begins with "- " is an entry of a list.
std::string paragraph(std::string_view text, const Screen& screen, int indent = 2, int hang = 2,
                      Paint paint = Paint::kPlain);

/// What the text below is about: a line of its own, a heading in Markdown.
std::string heading(std::string_view text, const Screen& screen);

/// "layers        32": a name and what is said of it; an entry of a list in Markdown.
std::string labelled(std::string_view label, std::string_view text, const Screen& screen, int width, int indent = 2);

/// Text that Markdown shows as it is: its own signs with a backslash before them.
std::string markdown_text(std::string_view text);

/// Markdown put together from tables and paragraphs: never more than one empty line, none between the entries of a
/// list, none at the end.
std::string tidy_markdown(std::string_view text);

/// Blanks added on one side up to `width` columns.
std::string padded(std::string_view text, int width, Align align = Align::kLeft);

/// Cut to `width` columns with an ellipsis when longer. Never inside a character.
std::string shortened(std::string_view text, int width);

}  // namespace gpuplan
