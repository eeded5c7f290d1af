// `gpuplan check --json`: "gpuplan/check@1". Amounts are in the unit that the member's name says.
#include "output/runs/check_report.h"
#include "output/text/json_writer.h"
#include "output/words/json_parts.h"

namespace gpuplan {
namespace {

void write_figures(JsonWriter& json, const RunCheck& check) {
  json.key("figures").begin_array();
  for (const RunFigure& figure : check.figures) {
    const double unit = figure_unit(figure.what);
    const auto scaled = [&](const std::optional<double>& value) {
      return value ? std::optional(*value / unit) : std::nullopt;
    };
    json.begin_object().member("name", name_of(figure.what)).member("measured", figure.value / unit);
    json.member("measured_p10", scaled(figure.low)).member("measured_p90", scaled(figure.high));
    if (figure.expected) write_interval(json, "predicted", *figure.expected, unit);
    else json.null_member("predicted");
    json.member("ratio", figure.ratio())
        .member("lies", name_of(figure.agreement()))
        .member("of", scaled(figure.of))
        .end();
  }
  json.end();
}

void write_series(JsonWriter& json, std::string_view name, const std::optional<SeriesSummary>& plan_report) {
  if (!plan_report) {
    json.null_member(name);
    return;
  }
  json.key(name)
      .begin_object()
      .member("first", plan_report->first)
      .member("end", plan_report->end)
      .member("median", plan_report->median);
  json.member("p10", plan_report->low)
      .member("p90", plan_report->high)
      .member("least", plan_report->least)
      .member("most", plan_report->most);
  json.member("values", plan_report->count);
  if (plan_report->fall) {
    const Fall& fall = *plan_report->fall;
    json.key("fall").begin_object(true).member("falls", fall.falls()).member("smoothly", fall.smoothly());
    json.member("from", fall.first).member("to", fall.last).member("largest_rise", fall.rise);
    json.member("spikes", fall.spikes).member("worst_spike", fall.worst);
    json.member("worst_spike_step", fall.spikes > 0 ? std::optional(fall.worst_at.step) : std::nullopt);
    json.member("finite", fall.finite).end();
  } else {
    json.null_member("fall");
  }
  json.end();
}

void write_conditions(JsonWriter& json, const RunCheck& check) {
  json.key("metrics").begin_array();
  for (const MetricValue& metric : check.metrics) {
    json.begin_object(true).member("name", metric.name).member("first", metric.first).member("last", metric.last);
    json.member("end", metric.end).member("values", metric.count).end();
  }
  json.end().key("conditions").begin_array();
  for (const Judgement& one : check.conditions) {
    json.begin_object().member("condition", one.condition).member("result", name_of(one.holds));
    json.member("because", one.words).member("missed_by", one.missed_by).member("more_steps", one.more_steps).end();
  }
  json.end();
}

void write_projection(JsonWriter& json, const RunCheck& check) {
  if (!check.projection) {
    json.null_member("projection");
    return;
  }
  json.key("projection").begin_object().member("steps_left", check.projection->steps_left);
  write_interval(json, "hours_left", check.projection->left, units::hour);
  write_interval(json, "hours", check.projection->hours, units::hour);
  write_interval(json, "cost_usd", check.projection->cost, units::dollar);
  json.end();
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end();
}

void write_events(JsonWriter& json, const RunLog& log) {
  constexpr std::pair<LogEvent::Kind, std::string_view> kKinds[] = {{LogEvent::Kind::kOutOfMemory, "out_of_memory"},
                                                                    {LogEvent::Kind::kNotFinite, "not_finite"},
                                                                    {LogEvent::Kind::kError, "error"},
                                                                    {LogEvent::Kind::kRestart, "restart"},
                                                                    {LogEvent::Kind::kCheckpoint, "checkpoint"}};
  json.key("events").begin_object(true);
  for (const auto& [kind, name] : kKinds) json.member(name, count_of(log, kind));
  json.end();
}

}  // namespace

std::string check_json(const CheckReport& report) {
  const RunCheck& check = report.check;
  const Expectation& expected = report.expected;
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/check@1").member("job", expected.job).member("phase", expected.phase);
  json.key("plan").begin_object(true).member("id", expected.plan_id).member("label", expected.plan);
  write_text_or_null(json, "gpu", expected.gpu);
  json.member("gpus", expected.gpus).member("nodes", expected.nodes).member("evidence", name_of(expected.evidence));
  json.end();
  json.key("log").begin_object().member("files", report.files);
  std::vector<std::string> formats;
  for (const LogFormat format : report.log.formats) formats.emplace_back(name_of(format));
  json.member("formats", formats).member("bytes", report.log.bytes).member("lines", report.log.lines);
  json.member("cut_off", report.log.cut_off).end();
  json.member("verdict", name_of(check.verdict)).member("words", verdict_words(report));
  write_texts(json, "reasons", check.reasons);
  write_texts(json, "contradictions", check.contradictions);
  json.member("steps", check.steps);
  json.member("planned_steps", check.planned_steps > 0 ? std::optional(check.planned_steps) : std::nullopt);
  json.member("done", check.done);
  json.member("elapsed_hours", check.elapsed ? std::optional(*check.elapsed / units::hour) : std::nullopt);
  write_events(json, report.log);
  write_figures(json, check);
  write_series(json, "loss", check.loss);
  write_series(json, "validation", check.validation);
  write_series(json, "grad_norm", check.grad_norm);
  write_conditions(json, check);
  write_projection(json, check);
  json.key("advice").begin_array();
  for (const Advice& advice : report.advice)
    json.begin_object().member("about", name_of(advice.ailment)).member("words", advice.words).end();
  json.end();
  write_texts(json, "notes", report.notes);
  json.end();
  return json.take();
}

}  // namespace gpuplan
