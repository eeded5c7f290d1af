// What the figures of a search rest on beyond the job's own words.
#pragma once

#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// "llama.cpp takes 4 requests at once per replica ...": where the engine's own default, and neither the job nor
/// memory, says how many requests are at work; else "".
std::string slots_words(const Job& job, const Catalogue& catalogue, const PhaseEstimate& estimate);

/// Sentences for the user: what is taken for granted, what the job asks for and no offer says, what a pool allows.
std::vector<std::string> assumptions(const Job& job, const Catalogue& catalogue, const std::vector<Plan>& plans);

}  // namespace gpuplan
