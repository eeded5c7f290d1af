#include "output/runs/calibrate_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/math.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string figure_words(Metric metric, double value) {
  switch (metric) {
    case Metric::kStepSeconds:
      return to_text(Seconds{value});
    case Metric::kFirstToken:
    case Metric::kPerToken:
      return to_text(Seconds{value / 1e3});
    case Metric::kPeakMemory:
      return fixed_text(value, 1) + " GiB";
    default:
      return rate_text(value) + " tokens/s";
  }
}

/// Median and range, each with its unit: they may differ.
std::string predicted_words(Metric metric, const Interval<double>& p) {
  return figure_words(metric, p.p50) + " (" + figure_words(metric, p.p10) + "–" + figure_words(metric, p.p90) + ")";
}

std::string_view figure_of(Metric metric) {
  switch (metric) {
    case Metric::kStepSeconds:
      return "step";
    case Metric::kFirstToken:
      return "TTFT";
    case Metric::kPerToken:
      return "TPOT";
    case Metric::kPeakMemory:
      return "peak memory";
    case Metric::kPrefillRate:
      return "prompts";
    default:
      return "throughput";
  }
}

std::string times_text(double factor) { return fixed_text(factor, factor < 10 ? 2 : 0) + "x"; }

std::string what_ran(const OwnRow& row) {
  const MeasuredRun& run = common_of(row.run);
  std::string text = printable(run.model, 40);
  if (!text.empty()) text += ", ";
  text += count_text(run.gpus.value_or(1)) + "x " + printable(run.gpu, 40);
  if (!run.framework.empty()) text += ", " + printable(run.framework, 30);
  return text;
}

/// Measured over predicted, as it stands there.
double ratio(const MetricPrediction& one) { return one.measured / one.predicted.p50; }

std::string_view figure_name(ErrorFigure figure) {
  switch (figure) {
    case ErrorFigure::kTime:
      return "training takes";
    case ErrorFigure::kMemory:
      return "training needs memory";
    case ErrorFigure::kRate:
      return "generation takes";
    case ErrorFigure::kPrefill:
      return "reading prompts takes";
    case ErrorFigure::kPerToken:
      return "an output token takes";
    case ErrorFigure::kFirstToken:
      return "the first token takes";
    case ErrorFigure::kServingMemory:
      break;
  }
  return "generation needs memory";
}

std::string range_text(const ExpectedError& error) {
  const double half = kZ90 * std::sqrt(error.variance);
  return fixed_text(math::exp(error.shift - half), 2) + "–" + times_text(math::exp(error.shift + half));
}

std::string teaching_words(const Teaching& teaching) {
  const ErrorLabels& labels = teaching.like->run.labels;
  return printable(labels.software, 30) + " on " + printable(labels.card, 40) + ": " +
         std::string(figure_name(teaching.figure)) + " " + times_text(math::exp(teaching.now.shift)) +
         " what is predicted without own runs (80% range " + range_text(teaching.now) + ", before " +
         range_text(teaching.before) + "; " + count_of(teaching.runs, "run") + ").";
}

Table rows_table(const CalibrateReport& report) {
  Table table({{.title = "ID", .key = "id"},
               {.title = "DATE", .drop = 2, .key = "date"},
               {.title = "RUN", .narrowest = 20, .wrap = true, .key = "run"},
               {.title = "FIGURE"},
               {.title = "MEASURED", .align = Align::kRight},
               {.title = "PREDICTED", .align = Align::kRight, .unit = "P50 (P10–P90)"},
               {.title = "RATIO", .align = Align::kRight, .key = "ratio"},
               {.title = "", .key = "state"},
               {.title = "", .key = "figure"},
               {.title = "", .key = "measured"},
               {.title = "", .key = "predicted"}});
  for (const ComparedRow& row : report.rows) {
    const OwnRow& own = *row.row;
    const std::string state = !row.prediction.refused.empty() ? "cannot be used: " + printable(row.prediction.refused)
                              : own.use                       ? ""
                                                              : "off";
    std::vector<Cell> cells = {own.id, own.date, what_ran(own)};
    if (row.prediction.metrics.empty()) {
      cells.insert(cells.end(), {"", "", "", "", state});
      table.add(std::move(cells));
      continue;
    }
    for (const MetricPrediction& one : row.prediction.metrics) {
      const Interval<double>& p = one.predicted;
      std::string predicted = predicted_words(one.metric, p);
      std::vector<Cell> line = cells;
      line.insert(line.end(), {Cell(std::string(figure_of(one.metric))), Cell(figure_words(one.metric, one.measured)),
                               Cell(std::move(predicted)), Cell(ratio(one), times_text(ratio(one))), Cell(state),
                               Cell(std::string(name_of(one.metric))), Cell(one.measured), Cell(p.p50)});
      table.add(std::move(line));
      cells = {own.id, "", ""};
    }
  }
  return table;
}

void write_row(JsonWriter& json, const ComparedRow& row) {
  const OwnRow& own = *row.row;
  const MeasuredRun& run = common_of(own.run);
  json.begin_object();
  json.member("id", own.id);
  write_text_or_null(json, "date", own.date);
  json.member("use", own.use)
      .member("kind", std::holds_alternative<TrainingRun>(own.run) ? "training" : "generation")
      .member("job", own.job)
      .member("phase", own.phase)
      .member("log", own.log)
      .member("model", run.model)
      .member("gpu", run.gpu)
      .member("gpus", run.gpus)
      .member("framework", run.framework);
  write_text_or_null(json, "refused", row.prediction.refused);
  json.key("figures").begin_array();
  for (const MetricPrediction& one : row.prediction.metrics) {
    json.begin_object(true).member("name", name_of(one.metric)).member("measured", one.measured);
    json.member("predicted", one.predicted.p50)
        .member("p10", one.predicted.p10)
        .member("p90", one.predicted.p90)
        .member("ratio", ratio(one))
        .end();
  }
  json.end().end();
}

void write_hours(JsonWriter& json, std::string_view name, const std::optional<Interval<Seconds>>& time) {
  if (time) write_interval(json, name, *time, units::hour);
  else json.null_member(name);
}

}  // namespace

std::vector<std::string> odd_words(const CalibrateReport& report) {
  std::vector<std::string> words;
  for (const ComparedRow& row : report.rows) {
    if (!row.used()) continue;
    const auto off = std::ranges::find_if(row.prediction.metrics, [](const MetricPrediction& one) {
      return std::abs(one.log_error()) > math::log(kOddFactor);
    });
    if (off == row.prediction.metrics.end()) continue;
    std::string text = "Run " + row.row->id + " is " + times_text(ratio(*off)) + " of what is predicted for it (" +
                       std::string(name_of(off->metric)) + ")";
    const auto taught = std::ranges::find_if(report.teachings, [&](const Teaching& one) {
      return one.figure == error_figure(off->judged) && one.like->run.labels.software == row.run.labels.software &&
             one.like->run.labels.card == row.run.labels.card;
    });
    if (taught != report.teachings.end())
      text += ": all runs together make that " + times_text(math::exp(taught->now.shift)) + " there";
    words.push_back(text + ". If it is not what the plan says: gpuplan calibrate --forget " + row.row->id);
  }
  constexpr double kMuchWider = 4;  // of the variance: twice as far
  for (const Teaching& one : report.teachings)
    if (one.wider >= kMuchWider)
      words.push_back(printable(one.like->run.labels.software, 30) + " on " + printable(one.like->run.labels.card, 40) +
                      ": its runs are further apart than configurations " + "are (" + std::string(name_of(one.figure)) +
                      "), so what is predicted there has a wide range");
  for (const OwnContradiction& one : report.contradictions)
    words.push_back("Runs " + one.one->id + " and " + one.other->id + " contradict each other: beside what is " +
                    "predicted, one is " + times_text(one.times) + " of the other (" +
                    std::string(name_of(one.figure)) +
                    "). Forget the one that is wrong: gpuplan calibrate --forget ID");
  return words;
}

std::string calibrate_text(const CalibrateReport& report, const Screen& screen) {
  std::string text;
  if (!report.kept) return own_runs_text(report, screen);
  const ComparedRow& row = *report.kept->row;
  std::vector<std::string> figures;
  for (const MetricPrediction& one : row.prediction.metrics)
    figures.push_back(std::string(figure_of(one.metric)) + " " + figure_words(one.metric, one.measured) +
                      " measured, " + figure_words(one.metric, one.predicted.p50) + " predicted (" +
                      times_text(ratio(one)) + ")");
  text +=
      paragraph("Learned from " + what_ran(*row.row) + ": " + join(figures, "; ") + ".", screen, 0, 2, Paint::kGreen);
  if (!report.differs.empty())
    text += paragraph("The row holds what the log states: " + listed(report.differs) + ".", screen, 0, 2);
  if (report.kept->before && report.kept->now)
    text +=
        paragraph("This plan's " + (row.row->phase.empty() ? "work" : printable(row.row->phase, 60)) + ": predicted " +
                      range_words(*report.kept->before) + " before, " + range_words(*report.kept->now) + " now.",
                  screen, 0, 2);
  for (const std::string& odd : odd_words(report)) text += paragraph(odd, screen, 0, 2, Paint::kYellow);
  const auto used = std::ranges::count_if(report.rows, &ComparedRow::used);
  text += paragraph(
      "Kept as " + row.row->id + " in " + report.file + ", " + count_of(static_cast<double>(used), "run") +
          " in use. All of them: gpuplan calibrate --list; not this one: gpuplan calibrate --forget " + row.row->id,
      screen, 0, 2, Paint::kDim);
  return text;
}

std::string own_runs_text(const CalibrateReport& report, const Screen& screen) {
  if (report.rows.empty())
    return paragraph("No own runs" + (report.file.empty() ? std::string() : " in " + report.file) +
                         ". Keep one: gpuplan calibrate run.log --job job.yaml",
                     screen, 0, 2);
  const auto used = std::ranges::count_if(report.rows, &ComparedRow::used);
  const std::string all = count_text(static_cast<double>(report.rows.size()));
  std::string text =
      paragraph(count_of(static_cast<double>(used), "own run") + " in use" +
                    (static_cast<std::size_t>(used) == report.rows.size() ? "" : " of " + all) + ": " + report.file,
                screen, 0, 2);
  text += '\n' + rows_table(report).text(screen);
  if (!report.teachings.empty()) {
    text += '\n' + heading("What they teach together", screen);
    for (const Teaching& teaching : report.teachings) text += paragraph("- " + teaching_words(teaching), screen, 2, 4);
  }
  for (const std::string& odd : odd_words(report)) text += '\n' + paragraph(odd, screen, 0, 2, Paint::kYellow);
  return text;
}

std::string own_runs_csv(const CalibrateReport& report) { return rows_table(report).csv(); }

std::string calibrate_json(const CalibrateReport& report) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/calibrate@1");
  write_text_or_null(json, "file", report.file);
  if (report.kept) {
    json.key("kept").begin_object().member("id", report.kept->row->row->id);
    write_hours(json, "hours_before", report.kept->before);
    write_hours(json, "hours_now", report.kept->now);
    json.end();
  } else {
    json.null_member("kept");
  }
  json.member("in_use", std::ranges::count_if(report.rows, &ComparedRow::used));
  json.key("rows").begin_array();
  for (const ComparedRow& row : report.rows) write_row(json, row);
  json.end().key("teaches").begin_array();
  for (const Teaching& one : report.teachings) {
    json.begin_object(true).member("framework", one.like->run.labels.software).member("gpu", one.like->run.labels.card);
    json.member("figure", name_of(one.figure)).member("runs", one.runs);
    json.member("factor", math::exp(one.now.shift));
    json.member("deviation_before", std::sqrt(one.before.variance))
        .member("deviation_now", std::sqrt(one.now.variance))
        .end();
  }
  json.end().key("contradictions").begin_array();
  for (const OwnContradiction& one : report.contradictions)
    json.begin_object(true)
        .member("one", one.one->id)
        .member("other", one.other->id)
        .member("figure", name_of(one.figure))
        .member("times", one.times)
        .end();
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
