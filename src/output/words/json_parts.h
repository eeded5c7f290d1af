// The parts of a plan in JSON: amounts with their spread, memory, phases.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "domain/work/phase.h"
#include "output/text/json_writer.h"
#include "plan/advice/alternatives.h"
#include "plan/answer/plan.h"

namespace gpuplan {

struct PlanReport;

/// {"p10", "p50", "p90"} in units of `unit`.
template <class Amount, class Unit>
void write_interval(JsonWriter& json, std::string_view name, const Interval<Amount>& amount, Unit unit) {
  json.key(name).begin_object(true);
  json.member("p10", amount.p10 / unit).member("p50", amount.p50 / unit).member("p90", amount.p90 / unit).end();
}

/// {"p10", "p50", "p90", "mean"}.
template <class Amount, class Unit>
void write_outcome(JsonWriter& json, std::string_view name, const Outcome<Amount>& amount, Unit unit) {
  json.key(name).begin_object(true);
  json.member("p10", amount.p10 / unit).member("p50", amount.p50 / unit).member("p90", amount.p90 / unit);
  json.member("mean", amount.mean / unit).end();
}

/// A text that may be unknown: null when empty.
void write_text_or_null(JsonWriter& json, std::string_view name, std::string_view text);

/// The members "as_of" and "age_days" of an open object: those of the newest price of the market.
void write_price_age(JsonWriter& json, const PlanReport& report);

/// Whether a plan's machines are spot machines; nullopt: some of them.
std::optional<bool> all_spot(const Plan& plan);

/// The member "memory_gib"; null for phases without a GPU. Parts add up to the median of the total, unless the user
/// gave the total.
void write_memory(JsonWriter& json, const PhaseEstimate& estimate);

/// The member "serving": what comes out of a generation phase and what its requests meet; null for others.
void write_serving(JsonWriter& json, const PhaseEstimate& estimate);

/// `others`: what was tried beside its strategy; empty for plans that nobody asks about.
void write_phase(JsonWriter& json, const PhasePlan& part, const Phase& phase, double buffer,
                 const std::vector<Alternative>& others);

}  // namespace gpuplan
