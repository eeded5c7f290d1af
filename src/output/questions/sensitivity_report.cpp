#include "output/questions/sensitivity_report.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// What the rows are sorted and drawn by.
struct Measure {
  bool cost;  ///< else hours
  double of(Seconds hours, Dollars money) const { return cost ? money.value : hours.value; }
  double of(const SensitivityEnd& end, double now) const { return end.runs ? of(end.hours, end.cost) : now; }
};

Measure measure_for(const Plan& pick) { return {pick.cost.p50 > Dollars{}}; }

/// Bars on one scale, with a mark where the plan stands now.
class Bars {
 public:
  Bars(const std::vector<const SensitivityInput*>& inputs, const Plan& pick, int width)
      : measure_(measure_for(pick)), now_(measure_.of(pick.hours.p50, pick.cost.p50)), width_(width) {
    low_ = high_ = now_;
    for (const SensitivityInput* input : inputs)
      for (const SensitivityEnd* end : {&input->low, &input->high}) {
        low_ = std::min(low_, measure_.of(*end, now_));
        high_ = std::max(high_, measure_.of(*end, now_));
      }
  }

  std::string of(const SensitivityInput& input) const {
    const double a = measure_.of(input.low, now_), b = measure_.of(input.high, now_);
    const int from = place(std::min({a, b, now_})), mark = place(now_), to = place(std::max({a, b, now_}));
    std::string bar;
    for (int i = 0; i < width_; ++i) bar += i == mark ? "┃" : i >= from && i <= to ? "━" : " ";
    while (bar.ends_with(' ')) bar.pop_back();
    return bar;
  }

 private:
  int place(double value) const {
    return high_ > low_ ? static_cast<int>(std::lround((value - low_) / (high_ - low_) * (width_ - 1))) : width_ / 2;
  }

  Measure measure_;
  double now_ = 0, low_ = 0, high_ = 0;
  int width_;
};

std::string money(const SensitivityEnd& end) { return end.runs ? to_text(end.cost) : "–"; }
std::string hours(const SensitivityEnd& end) { return end.runs ? hours_text(end.hours) : "–"; }

std::string first_of(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  for (std::string& name : shown) name = printable(name, 60);
  if (names.size() <= most) return listed(shown);
  return join(shown, ", ") + " and " + count_of(static_cast<double>(names.size() - most), "other");
}

std::string memory_words_of(const Plan& pick) {
  const PhasePlan* fullest = pick.fullest();
  if (fullest == nullptr || !fullest->estimate->node || fullest->estimate->node->gpu == nullptr) return "";
  const Bytes usable = fullest->estimate->node->gpu->usable;
  const Interval<Bytes>& total = fullest->estimate->memory_total;
  return "Memory: " + gib_text(total.p50) + " GiB per GPU (" + gib_text(total.p10) + "–" + gib_text(total.p90) +
         ") of " + gib_text(usable) + (total.p90 <= usable ? ", fits throughout." : ", OOM risk at the high end.");
}

}  // namespace

std::vector<const SensitivityInput*> by_swing(const SensitivityReport& report, bool of_cost) {
  const Plan& pick = *report.plan_report->pick();
  const Measure measure{of_cost};
  std::vector<const SensitivityInput*> inputs;
  for (const SensitivityInput& input : report.inputs) inputs.push_back(&input);
  const auto swing = [&](const SensitivityInput& input, const Measure& by) {
    const double now = by.of(pick.hours.p50, pick.cost.p50);
    const double low = by.of(input.low, now), high = by.of(input.high, now);
    return std::max({low, high, now}) - std::min({low, high, now});
  };
  sort_stably(inputs, [&](const SensitivityInput* a, const SensitivityInput* b) {
    const double first = swing(*a, measure), second = swing(*b, measure);
    if (first != second) return first > second;
    return swing(*a, {false}) > swing(*b, {false});
  });
  return inputs;
}

std::vector<const SensitivityInput*> by_swing(const SensitivityReport& report, const Plan& pick) {
  return by_swing(report, measure_for(pick).cost);
}

std::string other_picks(const SensitivityInput& input) {
  const auto text = [](const SensitivityEnd& end, const char* where) {
    return end.other_pick.empty() ? std::string() : end.other_pick + where;
  };
  if (!input.low.other_pick.empty() && input.low.other_pick == input.high.other_pick) return input.low.other_pick;
  const std::string low = text(input.low, " at the low end"), high = text(input.high, " at the high end");
  return low + (low.empty() || high.empty() ? "" : ", ") + high;
}

std::string sensitivity_text(const SensitivityReport& report, const Screen& screen, bool details) {
  const PlanReport& plan_report = *report.plan_report;
  const Plan* pick = plan_report.pick();
  std::string text = paragraph(header_words(plan_report), screen, 0, 0) + '\n';
  if (pick == nullptr) {
    for (const std::string& line : nothing_fits_words(plan_report)) text += paragraph(line, screen);
    return text;
  }
  const std::string name = plan_report.name(*pick);
  const bool costs = measure_for(*pick).cost;
  text += paragraph("What changes the " + std::string(costs ? "cost" : "time") + " of " + name + " most (now " +
                        hours_words(pick->hours.p50) + ", " +
                        (costs ? to_text(pick->cost.p50) : std::string("no charge")) + "):",
                    screen, 0, 0) +
          '\n';
  const std::vector<const SensitivityInput*> inputs = by_swing(report, *pick);
  const Bars bars(inputs, *pick, screen.columns >= 110 ? 25 : 15);
  Table table({{.title = "INPUT", .narrowest = 22, .wrap = true},
               {.title = "RANGE TRIED", .align = Align::kRight, .drop = 3},
               {.title = "COST", .align = Align::kRight},
               {.title = "HOURS", .align = Align::kRight, .drop = 1},
               {.title = costs ? "EFFECT ON COST" : "EFFECT ON HOURS"},
               {.title = "THEN RECOMMENDED", .drop = 2, .narrowest = 16, .wrap = true}});
  constexpr std::size_t kShown = 8;
  const std::size_t rows = details ? inputs.size() : std::min(kShown, inputs.size());
  for (const SensitivityInput* input : std::span(inputs).first(rows))
    table.add({{printable(input->name, 80)},
               {printable(input->low.value, 30) + " to " + printable(input->high.value, 30), Paint::kDim},
               {costs ? money(input->low) + " to " + money(input->high) : std::string()},
               {hours(input->low) + " to " + hours(input->high)},
               {bars.of(*input)},
               {other_picks(*input), Paint::kCyan}});
  if (table.empty()) text += paragraph("No input changes its hours or its cost.", screen);
  else text += table.text(screen);
  text += '\n';

  const std::string share = percent(report.by);
  if (rows < inputs.size())
    text += paragraph(count_of(static_cast<double>(inputs.size() - rows), "more input") + ": --details", screen);
  text += paragraph("Each input changed alone, over its own range or by " + share +
                        " down and up (batches: half and double), on the same machines; ┃ now.",
                    screen);
  std::vector<std::string> changes;
  for (const SensitivityInput* input : inputs)
    if (!other_picks(*input).empty()) changes.push_back(printable(input->name, 80) + " (" + other_picks(*input) + ")");
  const std::vector<std::string> dropped = table.dropped(screen);
  const bool told = std::ranges::find(dropped, "THEN RECOMMENDED") == dropped.end();
  std::string words = changes.empty() ? "The recommendation does not change"
                      : told
                          ? "The recommendation changes with " + count_of(static_cast<double>(changes.size()), "input")
                          : "The recommendation changes with " + listed(changes);
  words += report.offers == 1 ? " (there is no other offer on the Pareto frontier)."
                              : " (searched again among the " + count_of(static_cast<double>(report.offers), "offer") +
                                    " on the Pareto frontier).";
  text += paragraph(words, screen);
  if (const std::string old = old_price_words(plan_report, *pick); !old.empty())
    text += paragraph("! " + old, screen, 2, 4, Paint::kYellow);
  if (!details) return text;
  text += paragraph(upper_first(prices_words(plan_report)) + ".", screen);
  if (const std::string memory = memory_words_of(*pick); !memory.empty()) text += paragraph(memory, screen);
  std::vector<std::string> small;
  if (!report.without_effect.empty())
    small.push_back("No effect on this plan: " + first_of(report.without_effect, 6) + ".");
  if (!report.fixed.empty())
    small.push_back("Not varied, since that is impossible or changes nothing: " + first_of(report.fixed, 8) + ".");
  std::vector<std::string> left;
  const auto counted = [](int count) { return " (" + count_text(count) + ")"; };
  if (report.choices > 0)
    left.push_back("numbers of GPUs, shapes of models and where: choices, not uncertain inputs" +
                   counted(report.choices));
  if (report.other_offers > 0) left.push_back("offers off the Pareto frontier" + counted(report.other_offers));
  if (!left.empty()) small.push_back("Excluded: " + join(left, "; ") + ".");
  if (!small.empty()) text += '\n';
  for (const std::string& line : small) text += paragraph(line, screen, 2, 2, Paint::kDim);
  return text;
}

std::string sensitivity_csv(const SensitivityReport& report) {
  std::vector<Column> columns;
  for (const char* key : {"input", "address", "source", "low", "high", "hours_low", "hours_high", "cost_usd_low",
                          "cost_usd_high", "other_pick_low", "other_pick_high"})
    columns.push_back({.title = "", .key = key});
  Table table(std::move(columns));
  const Plan* pick = report.plan_report->pick();
  if (pick == nullptr) return table.csv();
  const auto figure = [](const SensitivityEnd& end, double value) { return end.runs ? Cell(value) : Cell(); };
  for (const SensitivityInput* input : by_swing(report, *pick)) {
    const SensitivityEnd &low = input->low, &high = input->high;
    table.add({{input->name},
               {input->address},
               {std::string(input->source)},
               {low.value},
               {high.value},
               figure(low, low.hours / units::hour),
               figure(high, high.hours / units::hour),
               figure(low, low.cost / units::dollar),
               figure(high, high.cost / units::dollar),
               {low.other_pick},
               {high.other_pick}});
  }
  return table.csv();
}

namespace {

void write_end(JsonWriter& json, std::string_view name, const SensitivityEnd& end) {
  json.key(name).begin_object(true).member("value", end.value);
  if (end.runs) json.member("hours", end.hours / units::hour).member("cost_usd", end.cost / units::dollar);
  else json.null_member("hours").null_member("cost_usd");
  write_text_or_null(json, "other_pick", end.other_pick);
  json.end();
}

}  // namespace

void write_sensitivity(JsonWriter& json, const SensitivityReport& report) {
  const PlanReport& plan_report = *report.plan_report;
  const Plan* pick = plan_report.pick();
  json.key("market").begin_object(true);
  write_price_age(json, plan_report);
  json.end();
  if (pick == nullptr) {
    json.null_member("base").null_member("sensitivity");
    return;
  }
  json.key("base")
      .begin_object()
      .member("id", pick->id)
      .member("label", pick->label)
      .member("name", plan_report.name(*pick));
  write_outcome(json, "hours", pick->hours, units::hour);
  write_outcome(json, "cost_usd", pick->cost, units::dollar);
  json.end();
  json.key("sensitivity").begin_object().member("by", report.by).member("offers", report.offers);
  json.key("inputs").begin_array();
  for (const SensitivityInput* input : by_swing(report, *pick)) {
    json.begin_object().member("name", input->name);
    write_text_or_null(json, "address", input->address);
    json.member("source", input->source).member("now", input->now);
    write_end(json, "low", input->low);
    write_end(json, "high", input->high);
    json.end();
  }
  json.end();
  json.member("without_effect", report.without_effect).member("not_moved", report.fixed);
  json.member("choices", report.choices).member("of_other_offers", report.other_offers).end();
}

}  // namespace gpuplan
