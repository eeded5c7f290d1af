#include "output/answer/plan_table.h"

#include <algorithm>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/answer/parts/api_words.h"
#include "output/answer/parts/limit_table.h"
#include "output/answer/parts/remedy_table.h"
#include "output/answer/plan_rows.h"
#include "output/answer/plan_variants.h"
#include "output/text/price_age.h"
#include "output/text/table.h"
#include "output/words/beside_words.h"
#include "output/words/collection_words.h"
#include "output/words/columns.h"
#include "output/words/gate_words.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/problem_words.h"

namespace gpuplan {
namespace {

std::string where_of(const Plan& plan) {
  if (plan.offer == nullptr) return "several offers";
  if (plan.offer->kind == OfferKind::kPool) return "";  // the label names it
  if (plan.offer->kind == OfferKind::kOwn) return "yours";
  const std::string place = place_words(*plan.offer);
  return place.empty() ? printable(plan.offer->instance, 40) : place;
}

bool far_from_model(const Plan& plan) {
  return std::ranges::any_of(plan.phases,
                             [](const PhasePlan& part) { return part.estimate->model_interval.has_value(); });
}

/// Whose figures the hours rest on.
std::string_view source_words(Evidence evidence) {
  switch (evidence) {
    case Evidence::kGiven:
      return "yours";
    case Evidence::kMeasured:
      return "measured";
    case Evidence::kCalibrated:
      return "calibrated";
    case Evidence::kModel:
      break;
  }
  return "predicted";
}

std::string evidence_of(const Plan& plan) {
  std::string text(source_words(plan.evidence));
  if (plan.fit == Fit::kTight) text += ", OOM risk";
  return text + (far_from_model(plan) ? " !" : "");
}

/// Dollars for an hour less than the frontier's plan in the row above: plans that are not shown are none's neighbours.
std::string saved_of(const Plan& plan, const Plan* above) {
  if (!plan.on_frontier) return "";
  if (above == nullptr || !(above->done() > plan.done())) return kNoValue;
  const Dollars saved = (plan.cost.p50 - above->cost.p50) / (above->done() - plan.done()) * units::hour;
  return saved < Dollars{0.01} ? short_money(saved) : to_text(saved);
}

std::string dominator_of(const PlanReport& report, const Plan& plan) {
  return plan.dominated_by.empty() ? "" : report.names[static_cast<std::size_t>(plan.dominated_by.front())];
}

/// The whole text, block by block.
class PlanText {
 public:
  PlanText(const PlanReport& report, const PlanLook& look)
      : report_(report),
        screen_(look.screen),
        all_(look.all),
        numbered_(look.all || look.top > 0),
        rows_(plan_rows(report, look.all, look.top)) {}

  std::string plans() {
    say(header_words(report_), 0);
    say(prices_words(report_), 0);
    blank();
    frontier();
    blank();
    recommendation();
    how();
    problems();
    variants();
    small_print();
    return std::move(text_);
  }

  std::string nothing(const std::vector<Remedy>& remedies) {
    say(header_words(report_), 0);
    say(prices_words(report_), 0);
    blank();
    for (const std::string& line : nothing_fits_words(report_)) say(line);
    if (memory_is_to_blame(report_)) text_ += remedy_table(remedies, report_.found.tally.nearest, screen_);
    variants();
    const std::string market = market_words(report_);
    const std::string tally = report_.found.market.used > 0 ? tally_words(report_) : std::string();
    if (market.empty() && tally.empty() && report_.job.from_config.empty() && report_.job.assumed.empty())
      return std::move(text_);
    blank();
    for (const std::string& line : report_.job.from_config) note(line);
    for (const std::string& line : report_.job.assumed) note("Assumed: " + line);
    note(market);
    note(tally);
    return std::move(text_);
  }

 private:
  void blank() { text_ += '\n'; }
  void say(const std::string& words, int indent = 2, int hang = -1) {
    if (!words.empty()) text_ += paragraph(words, screen_, indent, hang < 0 ? indent : hang);
  }
  /// Said in a low voice.
  void note(const std::string& words) {
    if (!words.empty()) text_ += paragraph(words, screen_, 2, 2, Paint::kDim);
  }

  bool shown(const Plan& plan) const { return rows_[static_cast<std::size_t>(&plan - report_.found.plans.data())]; }

  void frontier() {
    const bool limited =
        std::ranges::any_of(report_.found.plans, [&](const Plan& plan) { return shown(plan) && !plan.keeps_limits(); });
    Table table({{.title = numbered_ ? "#" : ""},
                 {.title = "PLAN", .narrowest = 24},
                 {.title = "PROVIDER", .drop = 3, .narrowest = all_ ? 26 : 8},
                 {.title = "HOURS", .align = Align::kRight},
                 {.title = kRangeHead, .align = Align::kRight, .drop = 4, .around = kRangeDash},
                 {.title = "QUEUE", .align = Align::kRight},
                 {.title = "COST", .align = Align::kRight},
                 {.title = kRangeHead, .align = Align::kRight, .drop = 5, .around = kRangeDash},
                 {.title = "$ PER HOUR SAVED", .align = Align::kRight, .drop = 8},
                 {.title = "ON TIME", .align = Align::kRight, .drop = 2},
                 {.title = "IN BUDGET", .align = Align::kRight, .drop = 2},
                 {.title = "LIMITS", .drop = 6},
                 {.title = "MEMORY PER GPU", .drop = 9, .around = " of "},
                 {.title = "SOURCE", .drop = 10},
                 {.title = "BEST IN", .align = Align::kRight, .drop = 1},
                 {.title = "BEATEN BY", .drop = 7, .narrowest = 16}});
    const auto& plans = report_.found.plans;
    const Plan* above = nullptr;  // of the frontier, the last one shown
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const Plan& plan = plans[i];
      if (!shown(plan)) continue;
      const Plan* before = plan.on_frontier ? std::exchange(above, &plan) : above;
      const bool picked = &plan == report_.pick();
      const Paint paint = picked ? Paint::kPick : plan.on_frontier ? Paint::kPlain : Paint::kDim;
      table.add({{(numbered_ ? std::to_string(i + 1) + (picked ? " " : "") : "") +
                      (picked ? std::string(pick_sign(report_)) : ""),
                  paint},
                 {label_of(plan), paint},
                 {where_of(plan), paint},
                 {hours_text(plan.hours.p50), paint},
                 {outcome_text(plan.hours), Paint::kDim},
                 queue_cell(plan),
                 {to_text(plan.cost.p50), paint},
                 {outcome_text(plan.cost), Paint::kDim},
                 {saved_of(plan, before)},
                 {plan.chance_in_time ? chance_words(*plan.chance_in_time, plan.meets_deadline) : std::string(),
                  plan.meets_deadline ? Paint::kPlain : Paint::kYellow},
                 {plan.chance_in_budget ? chance_words(*plan.chance_in_budget, plan.meets_budget) : std::string(),
                  plan.meets_budget ? Paint::kPlain : Paint::kYellow},
                 {limited ? limits_words(plan) : std::string(), plan.keeps_limits() ? Paint::kPlain : Paint::kYellow},
                 {memory_words(plan)},
                 {evidence_of(plan), far_from_model(plan) ? Paint::kYellow : Paint::kPlain},
                 {plan.chance_best ? chance_words(*plan.chance_best) : std::string()},
                 {all_ ? dominator_of(report_, plan) : std::string(), Paint::kDim}});
    }
    text_ += table.text(screen_);
    say(shown_words(report_, rows_), 5);
    dropped_ = table.dropped(screen_);
  }

  void recommendation() {
    say(pick_words(report_));
    summary();
    say(value_words(report_));
    for (const std::string& line : limit_words(report_)) say(line);
    text_ += limit_table(report_, screen_);
    if (const std::string words = given_words(report_); !words.empty()) say("! " + words, 2, 4);
    for (const std::string& words : collection_words(report_)) say(words, 2, words.starts_with('!') ? 4 : 2);
    say(faster_words(report_));
    for (const std::string& words : beside_words(report_)) say(words, 2, words.starts_with('!') ? 4 : 2);
    say(availability_words(report_));
    if (report_.pick() != nullptr) say(api_words(report_, *report_.pick()));
    say(close_words(report_));
    if (was_dropped("SOURCE")) say(evidence_words());
  }

  void summary() {
    for (const std::string& line : summary_words(report_)) say("- " + line, 4, 6);
  }

  bool was_dropped(const std::string& title) const { return std::ranges::find(dropped_, title) != dropped_.end(); }

  /// In place of the column that found no room: which of the plans shown rest on figures of the user.
  std::string evidence_words() const {
    std::vector<std::string> yours;
    std::size_t all = 0;
    for (std::size_t i = 0; i < report_.found.plans.size(); ++i) {
      if (!shown(report_.found.plans[i])) continue;
      ++all;
      if (report_.found.plans[i].evidence == Evidence::kGiven) yours.push_back(report_.names[i]);
    }
    if (yours.empty()) return "";
    return (yours.size() == all ? "All times use" : "The times of " + listed(yours) + " use") +
           " speeds from your job file (not verified).";
  }

  void how() {
    if (const Plan* pick = report_.pick(); pick != nullptr) {
      blank();
      text_ += how_text(report_, *pick, screen_, was_dropped("MEMORY PER GPU"));
      const std::string gates = join(gate_words(report_, *pick), " ");
      if (!gates.empty()) say("Gates: " + gates, 2, 9);
    }
  }

  void problems() {
    if (const Plan* pick = report_.pick(); pick != nullptr) {
      const std::string text = problems_text(report_, *pick, screen_, all_ ? 100 : 3);
      if (!text.empty()) text_ += '\n' + text;
    }
  }

  void variants() {
    if (report_.variants.empty()) return;
    blank();
    text_ += variants_table(report_, screen_);
  }

  void small_print() {
    const std::string market = market_words(report_);
    const std::string tally = tally_words(report_);
    const std::string worth = assumed_value_words(report_);
    const Plan* pick = report_.pick();
    const std::string age = old_price_words(pick != nullptr && pick->offer != nullptr ? pick->offer->as_of : "",
                                            report_.price_day(), report_.catalogue.answer_constants.old_price_days);
    if (!age.empty()) text_ += '\n' + paragraph("! " + age, screen_, 2, 4, Paint::kYellow);
    if (report_.found.assumptions.empty() && report_.job.from_config.empty() && market.empty() && tally.empty() &&
        worth.empty())
      return;
    blank();
    for (const std::string& line : report_.job.from_config) note(line);
    for (const std::string& line : report_.found.assumptions) note("Assumed: " + line);
    note(worth);
    note(market);
    note(tally);
  }

  const PlanReport& report_;
  Screen screen_;
  bool all_;
  bool numbered_;  ///< rows have their place among all plans
  std::vector<bool> rows_;
  std::string text_;
  std::vector<std::string> dropped_;
};

}  // namespace

std::string plan_table(const PlanReport& report, const PlanLook& look, const std::vector<Remedy>& remedies) {
  PlanText text(report, look);
  return report.found.plans.empty() ? text.nothing(remedies) : text.plans();
}

}  // namespace gpuplan
