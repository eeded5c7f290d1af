// What moves the result: each input at its low and its high end, the largest swing on top.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/charts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostInputs = 9;
constexpr double kLeastSwing = 0.004;  // of what is planned
constexpr double kStill = 0.03;        // of it: behind the largest no reason to look, as in the table

struct SwingMeasure {
  bool cost;
  double of(Seconds hours, Dollars money) const { return cost ? money / units::dollar : hours / units::hour; }
  std::string words(double value) const { return cost ? money_label(value) : hours_words(value * units::hour); }
};

/// "Price of the machine"; of an address such as "produce.train.batch.tokens" what a reader says: "Produce: batch
/// tokens".
std::string input_words(const SensitivityInput& input) {
  std::string text = printable(input.name, 200);
  std::ranges::replace(text, '_', ' ');
  if (input.name.find(' ') != std::string::npos) return upper_first(text);
  for (const std::string_view kind : {".train.", ".generate.", ".fixed.", ".cpu.", ".work."})
    if (const std::size_t at = text.find(kind); at != std::string::npos) text.replace(at, kind.size(), ": ");
  std::ranges::replace(text, '.', ' ');
  return upper_first(text);
}

std::string end_words(const SensitivityEnd& end) {
  const std::string value = printable(end.value, 40) + ": ";
  if (!end.runs) return value + "does not run on these machines";
  return value + hours_words(end.hours) + ", " + money_label(end.cost.value) +
         (end.other_pick.empty() ? "" : "; then recommended: " + printable(end.other_pick, 100));
}

}  // namespace

std::optional<Chart> tornado_chart(const SensitivityReport& report, Swing swing) {
  if (report.plan_report == nullptr || report.plan_report->pick() == nullptr) return std::nullopt;
  const Plan& pick = *report.plan_report->pick();
  const SwingMeasure what{swing == Swing::kCost && pick.cost.p50 > Dollars{}};
  const double now = what.of(pick.hours.p50, pick.cost.p50);
  const auto value_of = [&](const SensitivityEnd& end) { return end.runs ? what.of(end.hours, end.cost) : now; };

  std::vector<const SensitivityInput*> inputs;
  for (const SensitivityInput* input : by_swing(report, what.cost)) {
    const double low = value_of(input->low), high = value_of(input->high);
    const double moved = std::max({low, high, now}) - std::min({low, high, now});
    const bool told = what.words(low) != what.words(now) || what.words(high) != what.words(now);
    if (inputs.size() < kMostInputs && moved > (inputs.empty() ? kLeastSwing : kStill) * now &&
        (told || !input->low.runs || !input->high.runs))
      inputs.push_back(input);
  }
  if (inputs.empty()) return std::nullopt;

  Chart chart;
  chart.kind = ChartKind::kTornado;
  chart.key = what.cost ? "tornado-cost" : "tornado-hours";
  chart.title = what.cost ? "What moves the cost?" : "What moves the time?";
  double least = now, most = now;
  std::vector<std::string> rows;
  for (const SensitivityInput* input : inputs) {
    rows.push_back(short_name(input_words(*input), 40));
    for (const SensitivityEnd* end : {&input->low, &input->high}) {
      least = std::min(least, value_of(*end));
      most = std::max(most, value_of(*end));
    }
  }
  chart.y = row_axis(rows);
  chart.x = linear_axis(what.cost ? "Cost" : "Time until the last result", least, most,
                        what.cost ? AxisUnit::kDollars : AxisUnit::kHours);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const SensitivityInput& input = *inputs[i];
    const auto add = [&](const SensitivityEnd& end, MarkRole role) {
      const double value = value_of(end);
      ChartMark bar{.shape = MarkShape::kBar, .role = role, .x = value, .y = static_cast<double>(i)};
      bar.x0 = std::min(value, now);
      bar.x1 = std::max(value, now);
      bar.label = end.runs ? what.words(value) : "does not run";
      bar.note = short_name(end.value, 24);
      bar.tip = {input_words(input), "Now " + printable(input.now, 60), end_words(end)};
      return bar;
    };
    ChartMark low = add(input.low, MarkRole::kC2), high = add(input.high, MarkRole::kC4);
    // Where both ends lie on one side the shorter bar is drawn over the longer one.
    if (*low.x1 - *low.x0 < *high.x1 - *high.x0) std::swap(low, high);
    chart.marks.push_back(std::move(low));
    chart.marks.push_back(std::move(high));
  }
  chart.marks.push_back(
      {.shape = MarkShape::kRule, .role = MarkRole::kReference, .x = now, .label = what.words(now) + " as planned"});
  chart.legend = {{MarkRole::kC2, "low end"}, {MarkRole::kC4, "high end"}};

  const SensitivityInput& first = *inputs.front();
  const auto gives = [&](const SensitivityEnd& end) {
    return printable(end.value, 40) + (end.runs ? " gives " + what.words(value_of(end)) : " does not run");
  };
  chart.finding = input_words(first) + ": " + gives(first.low) + ", " + gives(first.high) + ".";
  chart.caption =
      "Each input moved alone over its own range, or by " + percent(report.by) + " down and up, on the same machines.";
  chart.alt = "Inputs by how far they move the " + std::string(what.cost ? "cost" : "time") + ". " + chart.finding;
  return chart;
}

}  // namespace gpuplan
