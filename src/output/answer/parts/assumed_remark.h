// What a plan takes that nobody stated.
#pragma once

#include <string>
#include <vector>

#include "output/words/plan_report.h"

namespace gpuplan {

/// "Assumed: 64 sequences a step (batch); 8-bit AdamW ...": what the plan takes that nobody stated; "" without any.
std::string assumed_remark(const PlanReport& report, const Plan& plan);
/// Samples longer than the sequence lose what is beyond it: said where that is much of the data.
std::string cut_remark(const PlanReport& report, const Plan& plan);
/// Samples of different lengths are padded to the longest of a micro-batch: said where that is much of the work.
std::string padding_remark(const PlanReport& report, const Plan& plan);

/// Of generation whose format of weights nobody stated: "Weights in fp8 take 3.5 h and $1.33 on the same machines, not
/// 115 h and $43.59. Check the quality of its answers first (--weights fp8)."; "" where a smaller one saves little.
/// Searches the offers of the plan again.
std::string formats_words(const PlanReport& report, const Plan& plan);

/// "Assumed: 1 epoch; 2,048-token sequences.": sentences as the parts of one; "" without any.
std::string assumed_words(std::vector<std::string> lines);

}  // namespace gpuplan
