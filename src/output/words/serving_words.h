// What requests of a generation phase meet, and whether its target is reached, in words.
#pragma once

#include <string>

#include "output/words/plan_report.h"

namespace gpuplan {

/// "2,000 tokens/s, TTFT 500 ms and TPOT 30 ms".
std::string target_words(const GenerationTarget& target);

/// Whether a phase of the job has one.
bool has_target(const Job& job);

/// "22,500 tokens/s (18,600–27,300), 60,000 input included; TTFT 3.1 s (1.2–8.2), TPOT 63 ms (52–77); 2,872 concurrent
/// requests"; empty for phases that generate nothing and read nothing.
std::string serving_words(const PhaseEstimate& estimate, const Phase& phase);

/// What the plan gets of its targets: "91%" is the chance that all are reached; empty when it has none.
std::string target_chance_words(const Plan& plan);

/// "Target 2,000 tokens/s: 35 of 239 plans reach it; fewest GPUs: 1x B200, 2x H100 SXM, …"; the nearest misses when
/// none does. A line for each phase that has one.
std::vector<std::string> target_lines(const PlanReport& report);

}  // namespace gpuplan
