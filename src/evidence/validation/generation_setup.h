// A measured generation run as the model wants it: what its source did not state is assumed, and said.
#pragma once

#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/phase.h"
#include "evidence/validation/generation_run.h"

namespace gpuplan {

/// A run ready to be estimated. `phase` and `gpu` are referred to by what is made of them: keep the setup where it is.
struct GenerationSetup {
  std::string refused;  ///< why nothing can be computed; the rest is then unused
  const Gpu* catalogue_gpu = nullptr;
  Gpu gpu;         ///< the same, under the power limit that the run states
  NodeShape node;  ///< its gpu is to be set to `gpu` above by who uses it
  int nodes = 1;
  const Framework* engine = nullptr;
  GeneratePhase phase;
  Strategy strategy;
  Format weights = Format::kBf16, kv_cache = Format::kBf16;
  GenerationMode mode = GenerationMode::kSingle;
  RateCounts rate_counts = RateCounts::kAll;
  double input_tokens = 0, output_tokens = 0;  ///< of a sequence
  bool scores = false;                         ///< attention over prompts writes its scores to memory
  bool batch_known = true;                     ///< stated, or none to state
  bool degrees_known = true;
  std::vector<std::string> assumptions;
};

/// How requests came: as stated, else as the batch and the figures that are stated suggest.
GenerationMode mode_of(const GenerationRun& run);

/// Never reads what was measured but to say which figures those are.
GenerationSetup generation_setup(const Catalogue& catalogue, const GenerationRun& run);

}  // namespace gpuplan
