// What a model's description leaves open and completion guessed, where it matters: measured on a plan, not known by
// heart.
#pragma once

#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// One thing guessed of a model that a phase computes with, and the plausible value that moves the phase most. Both by
/// the model, in the same way to run it.
struct Guess {
  int phase = 0;
  std::string_view key;            ///< of the job file: "vocab"
  double taken = 0, other = 0;     ///< the guess, and that value
  Bytes memory{}, other_memory{};  ///< of the fullest GPU, median; other: zero where it does not fit any more
  double time = 1;  ///< of the phase's work with that value, times the time with the guess; 1 where the job
                    ///< states the time
};

/// Guesses that move memory or time of a phase of this plan by more than a tenth when varied over what is plausible.
std::vector<Guess> guesses_that_matter(const Job& job, const Catalogue& catalogue, const Plan& plan);

/// "phases.train: a vocabulary of 37,000 ...": a line to tell.
std::string guess_words(const Job& job, const Guess& guess);

}  // namespace gpuplan
