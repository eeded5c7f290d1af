// `gpuplan validate --json` and --csv.
#include <algorithm>

#include "evidence/scores/fits_judged.h"
#include "output/explain/explain.h"
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

void write_headline(JsonWriter& json, std::string_view key, const Headline& headline) {
  json.key(key).begin_object();
  json.member("runs", headline.stated).member("predicted", headline.predicted);
  const auto stated = static_cast<double>(headline.stated);
  json.member("predicted_share",
              headline.stated > 0 ? std::optional(static_cast<double>(headline.predicted) / stated) : std::nullopt);
  json.member("sources", headline.sources);
  const bool met = headline.sources > 0;
  json.member("median_of_source_medians", met ? std::optional(headline.source_median) : std::nullopt);
  json.member("mean_of_source_inside_shares", met ? std::optional(headline.source_inside) : std::nullopt);
  write_misses(json, headline.all);
  json.key("calibrated").begin_object();
  const bool any = headline.calibrated_sources > 0;
  json.member("sources", headline.calibrated_sources);
  json.member("median_of_source_medians", any ? std::optional(headline.calibrated.any) : std::nullopt);
  json.member("on_the_middle_run", any ? std::optional(headline.calibrated.middle) : std::nullopt);
  json.end().end();
}

/// The share of runs said not to fit, though every one of them did.
void write_fits(JsonWriter& json, const ValidationReport& report) {
  json.key("said_not_to_fit").begin_object();
  for (const bool training : {true, false}) {
    const FitsJudged fits = fits_judged(report.runs, training);
    const auto share = [&](double value) { return fits.runs > 0 ? std::optional(value) : std::nullopt; };
    json.key(training ? "training" : "generation").begin_object(true);
    json.member("runs", fits.runs).member("sources", fits.sources);
    json.member("at_p50", share(fits.no_median)).member("at_p90", share(fits.no_p90));
    json.member("mean_of_sources_at_p50", share(fits.source_no_median));
    json.member("mean_of_sources_at_p90", share(fits.source_no_p90)).end();
  }
  json.end();
}

void write_pair_sums(JsonWriter& json, const ValidationReport& report, const FigurePairs& of,
                     std::optional<Differs> differs) {
  const PairSums sums = pair_sums(report.runs, of.pairs, differs);
  if (sums.pairs == 0) return;
  const auto share = [&](double value) { return sums.apart > 0 ? std::optional(value) : std::nullopt; };
  json.begin_object(true).member("figure", name_of(of.figure)).member("differs", differs ? name_of(*differs) : "any");
  json.member("pairs", sums.pairs).member("sources", sums.sources);
  json.member("median_of_source_medians", sums.source_median);
  json.member("median_log_error", sums.median).member("p90_log_error", sums.p90);
  json.member("inside_share", sums.inside).member("mean_of_source_inside_shares", sums.source_inside);
  json.member("apart", sums.apart).member("order_right_share", share(sums.named));
  json.member("mean_of_source_order_right_shares", share(sums.source_named)).end();
}

void write_pairs(JsonWriter& json, const ValidationReport& report) {
  if (report.pairs.empty()) return;
  json.key("pairs").begin_object().key("summary").begin_array();
  for (const FigurePairs& of : report.pairs) {
    write_pair_sums(json, report, of, std::nullopt);
    for (const auto& [differs, name] : Names<Differs>::entries) write_pair_sums(json, report, of, differs);
  }
  json.end().key("rows").begin_array();
  for (const FigurePairs& of : report.pairs) {
    for (const RunPair& pair : of.pairs) {
      json.begin_object(true).member("figure", name_of(of.figure)).member("differs", name_of(pair.differs));
      json.member("source", report.runs[pair.a].run->source);
      json.member("a", report.runs[pair.a].run->id).member("b", report.runs[pair.b].run->id);
      json.member("log_measured_ratio", pair.measured).member("log_error", pair.error);
      json.member("log_deviation", pair.deviation).member("inside", pair.inside());
      if (pair.apart()) json.member("order_right", pair.named());
      else json.null_member("order_right");
      json.end();
    }
  }
  json.end().end();
}

void write_own_runs(JsonWriter& json, const ValidationReport& report) {
  if (report.own.empty()) return;
  json.key("own_runs").begin_array();
  for (const FigureOwnRuns& of : report.own) {
    const OwnRunSums& sums = of.sums;
    const auto known = [&](double value) { return sums.sources > 0 ? std::optional(value) : std::nullopt; };
    json.begin_object(true).member("figure", name_of(of.figure)).member("own_runs", sums.own);
    json.member("sources", sums.sources).member("runs", sums.runs);
    json.member("median_of_source_medians_without", known(sums.before));
    json.member("median_of_source_medians", known(sums.after)).member("p90_log_error", known(sums.p90));
    json.member("mean_of_source_inside_shares_without", known(sums.inside_before));
    json.member("mean_of_source_inside_shares", known(sums.inside)).end();
  }
  json.end();
}

void write_contact(JsonWriter& json, const ValidationReport& report) {
  const FirstContact& contact = *report.contact;
  json.key("first_contact").begin_object().key("versions").begin_array(true);
  for (const std::string& version : contact.versions) json.value(version);
  json.end().member("runs", contact.then.size());
  const std::pair<const char*, const std::vector<PredictedRun>*> sides[] = {{"then", &contact.then},
                                                                            {"today", &contact.now}};
  for (const auto& [key, runs] : sides) {
    json.key(key).begin_object();
    for (const ErrorFigure figure : figures_of(report)) write_headline(json, name_of(figure), headline(*runs, figure));
    json.end();
  }
  json.end();
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
  for (const Judged what : report.judged) write_headline(json, name_of(what), headline(report.runs, what));
  write_fits(json, report);
  json.end();
  write_pairs(json, report);
  write_own_runs(json, report);
  if (report.contact) write_contact(json, report);
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
