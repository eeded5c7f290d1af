#include "output/report/document.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "output/text/json_writer.h"

namespace gpuplan {
namespace {

void tidy_blocks(std::vector<ReportBlock>& blocks);

/// Reports count in runs, as their ranges do: "up to $2.15 (P90)" is up to $2.15 in 9 of 10 runs.
void say_in_runs(std::string& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords = {
      std::pair{" (P90)", " in 9 of 10 runs"},
      std::pair{", P90 ", ", in 9 of 10 runs "},
      std::pair{"fits at P50, not at P90", "fits in half of the runs, not in 9 of 10"},
      std::pair{"at P90 of all phases", "after what 9 of 10 runs of all phases take"},
  };
  if (!text.contains("P90")) return;
  for (const auto& [from, to] : kWords)
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
}

void tidy_table(TableBlock& table) {
  for (TableRow& row : table.rows) std::ranges::for_each(row.cells, say_in_runs);
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    const auto silent = [&](const TableRow& row) { return c >= row.cells.size() || row.cells[c].empty(); };
    if (!std::ranges::all_of(table.rows, silent)) continue;
    table.erase_column(c);
  }
}

/// Whether nothing is left of it.
struct Tidied {
  bool operator()(TextBlock& text) const {
    say_in_runs(text.text);
    return text.text.empty();
  }
  bool operator()(NoteBlock& note) const {
    say_in_runs(note.text);
    return note.text.empty();
  }
  bool operator()(TableBlock& table) const {
    tidy_table(table);
    return table.rows.empty() || table.columns.empty();
  }
  bool operator()(ListBlock& list) const {
    std::erase(list.items, "");
    std::ranges::for_each(list.items, say_in_runs);
    return list.items.empty();
  }
  bool operator()(ChecksBlock& checks) const {
    std::erase(checks.items, "");
    return checks.items.empty();
  }
  bool operator()(const CodeBlock& code) const { return code.text.empty(); }
  bool operator()(const ProseBlock& prose) const { return prose.markdown.empty(); }
  bool operator()(const ChartBlock& chart) const { return chart.chart.marks.empty(); }
  bool operator()(const LinksBlock& links) const { return links.links.empty(); }
  bool operator()(FoldBlock& fold) const {
    tidy_blocks(fold.blocks);
    return fold.blocks.empty();
  }
};

void tidy_blocks(std::vector<ReportBlock>& blocks) {
  std::erase_if(blocks, [](ReportBlock& block) { return std::visit(Tidied{}, block); });
}

std::string_view word_of(RowMark mark) {
  switch (mark) {
    case RowMark::kPick:
      return "pick";
    case RowMark::kBest:
      return "best";
    case RowMark::kBeaten:
      return "beaten";
    case RowMark::kNone:
      break;
  }
  return "";
}

struct BlockWriter {
  JsonWriter& json;

  void operator()(const TextBlock& text) const {
    json.begin_object(true).member("kind", "text").member("text", text.text);
    if (text.strong) json.member("strong", true);
    json.end();
  }
  void operator()(const NoteBlock& note) const {
    json.begin_object(true).member("kind", "note").member("text", note.text).end();
  }
  void operator()(const TableBlock& table) const {
    json.begin_object().member("kind", "table").member("key", table.key).member("caption", table.caption);
    json.key("columns").begin_array();
    for (const TableColumn& column : table.columns)
      json.begin_object(true)
          .member("key", column.key)
          .member("title", column.title)
          .member("right", column.right)
          .end();
    json.end().key("rows").begin_array();
    for (const TableRow& row : table.rows) {
      json.begin_object().member("mark", word_of(row.mark)).member("cells", row.cells);
      json.key("values").begin_array(true);
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        json.value(i < row.values.size() ? row.values[i] : std::optional<double>{});
      json.end();
      if (std::ranges::any_of(row.ends, [](const std::optional<double>& end) { return end.has_value(); })) {
        json.key("ends").begin_array(true);
        for (std::size_t i = 0; i < table.columns.size(); ++i)
          json.value(i < row.ends.size() ? row.ends[i] : std::optional<double>{});
        json.end();
      }
      if (row.strong) json.member("strong", true);
      json.end();
    }
    json.end().end();
  }
  void operator()(const ListBlock& list) const {
    json.begin_object().member("kind", "list").member("ordered", list.ordered).member("items", list.items).end();
  }
  void operator()(const ChecksBlock& checks) const {
    json.begin_object().member("kind", "checks").member("items", checks.items).end();
  }
  void operator()(const CodeBlock& code) const {
    json.begin_object(true).member("kind", "code").member("language", code.language).member("text", code.text).end();
  }
  void operator()(const ProseBlock& prose) const {
    json.begin_object(true).member("kind", "prose").member("markdown", prose.markdown).end();
  }
  void operator()(const ChartBlock& chart) const {
    json.begin_object().member("kind", "chart").key("chart");
    write_chart(json, chart.chart);
    json.end();
  }
  void operator()(const LinksBlock& links) const {
    json.begin_object().member("kind", "links").member("text", links.text).key("links").begin_array();
    for (const auto& [name, path] : links.links)
      json.begin_object(true).member("name", name).member("path", path).end();
    json.end().end();
  }
  void operator()(const FoldBlock& fold) const {
    json.begin_object().member("kind", "fold").member("title", fold.title).key("blocks").begin_array();
    for (const ReportBlock& block : fold.blocks) std::visit(*this, block);
    json.end().end();
  }
};

}  // namespace

void TableBlock::erase_column(std::size_t at) {
  const auto place = static_cast<std::ptrdiff_t>(at);
  columns.erase(columns.begin() + place);
  for (TableRow& row : rows) {
    if (at < row.cells.size()) row.cells.erase(row.cells.begin() + place);
    if (at < row.values.size()) row.values.erase(row.values.begin() + place);
    if (at < row.ends.size()) row.ends.erase(row.ends.begin() + place);
  }
}

void tidy(ReportDocument& document) {
  for (ReportSection& section : document.sections) {
    say_in_runs(section.finding);
    tidy_blocks(section.blocks);
  }
  std::erase_if(document.sections, [](const ReportSection& section) { return section.empty(); });
}

std::vector<const ChartBlock*> charts_in(const ReportDocument& document) {
  std::vector<const ChartBlock*> charts;
  for (const ReportSection& section : document.sections)
    for (const ReportBlock& block : section.blocks)
      if (const auto* chart = std::get_if<ChartBlock>(&block)) charts.push_back(chart);
  return charts;
}

void write_report(JsonWriter& json, const ReportDocument& document) {
  const ReportHead& head = document.head;
  json.begin_object().member("report", 1).key("head").begin_object();
  json.member("title", head.title).member("goal", head.goal).member("made", head.made);
  json.member("version", head.version).member("prices", head.prices).member("command", head.command).end();
  json.key("sections").begin_array();
  for (const ReportSection& section : document.sections) {
    json.begin_object().member("key", section.key).member("title", section.title).member("finding", section.finding);
    json.key("blocks").begin_array();
    for (const ReportBlock& block : section.blocks) std::visit(BlockWriter{json}, block);
    json.end().end();
  }
  json.end().end();
}

}  // namespace gpuplan
