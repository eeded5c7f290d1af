// Why a training phase is cut the way it is, in words: what was tried beside it, and why that was not chosen.
#pragma once

#include <string>
#include <vector>

#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/plan_report.h"
#include "plan/advice/alternatives.h"

namespace gpuplan {

/// "ZeRO-2", "tensor parallelism over 8", "no pipeline": what an alternative does.
std::string way_words(const Alternative& other);

/// "ZeRO-2 would need 92 of 79.6 GiB a GPU", "tensor parallelism over 2 would be 1.3x slower".
std::string reason_words(const Alternative& other, const PhaseEstimate& chosen);

/// One or two sentences: "ZeRO-2 would need 92 of 79.6 GiB a GPU; ... Nothing has to be computed again." Empty when
/// there was nothing to choose.
std::string why_words(const std::vector<Alternative>& others, const PhaseEstimate& chosen, const Phase& phase);

/// Where a faster way was left for the care that it takes: which factors of data/practice_constants.csv say so. A
/// sentence for each such way; empty where there is none.
std::string complexity_words(const std::vector<Alternative>& others, const PhaseEstimate& chosen,
                             const PracticeConstants& practice);

/// A table for add_alternatives().
Table alternatives_table();
/// The way chosen and all alternatives of a phase, a row each.
void add_alternatives(const std::vector<Alternative>& others, const PhaseEstimate& chosen, const Phase& phase,
                      Table& table);

/// The members "why" (null without a reason) and "alternatives" of a phase.
void write_alternatives(JsonWriter& json, const std::vector<Alternative>& others, const PhaseEstimate& chosen,
                        const Phase& phase);

}  // namespace gpuplan
