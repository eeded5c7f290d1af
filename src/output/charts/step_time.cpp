// Where the time of a step goes: all its parts in one bar, and each by its size.
#include <algorithm>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/charts.h"
#include "output/explain/explain.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostParts = 8;
constexpr double kLeastPart = 0.005;

constexpr MarkRole kRoles[] = {MarkRole::kC1, MarkRole::kC2, MarkRole::kC3, MarkRole::kC4,
                               MarkRole::kC5, MarkRole::kC6, MarkRole::kC7, MarkRole::kC8};

struct TimePart {
  std::string name;
  double seconds = 0;
  std::string formula{};
};

/// Of the phases that the model predicts the one that works longest, those with steps first.
const PhaseTerms* longest(const std::vector<PhaseTerms>& phases) {
  const PhaseTerms* best = nullptr;
  const auto key = [](const PhaseTerms& phase) {
    return std::pair(phase.per_step, phase.part->estimate->work.p50.value);
  };
  for (const PhaseTerms& phase : phases)
    if (phase.total(Term::Kind::kTime) > 0 && (best == nullptr || key(phase) > key(*best))) best = &phase;
  return best;
}

/// Largest first; what is too small for a row is one together, in the end.
std::vector<TimePart> parts_of(const PhaseTerms& phase) {
  const double total = phase.total(Term::Kind::kTime);
  std::vector<TimePart> parts;
  for (const Term& term : phase.terms)
    if (term.kind == Term::Kind::kTime && term.part_of_total && term.value > 0)
      parts.push_back({upper_first(std::string(term.name)), term.value, std::string(term.formula)});
  sort_stably(parts, std::ranges::greater{}, &TimePart::seconds);
  std::vector<TimePart> shown;
  TimePart rest{"All else", 0, {}};
  std::size_t in_rest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size() && in_rest == 0;
    const bool room = shown.size() < kMostParts - 1 || (last && shown.size() < kMostParts);
    if (room && (parts[i].seconds >= kLeastPart * total || last)) shown.push_back(parts[i]);
    else {
      rest.seconds += parts[i].seconds;
      ++in_rest;
    }
  }
  if (in_rest > 0) shown.push_back(rest);
  return shown;
}

}  // namespace

std::optional<Chart> step_time_chart(const PlanReport& report) {
  const Plan* pick = report.pick();
  if (pick == nullptr) return std::nullopt;
  const std::vector<PhaseTerms> phases = explain_phases(*pick, report.job, report.catalogue, report.errors());
  const PhaseTerms* phase = longest(phases);
  if (phase == nullptr) return std::nullopt;
  const std::vector<TimePart> parts = parts_of(*phase);
  const double total = phase->total(Term::Kind::kTime);
  const std::string name = short_name(phase->phase->name, 40);
  const std::string what = phase->per_step ? "One step" : "Whole phase";
  const PhaseEstimate& estimate = phase->part->estimate;

  Chart chart;
  chart.kind = ChartKind::kStepTime;
  chart.key = "step-time";
  chart.title = phase->per_step ? "Where does the time of a step go?" : "Where does the time go?";
  std::vector<std::string> rows = {what};
  for (const TimePart& part : parts) rows.push_back(short_name(part.name, 40));
  chart.y = row_axis(rows);
  constexpr double kRoom = 1.1;  // for the label behind the first bar
  chart.x =
      linear_axis("Time" + std::string(phase->per_step ? " of a step" : ""), 0, kRoom * total, AxisUnit::kSeconds);

  const auto share_of = [&](const TimePart& part) { return percent(part.seconds / total); };
  double from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ChartMark bar{.shape = MarkShape::kBar, .role = kRoles[i], .y = 0, .x0 = from};
    from += parts[i].seconds;
    bar.x1 = i + 1 == parts.size() ? total : std::min(from, total);
    bar.tip = {parts[i].name, to_text(Seconds{parts[i].seconds}) + ", " + share_of(parts[i])};
    chart.marks.push_back(std::move(bar));
  }
  chart.marks.push_back({.shape = MarkShape::kRule,
                         .role = MarkRole::kPick,
                         .x = total,
                         .y = 0,
                         .label = to_text(Seconds{total}),
                         .tip = {what, to_text(Seconds{total}) + ", predicted"}});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ChartMark bar{.shape = MarkShape::kBar,
                  .role = kRoles[i],
                  .y = static_cast<double>(i + 1),
                  .x0 = 0,
                  .x1 = std::min(parts[i].seconds, total)};
    bar.tip = {parts[i].name, to_text(Seconds{parts[i].seconds}) + ", " + share_of(parts[i])};
    if (!parts[i].formula.empty()) bar.tip.push_back(parts[i].formula);
    bar.x = bar.x1;
    bar.label = to_text(Seconds{parts[i].seconds}) + ", " + share_of(parts[i]);
    chart.marks.push_back(std::move(bar));
  }
  chart.finding = parts.front().name + ": " + share_of(parts.front()) + " of " +
                  (phase->per_step ? "a step of " : "the ") + to_text(Seconds{total}) +
                  (report.job.phases.size() > 1 ? " in " + name : std::string()) + ".";
  chart.caption = "Predicted for " + short_name(report.name(*pick), 60) +
                  (report.job.phases.size() > 1 ? ", phase " + name : std::string()) +
                  ". The first bar holds all parts, those under it each of them.";
  if (estimate.evidence == Evidence::kGiven)
    chart.caption += phase->per_step && phase->part->seconds_per_step.p50 > Seconds{}
                         ? " The plan counts with your figure, " + to_text(phase->part->seconds_per_step.p50) +
                               " a step; what fills it is the model's."
                         : " The plan counts with your figure; what fills it is the model's.";
  chart.alt = "Parts of the time, largest first:";
  for (const TimePart& part : parts) chart.alt += " " + part.name + " " + share_of(part) + ";";
  chart.alt.back() = '.';
  return chart;
}

}  // namespace gpuplan
