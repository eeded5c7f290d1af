// What machines that are taken away do to a job, policy by policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/questions/question.h"
#include "api/runs/simulate_words.h"
#include "api/runs/spot_traces.h"
#include "output/questions/simulate_report.h"

namespace gpuplan::api {

struct SimulateTerms {
  SimulateWords words{};
  Wishes wishes{};  ///< those of the request: a job is read with them, work without a job has no other
  SpotTexts texts{};
  int threads = 1;
  std::uint64_t seed = 1;  ///< the same seed gives the same histories, whatever the threads
};

struct SimulateAnswer {
  SimulateReport report{};
  std::vector<std::string> nothing_fits{};  ///< why there is nothing to simulate, a sentence each

  /// kMissesLimits: no policy keeps the deadline at the wanted confidence.
  Verdict verdict() const;
  /// The document "gpuplan/simulate@1".
  std::string json() const;
};

/// Told how many of the policies are worked out, first 0 of them; may be empty.
using PolicyProgress = void (*)(void* context, int done, int all);

/// SimulateWords::work in the place of a job. Fails for words and texts that can not be read.
Result<SimulateAnswer> simulate_work(const SimulateTerms& terms, PolicyProgress progress = nullptr,
                                     void* context = nullptr);

/// The pick or SimulateWords::plan of the question. The trace that the job names (Job::spot) is given as a text, too.
/// Fails for wrong input; that nothing has a spot price is an answer.
Result<SimulateAnswer> simulate_job(Question question, const SimulateTerms& terms, const Catalogue& catalogue,
                                    PolicyProgress progress = nullptr, void* context = nullptr);

}  // namespace gpuplan::api
