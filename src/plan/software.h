// Which framework or engine a phase runs under, and in which precision.
#pragma once

#include <string>
#include <vector>

#include "domain/catalogue.h"
#include "domain/phase.h"
#include "model/estimate.h"

namespace gpuplan {

struct Software {
  std::vector<const Framework*> frameworks;  ///< to try, in order of preference; empty: none runs
  Precision precision = Precision::kBf16;
  bool compile = false;
  Misfit why = Misfit::kUnsupported;  ///< when there is none
  std::string reason;
};

/// The framework the job names, or, left to gpuplan, the first by Framework::auto_rank that runs on this hardware and
/// those after it that add a way of cutting the work (tensor, pipeline, context, expert, full sharding, offload).
Software training_software(const Catalogue& catalogue, const TrainPhase& phase, const Gpu& gpu, int gpus, int nodes);

/// The engine the job names, or the first by auto_rank that generates on this hardware; collecting activations
/// needs one that lets the user at them (Hugging Face) unless the job names another.
Software generation_software(const Catalogue& catalogue, const GeneratePhase& phase, const Gpu& gpu, int nodes);

}  // namespace gpuplan
