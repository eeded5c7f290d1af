#include "output/runs/log_report.h"

#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/log/log_values.h"
#include "output/runs/check_report.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string value_words(double value) {
  constexpr int kDigits = 4;
  if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : "infinite";
  return std::abs(value) >= 9999.5 ? count_text(value) : significant_text(value, kDigits);
}

/// "failed", "done", "unfinished" or "unknown": a word for JSON as well.
std::string_view end_of_log(const LogReport& report) {
  const RunCheck& check = report.check;
  if (!check.reasons.empty() && !check.open_end) return "failed";
  if (check.done) return "done";
  return check.planned_steps > 0 ? "unfinished" : "unknown";
}

std::string first_line(const LogReport& report) {
  const RunCheck& check = report.check;
  const std::string_view end = end_of_log(report);
  std::string words = end == "failed" ? "FAILED: " + join(check.reasons, "; ") : end == "done" ? "DONE" : "";
  std::string steps;
  if (check.steps) {
    steps = "step " + count_text(*check.steps);
    if (check.planned_steps > 0) steps += " of " + count_text(check.planned_steps);
    else steps += "; the log does not say how many are planned";
  } else if (report.log.epoch) {
    steps = "epoch " + significant_text(*report.log.epoch, 4) + "; the log does not say its steps";
  } else if (!report.log.loss.empty()) {
    steps = count_of(static_cast<double>(report.log.loss.count()), "value") + " of the loss" +
            "; the log does not say its steps";
  }
  if (words.empty()) words = end == "unfinished" ? "UNFINISHED" : "READ";
  if (!steps.empty()) words += (end == "failed" ? "; " : ": ") + steps;
  return words + ".";
}

std::string source_words(const LogReport& report) {
  std::vector<std::string> files, formats;
  for (const std::string& file : report.files) files.push_back(printable(file, 80));
  for (const LogFormat format : report.log.formats) formats.emplace_back(name_of(format));
  std::string words = listed(files) + " (" +
                      (formats.empty() ? std::string("no format that is known") : listed(formats)) + ", " +
                      count_of(static_cast<double>(report.log.lines), "line");
  if (report.log.cut_off) words += ", the last one incomplete";
  return words + ")";
}

struct Row {
  std::string_view key, name;
  double value = 0, unit = 1;
  std::optional<double> low, high;
  std::string text, low_text{}, high_text{};
};

std::vector<Row> rows_of(const LogReport& report) {
  std::vector<Row> rows;
  for (const RunFigure& figure : report.check.figures) {
    const auto text = [&](const std::optional<double>& value) { return value ? figure_text(figure.what, *value) : ""; };
    rows.push_back({name_of(figure.what), figure_name(figure.what), figure.value, figure_unit(figure.what), figure.low,
                    figure.high, text(figure.value), text(figure.low), text(figure.high)});
  }
  const auto rate = [&](std::string_view key, std::string_view name, const Series& series, const char* unit) {
    const Points points = after_warm_up(points_of(series));
    const auto text = [unit](const std::optional<double>& value) { return value ? rate_text(*value) + unit : ""; };
    const auto middle = median_of(points), low = quantile_of(points, 0.1), high = quantile_of(points, 0.9);
    if (middle) rows.push_back({key, name, *middle, 1, low, high, text(middle), text(low), text(high)});
  };
  if (report.log.tokens_per_second.empty())
    rate("tokens_per_second_per_gpu", "throughput per GPU", report.log.tokens_per_second_per_gpu, " tokens/s");
  rate("sequences_per_second", "samples per second", report.log.sequences_per_second, " samples/s");
  return rows;
}

/// The first step that the log tells of, where it is no beginning: an excerpt, or a run that went on.
std::optional<double> begins_late(const RunLog& log) {
  if (!log.first_step || !(*log.first_step > 1)) return std::nullopt;
  for (const Series* series : {&log.loss, &log.step_seconds, &log.sequences_per_second}) {
    if (series->count() < 2) continue;
    const double span = series->last().step - series->first().step;
    return *log.first_step > 2 * span / static_cast<double>(series->count() - 1) ? log.first_step : std::nullopt;
  }
  return log.first_step;
}

std::string series_words(const SeriesSummary& one) {
  std::string words = value_words(one.first) + " to " + value_words(one.end) + " (" +
                      count_of(static_cast<double>(one.count), "value") + ")";
  if (!one.fall) return words;
  if (!one.fall->finite) return words + "; some values are not finite";
  if (!one.fall->falls()) return words + "; does not fall";
  if (one.end > one.first) return words + "; ends above its start";
  return words + (one.fall->smoothly() ? "; falls smoothly" : "; falls, not smoothly");
}

/// Name and words of what stands in no table.
std::vector<std::pair<std::string, std::string>> facts_of(const LogReport& report) {
  const RunLog& log = report.log;
  const RunCheck& check = report.check;
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](std::string name, std::string words) { facts.emplace_back(std::move(name), std::move(words)); };
  if (check.steps) {
    std::string words = count_text(*check.steps);
    if (check.planned_steps > 0) words += " of " + count_text(check.planned_steps);
    if (const auto first = begins_late(report.log)) words += ", the log begins at step " + count_text(*first);
    else if (check.elapsed) words += " in " + hours_words(*check.elapsed);
    if (log.runs_before > 0) words += ", the last of " + count_text(log.runs_before + 1) + " runs in the log";
    if (check.restarts > 0) words += ", restarted " + count_of(static_cast<double>(check.restarts), "time");
    add("steps", words);
  } else if (check.elapsed) {
    add("elapsed", hours_words(*check.elapsed));
  }
  if (check.loss) add("loss", series_words(*check.loss));
  if (check.validation) add("validation", series_words(*check.validation));
  if (check.grad_norm) add("gradient norm", "median " + value_words(check.grad_norm->median));
  if (log.processes) add("GPUs", count_text(*log.processes) + (log.gpu.empty() ? "" : "x " + log.gpu));
  else if (!log.gpu.empty()) add("GPU", log.gpu);
  if (log.tokens_per_step) add("tokens per step", count_text(*log.tokens_per_step));
  else if (log.sequences_per_step) add("samples per step", count_text(*log.sequences_per_step));
  if (log.parameters) add("parameters", count_text(*log.parameters));
  if (log.kv_cache || log.kv_cache_tokens) {
    std::string words = log.kv_cache ? significant_text(*log.kv_cache / units::GiB, 3) + " GiB" : "";
    if (log.kv_cache_tokens) words += (words.empty() ? "" : ", ") + count_text(*log.kv_cache_tokens) + " tokens";
    add("KV cache", words);
  }
  if (check.projection)
    add("at this pace", hours_words(check.projection->left.p50) + " left for " +
                            count_text(check.projection->steps_left) + " steps; in all " +
                            hours_words(check.projection->hours.p50));
  if (check.bad_losses > 0)
    add("not finite", count_of(static_cast<double>(check.bad_losses), "value") + ", the last " +
                          place_of(*last_event(log, LogEvent::Kind::kNotFinite), report.files.size() > 1));
  return facts;
}

std::string place_words(const LogPlace& place, const LogReport& report) {
  std::string words = count_text(place.line);
  if (report.files.size() > 1 && place.file < report.files.size())
    words += " of " + printable(report.files[place.file], 40);
  return words;
}

Table format_table(const LogReport& report) {
  Table table({{.title = "FORMAT"},
               {.title = "RECORDS", .align = Align::kRight},
               {.title = "FIRST LINE", .align = Align::kRight},
               {.title = "LAST LINE", .align = Align::kRight}});
  for (const FormatLines& one : report.log.format_lines)
    table.add({{std::string(name_of(one.format))},
               {count_text(static_cast<double>(one.records))},
               {place_words(one.first, report)},
               {place_words(one.last, report)}});
  return table;
}

/// Which series were read, from which of the log's lines.
Table series_table(const LogReport& report) {
  const RunLog& log = report.log;
  Table table({{.title = "READ"},
               {.title = "VALUES", .align = Align::kRight},
               {.title = "FIRST", .align = Align::kRight},
               {.title = "LAST", .align = Align::kRight},
               {.title = "FROM LINE", .align = Align::kRight},
               {.title = "TO LINE", .align = Align::kRight}});
  const std::pair<const char*, const Series*> all[] = {{"loss", &log.loss},
                                                       {"validation_loss", &log.validation},
                                                       {"grad_norm", &log.grad_norm},
                                                       {"learning_rate", &log.learning_rate},
                                                       {"step_time, s", &log.step_seconds},
                                                       {"throughput, tokens/s", &log.tokens_per_second},
                                                       {"throughput per GPU, tokens/s", &log.tokens_per_second_per_gpu},
                                                       {"samples per second", &log.sequences_per_second},
                                                       {"model FLOP/s per GPU", &log.model_flops},
                                                       {"generation, tokens/s", &log.output_tokens_per_second}};
  for (const auto& [name, series] : all)
    if (!series->empty())
      table.add({{name},
                 {count_text(static_cast<double>(series->count()))},
                 {value_words(series->first().value)},
                 {value_words(series->last().value)},
                 {count_text(series->first().line)},
                 {count_text(series->last().line)}});
  return table;
}

Table column_table(const LogReport& report) {
  Table table({{.title = "NAME", .narrowest = 16},
               {.title = "VALUES", .align = Align::kRight},
               {.title = "FIRST", .align = Align::kRight},
               {.title = "LAST", .align = Align::kRight},
               {.title = "FIRST LINE", .align = Align::kRight}});
  for (const LogColumn& one : report.log.columns)
    table.add({{one.name},
               {count_text(static_cast<double>(one.count))},
               {value_words(one.first)},
               {value_words(one.last)},
               {place_words(one.at, report)}});
  return table;
}

}  // namespace

std::string log_text(const LogReport& report, const Screen& screen) {
  const std::string_view end = end_of_log(report);
  std::string text = paragraph(first_line(report), screen, 0, 2,
                               end == "failed" ? Paint::kRed
                               : end == "done" ? Paint::kGreen
                                               : Paint::kYellow);
  text += paragraph(source_words(report), screen, 0, 2);
  Table figures({{.title = "METRIC"},
                 {.title = "MEASURED", .align = Align::kRight},
                 {.title = "P10", .align = Align::kRight},
                 {.title = "P90", .align = Align::kRight}});
  for (const Row& row : rows_of(report)) {
    figures.add({{std::string(row.name)}, {row.text}, {row.low_text}, {row.high_text}});
  }
  if (!figures.empty()) text += '\n' + figures.text(screen);
  constexpr int kWidth = 18;
  std::string facts;
  for (const auto& [name, words] : facts_of(report)) facts += labelled(name, words, screen, kWidth);
  if (!facts.empty()) text += '\n' + facts;
  if (!report.lines) return text;
  if (const Table table = format_table(report); !table.empty()) text += '\n' + table.text(screen);
  if (const Table table = series_table(report); !table.empty()) text += '\n' + table.text(screen);
  if (const Table table = column_table(report); !table.empty()) {
    text += '\n' + heading("Names with numbers (--map loss=NAME,step=NAME reads them)", screen);
    text += table.text(screen);
  }
  return text;
}

std::string log_csv(const LogReport& report) {
  std::vector<Column> columns;
  for (const char* key : {"kind", "name", "value", "p10", "p90", "count", "first_line", "last_line"})
    columns.push_back({.title = "", .key = key});
  Table table(std::move(columns));
  table.add({{"end"}, {std::string(end_of_log(report))}});
  const auto number = [](std::optional<double> value) { return value ? Cell(*value, "") : Cell(); };
  table.add({{"steps"}, {"done"}, number(report.check.steps)});
  table.add({{"steps"}, {"planned"}, number(report.log.planned_steps)});
  for (const auto& [name, summary] :
       {std::pair{"loss", &report.check.loss}, {"validation_loss", &report.check.validation}})
    if (*summary) table.add({{"series"}, {name}, number((*summary)->end), {}, {}, number((*summary)->count)});
  for (const Row& row : rows_of(report))
    table.add({{"figure"},
               {std::string(row.key)},
               number(row.value / row.unit),
               number(row.low ? std::optional(*row.low / row.unit) : std::nullopt),
               number(row.high ? std::optional(*row.high / row.unit) : std::nullopt)});
  for (const FormatLines& one : report.log.format_lines)
    table.add({{"format"},
               {std::string(name_of(one.format))},
               {},
               {},
               {},
               number(static_cast<double>(one.records)),
               number(one.first.line),
               number(one.last.line)});
  for (const LogColumn& one : report.log.columns)
    table.add({{"column"},
               {one.name},
               number(one.last),
               {},
               {},
               number(static_cast<double>(one.count)),
               number(one.at.line)});
  return table.csv();
}

std::string log_json(const LogReport& report) {
  const RunLog& log = report.log;
  const RunCheck& check = report.check;
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/log@1").member("files", report.files);
  std::vector<std::string> formats;
  for (const LogFormat format : log.formats) formats.emplace_back(name_of(format));
  json.member("formats", formats).member("bytes", log.bytes).member("lines", log.lines);
  json.member("cut_off", log.cut_off).member("end", end_of_log(report)).member("words", first_line(report));
  json.member("reasons", check.reasons);
  json.member("steps", check.steps).member("planned_steps", log.planned_steps).member("epoch", log.epoch);
  json.member("elapsed_hours", check.elapsed ? std::optional(*check.elapsed / units::hour) : std::nullopt);
  json.member("hours_left", check.projection ? std::optional(check.projection->left.p50 / units::hour) : std::nullopt);
  json.member("gpus", log.processes);
  write_text_or_null(json, "gpu", log.gpu);
  json.member("tokens_per_step", log.tokens_per_step).member("sequences_per_step", log.sequences_per_step);
  json.member("parameters", log.parameters).member("restarts", check.restarts).member("not_finite", check.bad_losses);
  json.member("kv_cache_gib", log.kv_cache ? std::optional(*log.kv_cache / units::GiB) : std::nullopt);
  json.member("kv_cache_tokens", log.kv_cache_tokens);
  json.key("figures").begin_array();
  for (const Row& row : rows_of(report)) {
    json.begin_object(true).member("name", row.key).member("measured", row.value / row.unit);
    json.member("p10", row.low ? std::optional(*row.low / row.unit) : std::nullopt);
    json.member("p90", row.high ? std::optional(*row.high / row.unit) : std::nullopt).end();
  }
  json.end();
  for (const auto& [name, summary] : {std::pair{"loss", &check.loss}, {"validation_loss", &check.validation}}) {
    if (!*summary) {
      json.null_member(name);
      continue;
    }
    json.key(name).begin_object(true).member("first", (*summary)->first).member("end", (*summary)->end);
    json.member("values", (*summary)->count).end();
  }
  json.key("format_lines").begin_array();
  for (const FormatLines& one : log.format_lines) {
    json.begin_object(true).member("format", name_of(one.format)).member("records", one.records);
    json.member("first_line", one.first.line).member("last_line", one.last.line).end();
  }
  json.end().key("columns").begin_array();
  for (const LogColumn& one : log.columns) {
    json.begin_object(true).member("name", one.name).member("values", one.count).member("first", one.first);
    json.member("last", one.last).member("first_line", one.at.line).end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
