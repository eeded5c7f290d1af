// The charts of an answer, made from what it found. One that has nothing to show is not there.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "output/charts/chart.h"
#include "output/questions/sensitivity_report.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// Which plans are worth a look: every plan by hours and dollars. Needs two plans.
std::optional<Chart> cost_time_chart(const PlanReport& report);

/// Does it fit: the parts of the memory of one GPU against what the card has, for each kind of card, and what was tried
/// instead on the pick's. Of these plans, where they are given.
std::optional<Chart> memory_chart(const PlanReport& report);
std::optional<Chart> memory_chart(const PlanReport& report, std::span<const Plan* const> plans);

/// Where the time goes in a step, or in a phase that has no steps, of the pick's longest phase that the model predicts.
std::optional<Chart> step_time_chart(const PlanReport& report);

/// When each phase of the pick runs, and which of the GPUs that are billed are used.
std::optional<Chart> schedule_chart(const PlanReport& report);

/// How surely the pick is done by an hour, or costs no more than an amount, interruptions inside: joint samples of the
/// plan, beside those of the fastest or the cheapest plan. The samples are those that the plan's own ranges are read
/// from. Nothing where nothing is uncertain.
std::optional<Chart> fan_time_chart(const PlanReport& report);
std::optional<Chart> fan_cost_chart(const PlanReport& report);

/// What moves the pick's cost, or its hours where it is free or these are asked for.
enum class Swing { kCost, kHours };
std::optional<Chart> tornado_chart(const SensitivityReport& report, Swing swing = Swing::kCost);

/// How old the prices are, by provider. Nothing where nobody says which day it is, or there is one provider only.
std::optional<Chart> price_age_chart(const PlanReport& report);

/// A chart that a plan alone is enough for.
struct PlanChart {
  std::string_view name;  ///< what it is called on the command line
  std::string_view help;
  std::optional<Chart> (*make)(const PlanReport&);
};
std::span<const PlanChart> plan_charts();

/// All of them that have something to show, in the order of a report.
std::vector<Chart> charts_of(const PlanReport& report);

}  // namespace gpuplan
