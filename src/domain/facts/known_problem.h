// Trouble that others have had: software that fails, slows down or takes more memory on some hardware or with some
// strategy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/names.h"

namespace gpuplan {

/// What the problem does to a run, gravest first.
enum class ProblemEffect { kFails, kUnstable, kMoreMemory, kSlower };
template <>
struct Names<ProblemEffect> {
  static constexpr std::array entries = {
      Named<ProblemEffect>{ProblemEffect::kFails, "fails"},
      Named<ProblemEffect>{ProblemEffect::kUnstable, "unstable"},
      Named<ProblemEffect>{ProblemEffect::kMoreMemory, "more memory"},
      Named<ProblemEffect>{ProblemEffect::kSlower, "slower"},
  };
};

/// What a run must do, or run on, for a problem to touch it.
enum class ProblemFeature {
  kCompile,
  kCudaGraphs,
  kFlash,
  kFp16,
  kFp8,
  kMxfp8,
  kWeights4Bit,
  kWeightsMxfp4,
  kWeightsFp8,
  kWeightsMadeFp8,
  kLora,
  kQlora,
  kAdam8bit,
  kFrozenBase,
  kZero3,
  kOffload,
  kFullRecompute,
  kTraffic,
  kNoPeerAccess,
  kSeveralMachines,
  kLayersInTurn,
  kLengthsVary,
  kLongPrompts,
  kHooks,
  kExperts,
  kBeyondContext,
};
template <>
struct Names<ProblemFeature> {
  static constexpr std::array entries = {
      Named<ProblemFeature>{ProblemFeature::kCompile, "compile"},
      Named<ProblemFeature>{ProblemFeature::kCudaGraphs, "cuda_graphs"},
      Named<ProblemFeature>{ProblemFeature::kFlash, "flash"},
      Named<ProblemFeature>{ProblemFeature::kFp16, "fp16"},
      Named<ProblemFeature>{ProblemFeature::kFp8, "fp8"},
      Named<ProblemFeature>{ProblemFeature::kMxfp8, "mxfp8"},
      Named<ProblemFeature>{ProblemFeature::kWeights4Bit, "weights_4bit"},
      Named<ProblemFeature>{ProblemFeature::kWeightsMxfp4, "weights_mxfp4"},
      Named<ProblemFeature>{ProblemFeature::kWeightsFp8, "weights_fp8"},
      // Made of wider ones by the engine, while it loads them.
      Named<ProblemFeature>{ProblemFeature::kWeightsMadeFp8, "weights_made_fp8"},
      Named<ProblemFeature>{ProblemFeature::kLora, "lora"},
      Named<ProblemFeature>{ProblemFeature::kQlora, "qlora"},
      Named<ProblemFeature>{ProblemFeature::kAdam8bit, "adam8bit"},
      Named<ProblemFeature>{ProblemFeature::kFrozenBase, "frozen_base"},
      Named<ProblemFeature>{ProblemFeature::kZero3, "zero3"},
      Named<ProblemFeature>{ProblemFeature::kOffload, "offload"},
      Named<ProblemFeature>{ProblemFeature::kFullRecompute, "recompute"},
      // GPUs exchange data while they work; replicas that generate side by side do not.
      Named<ProblemFeature>{ProblemFeature::kTraffic, "traffic"},
      Named<ProblemFeature>{ProblemFeature::kNoPeerAccess, "no_peer_access"},
      Named<ProblemFeature>{ProblemFeature::kSeveralMachines, "several_machines"},
      Named<ProblemFeature>{ProblemFeature::kLayersInTurn, "layers_in_turn"},
      Named<ProblemFeature>{ProblemFeature::kLengthsVary, "lengths_vary"},
      Named<ProblemFeature>{ProblemFeature::kLongPrompts, "long_prompts"},
      // Activations are read by hooks while the network runs.
      Named<ProblemFeature>{ProblemFeature::kHooks, "hooks"},
      Named<ProblemFeature>{ProblemFeature::kExperts, "experts"},
      // Published weights learn from longer sequences than their rotary positions were made for.
      Named<ProblemFeature>{ProblemFeature::kBeyondContext, "beyond_context"},
  };
};

/// How well a fact is known.
enum class Confidence { kLow, kMedium, kHigh };
template <>
struct Names<Confidence> {
  static constexpr std::array entries = {
      Named<Confidence>{Confidence::kLow, "low"},
      Named<Confidence>{Confidence::kMedium, "medium"},
      Named<Confidence>{Confidence::kHigh, "high"},
  };
};

/// A row of data/known_problems.csv. Conditions are joined by "and"; an empty list or a zero asks for nothing.
struct KnownProblem {
  enum class Kind { kTrain, kGenerate };

  std::string id;
  std::string what;                      ///< a sentence without a full stop
  std::optional<Kind> kind;              ///< of phase; `collect` is generation
  std::vector<std::string> frameworks;   ///< catalogue names, one of them
  std::vector<std::string> hardware;     ///< GPUs or architectures, one of them
  double capability_from = 0;            ///< CUDA compute capability at least
  double capability_below = 0;           ///< and less than that
  int gpus_from = 0;                     ///< GPUs of the phase at least
  std::vector<ProblemFeature> features;  ///< all of them
  std::string from, fixed_in;            ///< software and version; empty: not known, or not fixed
  ProblemEffect effect = ProblemEffect::kSlower;
  std::string remedy;  ///< what to do, without a full stop
  std::string source, as_of;
  Confidence confidence = Confidence::kLow;

  bool operator==(const KnownProblem&) const = default;
};
template <>
struct Names<KnownProblem::Kind> {
  static constexpr std::array entries = {
      Named<KnownProblem::Kind>{KnownProblem::Kind::kTrain, "train"},
      Named<KnownProblem::Kind>{KnownProblem::Kind::kGenerate, "generate"},
  };
};

}  // namespace gpuplan
