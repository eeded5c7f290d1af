// The tables of `gpuplan validate`.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "output/runs/validate_report.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string value_text(Metric metric, double value) {
  switch (metric) {
    case Metric::kStepSeconds:
      return to_text(Seconds{value});
    case Metric::kTokenRate:
    case Metric::kOutputRate:
    case Metric::kTotalRate:
    case Metric::kPrefillRate:
      return rate_text(value);
    case Metric::kFirstToken:
    case Metric::kPerToken:
      return to_text(value * units::millisecond);
    case Metric::kPeakMemory:
      return to_text(value * units::GiB);
  }
  return number_text(value);
}

std::string metric_words(Metric metric) {
  switch (metric) {
    case Metric::kStepSeconds:
      return "step";
    case Metric::kTokenRate:
      return "tokens/s";
    case Metric::kOutputRate:
      return "output tokens/s";
    case Metric::kTotalRate:
      return "total tokens/s";
    case Metric::kPrefillRate:
      return "input tokens/s";
    case Metric::kFirstToken:
      return "TTFT";
    case Metric::kPerToken:
      return "TPOT";
    case Metric::kPeakMemory:
      return "memory";
  }
  return "";
}

/// "1.1 … 1.4 s": the unit once where both have the same.
std::string figure_range(Metric metric, const Interval<double>& range) {
  std::string low = value_text(metric, range.p10);
  const std::string high = value_text(metric, range.p90);
  if (low == high) return low;
  const std::size_t unit = low.find(' ');
  const bool same = unit != std::string::npos && high.ends_with(low.substr(unit));
  return (same ? low.substr(0, unit) : low) + " … " + high;
}

Cell error_cell(const Misses& misses, double error, const std::string& text) {
  return misses.runs > 0 ? Cell(error, text) : Cell(kNoValue, Paint::kDim);
}

Cell share_cell(std::size_t of, double share) {
  return of > 0 ? Cell(share, percent(share)) : Cell(kNoValue, Paint::kDim);
}

/// A head of a column.
std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

/// For columns that are not shown; nothing where there is no figure.
Cell hidden(std::optional<double> figure) { return figure ? Cell(*figure) : Cell(); }

}  // namespace

std::string machine_text(const PredictedRun& run) {
  const std::string gpu = run.prediction.gpu != nullptr ? run.prediction.gpu->name : printable(run.run->gpu, 40);
  const int gpus = run.run->gpus.value_or(0);
  return gpus > 0 ? std::to_string(gpus) + "x " + gpu : gpu;
}

std::string error_text(double error) {
  const double value = std::abs(error) * 100;
  return (value < 9.95 ? fixed_text(value, 1) : count_text(value)) + "%";
}

std::string signed_error_text(double error) {
  const std::string text = error_text(error);
  return text == "0.0%" ? text : (error < 0 ? "-" : "+") + text;
}

std::string_view judged_words(Judged what) {
  switch (what) {
    case Judged::kTime:
      return "step time";
    case Judged::kSingle:
      return "single request";
    case Judged::kStatic:
      return "fixed batch";
    case Judged::kSaturated:
      return "saturated server";
    case Judged::kConcurrency:
      return "N concurrent requests";
    case Judged::kPrefill:
      return "prefill";
    case Judged::kPerToken:
      return "time per output token";
    case Judged::kFirstToken:
      return "TTFT under load";
    case Judged::kMemory:
      return "peak memory";
    case Judged::kServingMemory:
      return "peak memory of generation";
  }
  return "";
}

std::string_view grouping_words(Grouping grouping) {
  switch (grouping) {
    case Grouping::kSource:
      return "source";
    case Grouping::kGpu:
      return "GPU";
    case Grouping::kSize:
      return "parameters";
    case Grouping::kMethod:
      return "method";
    case Grouping::kPrecision:
      return "precision";
    case Grouping::kMachines:
      return "number of GPUs and machines";
    case Grouping::kFramework:
      return "framework";
    case Grouping::kKnown:
      return "framework known or not";
    case Grouping::kMode:
      return "load";
    case Grouping::kWeights:
      return "weight format";
    case Grouping::kExperts:
      return "dense or mixture of experts";
    case Grouping::kParallel:
      return "parallelism";
    case Grouping::kLength:
      return "prompt length";
    case Grouping::kBatch:
      return "batch size";
    case Grouping::kRegime:
      return "what sets the range width";
    case Grouping::kTrait:
      return "what makes runs hard (a run may be in several rows)";
  }
  return "";
}

namespace {

/// A row for each kind of figure, where they are too many for a column each.
Table categories_table(const std::vector<Headline>& headlines) {
  Table table({{.title = "METRIC"},
               {.title = "RUNS", .align = Align::kRight},
               {.title = "SOURCES", .align = Align::kRight, .drop = 3},
               {.title = "PREDICTABLE", .align = Align::kRight, .drop = 2},
               {.title = "ERROR", .align = Align::kRight, .unit = "of sources"},
               {.title = "ERROR", .align = Align::kRight, .unit = "of runs"},
               {.title = "ERROR", .align = Align::kRight, .unit = "P90"},
               {.title = "BIAS", .align = Align::kRight},
               {.title = "COVERAGE", .align = Align::kRight},
               {.title = "ABOVE P90", .align = Align::kRight, .drop = 4},
               {.title = "CALIBRATED", .align = Align::kRight, .drop = 5, .unit = "error"}});
  for (const Headline& h : headlines) {
    const double share = static_cast<double>(h.predicted) / static_cast<double>(std::max<std::size_t>(h.stated, 1));
    table.add({Cell(std::string(judged_words(h.what))), Cell(static_cast<double>(h.stated), std::to_string(h.stated)),
               Cell(static_cast<double>(h.sources), std::to_string(h.sources)), share_cell(h.stated, share),
               error_cell(h.all, h.source_median, error_text(h.source_median)),
               error_cell(h.all, h.all.median, error_text(h.all.median)),
               error_cell(h.all, h.all.p90, error_text(h.all.p90)),
               error_cell(h.all, h.all.bias, signed_error_text(h.all.bias)), share_cell(h.all.runs, h.all.inside),
               share_cell(h.all.runs, h.all.above),
               h.calibrated_sources > 0 ? Cell(h.calibrated.any, error_text(h.calibrated.any))
                                        : Cell(kNoValue, Paint::kDim)});
  }
  return table;
}

}  // namespace

Table headline_table(const std::vector<Headline>& headlines) {
  constexpr std::size_t kMostColumns = 3;
  if (headlines.size() > kMostColumns) return categories_table(headlines);
  std::vector<Column> columns = {{.title = ""}};
  for (const Headline& each : headlines)
    columns.push_back({.title = upper(judged_words(each.what)), .align = Align::kRight});
  Table table(std::move(columns));
  const auto add = [&](const std::string& label, auto&& cell_of) {
    std::vector<Cell> row = {Cell(label)};
    for (const Headline& each : headlines) row.push_back(cell_of(each));
    table.add(std::move(row));
  };
  add("runs", [](const Headline& h) { return Cell(static_cast<double>(h.stated), std::to_string(h.stated)); });
  add("predicted", [](const Headline& h) {
    return share_cell(h.stated,
                      static_cast<double>(h.predicted) / static_cast<double>(std::max<std::size_t>(h.stated, 1)));
  });
  add("median error over sources",
      [](const Headline& h) { return error_cell(h.all, h.source_median, error_text(h.source_median)); });
  add("median error over runs",
      [](const Headline& h) { return error_cell(h.all, h.all.median, error_text(h.all.median)); });
  add("P90 error", [](const Headline& h) { return error_cell(h.all, h.all.p90, error_text(h.all.p90)); });
  add("median bias (+: predicted too high)",
      [](const Headline& h) { return error_cell(h.all, h.all.bias, signed_error_text(h.all.bias)); });
  add("bias, mean",
      [](const Headline& h) { return error_cell(h.all, h.all.mean_bias, signed_error_text(h.all.mean_bias)); });
  add("coverage of the 80% range", [](const Headline& h) { return share_cell(h.all.runs, h.all.inside); });
  add("runs above P90", [](const Headline& h) { return share_cell(h.all.runs, h.all.above); });
  add("error after calibrating on one run", [](const Headline& h) {
    return h.calibrated_sources > 0 ? Cell(h.calibrated.any, error_text(h.calibrated.any))
                                    : Cell(kNoValue, Paint::kDim);
  });
  return table;
}

Table group_table(const std::vector<PredictedRun>& runs, Judged what, Grouping grouping) {
  const bool wraps = grouping == Grouping::kRegime || grouping == Grouping::kTrait;
  Table table({{.title = upper(name_of(grouping)), .narrowest = 16, .wrap = wraps, .key = "group"},
               {.title = "RUNS", .align = Align::kRight, .key = "runs"},
               {.title = "REFUSED", .align = Align::kRight, .drop = 2, .key = "refused"},
               {.title = "ERROR", .align = Align::kRight},
               {.title = "P90", .align = Align::kRight},
               {.title = "BIAS", .align = Align::kRight},
               {.title = "COVERAGE", .align = Align::kRight},
               {.title = "ABOVE P90", .align = Align::kRight, .drop = 1},
               {.title = "", .key = "metric"},
               {.title = "", .key = "median_log_error"},
               {.title = "", .key = "p90_log_error"},
               {.title = "", .key = "bias_log"},
               {.title = "", .key = "mean_bias_log"},
               {.title = "", .key = "inside_share"},
               {.title = "", .key = "above_p90_share"}});
  for (const GroupMisses& group : by_group(runs, what, grouping)) {
    const Misses& m = group.misses;
    const std::size_t refused = group.stated - m.runs;
    const auto figure = [&](double value) { return hidden(m.runs > 0 ? std::optional(value) : std::nullopt); };
    table.add({Cell(group.name), Cell(static_cast<double>(group.stated), std::to_string(group.stated)),
               Cell(static_cast<double>(refused), refused > 0 ? std::to_string(refused) : ""),
               error_cell(m, m.median, error_text(m.median)), error_cell(m, m.p90, error_text(m.p90)),
               error_cell(m, m.bias, signed_error_text(m.bias)), share_cell(m.runs, m.inside),
               share_cell(m.runs, m.above), Cell(std::string(name_of(what))), figure(m.median), figure(m.p90),
               figure(m.bias), figure(m.mean_bias)});
  }
  return table;
}

Table figure_table(const std::vector<PredictedRun>& runs, const std::vector<std::size_t>& order,
                   const std::vector<Judged>& judged, bool once) {
  Table table({{.title = "RUN", .key = "id"},
               {.title = "ON", .drop = 2, .narrowest = 10},
               {.title = "METRIC"},
               {.title = "MEASURED", .align = Align::kRight},
               {.title = "PREDICTED", .align = Align::kRight},
               {.title = "P10–P90", .align = Align::kRight, .drop = 1},
               {.title = "ERROR", .align = Align::kRight},
               {.title = "", .key = "source"},
               {.title = "", .key = "gpu"},
               {.title = "", .key = "gpus"},
               {.title = "", .key = "framework"},
               {.title = "", .key = "model"},
               {.title = "", .key = "metric"},
               {.title = "", .key = "measured"},
               {.title = "", .key = "predicted"},
               {.title = "", .key = "p10"},
               {.title = "", .key = "p90"},
               {.title = "", .key = "log_error"},
               {.title = "", .key = "inside"},
               {.title = "", .key = "status"},
               {.title = "", .key = "reason"},
               {.title = "", .key = "regime"},
               {.title = "", .key = "assumed"},
               {.title = "", .key = "figure"},
               {.title = "", .key = "distrust"}});
  for (const std::size_t at : order) {
    const PredictedRun& run = runs[at];
    for (const MeasuredFigure& figure : measured_figures(run)) {
      if (std::ranges::find(judged, figure.judged) == judged.end()) continue;
      const MetricPrediction* p = prediction_of(run, figure.metric);
      if (once && p != judged_figure(run, figure.judged)) continue;
      const auto known = [&](double value) { return p != nullptr ? Cell(value) : Cell(); };
      table.add({Cell(printable(run.run->id, 60)),
                 Cell(machine_text(run)),
                 Cell(metric_words(figure.metric)),
                 Cell(value_text(figure.metric, figure.value)),
                 p != nullptr ? Cell(value_text(figure.metric, p->predicted.p50)) : Cell("refused", Paint::kDim),
                 p != nullptr ? Cell(figure_range(figure.metric, p->predicted)) : Cell(),
                 p != nullptr ? Cell(signed_error_text(p->log_error()), !run.counts() ? Paint::kDim
                                                                        : p->inside() ? Paint::kPlain
                                                                                      : Paint::kYellow)
                              : Cell(),
                 Cell(printable(run.run->source)),
                 Cell(run.prediction.gpu != nullptr ? run.prediction.gpu->name : printable(run.run->gpu)),
                 hidden(run.run->gpus ? std::optional<double>(*run.run->gpus) : std::nullopt),
                 Cell(printable(run.run->framework)),
                 Cell(printable(run.run->model)),
                 Cell(std::string(name_of(figure.metric))),
                 Cell(figure.value),
                 known(p != nullptr ? p->predicted.p50 : 0),
                 known(p != nullptr ? p->predicted.p10 : 0),
                 known(p != nullptr ? p->predicted.p90 : 0),
                 known(p != nullptr ? p->log_error() : 0),
                 p != nullptr ? Cell(p->inside() ? "true" : "false") : Cell(),
                 Cell(p != nullptr ? "predicted" : "refused"),
                 Cell(p != nullptr ? "" : printable(refusal_of(run), 400)),
                 Cell(std::string(run.prediction.spread.regime)),
                 Cell(printable(join(assumptions_of(run), "; "), 2000)),
                 Cell(std::string(name_of(figure.judged))),
                 Cell(printable(run.run->distrust, 400))});
    }
  }
  return table;
}

}  // namespace gpuplan
