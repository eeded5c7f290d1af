#include "output/runs/check_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string files_words(const CheckReport& report) {
  std::vector<std::string> files;
  for (const std::string& file : report.files) files.push_back(printable(file, 80));
  std::vector<std::string> formats;
  for (const LogFormat format : report.log.formats) formats.emplace_back(name_of(format));
  std::string words = listed(files) + " (" + (formats.empty() ? "" : listed(formats) + ", ") +
                      (report.log.lines > 0 ? count_of(static_cast<double>(report.log.lines), "line")
                                            : count_of(static_cast<double>(report.log.bytes), "byte"));
  if (report.log.cut_off) words += ", the last one incomplete";
  return words + ")";
}

std::string header_line(const CheckReport& report) {
  const Expectation& expected = report.expected;
  std::string words = printable(expected.job, 60) + ", phase " + printable(expected.phase, 60) + ": " +
                      files_words(report) + "; compared with plan " + printable(expected.plan_id, 20) + ", " +
                      printable(expected.plan, 60);
  if (!expected.strategy.empty()) words += " (" + printable(expected.strategy, 200) + ")";
  return words;
}

bool is_time(Measured what) {
  return what == Measured::kStepTime || what == Measured::kFirstToken || what == Measured::kPerToken;
}

/// "874,000 tokens/s (779,000 … 981,000)", "600 ms (535 … 673)".
std::string range_of_figure(const RunFigure& figure) {
  const Interval<double>& range = *figure.expected;
  if (is_time(figure.what))
    return range_words(Interval<Seconds>{Seconds{range.p10}, Seconds{range.p50}, Seconds{range.p90}});
  std::string middle = figure_text(figure.what, range.p50);
  if (range.exact()) return middle;
  const auto bare = [&](double value) {
    const std::string text = figure_text(figure.what, value);
    return text.substr(0, text.find(' '));
  };
  return middle + " (" + bare(range.p10) + "–" + bare(range.p90) + ")";
}

Cell place_cell(const RunFigure& figure) {
  const bool rate = figure.what == Measured::kThroughput;
  switch (figure.agreement()) {
    case Agreement::kInside:
      return {"yes", Paint::kGreen};
    case Agreement::kBelow:
      return {rate ? "no: slower" : "no: less", rate ? Paint::kRed : Paint::kYellow};
    case Agreement::kAbove:
      return {is_time(figure.what) ? "no: slower"
              : rate               ? "no: faster"
                                   : "no: more",
              rate ? Paint::kYellow : Paint::kRed};
    case Agreement::kNoPrediction:
      break;
  }
  if (!figure.of) return {};
  return {percent(figure.value / *figure.of) + " of peak", Paint::kDim};
}

Table figure_table(const CheckReport& report) {
  Table table({{.title = "METRIC"},
               {.title = "MEASURED", .align = Align::kRight},
               {.title = "PREDICTED (P10–P90)"},
               {.title = "RATIO", .align = Align::kRight},
               {.title = "IN RANGE"},
               {.title = "USABLE", .align = Align::kRight, .drop = 1}});
  for (const RunFigure& figure : report.check.figures) {
    const bool memory =
        figure.what == Measured::kAllocated || figure.what == Measured::kReserved || figure.what == Measured::kDevice;
    const auto ratio = figure.ratio();
    table.add({{std::string(figure_name(figure.what))},
               {figure_text(figure.what, figure.value)},
               {figure.expected ? range_of_figure(figure) : ""},
               {ratio ? times_words(*ratio) : ""},
               place_cell(figure),
               {memory && figure.of ? figure_text(figure.what, *figure.of) : ""}});
  }
  return table;
}

std::string number(double value) {
  constexpr int kDigits = 4;
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  return std::abs(value) >= 9999.5 ? count_text(value) : significant_text(value, kDigits);
}

std::string fall_words(const SeriesSummary& plan_report) {
  std::string words = number(plan_report.first) + " to " + number(plan_report.end);
  if (!plan_report.fall) return words + " (" + count_of(static_cast<double>(plan_report.count), "value") + ")";
  const Fall& fall = *plan_report.fall;
  if (!fall.finite) return words + "; some values are not finite";
  if (!fall.falls()) return words + "; does not fall";
  if (plan_report.end > plan_report.first) return words + "; ends above its start";
  if (fall.smoothly()) return words + "; falls smoothly";
  words += "; falls, not smoothly: ";
  if (fall.spikes > 0)
    return words + count_of(static_cast<double>(fall.spikes), "spike") + ", the largest to " + times_words(fall.worst) +
           " the running median" + (std::isnan(fall.worst_at.step) ? "" : " at step " + count_text(fall.worst_at.step));
  return words + "it rises again by " + number(fall.rise) + " between two tenths";
}

std::string steps_words(const RunCheck& check) {
  std::string words;
  if (check.all_steps && check.contradictions.empty()) {
    words = "all " + count_text(check.planned_steps);  // counted from 0 or from 1
  } else {
    words = check.steps ? count_text(*check.steps) : std::string("unknown");
    if (check.planned_steps > 0) words += " of " + count_text(check.planned_steps);
  }
  if (check.elapsed) words += " in " + hours_words(*check.elapsed);
  if (check.restarts > 0) words += ", restarted " + count_of(static_cast<double>(check.restarts), "time");
  return words;
}

template <class Amount>
Interval<Amount> spread_of(const Outcome<Amount>& outcome) {
  return {outcome.p10, outcome.p50, outcome.p90};
}

std::string projection_words(const CheckReport& report) {
  const Projection& projection = *report.check.projection;
  std::string words = hours_words(projection.left.p50) + " left for " + count_text(projection.steps_left) +
                      " steps; phase total " + range_words(projection.hours) + ", planned " +
                      range_words(spread_of(report.expected.hours));
  if (report.expected.price > DollarsPerSecond{}) {
    const Interval<Dollars>& cost = projection.cost;
    words += "; cost " + range_words(Outcome<Dollars>{cost.p10, cost.p50, cost.p90, cost.p50}) + ", planned " +
             range_words(report.expected.cost);
    if (report.expected.credits_left) words += ", both after credits";
  }
  return words;
}

/// What stands in no table: a name and a sentence each.
std::string facts_text(const CheckReport& report, const Screen& screen, bool details) {
  constexpr int kWidth = 16;
  const RunCheck& check = report.check;
  std::string text;
  const auto add = [&](std::string_view name, const std::string& words) {
    text += labelled(name, words, screen, kWidth);
  };
  if (check.steps || check.planned_steps > 0) add("steps", steps_words(check));
  if (check.loss)
    add("loss", report.log.loss_is_mean ? number(check.loss->end) + ", the mean of the whole run: the log has no other"
                                        : fall_words(*check.loss));
  if (details && check.validation) add("validation", fall_words(*check.validation));
  if (details && check.grad_norm)
    add("gradient norm", "median " + number(check.grad_norm->median) + " (P10–P90: " + number(check.grad_norm->low) +
                             "–" + number(check.grad_norm->high) + "), max " + number(check.grad_norm->most));
  if (details)
    for (const MetricValue& metric : check.metrics)
      add(printable(metric.name, 30), !metric.end    ? "not in the log"
                                      : metric.first ? number(*metric.first) + " to " + number(*metric.end) + " (" +
                                                           count_of(static_cast<double>(metric.count), "value") + ")"
                                                     : number(*metric.end));
  if (check.projection) add("at this pace", projection_words(report));
  return text;
}

Cell holds_cell(Holds holds) {
  if (holds == Holds::kYes) return {"✔", Paint::kGreen};
  return holds == Holds::kNo ? Cell("✘", Paint::kRed) : Cell("?", Paint::kYellow);
}

Table condition_table(const CheckReport& report) {
  Table table({{.title = " "},
               {.title = "CRITERION", .narrowest = 20, .wrap = true},
               {.title = "RESULT", .narrowest = 30, .wrap = true}});
  for (const Judgement& one : report.check.conditions)
    table.add({holds_cell(one.holds), {printable(one.condition, 200)}, {one.words}});
  return table;
}

/// "1 success criterion", "4 success criteria".
std::string criteria(const RunCheck& check) {
  return count_text(static_cast<double>(check.conditions.size())) +
         (check.conditions.size() == 1 ? " success criterion" : " success criteria");
}

std::string conditions_missed(const RunCheck& check) {
  const auto count = [&](Holds holds) {
    return static_cast<double>(
        std::ranges::count_if(check.conditions, [&](const Judgement& one) { return one.holds == holds; }));
  };
  const double missed = count(Holds::kNo), open = count(Holds::kUndecided);
  const std::string all = criteria(check);
  std::string words;
  if (missed > 0) words = count_text(missed) + " of " + all + " not met";
  if (open > 0)
    words += (words.empty() ? count_text(open) + " of " + all : ", and " + count_text(open)) + " not in the log";
  return words;
}

Paint paint_of(Verdict verdict) {
  return verdict == Verdict::kPassed ? Paint::kGreen : verdict == Verdict::kRunning ? Paint::kYellow : Paint::kRed;
}

}  // namespace

double figure_unit(Measured what) {
  switch (what) {
    case Measured::kAllocated:
    case Measured::kReserved:
    case Measured::kDevice:
      return units::GiB.value;
    case Measured::kModelFlops:
      return units::TFLOP.value;
    default:
      return 1;
  }
}

std::string_view figure_name(Measured what) {
  switch (what) {
    case Measured::kThroughput:
      return "throughput";
    case Measured::kStepTime:
      return "step time";
    case Measured::kFirstToken:
      return "TTFT, mean";
    case Measured::kPerToken:
      return "TPOT, mean";
    case Measured::kAllocated:
      return "peak memory (allocated)";
    case Measured::kReserved:
      return "peak memory (reserved)";
    case Measured::kDevice:
      return "peak memory (device)";
    case Measured::kModelFlops:
      return "model FLOP/s per GPU";
    case Measured::kGpuBusy:
      break;
  }
  return "GPU utilization";
}

std::string figure_text(Measured what, double value) {
  switch (what) {
    case Measured::kThroughput:
      return rate_text(value) + " tokens/s";
    case Measured::kStepTime:
    case Measured::kFirstToken:
    case Measured::kPerToken:
      return to_text(Seconds{value});
    case Measured::kAllocated:
    case Measured::kReserved:
    case Measured::kDevice:
      return gib_text(Bytes{value}) + " GiB";
    case Measured::kModelFlops:
      return to_text(FlopsPerSecond{value});
    case Measured::kGpuBusy:
      break;
  }
  return percent(value);
}

std::string verdict_words(const CheckReport& report) {
  const RunCheck& check = report.check;
  std::vector<std::string> why = check.contradictions;
  if (!why.empty()) return "FAILED: wrong log: " + listed(why) + ".";
  why = check.reasons;
  const std::string missed = conditions_missed(check);
  if (check.verdict == Verdict::kRunning) {
    const std::string words = "RUNNING: step " + (check.steps ? count_text(*check.steps) : std::string("?")) + " of " +
                              count_text(check.planned_steps);
    return words + (missed.empty() ? "." : "; so far " + missed + ".");
  }
  if (!missed.empty()) why.push_back(missed);
  if (check.verdict == Verdict::kNotPassed) return "FAILED: " + join(why, "; ") + ".";
  if (check.conditions.empty()) return "PASSED: run complete (no success criteria set).";
  return "PASSED: " +
         (check.conditions.size() == 1 ? std::string("the success criterion is") : "all " + criteria(check) + " are") +
         " met.";
}

std::string check_text(const CheckReport& report, const Screen& screen, bool details) {
  std::string text = paragraph(verdict_words(report), screen, 0, 2, paint_of(report.check.verdict));
  text += paragraph(header_line(report), screen, 0, 2);
  for (const std::string& note : report.notes) text += paragraph(note, screen, 0, 2, Paint::kDim);
  if (const Table table = condition_table(report); !table.empty()) text += '\n' + table.text(screen);
  if (const Table table = figure_table(report); !table.empty()) text += '\n' + table.text(screen);
  if (const std::string facts = facts_text(report, screen, details); !facts.empty()) text += '\n' + facts;
  if (report.advice.empty()) return text;
  text += '\n' + heading("What to do", screen);
  for (const Advice& advice : report.advice) text += paragraph("- " + advice.words, screen, 2, 4);
  return text;
}

std::string progress_words(const CheckReport& report) {
  const RunCheck& check = report.check;
  std::vector<std::string> parts;
  if (check.steps)
    parts.push_back("step " + count_text(*check.steps) +
                    (check.planned_steps > 0 ? " of " + count_text(check.planned_steps) : ""));
  if (check.loss) parts.push_back("loss " + number(check.loss->end));
  if (const RunFigure* rate = check.figure(Measured::kThroughput)) {
    const auto ratio = rate->ratio();
    parts.push_back(figure_text(rate->what, rate->value) +
                    (ratio ? " (" + times_words(*ratio) + " the prediction)" : ""));
  }
  if (check.projection) parts.push_back(hours_words(check.projection->left.p50) + " left");
  const auto holding =
      std::ranges::count_if(check.conditions, [](const Judgement& one) { return one.holds == Holds::kYes; });
  if (!check.conditions.empty()) parts.push_back(std::to_string(holding) + " of " + criteria(check) + " met");
  if (check.out_of_memory > 0) parts.emplace_back("out of memory");
  else if (check.errors > 0) parts.push_back(count_of(static_cast<double>(check.errors), "error"));
  if (check.bad_losses > 0) parts.push_back(count_of(static_cast<double>(check.bad_losses), "value") + " not finite");
  if (check.restarts > 0) parts.push_back(count_of(static_cast<double>(check.restarts), "restart"));
  return join(parts, " · ");
}

std::string check_csv(const CheckReport& report) {
  std::vector<Column> columns;
  for (const char* key : {"kind", "name", "value", "p10", "p50", "p90", "result", "because"})
    columns.push_back({.title = "", .key = key});
  Table table(std::move(columns));

  const RunCheck& check = report.check;
  table.add({{"verdict"},
             {printable(report.expected.phase, 60)},
             {},
             {},
             {},
             {},
             {std::string(name_of(check.verdict))},
             {verdict_words(report)}});
  for (const RunFigure& figure : check.figures) {
    const double unit =
        figure.what == Measured::kModelFlops ? 1e12
        : figure.what == Measured::kAllocated || figure.what == Measured::kReserved || figure.what == Measured::kDevice
            ? units::GiB.value
            : 1;
    const auto cell = [&](std::optional<double> value) { return value ? Cell(*value / unit, "") : Cell(); };
    const auto expected = [&](double Interval<double>::* quantile) {
      return figure.expected ? std::optional((*figure.expected).*quantile) : std::nullopt;
    };
    table.add({{"figure"},
               {std::string(name_of(figure.what))},
               cell(figure.value),
               cell(expected(&Interval<double>::p10)),
               cell(expected(&Interval<double>::p50)),
               cell(expected(&Interval<double>::p90)),
               {std::string(name_of(figure.agreement()))}});
  }
  for (const MetricValue& metric : check.metrics)
    table.add({{"metric"}, {printable(metric.name, 60)}, metric.end ? Cell(*metric.end, "") : Cell()});
  for (const Judgement& one : check.conditions)
    table.add({{"condition"},
               {printable(one.condition, 300)},
               {},
               {},
               {},
               {},
               {std::string(name_of(one.holds))},
               {one.words}});
  return table.csv();
}

}  // namespace gpuplan
