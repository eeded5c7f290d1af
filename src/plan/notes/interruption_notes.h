// What is assumed of interruptions: rates read from bands, models of lives, notice, and terms under which spot is lost.
#pragma once

#include <string>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Adds a sentence for each assumption behind the plans that can be interrupted.
void add_interruption_notes(const Job& job, const std::vector<Plan>& plans, std::vector<std::string>& lines);

/// The rate that nobody stated, as a sentence without a capital; "" where no plan takes a spot machine without a rate
/// of its own.
std::string assumed_rate_words(const Job& job, const std::vector<Plan>& plans);
/// The same of a rate.
std::string assumed_rate_words(PerSecond rate);

/// Whether machines of this phase can be taken away at a known rate.
bool can_be_interrupted(const Job& job, const PhasePlan& phase);

}  // namespace gpuplan
