#include "output/prices/import_report.h"

#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

ImportedList total_of(const ImportRecord& record) {
  ImportedList all;
  for (const ImportedList& list : record.lists) {
    all.rows += list.rows;
    all.kept += list.kept;
    all.corrected += list.corrected;
    all.rejected += list.rejected;
  }
  return all;
}

std::string rows_text(std::uint64_t rows) { return count_text(static_cast<double>(rows)); }

using Reasons = std::vector<std::pair<std::string, std::uint64_t>>;

Reasons most_first(const std::map<std::string, std::uint64_t>& reasons) {
  Reasons sorted(reasons.begin(), reasons.end());
  sort_stably(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

void write_reasons(JsonWriter& json, const char* key, const Reasons& reasons) {
  json.key(key).begin_array();
  for (const auto& [reason, rows] : reasons)
    json.begin_object(true).member("reason", reason).member("rows", rows).end();
  json.end();
}

void write_counts(JsonWriter& json, const ImportedList& list) {
  json.member("rows", list.rows).member("kept", list.kept);
  json.member("corrected", list.corrected).member("rejected", list.rejected);
}

Table lists_table(const ImportReport& report) {
  Table table({{.title = "FILE", .narrowest = 16, .key = "file"},
               {.title = "FORMAT", .drop = 1, .narrowest = 12, .key = "format"},
               {.title = "READ", .align = Align::kRight, .key = "rows"},
               {.title = "KEPT", .align = Align::kRight, .key = "kept"},
               {.title = "CORRECTED", .align = Align::kRight, .key = "corrected"},
               {.title = "REJECTED", .align = Align::kRight, .key = "rejected"}});
  const auto cell = [](std::uint64_t rows) { return Cell(static_cast<double>(rows), rows_text(rows)); };
  for (const ImportedList& list : report.record.lists)
    table.add({printable(list.file, 120), printable(list.format, 60), cell(list.rows), cell(list.kept),
               cell(list.corrected), cell(list.rejected)});
  return table;
}

Table reasons_table(const Reasons& reasons, const char* title) {
  Table table({{.title = "ROWS", .align = Align::kRight}, {.title = title, .narrowest = 30, .wrap = true}});
  for (const auto& [reason, rows] : reasons) table.add({rows_text(rows), printable(reason, 160)});
  return table;
}

constexpr std::size_t kReasonsShown = 8;

std::string reasons_text(Reasons reasons, const char* title, const ImportReport& report, const Screen& screen) {
  if (reasons.empty()) return "";
  std::size_t more = 0;
  if (!report.details && reasons.size() > kReasonsShown + 1) {
    more = reasons.size() - kReasonsShown;
    reasons.resize(kReasonsShown);
  }
  std::string text = '\n' + reasons_table(reasons, title).text(screen);
  if (more > 0) text += paragraph(count_of(static_cast<double>(more), "more reason") + " (--details).", screen);
  return text;
}

}  // namespace

std::string import_text(const ImportReport& report, const Screen& screen) {
  const ImportedList all = total_of(report.record);
  std::string text = count_of(static_cast<double>(all.rows), "row") + " read: " + rows_text(all.kept) + " kept";
  if (all.corrected > 0) text += " (" + rows_text(all.corrected) + " corrected)";
  text += ", " + rows_text(all.rejected) + " rejected";
  const std::string place = printable(report.store, 200);
  if (report.record.number == 0) text += ". Nothing is stored, as --dry-run asks.";
  else text += "; stored in " + place + ".";
  text = paragraph(text, screen, 0, 0);
  if (report.record.lists.size() > 1) text += '\n' + lists_table(report).text(screen);
  text += reasons_text(most_first(report.rejections), "REJECTED BECAUSE", report, screen);
  text += reasons_text(most_first(report.corrections), "CORRECTED", report, screen);
  const auto unlikely = [](const auto& reason) { return reason.first.starts_with("a price far "); };
  if (std::ranges::any_of(report.rejections, unlikely))
    text += '\n' + paragraph("Right all the same? --keep-unlikely takes them.", screen);
  if (!report.dates.empty()) text += '\n';
  for (const std::string& line : report.dates) text += paragraph(line, screen);
  if (report.details && !report.notes.empty()) {
    text += '\n';
    for (const ImportNote& note : report.notes) {
      std::string line = printable(note.file, 120);
      if (note.row > 0) line += ':' + std::to_string(note.row);
      line.append(note.rejected ? ": rejected: " : ": corrected: ").append(printable(note.reason, 160));
      if (!note.words.empty()) line.append(" (").append(printable(note.words, 120)).append(")");
      text += paragraph(line, screen, 2, 4);
    }
  }
  return text;
}

std::string import_json(const ImportReport& report) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/prices-import@1");
  if (report.record.number == 0) json.null_member("import");
  else json.member("import", report.record.number);
  json.member("store", report.store);
  write_counts(json, total_of(report.record));
  json.key("lists").begin_array();
  for (const ImportedList& list : report.record.lists) {
    json.begin_object(true).member("file", list.file).member("format", list.format);
    write_counts(json, list);
    json.end();
  }
  json.end();
  write_reasons(json, "rejections", most_first(report.rejections));
  write_reasons(json, "corrections", most_first(report.corrections));
  json.member("dates", report.dates);
  if (report.details) {
    json.key("notes").begin_array();
    for (const ImportNote& note : report.notes)
      json.begin_object(true)
          .member("file", note.file)
          .member("row", note.row)
          .member("what", note.rejected ? "rejected" : "corrected")
          .member("reason", note.reason)
          .member("words", note.words)
          .end();
    json.end();
  }
  json.end();
  return json.take();
}

std::string import_csv(const ImportReport& report) { return lists_table(report).csv(); }

}  // namespace gpuplan
