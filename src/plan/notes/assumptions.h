// What the figures of a search rest on beyond the job's own words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// "unsloth as fast as programs of the kind, for want of measured runs."; "" where runs of all frameworks of these
/// plans are known, or the user's own tell.
std::string software_words(const Catalogue& catalogue, std::span<const Plan> plans);

/// What is taken for granted where a network learns from answers of its own (objective: grpo); "" in other jobs.
std::string rollout_words(const Job& job);

/// "llama.cpp takes 4 requests at once per replica ...": where the engine's own default, and neither the job nor
/// memory, says how many requests are at work; else "".
std::string slots_words(const Job& job, const Catalogue& catalogue, const PhaseEstimate& estimate);

/// Sentences for the user: what is taken for granted, what the job asks for and no offer says, what a pool allows.
std::vector<std::string> assumptions(const Job& job, const Catalogue& catalogue, const std::vector<Plan>& plans);

}  // namespace gpuplan
