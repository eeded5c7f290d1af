#include "output/facts/fetch_report.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/price_age.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

using FetchOutcome = FetchRow::Outcome;

std::string_view outcome_words(FetchOutcome outcome) {
  constexpr std::array<std::string_view, 4> kWords = {"fetched", "not changed", "failed", "no key"};
  return kWords[static_cast<std::size_t>(outcome)];
}

Paint outcome_paint(FetchOutcome outcome) {
  if (outcome == FetchOutcome::kFailed) return Paint::kRed;
  return outcome == FetchOutcome::kFetched ? Paint::kGreen : Paint::kDim;
}

Cell count_cell(std::uint64_t count, bool known) {
  return known ? Cell(static_cast<double>(count), count_text(static_cast<double>(count))) : Cell();
}

Cell date_cell(const std::string& date, const std::string& today) {
  const auto days = days_old(date, today);
  if (date.empty()) return {};
  return {days && *days > 0 ? date + " (" + count_of(*days, "day") + ")" : date};
}

Table fetch_table(const FetchReport& report) {
  Table table({{.title = "LIST", .key = "list"},
               {.title = "RESULT", .key = "result"},
               {.title = "KEPT", .align = Align::kRight, .key = "rows_kept"},
               {.title = "REJECTED", .align = Align::kRight, .drop = 2, .key = "rows_rejected"},
               {.title = "PRICES OF", .drop = 1, .key = "date"},
               {.title = "BEFORE", .drop = 3, .key = "before"},
               {.title = "WHY", .narrowest = 30, .wrap = true, .key = "reason"}});
  for (const FetchRow& row : report.rows) {
    const bool fetched = row.outcome == FetchOutcome::kFetched;
    table.add({row.list, Cell(std::string(outcome_words(row.outcome)), outcome_paint(row.outcome)),
               count_cell(row.kept, fetched), count_cell(row.rejected, fetched), date_cell(row.date, report.today),
               date_cell(row.before, report.today), printable(row.reason, 400)});
  }
  return table;
}

std::string summary(const FetchReport& report) {
  std::uint64_t kept = 0;
  double fetched = 0, same = 0, failed = 0, keyless = 0;
  for (const FetchRow& row : report.rows) {
    kept += row.kept;
    fetched += row.outcome == FetchOutcome::kFetched ? 1 : 0;
    same += row.outcome == FetchOutcome::kNotChanged ? 1 : 0;
    failed += row.outcome == FetchOutcome::kFailed ? 1 : 0;
    keyless += row.outcome == FetchOutcome::kNoKey ? 1 : 0;
  }
  std::vector<std::string> rest;
  if (same > 0) rest.push_back(count_of(same, "list") + " not changed");
  if (failed > 0) rest.push_back(count_of(failed, "list") + " failed");
  if (keyless > 0) rest.push_back(count_of(keyless, "list") + " left out for want of a key");
  std::string text = "Fetched nothing";
  if (fetched > 0)
    text = "Fetched " + count_of(static_cast<double>(kept), "offer") + " in " + count_of(fetched, "list");
  if (!rest.empty()) text += fetched > 0 ? "; " : ": ";
  text += join(rest, ", ");
  text += '.';
  if (fetched > 0 && !report.store.empty()) text += " They are in " + printable(report.store) + ".";
  return text;
}

Table sources_table(const std::vector<SourceRow>& rows) {
  Table table({{.title = "LIST", .key = "list"},
               {.title = "", .key = "title"},
               {.title = "", .key = "provider"},
               {.title = "KEY", .key = "key"},
               {.title = "", .key = "variables"},
               {.title = "FETCHED", .drop = 2, .key = "fetched"},
               {.title = "ADDRESS", .narrowest = 40, .wrap = true, .key = "address"},
               {.title = "", .key = "notes"}});
  for (const SourceRow& row : rows)
    table.add({row.list, row.title, row.provider,
               row.variables.empty() ? Cell(row.key, Paint::kDim) : Cell(row.variables + ": " + row.key), row.variables,
               row.asked ? "always" : "when named", row.address, row.notes});
  return table;
}

}  // namespace

bool FetchReport::all_came() const {
  return std::ranges::none_of(rows, [](const FetchRow& row) { return row.outcome == FetchRow::Outcome::kFailed; });
}

std::string fetch_text(const FetchReport& report, const Screen& screen) {
  std::string text = paragraph(summary(report), screen, 0, 0);
  if (report.rows.empty()) return text;
  return text + '\n' + fetch_table(report).text(screen);
}

std::string fetch_json(const FetchReport& report) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/prices-fetch@1").member("today", report.today);
  if (report.store.empty()) json.null_member("store");
  else json.member("store", report.store);
  json.key("lists").begin_array();
  for (const FetchRow& row : report.rows) {
    json.begin_object(true).member("list", row.list).member("title", row.title);
    json.member("result", outcome_words(row.outcome));
    if (row.outcome == FetchOutcome::kFetched)
      json.member("rows_kept", row.kept).member("rows_rejected", row.rejected).member("bytes", row.bytes);
    const auto text = [&](std::string_view name, const std::string& value) {
      if (value.empty()) json.null_member(name);
      else json.member(name, value);
    };
    text("date", row.date);
    text("before", row.before);
    text("reason", row.reason);
    json.end();
  }
  json.end().end();
  return json.take();
}

std::string fetch_csv(const FetchReport& report) { return fetch_table(report).csv(); }

std::string sources_text(const std::vector<SourceRow>& rows, const Screen& screen) {
  return sources_table(rows).text(screen);
}

std::string sources_json(const std::vector<SourceRow>& rows) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/price-sources@1").key("sources").begin_array();
  for (const SourceRow& row : rows)
    json.begin_object(true)
        .member("list", row.list)
        .member("title", row.title)
        .member("provider", row.provider)
        .member("address", row.address)
        .member("key", row.key)
        .member("variables", row.variables)
        .member("fetched_unnamed", row.asked)
        .member("notes", row.notes)
        .end();
  json.end().end();
  return json.take();
}

std::string sources_csv(const std::vector<SourceRow>& rows) { return sources_table(rows).csv(); }

}  // namespace gpuplan
