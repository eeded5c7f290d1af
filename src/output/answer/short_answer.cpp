#include "output/answer/short_answer.h"

#include <algorithm>
#include <utility>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/answer/answer_head.h"
#include "output/answer/answer_rows.h"
#include "output/answer/parts/assumed_remark.h"
#include "output/answer/parts/limit_table.h"
#include "output/answer/parts/remedy_table.h"
#include "output/answer/remarks.h"
#include "output/text/table.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"

namespace gpuplan {
namespace {

std::string provider_of(const Plan& plan) {
  if (plan.offer == nullptr) return "several";
  return plan.offer->kind == OfferKind::kRented ? place_words(*plan.offer) : std::string();
}

class ShortAnswer {
 public:
  ShortAnswer(const PlanReport& report, const Screen& screen) : report_(report), screen_(screen) {}

  std::string plans() {
    header();
    blank();
    answer();
    blank();
    table();
    phases();
    blank();
    const Untold untold = remarks_within(room() - lines_of(more({})));
    text_ += more(untold);
    return std::move(text_);
  }

  std::string nothing(const std::vector<Remedy>& remedies) {
    header();
    blank();
    for (const std::string& line : nothing_fits_words(report_)) say(line, 0);
    if (memory_is_to_blame(report_) && !remedies.empty()) {
      blank();
      text_ += remedy_table(remedies, report_.found.tally.nearest, screen_);
    }
    if (!report_.limit_remedies.empty()) {
      blank();
      text_ += limit_table(report_, screen_);
    }
    const std::string market = market_words(report_);
    const std::string tally = report_.found.market.used > 0 ? tally_words(report_) : std::string();
    if (report_.job.assumed.empty() && market.empty() && tally.empty()) return std::move(text_);
    blank();
    if (!report_.job.assumed.empty()) note(assumed_words(report_.job.assumed));
    note(market);
    note(tally);
    return std::move(text_);
  }

 private:
  static int lines_of(const std::string& text) { return static_cast<int>(std::ranges::count(text, '\n')); }

  void blank() { text_ += '\n'; }
  void say(const std::string& words, int indent = 2, int hang = -1) {
    if (!words.empty()) text_ += paragraph(words, screen_, indent, hang < 0 ? indent : hang);
  }
  /// Said in a low voice.
  void note(const std::string& words) {
    if (!words.empty()) text_ += paragraph(words, screen_, 0, 0, Paint::kDim);
  }

  void header() {
    // Who asks in flags has given the job no name.
    const bool unnamed = report_.in_flags && report_.job.phases.size() == 1;
    const std::string job = unnamed ? upper_first(phase_words(report_.job.phases.front())) : header_words(report_);
    const std::string prices = prices_words(report_);
    // On one line where there is room.
    if (!screen_.markdown() && display_width(job) + display_width(prices) + 3 <= screen_.columns)
      return say(job + " · " + prices, 0);
    say(job, 0);
    say(prices, 0);
  }

  void answer() {
    text_ += paragraph(verdict_words(report_), screen_, 0, 2, Paint::kBold);
    for (const auto& [label, words] : pick_lines(report_)) text_ += labelled(label, words, screen_, 6);
    if (!report_.limit_remedies.empty()) text_ += '\n' + limit_table(report_, screen_);
  }

  void table() {
    const std::vector<const Plan*> rows = answer_rows(report_);
    Table table({{.title = "", .narrowest = 1},
                 {.title = "PLAN", .narrowest = 24},
                 {.title = "PROVIDER", .drop = 3, .narrowest = 8},
                 {.title = "HOURS", .align = Align::kRight},
                 {.title = kRangeHead, .align = Align::kRight, .drop = 5, .around = kRangeDash},
                 {.title = "QUEUE", .align = Align::kRight},
                 {.title = "COST", .align = Align::kRight},
                 {.title = kRangeHead, .align = Align::kRight, .drop = 6, .around = kRangeDash},
                 {.title = "ON TIME", .align = Align::kRight, .drop = 2},
                 {.title = "IN BUDGET", .align = Align::kRight, .drop = 2},
                 {.title = "ON TARGET", .align = Align::kRight, .drop = 2},
                 {.title = "BEST IN", .align = Align::kRight, .drop = 1},
                 {.title = "", .drop = 4}});
    for (const Plan* plan : rows) {
      const bool picked = plan == report_.pick();
      const Paint paint = picked ? Paint::kPick : plan->on_frontier ? Paint::kPlain : Paint::kDim;
      const auto chance = [](const std::optional<double>& of, bool enough = true) {
        return of ? chance_words(*of, enough) : std::string();
      };
      const bool missed = picked && report_.found.recommendations.limits_missed;  // nothing is recommended
      table.add(
          {{picked && !missed ? "✔" : "", paint},
           {label_of(*plan), paint},
           {provider_of(*plan), paint},
           {hours_text(plan->hours.p50), paint},
           {outcome_text(plan->hours), Paint::kDim},
           queue_cell(*plan),
           {to_text(plan->cost.p50), paint},
           {outcome_text(plan->cost), Paint::kDim},
           {chance(plan->chance_in_time, plan->meets_deadline), plan->meets_deadline ? Paint::kPlain : Paint::kYellow},
           {chance(plan->chance_in_budget, plan->meets_budget), plan->meets_budget ? Paint::kPlain : Paint::kYellow},
           {target_chance_words(*plan), plan->reaches_target ? Paint::kPlain : Paint::kYellow},
           {chance(plan->chance_best)},
           {row_remark(report_, *plan), plan->keeps_limits() ? Paint::kPlain : Paint::kYellow}});
    }
    text_ += table.text(screen_);
    more_plans_ = report_.found.plans.size() - rows.size();
    say(others_words(report_, rows), 5);
  }

  /// Of a job of several: what each takes, in as many words as there are lines for.
  void phases() {
    const Plan* pick = report_.pick();
    if (pick == nullptr || pick->phases.size() < 2) return;
    blank();
    std::string full = phases_text(report_, *pick, screen_, PhaseWords::kStrategy);
    constexpr int kRemarks = 9;  // lines of remarks, and how to see more
    if (lines_of(full) > room() - kRemarks) full = phases_text(report_, *pick, screen_, PhaseWords::kOneLine);
    text_ += full;
  }

  int room() const {
    const AnswerConstants& constants = report_.catalogue.answer_constants;
    const double most = report_.job.phases.size() > 1 ? constants.lines_of_phases : constants.lines;
    return static_cast<int>(most) - lines_of(text_);
  }

  /// Remarks for which there is no room.
  struct Untold {
    int warnings = 0;
    int others = 0;
  };

  /// Writes the heaviest that there is room for, warnings first.
  Untold remarks_within(int lines) {
    const auto most = static_cast<std::size_t>(report_.catalogue.answer_constants.remarks);
    std::vector<Remark> taken;
    Untold untold;
    std::vector<Remark> all = remarks(report_);
    // What is assumed is said before others, if only that something is.
    int kept = std::ranges::any_of(all, [](const Remark& remark) { return !remark.least.empty(); }) ? 1 : 0;
    for (Remark& remark : all) {
      const bool due = !remark.least.empty();
      if (due) kept = 0;
      else if (taken.size() + static_cast<std::size_t>(kept) >= most) {
        ++(remark.warning ? untold.warnings : untold.others);
        continue;
      }
      const int room = lines - kept;
      const bool narrow = screen_.columns < kUsualColumns || screen_.markdown();
      for (std::string* fewer : {&remark.shorter, &remark.brief, &remark.least})
        if (!narrow && lines_of(words_of(remark)) > room && !fewer->empty()) remark.text = std::move(*fewer);
      const int takes = lines_of(words_of(remark));
      if (!narrow && takes > room) {
        ++(remark.warning ? untold.warnings : untold.others);
        continue;
      }
      lines -= takes;
      taken.push_back(std::move(remark));
    }
    for (Remark& remark : taken) {
      if (remark.also.empty()) continue;
      Remark longer = remark;
      longer.text += " " + remark.also;
      const int more = lines_of(words_of(longer)) - lines_of(words_of(remark));
      const bool narrow = screen_.columns < kUsualColumns || screen_.markdown();
      // What another says in more words than it needs makes room, where that is enough.
      for (Remark& other : taken) {
        if (narrow || more <= lines || other.shorter.empty()) continue;
        Remark brief = other;
        brief.text = other.shorter;
        const int saved = lines_of(words_of(other)) - lines_of(words_of(brief));
        if (more > lines + saved) continue;
        lines += saved;
        other = std::move(brief);
      }
      if (more > lines && !narrow) continue;
      lines -= more;
      remark = std::move(longer);
    }
    sort_stably(taken, {}, [](const Remark& remark) { return !remark.warning; });
    for (const Remark& remark : taken) text_ += words_of(remark);
    return untold;
  }
  static constexpr int kUsualColumns = 100;

  std::string words_of(const Remark& remark) const {
    return paragraph((remark.warning ? "! " : "") + remark.text, screen_, 2, remark.warning ? 4 : 2,
                     remark.warning ? Paint::kYellow : Paint::kPlain);
  }

  /// "More: --details (1 more warning), ...", and what comes next.
  std::string more(const Untold& untold) const {
    const std::string left = untold.warnings > 0 ? " (" + count_of(untold.warnings, "more warning") + ")"
                             : untold.others > 0 ? " (" + count_of(untold.others, "more remark") + ")"
                                                 : std::string();
    // One bracket more is one less, so that the line stays one.
    const std::string names = left.empty() ? " (--help lists them)" : "";
    const std::string all =
        more_plans_ > 0 ? "--all (" + count_of(static_cast<double>(more_plans_), "more plan") + "), " : std::string();
    std::string text =
        paragraph("More: --details" + left + ", " + all + "--explain, --show NAME" + names, screen_, 2, 8, Paint::kDim);
    const bool answered = !report_.found.recommendations.limits_missed;
    if (!answered || report_.launch.empty()) return text;
    // launch asks for a word where memory fits by the median alone.
    const Plan* pick = report_.pick();
    const std::string allowed = pick != nullptr && pick->fit == Fit::kTight ? " --allow-tight" : "";
    text += paragraph("Next: " + report_.launch + allowed, screen_, 2, 8, Paint::kDim);
    for (const std::string& lacking : report_.unwritten)
      text += paragraph("! " + lacking, screen_, 8, 10, Paint::kYellow);
    return text;
  }

  const PlanReport& report_;
  Screen screen_;
  std::size_t more_plans_ = 0;
  std::string text_;
};

}  // namespace

std::string short_answer(const PlanReport& report, const Screen& screen, const std::vector<Remedy>& remedies) {
  ShortAnswer answer(report, screen);
  return report.found.plans.empty() ? answer.nothing(remedies) : answer.plans();
}

}  // namespace gpuplan
