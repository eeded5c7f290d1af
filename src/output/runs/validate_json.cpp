// `gpuplan validate --json` and --csv.
#include <algorithm>

#include "output/answer/explain.h"
#include "output/runs/validate_report.h"

namespace gpuplan {
namespace {

constexpr std::array kEveryGrouping = [] {
  std::array<Grouping, Names<Grouping>::entries.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = Names<Grouping>::entries[i].value;
  return all;
}();

bool judges(const ValidationReport& report, Judged what) {
  return std::ranges::find(report.judged, what) != report.judged.end();
}

void write_misses(JsonWriter& json, const Misses& misses) {
  const auto figure = [&](double value) { return misses.runs > 0 ? std::optional(value) : std::nullopt; };
  json.member("median_log_error", figure(misses.median)).member("p90_log_error", figure(misses.p90));
  json.member("median_relative_error", figure(misses.relative));
  json.member("p90_relative_error", figure(misses.p90_relative));
  json.member("bias_log", figure(misses.bias)).member("mean_bias_log", figure(misses.mean_bias));
  json.member("inside_share", figure(misses.inside)).member("above_p90_share", figure(misses.above));
}

void write_headline(JsonWriter& json, const Headline& headline) {
  json.key(name_of(headline.what)).begin_object();
  json.member("runs", headline.stated).member("predicted", headline.predicted);
  const auto stated = static_cast<double>(headline.stated);
  json.member("predicted_share",
              headline.stated > 0 ? std::optional(static_cast<double>(headline.predicted) / stated) : std::nullopt);
  json.member("sources", headline.sources);
  json.member("median_of_source_medians", headline.sources > 0 ? std::optional(headline.source_median) : std::nullopt);
  write_misses(json, headline.all);
  json.key("calibrated").begin_object();
  const bool any = headline.calibrated_sources > 0;
  json.member("sources", headline.calibrated_sources);
  json.member("median_of_source_medians", any ? std::optional(headline.calibrated.any) : std::nullopt);
  json.member("on_the_middle_run", any ? std::optional(headline.calibrated.middle) : std::nullopt);
  json.end().end();
}

void write_row(JsonWriter& json, const PredictedRun& run, const MeasuredFigure& figure) {
  const MetricPrediction* p = prediction_of(run, figure.metric);
  const auto known = [&](double value) { return p != nullptr ? std::optional(value) : std::nullopt; };
  json.begin_object();
  json.member("id", run.run->id).member("source", run.run->source).member("metric", name_of(figure.metric));
  json.member("measured", figure.value);
  json.member("predicted", known(p != nullptr ? p->predicted.p50 : 0));
  json.member("p10", known(p != nullptr ? p->predicted.p10 : 0));
  json.member("p90", known(p != nullptr ? p->predicted.p90 : 0));
  json.member("status", p != nullptr ? "predicted" : "refused");
  if (p != nullptr) json.null_member("reason");
  else json.member("reason", refusal_of(run));
  json.member("log_error", known(p != nullptr ? p->log_error() : 0));
  if (p != nullptr) json.member("inside", p->inside());
  else json.null_member("inside");
  json.member("judged", p != nullptr && run.counts() && p == judged_figure(run, figure.judged));
  json.member("kind", run.training != nullptr ? "training" : "generation").member("figure", name_of(figure.judged));
  if (run.counts()) json.null_member("distrust");
  else json.member("distrust", run.run->distrust);
  json.member("gpu", run.prediction.gpu != nullptr ? run.prediction.gpu->name : run.run->gpu);
  json.member("gpus", run.run->gpus);
  json.member("framework", run.run->framework).member("model", run.run->model);
  json.member("regime", run.prediction.spread.regime);
  json.member("assumed", assumptions_of(run)).end();
}

void write_groups(JsonWriter& json, const ValidationReport& report, std::span<const Grouping> by) {
  json.key("groups").begin_array();
  for (const Grouping grouping : by) {
    for (const Judged what : report.judged) {
      for (const GroupMisses& group : by_group(report.runs, what, grouping)) {
        json.begin_object(true).member("by", name_of(grouping)).member("metric", name_of(what));
        json.member("group", group.name).member("runs", group.stated).member("predicted", group.misses.runs);
        write_misses(json, group.misses);
        json.end();
      }
    }
  }
  json.end();
}

void write_reasons(JsonWriter& json, std::string_view key, const std::vector<RefusedGroup>& groups) {
  json.key(key).begin_array();
  for (const RefusedGroup& group : groups) {
    json.begin_object(true).member("reason", group.reason).member("runs", group.runs.size());
    json.key("ids").begin_array(true);
    for (const MeasuredRun* run : group.runs) json.value(run->id);
    json.end().end();
  }
  json.end();
}

}  // namespace

std::string validate_csv(const ValidationReport& report, const std::vector<Grouping>& by) {
  if (by.empty()) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < report.runs.size(); ++i) order.push_back(i);
    return figure_table(report.runs, order, report.judged).csv();
  }
  std::vector<NamedTable> tables;
  for (const Grouping grouping : by)
    for (const Judged what : report.judged)
      tables.push_back({std::string(name_of(grouping)), group_table(report.runs, what, grouping)});
  return joined_csv("by", tables);
}

std::string validate_json(const ValidationReport& report, const std::vector<Grouping>& by) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/validate@1");
  json.member("runs", report.name.empty() ? "built-in" : report.name).member("left_out", report.left_out);
  json.key("rows").begin_array();
  for (const PredictedRun& run : report.runs)
    for (const MeasuredFigure& figure : measured_figures(run))
      if (judges(report, figure.judged)) write_row(json, run, figure);
  json.end();
  json.key("summary").begin_object();
  json.member("runs", report.runs.size());
  for (const Judged what : report.judged) write_headline(json, headline(report.runs, what));
  json.end();
  write_groups(json, report, by.empty() ? std::span<const Grouping>(kEveryGrouping) : by);
  write_reasons(json, "refused", refused_groups(report.runs));
  write_reasons(json, "counted_nowhere", distrusted_groups(report.runs));
  json.key("bad_lines").begin_array();
  for (const Error& line : report.bad_lines)
    json.begin_object(true).member("line", line.place.line).member("message", line.message).end();
  json.end();
  json.key("told").begin_array();
  for (const ReportedRun& told : report.told) {
    json.begin_object().member("id", report.runs[told.run].run->id);
    json.member("metric", name_of(told.what)).key("terms");
    write_term_list(json, told.terms);
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
