// Which framework or engine a phase runs under, and in which precision.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/phase.h"
#include "model/estimate.h"
#include "model/generation/generation.h"
#include "model/training/training.h"

namespace gpuplan {

struct Software {
  std::vector<const Framework*> frameworks;  ///< to try, in order of preference; empty: none runs
  std::size_t usual = 0;                     ///< of training: so many people think of; those behind only where it pays
  std::vector<bool> uncut;   ///< of training, for each: none before it does all that it does without cuts of layers
  std::vector<bool> cut;     ///< the same of ways that cut
  std::vector<double> care;  ///< of training, for each: framework_care(); 1 where the job names it
  Precision precision = Precision::kBf16;
  Format weights = Format::kBf16;     ///< of generation
  std::vector<bool> compile;          ///< of training, for each: as the job says, else as its recipes do
  Misfit why = Misfit::kUnsupported;  ///< when there is none
  std::string reason;
};

/// What the job says for so many of these GPUs, else what they are best at.
Precision training_precision(const TrainPhase& phase, const Gpu& gpu, int gpus);

/// The framework the job names, or, left to gpuplan, those that people would take for such work on this hardware, the
/// ones with least care (practice.h) first: each that can do something, or is faster, than all before it. Behind them
/// all others that can: an open choice is never worse than a named one by more than the care that it takes, of which
/// the share `counted` counts (counted_care()).
Software training_software(const Catalogue& catalogue, const TrainingWork& work, const Gpu& gpu, int gpus, int nodes,
                           double counted = 1);

/// The engine the job names, or all by auto_rank that generate on this hardware and read the weights; where none of
/// these does, any other that reads them. Collecting activations needs an engine that lets the user at them (Hugging
/// Face) unless the job names another.
Software generation_software(const Catalogue& catalogue, const GeneratePhase& phase, const Gpu& gpu, int nodes);

/// How the phase keeps keys and values there: as it says, else in the 16-bit format that the GPU has.
Format cache_format(const GeneratePhase& phase, const Gpu& gpu);

/// Rates of a machine for the phase, with its cache and its own size of weights; nullopt: the format does not run
/// there.
std::optional<GenerationRates> serving_rates(const Catalogue& catalogue, const NodeShape& node, const Framework& engine,
                                             const GeneratePhase& phase, Format weights);

/// "RTX 3090 has no fp8 products, and tensorrt-llm does not expand fp8 weights for it; int8 or int4 run": why none of
/// the engines runs the format on the GPU.
std::string format_problem(const Catalogue& catalogue, const NodeShape& node, const Software& software,
                           const GeneratePhase& phase);

}  // namespace gpuplan
