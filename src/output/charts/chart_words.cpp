#include "output/charts/chart_words.h"

#include "base/text.h"
#include "output/charts/axis.h"
#include "output/words/plan_words.h"

namespace gpuplan {

std::string hours_span(const Outcome<Seconds>& hours) {
  return range_text(hours_words(hours.p10), hours_words(hours.p90));
}

std::string cost_span(const Outcome<Dollars>& cost) {
  return range_text(money_label(cost.p10.value), money_label(cost.p90.value));
}

std::string hours_tip(const Outcome<Seconds>& hours) {
  const std::string text = hours_words(hours.p50);
  return hours.p10 == hours.p90 ? text : text + " (8 in 10 runs: " + hours_span(hours) + ")";
}

std::string cost_tip(const Outcome<Dollars>& cost) {
  const std::string text = cost.p50 > Dollars{} ? short_money(cost.p50) : std::string("no charge");
  return cost.p10 == cost.p90 ? text : text + " (8 in 10 runs: " + cost_span(cost) + ")";
}

std::string chart_name(const PlanReport& report, const Plan& plan) {
  constexpr int kWhole = 48, kHead = 28;
  constexpr std::size_t kTail = 18;
  std::string name = printable(report.name(plan), 300);
  if (display_width(name) <= kWhole) return name;
  // Names of several machines differ at their ends.
  std::size_t from = name.size() - kTail;
  while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xC0U) == 0x80U) ++from;
  return short_name(name, kHead) + name.substr(from);
}

}  // namespace gpuplan
