// plan --show evidence: what the job's own figures make of the plans, beside what the model makes of them.
#include <algorithm>
#include <iterator>

#include "base/amount.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/advice/whatif.h"

namespace gpuplan {
namespace {

bool same_place(const Plan& a, const Plan& b) {
  if (a.gpus != b.gpus || a.nodes != b.nodes || a.spot != b.spot) return false;
  if (a.offer == nullptr || b.offer == nullptr) return a.offer == b.offer && a.label == b.label;
  return same_machine(*a.offer, *b.offer) && same_price(*a.offer, *b.offer);
}

const Plan* counterpart_of(const Plan& plan, const PlanReport& other) {
  const auto& plans = other.found.plans;
  const auto found = std::ranges::find_if(plans, [&](const Plan& p) { return same_place(plan, p); });
  return found == plans.end() ? nullptr : &*found;
}

/// "pick", "yes" or "–".
Cell standing(const PlanReport& report, const Plan& plan) {
  if (&plan == report.pick()) {
    const std::string pick = std::string(pick_sign(report)) + " pick";
    return {plan.on_frontier ? pick : pick + " –", Paint::kGreen};
  }
  return plan.on_frontier ? Cell("yes") : Cell("–", Paint::kDim);
}

/// The phase whose rate is shown: the only one that generates, of jobs of one phase.
const PhasePlan* rated(const Plan& plan) {
  if (plan.phases.size() != 1 || plan.phases.front().estimate->steps > 0) return nullptr;
  if (plan.phases.front().tokens_per_second.p50 <= TokensPerSecond{}) return nullptr;
  return &plan.phases.front();
}

/// Tokens a second of one GPU.
Cell rate_cell(const Plan* plan) {
  const PhasePlan* part = plan == nullptr ? nullptr : rated(*plan);
  if (part == nullptr) return {};
  const double rate = part->tokens_per_second.p50.value / std::max(part->estimate->gpus, 1);
  return {rate, rate_text(rate)};
}

/// "4x RTX 3090 (3.4 h, $4.74), 4x RTX 5090 (1.6 h, $5.11)"; fastest last.
std::string frontier_words(const PlanReport& report) {
  std::vector<std::string> names;
  for (const Plan& plan : report.found.plans)
    if (plan.on_frontier)
      names.push_back(report.name(plan) + " (" + hours_words(plan.hours.p50) + ", " + to_text(plan.cost.p50) + ")");
  constexpr std::size_t kNamed = 8;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  return join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string pick_comparison(const PlanReport& given, const PlanReport& model) {
  const Plan* pick = given.pick();
  const Plan* other = model.pick();
  if (pick == nullptr || other == nullptr) return "";
  if (same_place(*pick, *other)) return "Both recommend " + given.name(*pick) + ".";
  std::string text = "Your figures favor " + given.name(*pick) + ", predictions favor " + model.name(*other);
  if (const Plan* same = counterpart_of(*pick, model))
    text += "; predicted, " + given.name(*pick) + " takes " + hours_words(same->hours.p50) + " and costs " +
            to_text(same->cost.p50);
  return text + ".";
}

}  // namespace

ViewContent evidence_view(const PlanReport& report, const Screen&) {
  ViewContent view{"Your figures next to the predictions", Table({}), {}};
  if (report.by_model == nullptr) {
    view.notes.emplace_back("The job states no figures of its own: all times are predicted.");
    return view;
  }
  const PlanReport& model = *report.by_model;
  // A rate only where there is one: columns take room whether they are empty or not.
  const bool rates = std::ranges::any_of(report.found.plans, [](const Plan& p) { return rated(p) != nullptr; });
  std::vector<Column> columns = {{.title = "PLAN", .narrowest = 18, .wrap = true, .key = "plan"}};
  if (rates) {
    columns.push_back({.title = "TOKENS/S",
                       .align = Align::kRight,
                       .drop = 3,
                       .unit = "yours",
                       .key = "given_tokens_per_second_a_gpu"});
    columns.push_back({.title = "TOKENS/S",
                       .align = Align::kRight,
                       .drop = 2,
                       .unit = "predicted",
                       .key = "model_tokens_per_second_a_gpu"});
  }
  std::vector<Column> both = {
      {.title = "HOURS", .align = Align::kRight, .unit = "yours", .key = "given_hours"},
      {.title = "HOURS", .align = Align::kRight, .unit = "predicted", .key = "model_hours"},
      {.title = kRangeHead, .align = Align::kRight, .drop = 4, .around = kRangeDash, .unit = "predicted"},
      {.title = "", .key = "model_hours_p10"},
      {.title = "", .key = "model_hours_p90"},
      {.title = "COST", .align = Align::kRight, .unit = "yours", .key = "given_cost_usd"},
      {.title = "COST", .align = Align::kRight, .unit = "predicted", .key = "model_cost_usd"},
      {.title = "FRONTIER", .unit = "yours", .key = "given_frontier"},
      {.title = "FRONTIER", .unit = "predicted", .key = "model_frontier"},
      {.title = "HOURS", .align = Align::kRight, .drop = 1, .unit = "vs yours", .key = "model_hours_over_given"}};
  std::ranges::move(both, std::back_inserter(columns));
  view.table = Table(std::move(columns));

  std::size_t rows = 0, outside = 0, compared = 0;
  for (const Plan& plan : report.found.plans) {
    const bool far =
        std::ranges::any_of(plan.phases, [](const PhasePlan& p) { return p.estimate->model_interval.has_value(); });
    if (plan.evidence == Evidence::kGiven) {
      ++compared;
      outside += far ? 1 : 0;
    }
    const Plan* other = counterpart_of(plan, model);
    const bool marked = plan.on_frontier || &plan == report.pick() ||
                        (other != nullptr && (other->on_frontier || other == model.pick()));
    if (rows >= kViewRows && !marked && !report.all) continue;
    ++rows;
    std::vector<Cell> row = {{report.name(plan)}};
    if (rates) {
      row.push_back(rate_cell(&plan));
      row.push_back(rate_cell(other));
    }
    row.emplace_back(plan.hours.p50 / units::hour, hours_text(plan.hours.p50));
    if (other != nullptr) {
      row.emplace_back(other->hours.p50 / units::hour, hours_text(other->hours.p50),
                       far ? Paint::kYellow : Paint::kPlain);
      row.emplace_back(outcome_text(other->hours), Paint::kDim);
      row.emplace_back(other->hours.p10 / units::hour);
      row.emplace_back(other->hours.p90 / units::hour);
    } else {
      add_nothing(row);
    }
    row.push_back(money_cell(plan.cost.p50));
    row.push_back(other != nullptr ? money_cell(other->cost.p50) : Cell());
    row.push_back(standing(report, plan));
    row.push_back(other != nullptr ? standing(model, *other) : Cell());
    if (other != nullptr) {
      const double ratio = other->hours.p50 / plan.hours.p50;
      row.emplace_back(ratio, times_words(ratio));
    }
    view.table.add(std::move(row));
  }
  if (const std::string words = shown_rows(rows, report.found.plans.size(), "plan"); !words.empty())
    view.notes.push_back(words);
  view.notes.push_back("Frontier by your figures: " + frontier_words(report) + ".");
  view.notes.push_back("Frontier by the predictions: " + frontier_words(model) + ".");
  if (const std::string words = pick_comparison(report, model); !words.empty()) view.notes.push_back(words);
  if (compared > 0)
    view.notes.push_back("Outside the predicted range (P10–P90): your figures for " + std::to_string(outside) + " of " +
                         count_of(static_cast<double>(compared), "plan") + "." +
                         (rates ? " Tokens/s are per GPU." : ""));
  if (const std::string words = given_words(report); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
