// `gpuplan whatif --sensitivity`: which inputs move the hours and the cost of a plan most.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/text/style.h"
#include "output/words/plan_report.h"

namespace gpuplan {

class JsonWriter;

/// Hours and cost of the pick's machines with an input at one end, and what would be picked then.
struct SensitivityEnd {
  std::string value;  ///< "8,000", "$2.40/h"
  Seconds hours{};
  Dollars cost{};
  bool runs = true;          ///< whether the pick's machines can still do it
  std::string other_pick{};  ///< empty: the pick stays
};

struct SensitivityInput {
  std::string name;         ///< short: "epochs", "price of the machine"
  std::string address;      ///< in full; empty: no value of the job
  std::string_view source;  ///< "job", "market" or "model"
  std::string now;          ///< as it stands
  SensitivityEnd low, high;
};

struct SensitivityReport {
  const PlanReport* plan_report = nullptr;
  double by = 0.2;
  std::vector<SensitivityInput> inputs;     ///< that move something, in no order
  std::vector<std::string> without_effect;  ///< names of those that move nothing
  std::vector<std::string> fixed;           ///< names of those that can not be moved by so little
  int choices = 0;                          ///< amounts of the job that are choices and conditions: GPUs, shapes, where
  int other_offers = 0;                     ///< amounts of offers off the frontier
  std::size_t offers = 0;                   ///< on the frontier, among which the pick was looked for anew
};

/// Those with the largest swing in cost first, or in hours; then those with the larger swing in hours. REQUIRES: there
/// is a pick.
std::vector<const SensitivityInput*> by_swing(const SensitivityReport& report, bool of_cost);

/// Largest swing in cost first, in hours where the plan is free.
std::vector<const SensitivityInput*> by_swing(const SensitivityReport& report, const Plan& pick);
/// "8x H100 at the high end": what would be picked with the input at its ends; empty: the pick stays.
std::string other_picks(const SensitivityInput& input);

/// Largest swing in cost first, in hours where the plan is free.
std::string sensitivity_text(const SensitivityReport& report, const Screen& screen, bool details = false);

/// A line for each input, in the same order.
std::string sensitivity_csv(const SensitivityReport& report);

/// The members "base" and "sensitivity", inside an object.
void write_sensitivity(JsonWriter& json, const SensitivityReport& report);

}  // namespace gpuplan
