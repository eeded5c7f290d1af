#include "output/questions/simulate_report.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr const char* kNever = "never";

bool ends(double value) { return std::isfinite(value); }

std::string hours_or_never(Seconds time) { return ends(time.value) ? hours_text(time) : kNever; }
std::string money_or_never(Dollars money) { return ends(money.value) ? to_text(money) : kNever; }

Cell hours_cell(Seconds time, Paint paint = Paint::kPlain) { return {time / units::hour, hours_or_never(time), paint}; }
Cell cost_cell(Dollars money, Paint paint = Paint::kPlain) { return {money.value, money_or_never(money), paint}; }

template <class T>
std::string spread_text(const Outcome<T>& outcome) {
  if (outcome.p10 == outcome.p90) return "";
  if (ends(outcome.p90.value)) return outcome_text(outcome);
  if (!ends(outcome.p10.value)) return "";
  Outcome<T> bounded = outcome;
  bounded.p90 = outcome.p10;
  const std::string text = outcome_text(bounded);
  return range_text(text, kNever);
}

std::string share_words(double share) {
  if (share <= 0) return "0%";
  return share < 0.0005 ? "< 0.1%" : percent(share);
}

/// Sub-hour means as hours with digits that tell small ones apart.
std::string mean_hours(Seconds time) { return time <= Seconds{} ? "–" : hours_text(time); }

/// A line for each policy: thin from 5 to 95 % of the histories, thick from 25 to 75 %, a mark at the median.
class Boxes {
 public:
  /// Far beyond the deadline nothing is drawn: one policy with a long tail would squeeze all others.
  Boxes(const std::vector<PolicyResult>& policies, Seconds deadline, int width) : width_(width) {
    low_ = std::numeric_limits<double>::infinity();
    for (const PolicyResult& one : policies) {
      for (const Seconds time : one.hours_at) {
        if (!ends(time.value)) continue;
        low_ = std::min(low_, time.value);
        high_ = std::max(high_, time.value);
      }
    }
    constexpr double kBeyond = 1.3;
    if (deadline > Seconds{}) high_ = std::min(high_, std::max(kBeyond * deadline.value, 1.1 * low_));
  }
  bool worth_drawing() const { return high_ > low_ * 1.01; }
  std::string of(const PolicyResult& one) const {
    if (!ends(one.hours_at[kMedian].value)) return "";
    const int from = place(one.hours_at[1]), thick_from = place(one.hours_at[3]), mark = place(one.hours_at[kMedian]);
    const int thick_to = place(one.hours_at[5]), to = place(one.hours_at[7]);
    std::string line;
    for (int i = 0; i <= to; ++i) {
      if (i == mark) line += "┃";
      else if (i >= thick_from && i <= thick_to) line += "━";
      else line += i >= from ? "─" : " ";
    }
    if (one.hours_at[7].value > high_) line += "→";
    return line;
  }
  std::string scale() const {
    const std::string left = hours_words(Seconds{low_}), right = hours_words(Seconds{high_});
    return left +
           std::string(static_cast<std::size_t>(std::max(1, width_ - display_width(left) - display_width(right))),
                       ' ') +
           right;
  }

 private:
  static constexpr std::size_t kMedian = 4;
  int place(Seconds time) const {
    if (!ends(time.value) || time.value >= high_) return width_ - 1;
    return static_cast<int>(std::lround((time.value - low_) / (high_ - low_) * (width_ - 1)));
  }
  double low_ = 0, high_ = 0;
  int width_;
};

class SimulateText {
 public:
  SimulateText(const SimulateReport& report, const Screen& screen, bool details)
      : report_(report), screen_(screen), details_(details) {}

  std::string text() {
    say(report_.header, 0);
    say(lives_words(simulation()), 0);
    if (details_) say(report_.prices, 0);
    text_ += '\n';
    say(best_policy_words(report_), 0);
    text_ += '\n';
    outcomes();
    text_ += '\n';
    distribution();
    if (details_) {
      where_time_goes();
      traces();
      intervals();
    }
    for (const std::string& line : policy_remarks()) say(line);
    if (!report_.old_prices.empty()) text_ += paragraph("! " + report_.old_prices, screen_, 2, 4, Paint::kYellow);
    for (const std::string& note : report_.notes) text_ += paragraph(note, screen_, 2, 2, Paint::kDim);
    return std::move(text_);
  }

 private:
  const Simulation& simulation() const { return report_.simulation; }
  const std::vector<PolicyResult>& policies() const { return report_.result.policies; }
  bool best(std::size_t i) const { return report_.result.best == i; }
  void say(const std::string& words, int indent = 2) { text_ += paragraph(words, screen_, indent, indent); }
  std::string name(std::size_t i) const { return std::string(name_of(policies()[i].policy)) + (best(i) ? " ✔" : ""); }

  void outcomes() {
    Table table({{.title = "POLICY"},
                 {.title = "HOURS", .align = Align::kRight},
                 {.title = "P10–P90", .align = Align::kRight, .drop = 3},
                 {.title = "MEAN", .align = Align::kRight, .drop = 4},
                 {.title = "COST", .align = Align::kRight},
                 {.title = "P10–P90", .align = Align::kRight, .drop = 3},
                 {.title = "MEAN", .align = Align::kRight},
                 {.title = "MISSED DEADLINE", .align = Align::kRight},
                 {.title = "NEVER ENDS", .align = Align::kRight, .drop = 1},
                 {.title = "INTERRUPTIONS", .align = Align::kRight, .drop = 2}});
    for (std::size_t i = 0; i < policies().size(); ++i) {
      const PolicyResult& one = policies()[i];
      const Paint paint = best(i) ? Paint::kPick : Paint::kPlain;
      table.add({{name(i), paint},
                 hours_cell(one.hours.p50, paint),
                 spread_text(one.hours),
                 hours_cell(one.hours.mean),
                 cost_cell(one.cost.p50, paint),
                 spread_text(one.cost),
                 cost_cell(one.cost.mean),
                 simulation().deadline > Seconds{} ? share_words(one.late) : "",
                 one.unfinished > 0 ? share_words(one.unfinished) : "",
                 one.interruptions > 0 ? significant_text(one.interruptions, 2) : "–"});
    }
    text_ += table.text(screen_);
    if (const auto& bound = report_.result.bound)
      say("Lower bound with perfect foresight: " + to_text(bound->cost) + " on average (" +
          hours_text(bound->on_demand) + " h on demand, " + hours_text(bound->spot) + " h on spot).");
  }

  std::vector<std::string> policy_remarks() const {
    std::vector<std::string> lines;
    if (simulation().deadline <= Seconds{})
      lines.emplace_back("With --deadline, policies that fall back to on demand are compared too.");
    if (!simulation().on_demand_price) lines.emplace_back("No on-demand price: only spot_only is simulated.");
    return lines;
  }

  void distribution() {
    const Boxes boxes(policies(), simulation().deadline, std::clamp(screen_.columns - 30, 20, 60));
    if (!boxes.worth_drawing() || screen_.markdown()) return;
    Table table({{.title = "HOURS"}, {.title = boxes.scale()}});
    for (std::size_t i = 0; i < policies().size(); ++i) table.add({name(i), boxes.of(policies()[i])});
    text_ += table.text(screen_);
    text_ += paragraph("thin: 5–95% of runs, thick: 25–75%, ┃ median, → beyond", screen_, 2, 2, Paint::kDim);
    text_ += '\n';
  }

  void where_time_goes() {
    Table table({{.title = "MEAN HOURS"},
                 {.title = "WORK ON DEMAND", .align = Align::kRight, .around = " ± "},
                 {.title = "WORK ON SPOT", .align = Align::kRight},
                 {.title = "BILLED ON DEMAND", .align = Align::kRight, .drop = 1},
                 {.title = "BILLED ON SPOT", .align = Align::kRight, .drop = 1},
                 {.title = "WORK LOST", .align = Align::kRight, .drop = 2},
                 {.title = "WAIT", .align = Align::kRight, .drop = 3},
                 {.title = "STARTS", .align = Align::kRight, .drop = 4}});
    for (std::size_t i = 0; i < policies().size(); ++i) {
      const PolicyResult& one = policies()[i];
      std::string on_demand = mean_hours(one.work_on_demand);
      if (one.work_on_demand_deviation > one.work_on_demand * 0.005)
        on_demand += " ± " + hours_text(one.work_on_demand_deviation);
      table.add({name(i), on_demand, mean_hours(one.work_on_spot), mean_hours(one.on_demand), mean_hours(one.spot),
                 mean_hours(one.lost), mean_hours(one.waited), significant_text(one.starts, 2)});
    }
    if (const auto& bound = report_.result.bound)
      table.add({"at least", mean_hours(bound->work_on_demand), mean_hours(bound->work_on_spot),
                 mean_hours(bound->on_demand), mean_hours(bound->spot)});
    text_ += table.text(screen_);
    text_ += '\n';
  }

  void traces() {
    if (simulation().traces.empty()) return;
    Table table({{.title = "TRACE", .narrowest = 12},
                 {.title = "DAYS", .align = Align::kRight},
                 {.title = "REPLAYS", .align = Align::kRight, .drop = 4},
                 {.title = "AVAILABLE", .align = Align::kRight},
                 {.title = "INTERRUPTIONS", .align = Align::kRight, .drop = 3},
                 {.title = "RATE", .align = Align::kRight},
                 {.title = "MEAN UPTIME", .align = Align::kRight},
                 {.title = "MEDIAN", .align = Align::kRight, .drop = 1},
                 {.title = "MEAN OUTAGE", .align = Align::kRight},
                 {.title = "LONGEST", .align = Align::kRight, .drop = 2}});
    for (const SimulatedTrace& trace : simulation().traces) {
      const TraceStatistics facts = statistics(trace.runs);
      table.add({printable(trace.name, 60), fixed_text(facts.length / units::day, 1),
                 trace.starts.empty() ? "" : count_text(static_cast<double>(trace.starts.size())),
                 percent(facts.available), count_text(facts.interruptions),
                 significant_text(facts.rate.value * 3600, 2) + "/h", hours_words(facts.mean_up),
                 hours_words(facts.median_up), hours_words(facts.mean_down), hours_words(facts.longest_down)});
    }
    text_ += table.text(screen_);
    text_ += '\n';
  }

  void intervals() {
    const SimulatedPiece* longest = nullptr;
    for (const SimulatedPiece& piece : simulation().pieces)
      if (piece.terms.checkpoint > Seconds{} && (longest == nullptr || piece.median() > longest->median()))
        longest = &piece;
    if (longest == nullptr) return;
    std::vector<IntervalChoice> choices = interval_choices(simulation(), *longest);
    if (choices.empty()) return;
    const std::string best = hours_words(choices.front().interval);
    sort_stably(choices, {}, &IntervalChoice::interval);
    say("Checkpoints of " + printable(longest->name, 60) + " take " + hours_words(longest->terms.checkpoint) +
        " each; simulated with one every " + hours_words(longest->interval) +
        " of work. Other intervals, on spot only:");
    Table table({{.title = "EVERY", .align = Align::kRight},
                 {.title = "METHOD", .narrowest = 16, .wrap = true},
                 {.title = "EXPECTED HOURS", .align = Align::kRight},
                 {.title = "EXTRA TIME", .align = Align::kRight},
                 {.title = "EXTRA COST", .align = Align::kRight}});
    for (std::size_t i = 0; i < choices.size();) {
      IntervalChoice choice = choices[i];
      std::string names = choice.name;
      for (++i; i < choices.size() && hours_words(choices[i].interval) == hours_words(choice.interval); ++i) {
        names += ", " + choices[i].name;
        if (choices[i].more < choice.more) choice = choices[i];
      }
      const bool same = choice.more < Seconds{1};
      const Paint paint = hours_words(choice.interval) == best ? Paint::kPick : Paint::kPlain;
      table.add({{hours_words(choice.interval), paint},
                 {names, paint},
                 hours_text(choice.wall),
                 same ? "–" : hours_words(choice.more),
                 same ? "–" : short_money(choice.dollars)});
    }
    text_ += table.text(screen_, 4);
    text_ += '\n';
  }

  const SimulateReport& report_;
  Screen screen_;
  bool details_;
  std::string text_;
};

/// "5%/h", the chance in one hour, as rates are written in a job.
std::string rate_range(const Interval<PerSecond>& rate) {
  if (rate.exact()) return to_text(rate.p50);
  return to_text(rate.p50) + " (" + to_text(rate.p10) + "–" + to_text(rate.p90) + ")";
}

}  // namespace

std::string lives_words(const Simulation& simulation) {
  std::string text;
  if (!simulation.traces.empty()) {
    text = "Availability replayed from " + count_of(static_cast<double>(simulation.traces.size()), "trace") + " (" +
           significant_text(measured_rate(simulation.traces).value * 3600, 2) + " interruptions per machine-hour)";
  } else if (simulation.bathtub) {
    text = "Machine lifetimes: bathtub model, at most " + hours_words(simulation.bathtub->cap);
  } else if (simulation.rate.p90 <= PerSecond{}) {
    text = "No interruptions";
  } else {
    text = "Interruptions: " + rate_range(simulation.rate);
  }
  if (simulation.machines > 1) text += "; " + count_of(simulation.machines, "machine") + " that stop together";
  if (simulation.traces.empty())
    text += simulation.wait > Seconds{} ? "; replacement after " + hours_words(simulation.wait) + " on average"
                                        : "; replacement at once";
  text += "; restart " + hours_words(simulation.restart) + ".";
  const int count = simulation.histories();
  text += " " + count_text(count) + (simulation.traces.empty() ? " simulated runs" : " replays") + " per policy.";
  return text;
}

std::string best_policy_words(const SimulateReport& report) {
  const SimulationResult& result = report.result;
  if (!result.best) return "";
  const PolicyResult& best = result.policies[*result.best];
  const auto find = [&](SpotPolicy policy) {
    const auto found = std::ranges::find(result.policies, policy, &PolicyResult::policy);
    return found == result.policies.end() ? nullptr : &*found;
  };
  const std::string name(name_of(best.policy));
  const Simulation& simulation = report.simulation;
  const auto on_average = [](const PolicyResult& one) {
    return hours_text(one.hours.mean) + " h and " + to_text(one.cost.mean);
  };
  // A mean over runs one of which never ends is no number.
  const auto sticks = [](const PolicyResult& one) { return "never finishes in " + share_words(one.unfinished); };
  const bool best_ends = best.unfinished <= 0;
  std::string text =
      "Best: " + name + (best_ends ? ", " + on_average(best) + " on average" : ", which " + sticks(best) + " of runs");
  const PolicyResult* on_demand = find(SpotPolicy::kOnDemand);
  if (on_demand != nullptr && on_demand != &best && ends(best.cost.mean.value) && on_demand->cost.mean > Dollars{}) {
    const double saved = 1 - best.cost.mean / on_demand->cost.mean;
    text += saved >= 0 ? ", " + percent(saved) + " cheaper than the same machines on demand"
                       : ", " + percent(-saved) + " more expensive than the same machines on demand";
  }
  text += ".";
  if (simulation.deadline > Seconds{}) {
    if (1 - best.late >= simulation.confidence)
      text += " It misses the deadline in " + share_words(best.late) +
              " of runs (limit: " + share_words(1 - simulation.confidence) + ")";
    else
      text += (report.otherwise.empty() ? " No" : " On these machines no") + std::string(" policy meets the ") +
              hours_words(simulation.deadline) + " deadline " + percent(simulation.confidence) +
              " of the time; this one misses it least often, in " + share_words(best.late);
    const PolicyResult* spot = find(SpotPolicy::kSpotOnly);
    if (spot != nullptr && spot != &best && 1 - spot->late < simulation.confidence)
      text += "; spot_only, with no fallback to on demand, in " + share_words(spot->late);
    text += ".";
    if (1 - best.late < simulation.confidence && !report.otherwise.empty()) text += " " + report.otherwise;
  }
  if (report.wanted && *report.wanted != best.policy) {
    if (const PolicyResult* wanted = find(*report.wanted))
      text += " The job sets " + std::string(name_of(*report.wanted)) + ": " +
              (wanted->unfinished <= 0 ? on_average(*wanted) : sticks(*wanted) + " of runs") + ".";
  }
  return text;
}

std::string simulate_text(const SimulateReport& report, const Screen& screen, bool details) {
  return SimulateText(report, screen, details).text();
}

}  // namespace gpuplan
