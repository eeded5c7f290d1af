// What to tell of the sequences of a step: that the job does not state them, that they were made to divide, and that
// they leave GPUs without work.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Sentences about the training phases of one plan, in the order of its phases.
void add_batch_notes(const Job& job, const Plan& plan, std::vector<std::string>& lines);

/// "64 sequences", "64 pairs": so many of what the phase's batch counts.
std::string batch_count(const PhaseEstimate& phase, double count);

/// How and why a phase trains lighter than it would: "8-bit AdamW and no fp32 weights, as fp32 AdamW does not fit
/// without CPU memory"; "no fp32 weights, ..." where the job states the optimizer.
std::string lighter_words(const Job& job, const PhaseEstimate& phase);
/// Whether the job states the optimizer of a training phase.
bool states_optimizer(const Job& job, const PhaseEstimate& phase);

/// "uses 6 of 440 GPUs" of a phase that leaves some of the plan's without work because its batch does not divide by
/// more; "" for other phases.
std::string idle_words(const PhasePlan& phase);
/// Why: "it does not divide by more".
std::string why_idle(const PhasePlan& phase);

}  // namespace gpuplan
