#include "output/charts/charts.h"

#include <array>

namespace gpuplan {

std::span<const PlanChart> plan_charts() {
  static constexpr std::array kCharts = {
      PlanChart{"cost-time", "every plan by cost and time, with what beats it", cost_time_chart},
      PlanChart{"memory", "memory of one GPU by part, against what the card has", memory_chart},
      PlanChart{"step-time", "where the time of a step goes", step_time_chart},
      PlanChart{"schedule", "when each phase runs, and which GPUs are billed but idle", schedule_chart},
      PlanChart{"fan-time", "the chance to be done by an hour", fan_time_chart},
      PlanChart{"fan-cost", "the chance to cost no more than an amount", fan_cost_chart},
      PlanChart{"price-age", "how old the prices are, by provider", price_age_chart},
  };
  return kCharts;
}

std::vector<Chart> charts_of(const PlanReport& report) {
  std::vector<Chart> charts;
  for (const PlanChart& each : plan_charts())
    if (auto chart = each.make(report)) charts.push_back(*std::move(chart));
  return charts;
}

}  // namespace gpuplan
