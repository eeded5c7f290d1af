// A report as data: what a guide in Markdown and a page in HTML say alike. Every text is plain, but for the user's own
// prose; every figure is a text already, so that nobody who tells it formats a number.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "output/charts/chart.h"

namespace gpuplan {

class JsonWriter;

struct TextBlock {
  std::string text;
  bool strong = false;  ///< what a reader in a hurry reads
};
/// To be checked before money is spent.
struct NoteBlock {
  std::string text;
};

struct TableColumn {
  std::string key;  ///< name with unit, as in plan --json and --csv
  std::string title;
  bool right = false;  ///< figures
};
enum class RowMark { kNone, kPick, kBest, kBeaten };
struct TableRow {
  RowMark mark = RowMark::kNone;
  bool strong = false;                             ///< a sum
  std::vector<std::string> cells;                  ///< one a column
  std::vector<std::optional<double>> values = {};  ///< one a column, in the unit of its key; nullopt: no figure
  std::vector<std::optional<double>> ends = {};    ///< of a range, whose lower end is in `values`, the upper one
};
struct TableBlock {
  std::string key, caption;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;

  void erase_column(std::size_t at);
};

struct ListBlock {
  bool ordered = false;
  std::vector<std::string> items;
};
/// Boxes to tick.
struct ChecksBlock {
  std::vector<std::string> items;
};
struct CodeBlock {
  std::string language, text;  ///< lines without the last line feed
};
/// The user's own Markdown.
struct ProseBlock {
  std::string markdown;
};
struct ChartBlock {
  Chart chart;
  std::string file = {};  ///< a drawing beside the guide; empty: there is none, and the guide leaves it out
};
/// Files beside the report.
struct LinksBlock {
  std::string text;                                        ///< what they are
  std::vector<std::pair<std::string, std::string>> links;  ///< name and path
};
struct FoldBlock;

using ReportBlock = std::variant<TextBlock, NoteBlock, TableBlock, ListBlock, ChecksBlock, CodeBlock, ProseBlock,
                                 ChartBlock, LinksBlock, FoldBlock>;

/// Shut until somebody opens it.
struct FoldBlock {
  std::string title;
  std::vector<ReportBlock> blocks;
};

struct ReportSection {
  std::string key;      ///< "answer"
  std::string title;    ///< the question that it answers
  std::string finding;  ///< one sentence with figures; may be empty
  std::vector<ReportBlock> blocks;

  bool empty() const { return finding.empty() && blocks.empty(); }
};

struct ReportHead {
  std::string title;
  std::string goal;     ///< Markdown; empty: nobody says
  std::string made;     ///< "2026-11-22"; empty: nobody says
  std::string version;  ///< of gpuplan
  std::string prices;   ///< "245 offers, prices from 2026-04, 7 months old"
  std::string command;  ///< that makes it again
};

struct ReportDocument {
  ReportHead head;
  std::vector<ReportSection> sections;
};

/// {"report": 1, "head": {...}, "sections": [...]}
void write_report(JsonWriter& json, const ReportDocument& document);

/// Its charts in the order that they stand in.
std::vector<const ChartBlock*> charts_in(const ReportDocument& document);

/// Takes away what says nothing: columns without a text, tables without rows, empty texts, lists, folds and sections.
void tidy(ReportDocument& document);

}  // namespace gpuplan
