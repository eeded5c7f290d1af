#include "output/plan_table.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/plan_words.h"
#include "output/table.h"

namespace gpuplan {
namespace {

constexpr const char* kNone = "–";

/// Dollars of an interval's end, three digits, without the sign that the column before has.
std::string dollars_text(Dollars money) {
  const double value = money.value;
  return value >= 99.95 ? count_text(value) : value >= 9.995 ? fixed_text(value, 1) : fixed_text(value, 2);
}

std::string hours_range(const Outcome<Seconds>& hours) { return hours_text(hours.p10) + " … " + hours_text(hours.p90); }
std::string cost_range(const Outcome<Dollars>& cost) {
  return cost.p90 <= Dollars{} ? std::string() : dollars_text(cost.p10) + " … " + dollars_text(cost.p90);
}

std::string label_of(const Plan& plan) {
  std::string label = printable(plan.label, 60);
  if (plan.spot && label.find("spot") == std::string::npos) label += " spot";
  return label;
}

std::string where_of(const Plan& plan) {
  if (plan.offer == nullptr) return "several offers";
  if (plan.offer->kind == OfferKind::kPool) return "";  // the label names it
  std::string text = place_words(*plan.offer);
  if (!plan.offer->instance.empty()) text += (text.empty() ? "" : " ") + printable(plan.offer->instance, 40);
  return text;
}

std::string memory_of(const Plan& plan) {
  const PhasePlan* fullest = plan.fullest();
  if (fullest == nullptr || !fullest->estimate.node || fullest->estimate.node->gpu == nullptr) return kNone;
  return gib_text(fullest->estimate.memory_total.p50) + " of " + gib_text(fullest->estimate.node->gpu->usable) + " GiB";
}

bool far_from_model(const Plan& plan) {
  return std::ranges::any_of(plan.phases,
                             [](const PhasePlan& part) { return part.estimate.model_interval.has_value(); });
}

std::string evidence_of(const Plan& plan) {
  std::string text(name_of(plan.evidence));
  if (plan.fit == Fit::kTight) text += ", tight";
  return text + (far_from_model(plan) ? " !" : "");
}

std::string limits_of(const Plan& plan) {
  std::string text = plan.meets_deadline ? "" : "too late";
  if (!plan.meets_budget) text += text.empty() ? "over budget" : ", over budget";
  return text.empty() ? "kept" : text;
}

std::string saved_of(const PlanStory& story, const Plan& plan) {
  if (!plan.on_frontier && !plan.dominated_by.empty())
    return "by " + story.names[static_cast<std::size_t>(plan.dominated_by.front())];
  if (!plan.price_of_time_saved) return kNone;
  return to_text(*plan.price_of_time_saved * units::hour);
}

/// The whole text, block by block.
class PlanText {
 public:
  PlanText(const PlanStory& story, const PlanLook& look) : story_(story), screen_(look.screen), all_(look.all) {}

  std::string plans() {
    say(header_words(story_), 0);
    blank();
    frontier();
    blank();
    recommendation();
    how();
    small_print();
    return std::move(text_);
  }

  std::string nothing(const std::vector<Remedy>& remedies) {
    say(header_words(story_), 0);
    blank();
    for (const std::string& line : nothing_fits_words(story_, remedies)) {
      const std::size_t indent = line.find_first_not_of(' ');
      say(line.substr(indent), 2 + static_cast<int>(indent));
    }
    note(market_words(story_));
    return std::move(text_);
  }

 private:
  void blank() { text_ += '\n'; }
  void say(const std::string& words, int indent = 2, int hang = -1) {
    if (!words.empty()) text_ += paragraph(words, screen_, indent, hang < 0 ? indent : hang);
  }
  /// Said in a low voice.
  void note(const std::string& words) {
    if (words.empty()) return;
    for (const std::string& line : wrapped(words, std::max(std::min(screen_.columns, 130) - 2, 20)))
      text_ += "  " + painted(line, Paint::kDim, screen_) + '\n';
  }

  bool shown(const Plan& plan) const { return all_ || plan.on_frontier || &plan == story_.pick(); }

  void frontier() {
    const bool limited = std::ranges::any_of(story_.found.plans, [&](const Plan& plan) {
      return shown(plan) && (!plan.meets_deadline || !plan.meets_budget);
    });
    Table table({{.title = "#"},
                 {.title = "PLAN", .narrowest = 24},
                 {.title = "WHERE", .drop = 6, .narrowest = 10},
                 {.title = "HOURS", .align = Align::kRight},
                 {.title = "P10 … P90", .align = Align::kRight, .drop = 4, .around = " … "},
                 {.title = "COST", .align = Align::kRight},
                 {.title = "P10 … P90", .align = Align::kRight, .drop = 5, .around = " … "},
                 {.title = all_ ? "$/HOUR SAVED, BY" : "$/HOUR SAVED", .align = Align::kRight, .drop = 3},
                 {.title = "IN TIME", .align = Align::kRight, .drop = 2},
                 {.title = "LIMITS", .drop = 1},
                 {.title = "MEMORY A GPU", .drop = 7, .around = " of "},
                 {.title = "EVIDENCE", .drop = 8}});
    const auto& plans = story_.found.plans;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const Plan& plan = plans[i];
      if (!shown(plan)) continue;
      const bool picked = &plan == story_.pick();
      const Paint paint = picked ? Paint::kGreen : plan.on_frontier ? Paint::kPlain : Paint::kDim;
      table.add({{std::to_string(i + 1) + (picked ? " ✔" : ""), paint},
                 {label_of(plan), paint},
                 {where_of(plan), paint},
                 {hours_text(plan.hours.p50), paint},
                 {hours_range(plan.hours), Paint::kDim},
                 {to_text(plan.cost.p50), paint},
                 {cost_range(plan.cost), Paint::kDim},
                 {saved_of(story_, plan), plan.on_frontier ? Paint::kPlain : Paint::kDim},
                 {plan.chance_in_time ? chance_words(*plan.chance_in_time) : std::string()},
                 {limited ? limits_of(plan) : std::string(),
                  plan.meets_deadline && plan.meets_budget ? Paint::kPlain : Paint::kYellow},
                 {memory_of(plan)},
                 {evidence_of(plan), far_from_model(plan) ? Paint::kYellow : Paint::kPlain}});
    }
    text_ += table.text(screen_);
    if (!all_) say(dominated_words(story_), 5);
    dropped_ = table.dropped(screen_);
  }

  void recommendation() {
    say(pick_words(story_));
    for (const std::string& line : not_chosen_words(story_)) say("- " + line, 4, 6);
    say(value_words(story_));
    for (const std::string& line : limit_words(story_)) say(line);
    if (const std::string words = given_words(story_); !words.empty()) say("! " + words, 2, 4);
    say(availability_words(story_));
    say(close_words(story_));
    if (was_dropped("EVIDENCE")) say(evidence_words());
  }

  bool was_dropped(const std::string& title) const { return std::ranges::find(dropped_, title) != dropped_.end(); }

  /// In place of the column that found no room.
  std::string evidence_words() const {
    std::string text;
    std::size_t all = 0;
    for (const Plan& plan : story_.found.plans) all += shown(plan) ? 1 : 0;
    for (const auto& entry : Names<Evidence>::entries) {
      std::size_t count = 0;
      std::string plans;
      for (std::size_t i = 0; i < story_.found.plans.size(); ++i)
        if (shown(story_.found.plans[i]) && story_.found.plans[i].evidence == entry.value) {
          plans += (plans.empty() ? "" : ", ") + std::to_string(i + 1);
          ++count;
        }
      if (count == all) return "Evidence for all of these: " + std::string(entry.name) + ".";
      if (count > 0) text += (text.empty() ? "Evidence: " : "; ") + std::string(entry.name) + " for " + plans;
    }
    return text + ".";
  }

  static std::string how_words(const PhasePlan& part, const Phase& phase, bool memory) {
    std::string text = strategy_words(part.estimate, phase);
    if (text.empty()) text = phase_words(phase);
    if (const std::string rate = rate_words(part, phase); !rate.empty()) text += "; " + rate;
    if (memory && part.estimate.node && part.estimate.node->gpu != nullptr && part.estimate.memory_total.p50 > Bytes{})
      text += "; " + gib_text(part.estimate.memory_total.p50) + " of " + gib_text(part.estimate.node->gpu->usable) +
              " GiB a GPU";
    return text;
  }

  void how() {
    const Plan* pick = story_.pick();
    if (pick == nullptr) return;
    blank();
    if (pick->phases.size() == 1) {
      const PhasePlan& only = pick->phases.front();
      say("How: " + how_words(only, story_.job.phases.front(), was_dropped("MEMORY A GPU")) + ".", 2, 7);
      return;
    }
    say(story_.name(*pick) + ", phase by phase" + (pick->kept ? ":" : ", machines let go while idle:"));
    phases(*pick);
  }

  void phases(const Plan& pick) {
    Table table({{.title = "PHASE", .narrowest = 10},
                 {.title = "START", .align = Align::kRight, .drop = 2},
                 {.title = "HOURS", .align = Align::kRight},
                 {.title = "GPUS", .align = Align::kRight, .drop = 3},
                 {.title = "COST", .align = Align::kRight},
                 {.title = "HOW", .narrowest = 30, .wrap = true}});
    for (const PhasePlan& part : pick.phases) {
      const Phase& phase = story_.job.phases[static_cast<std::size_t>(part.estimate.phase)];
      std::string gpus = part.estimate.gpus > 0 ? std::to_string(part.estimate.gpus) : kNone;
      if (part.gpus_billed > part.estimate.gpus) gpus += " of " + std::to_string(part.gpus_billed);
      std::string how = how_words(part, phase, true);
      if (pick.offer == nullptr && part.offer != nullptr) how = where_words(*part.offer) + ": " + how;
      table.add({{printable(phase.name, 40)},
                 {hours_text(part.start)},
                 {hours_text(part.hours.p50)},
                 {gpus},
                 {part.cost.p50 > Dollars{} ? to_text(part.cost.p50) : kNone},
                 {how, Paint::kDim}});
    }
    if (pick.buffer > Seconds{}) table.add({{"buffer " + percent(story_.job.buffer)}, {}, {hours_text(pick.buffer)}});
    constexpr double kWorthALine = 0.005;
    if (pick.spot_loss > pick.hours.p50 * kWorthALine)
      table.add({{"interruptions"},
                 {},
                 {hours_text(pick.spot_loss)},
                 {},
                 {},
                 {"checkpoints and expected loss, closed form", Paint::kDim}});
    if (pick.idle > pick.cost.p50 * kWorthALine)
      table.add({{"idle"}, {}, {}, {}, {to_text(pick.idle)}, {"machines held while no phase uses them", Paint::kDim}});
    table.add({{"in all", Paint::kBold},
               {},
               {hours_text(pick.hours.p50), Paint::kBold},
               {},
               {to_text(pick.cost.p50), Paint::kBold},
               {gpu_hours_words(pick), Paint::kDim}});
    if (story_.job.contingency > Dollars{})
      table.add({{"contingency"},
                 {},
                 {},
                 {},
                 {to_text(story_.job.contingency)},
                 {to_text(pick.cost.p50 + story_.job.contingency) + " with it", Paint::kDim}});
    text_ += table.text(screen_, 4);
  }

  static std::string where_words(const Offer& offer) {
    const std::string place = place_words(offer);
    return std::to_string(offer.gpus) + "x " + offer.gpu + (place.empty() ? "" : " (" + place + ")");
  }

  static std::string gpu_hours_words(const Plan& plan) {
    if (plan.billed_gpu_hours <= 0) return "";
    return significant_text(plan.gpu_hours, 3) + " GPU-hours used of " + significant_text(plan.billed_gpu_hours, 3) +
           " paid for (" + percent(plan.gpu_hours / plan.billed_gpu_hours) + ")";
  }

  void small_print() {
    const std::string market = market_words(story_);
    const std::string tally = tally_words(story_);
    const std::string worth = assumed_value_words(story_);
    if (story_.found.assumptions.empty() && market.empty() && tally.empty() && worth.empty()) return;
    blank();
    for (const std::string& line : story_.found.assumptions) note("Assumed: " + line);
    note(worth);
    note(market);
    note(tally);
  }

  const PlanStory& story_;
  Screen screen_;
  bool all_;
  std::string text_;
  std::vector<std::string> dropped_;
};

}  // namespace

std::string plan_table(const PlanStory& story, const PlanLook& look, const std::vector<Remedy>& remedies) {
  PlanText text(story, look);
  return story.found.plans.empty() ? text.nothing(remedies) : text.plans();
}

}  // namespace gpuplan
