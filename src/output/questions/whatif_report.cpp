#include "output/questions/whatif_report.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// "2.00x", "same" within half a percent, "–" when there is nothing to compare with.
Cell ratio_cell(double after, double before) {
  if (before <= 0) return after <= 0 ? Cell(1.0, "same") : Cell(kNoValue);
  const double ratio = after / before;
  if (ratio > 0.995 && ratio < 1.005) return {ratio, "same"};
  if (ratio < 0.0995) return {ratio, significant_text(ratio, 2) + "x"};
  return {ratio, (ratio >= 99.5 ? count_text(ratio) : fixed_text(ratio, ratio >= 9.95 ? 1 : 2)) + "x"};
}

std::string signed_words(const std::string& size, bool minus) { return (minus ? "-" : "+") + size; }

/// Times are whole seconds: one of them may be the rounding of nothing.
bool same_time(Seconds a, Seconds b) { return a <= b + units::second && b <= a + units::second; }

std::string difference_words(const Plan& plan, const Plan& base) {
  const Seconds time = plan.done() - base.done();  // the time in queues too
  const Dollars money = plan.cost.p50 - base.cost.p50;
  std::string text;
  if (!same_time(plan.done(), base.done()))
    text = signed_words(hours_words(time < Seconds{} ? -time : time), time < Seconds{});
  if (money != Dollars{})
    text += (text.empty() ? "" : ", ") + signed_words(to_text(money < Dollars{} ? -money : money), money < Dollars{});
  return text;
}

/// Text of the user in one line of a table.
std::string shown(const std::string& text, std::size_t most = 60) { return printable(text, most); }

std::string_view address_of(std::string_view setting) { return setting.substr(0, setting.find('=')); }

/// The last steps of an address; more when that would lose the position of an item.
std::string_view last_steps(std::string_view address, int steps) {
  std::size_t from = address.size();
  for (int i = 0; from != 0 && (i < steps || address.substr(0, from).find('[') != std::string_view::npos); ++i) {
    const std::size_t dot = address.rfind('.', from - 1);
    from = dot == std::string_view::npos || dot == 0 ? 0 : dot;
  }
  return from == 0 || from == address.size() ? address : address.substr(from + 1);
}

/// Names of the cases, with as much of their addresses as tells these apart.
std::vector<std::string> names_of(const WhatIfReport& report) {
  std::vector<std::string_view> addresses;
  for (const WhatIfCase& each : report.cases)
    for (const std::string& setting : each.settings)
      if (std::ranges::find(addresses, address_of(setting)) == addresses.end())
        addresses.push_back(address_of(setting));
  int steps = 1;
  const auto apart = [&] {
    std::vector<std::string_view> ends;
    for (const std::string_view address : addresses) ends.push_back(last_steps(address, steps));
    std::ranges::sort(ends);
    return std::ranges::adjacent_find(ends) == ends.end();
  };
  constexpr int kMostSteps = 70;  // no address has more
  while (steps < kMostSteps && !apart()) ++steps;
  std::vector<std::string> names;
  for (const WhatIfCase& each : report.cases) {
    std::string name = each.title;
    for (const std::string& setting : each.settings) {
      const std::string_view address = address_of(setting);
      name += (name.empty() ? "" : ", ") + std::string(last_steps(address, steps)) + setting.substr(address.size());
    }
    names.push_back(printable(name, 200));
  }
  return names;
}

class WhatIfText {
 public:
  WhatIfText(const WhatIfReport& report, const Screen& screen, bool details)
      : report_(report), screen_(screen), details_(details), names_(names_of(report)) {
    for (const std::string& name : names_)
      for (const std::string_view word : split(name, ' ')) longest_ = std::max(longest_, display_width(word));
  }

  std::string text() {
    const PlanReport& base = *report_.cases.front().plan_report;
    say(header_words(base), 0);
    if (details_) say(prices_words(base), 0);
    text_ += '\n';
    text_ += picks().text(screen_);
    text_ += '\n';
    stay();
    if (details_) limits();
    nothing();
    unchanged();
    doubts();
    old_prices();
    addresses();
    return std::move(text_);
  }

 private:
  const std::string& name_of_case(const WhatIfCase& what) const {
    return names_[static_cast<std::size_t>(&what - report_.cases.data())];
  }
  const WhatIfCase& first() const { return report_.cases.front(); }
  const Plan* base_pick() const { return first().plan_report->pick(); }

  void say(const std::string& words, int indent = 2, int hang = -1) {
    text_ += paragraph(words, screen_, indent, hang < 0 ? indent : hang);
  }

  Table table(const char* plan_title, bool limited) const {
    std::vector<Column> columns = {
        {.title = "CHANGE", .narrowest = longest_, .wrap = true}, {.title = plan_title, .narrowest = 14, .wrap = true},
        {.title = "PROVIDER", .drop = 8, .narrowest = 8},         {.title = "HOURS", .align = Align::kRight},
        {.title = "P10–P90", .align = Align::kRight, .drop = 4},  {.title = "VS BASELINE", .align = Align::kRight}};
    add_queue_column(columns);
    for (const Column& column : std::vector<Column>{{.title = "COST", .align = Align::kRight},
                                                    {.title = "P10–P90", .align = Align::kRight, .drop = 5},
                                                    {.title = "VS BASELINE", .align = Align::kRight},
                                                    {.title = "DIFFERENCE", .drop = 7},
                                                    {.title = "MEMORY PER GPU", .drop = 6, .around = " of "},
                                                    {.title = limited ? "LIMITS" : "REMARKS", .drop = 3}})
      columns.push_back(column);
    return Table(std::move(columns));
  }

  /// Whether any row misses a limit: only then there is something to tell apart.
  bool limited() const {
    return std::ranges::any_of(report_.cases, [](const WhatIfCase& each) {
      const auto misses = [](const Plan* plan) { return plan != nullptr && !plan->keeps_limits(); };
      return misses(each.plan_report->pick()) || misses(each.stays);
    });
  }

  void limits() {
    const bool any = std::ranges::any_of(report_.cases, [](const WhatIfCase& each) {
      return each.plan_report->pick() != nullptr &&
             (each.plan_report->job.limits.deadline || each.plan_report->job.limits.budget);
    });
    if (any && !limited()) say("All of these plans meet the limits.");
  }

  static std::string remarks(const Plan& plan, bool limited) {
    std::string text = limited ? limits_words(plan) : "";
    if (plan.fit == Fit::kTight) text += text.empty() ? "OOM risk" : ", OOM risk";
    return text;
  }

  void add(Table& table, const WhatIfCase& what, const Plan& plan, const std::string& name, Paint paint) const {
    const Plan* base = base_pick();
    const bool compared = base != nullptr && &what != &first();
    const bool kept = plan.keeps_limits() && plan.fit == Fit::kFits;
    table.add({{name_of_case(what)},
               {name, paint},
               {plan.offer != nullptr ? place_words(*plan.offer) : std::string(), paint},
               {plan.hours.p50 / units::hour, hours_text(plan.hours.p50)},
               {outcome_text(plan.hours), Paint::kDim},
               compared ? ratio_cell(plan.hours.p50.value, base->hours.p50.value) : Cell(),
               queue_cell(plan),
               {plan.cost.p50 / units::dollar, to_text(plan.cost.p50)},
               {outcome_text(plan.cost), Paint::kDim},
               compared ? ratio_cell(plan.cost.p50.value, base->cost.p50.value) : Cell(),
               {compared ? difference_words(plan, *base) : std::string(), Paint::kDim},
               {memory_words(plan)},
               {remarks(plan, limited()), kept ? Paint::kPlain : Paint::kYellow}});
  }

  Table picks() const {
    Table result = table("RECOMMENDED", limited());
    for (const WhatIfCase& each : report_.cases) {
      const Plan* pick = each.plan_report->pick();
      if (pick == nullptr) {
        result.add({{name_of_case(each)}, {"nothing fits", Paint::kYellow}});
        continue;
      }
      const bool same = &each == &first() || pick == each.stays;
      add(result, each, *pick, each.plan_report->name(*pick), same ? Paint::kPlain : Paint::kCyan);
    }
    return result;
  }

  /// How its machines are held, in words.
  static std::string held_words(const Plan& plan) {
    if (plan.at_once > 1) return std::to_string(plan.at_once) + " at a time";
    return plan.kept ? "held from the first phase to the last" : "released while idle";
  }

  /// What every case has in common, where all of them take the machines of the first: no more than the rows say.
  std::string same_machines_words(const Plan& base, const std::string& name) const {
    bool same_plan = true;
    std::vector<std::string> otherwise;
    for (const WhatIfCase& each : report_.cases) {
      const Plan& pick = *each.plan_report->pick();  // all of them stay
      same_plan = same_plan && pick.id == base.id;
      if (!rented_alike(pick, base)) otherwise.push_back(name_of_case(each) + ", " + held_words(pick));
    }
    if (!otherwise.empty())
      return "The kind of machine does not change, how it is held does: " + name +
             (base.at_once > 1 ? "" : " " + held_words(base)) + "; " + join(otherwise, "; ") + ".";
    if (same_plan) return "The recommendation does not change: " + name + ".";
    std::vector<std::string> others;
    for (const WhatIfCase& each : report_.cases)
      if (std::string words = settings_words(base, each); !words.empty()) others.push_back(std::move(words));
    return "The recommended machines do not change: " + name + ". Their settings do" +
           (others.empty() ? "" : ": " + join(others, "; ")) + ".";
  }

  /// "optimizer=lion trains under deepspeed instead of torch, and 256 sequences a step instead of 64": what nobody
  /// changed and changes the time as well; "" where nothing of that kind does.
  std::string settings_words(const Plan& base, const WhatIfCase& what) const {
    const Plan& pick = *what.plan_report->pick();
    const std::vector<Phase>& phases = what.plan_report->job.phases;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < pick.phases.size() && i < base.phases.size(); ++i) {
      const PhaseEstimate &after = *pick.phases[i].estimate, &before = *base.phases[i].estimate;
      const Phase& phase = phases[static_cast<std::size_t>(after.phase)];
      if (!std::holds_alternative<TrainPhase>(phase.work)) continue;
      std::vector<std::string> changes;
      if (after.framework != before.framework && after.framework != nullptr && before.framework != nullptr)
        changes.push_back("under " + after.framework->name + " instead of " + before.framework->name);
      if (after.batch_usual && before.batch_usual && after.batch != before.batch)
        changes.push_back("with " + count_text(after.batch) + " sequences a step instead of " +
                          count_text(before.batch));
      if (after.lighter != before.lighter) changes.emplace_back(after.lighter ? "in pure bf16" : "with fp32 weights");
      if (changes.empty()) continue;
      words.push_back((phases.size() > 1 ? printable(phase.name, 40) + " " : "") + "trains " + join(changes, ", "));
    }
    return words.empty() ? "" : name_of_case(what) + " " + join(words, ", ");
  }

  /// What the machines of the baseline would take and cost where others are recommended.
  void stay() {
    const Plan* base = base_pick();
    if (base == nullptr || report_.cases.size() < 2) return;
    const std::string name = first().plan_report->name(*base);
    Table kept = table("PLAN", limited());
    std::vector<std::pair<std::string, std::vector<std::string>>> lost;  // reason, cases
    for (const WhatIfCase& each : report_.cases) {
      if (&each == &first() || (each.stays != nullptr && each.stays == each.plan_report->pick())) continue;
      if (each.stays != nullptr) {
        add(kept, each, *each.stays, each.plan_report->name(*each.stays), Paint::kPlain);
        continue;
      }
      auto reason = std::ranges::find(lost, each.stays_not, [](const auto& line) { return line.first; });
      if (reason == lost.end()) reason = lost.insert(lost.end(), {each.stays_not, {}});
      reason->second.push_back(name_of_case(each));
    }
    if (kept.empty() && lost.empty()) {
      say(same_machines_words(*base, name));
      return;
    }
    if (!kept.empty()) {
      say("If you keep " + name + ":");
      text_ += kept.text(screen_);
    }
    for (const auto& [reason, cases] : lost)
      say(std::string(name).append(" is excluded: ").append(reason) + " (" + join(cases, "; ") + ").", 2, 4);
  }

  void nothing() {
    for (const WhatIfCase& each : report_.cases) {
      if (!each.plan_report->found.plans.empty()) continue;
      std::string words = name_of_case(each) + ":";
      for (const std::string& line : nothing_fits_words(*each.plan_report)) words += " " + line;
      say("! " + words, 2, 4);
    }
  }

  /// Why a change of the data changes nothing: the job says how long to train otherwise.
  void unchanged() {
    const Plan* base = base_pick();
    if (base == nullptr) return;
    for (const WhatIfCase& each : report_.cases) {
      const Plan* pick = each.plan_report->pick();
      if (&each == &first() || pick == nullptr || !same_time(pick->hours.p50, base->hours.p50) ||
          pick->cost.p50 != base->cost.p50)
        continue;
      std::string words = name_of_case(each) + " changes neither hours nor cost.";
      for (const Phase& phase : each.plan_report->job.phases) {
        const auto* train = std::get_if<TrainPhase>(&phase.work);
        const bool data =
            train != nullptr && train->steps && std::ranges::any_of(each.changes, [&](const WhatIfChange& c) {
              return c.address.starts_with("phases." + phase.name + ".train.data") ||
                     c.address.starts_with("phases." + phase.name + ".train.epochs");
            });
        if (data)
          words += " Phase " + printable(phase.name, 40) + " trains for " + count_text(*train->steps) + " steps" +
                   (train->steps_at_batch ? " of " + count_text(*train->steps_at_batch) + " sequences" : "") +
                   ", whatever the data. To train for epochs, set epochs instead of steps.";
      }
      say(words);
    }
  }

  void doubts() {
    const Plan* base = base_pick();
    if (base == nullptr) return;
    std::vector<std::string> cases;
    for (const WhatIfCase& each : report_.cases) {
      const auto found = &each == &first() || each.stays == nullptr ? std::nullopt : doubt(*base, *each.stays);
      if (!found) continue;
      const auto lasts = [](double factor) {
        return factor > 0.995 && factor < 1.005 ? std::string("equally long")
                                                : significant_text(factor, 2) + "x as long";
      };
      const auto phase = static_cast<std::size_t>(found->phase);
      const std::vector<Phase>& phases = each.plan_report->job.phases;
      cases.push_back(name_of_case(each) + (phases.size() > 1 ? ", phase " + printable(phases[phase].name, 40) : "") +
                      " takes " + lasts(found->by_given) + " by your speeds, " + lasts(found->by_model) + " predicted");
    }
    if (cases.empty()) return;
    say("! Your speeds in the job file may not hold after this change: " + join(cases, "; ") +
            ". To use predictions instead: " + report_.command + " --ignore given",
        2, 4);
  }

  /// The oldest prices that a pick pays, where they are old.
  void old_prices() {
    const WhatIfCase* oldest = nullptr;
    for (const WhatIfCase& each : report_.cases) {
      const Plan* pick = each.plan_report->pick();
      if (pick == nullptr || old_price_words(*each.plan_report, *pick).empty()) continue;
      if (oldest == nullptr || oldest_price(*pick) < oldest_price(*oldest->plan_report->pick())) oldest = &each;
    }
    if (oldest == nullptr) return;
    text_ += paragraph("! " + old_price_words(*oldest->plan_report, *oldest->plan_report->pick()), screen_, 2, 4,
                       Paint::kYellow);
  }

  /// Where short addresses and relative values lead to.
  void addresses() {
    struct Line {
      std::string address, before;
      std::vector<std::string> after;
    };
    std::vector<Line> lines;
    for (const WhatIfCase& each : report_.cases) {
      for (const WhatIfChange& change : each.changes) {
        const auto same = [&](const Line& line) {
          return line.address == change.address && line.before == change.before;
        };
        auto line = std::ranges::find_if(lines, same);
        if (line == lines.end()) line = lines.insert(lines.end(), {change.address, change.before, {}});
        const std::string after = change.after.empty() ? "unset" : shown(change.after, 40);
        if (std::ranges::find(line->after, after) == line->after.end()) line->after.push_back(after);
      }
    }
    const std::size_t shown_lines = details_ ? 12 : 4;
    text_ += '\n';
    const std::size_t most = lines.size() > shown_lines ? shown_lines - 1 : lines.size();
    for (std::size_t i = 0; i < most; ++i) {
      const Line& line = lines[i];
      note(shown(line.address, 120) + ": " + (line.before.empty() ? "unset" : shown(line.before, 40)) + " -> " +
           join(line.after, ", "));
    }
    if (most < lines.size())
      note("… and " + count_of(static_cast<double>(lines.size() - most), "more value") +
           (details_ ? "" : " (--details)"));
  }

  void note(const std::string& words) { text_ += paragraph(words, screen_, 2, 2, Paint::kDim); }

  const WhatIfReport& report_;
  Screen screen_;
  bool details_;
  std::vector<std::string> names_;
  int longest_ = 18;  ///< columns of the longest word of the names, which can not be broken
  std::string text_;
};

}  // namespace

std::string whatif_text(const WhatIfReport& report, const Screen& screen, bool details) {
  return WhatIfText(report, screen, details).text();
}

}  // namespace gpuplan
