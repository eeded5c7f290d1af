// A generation run that somebody measured: its configuration as far as it is known, and what came out.
#pragma once

#include <optional>

#include "base/units.h"
#include "domain/hardware/precision.h"
#include "domain/work/phase.h"
#include "domain/work/strategy.h"
#include "evidence/validation/measured_run.h"

namespace gpuplan {

/// How requests came: one at a time; one fixed batch; a server with so many requests in flight; a server with a queue
/// that is always full; prompts read and nothing more.
enum class GenerationMode { kSingle, kStatic, kConcurrency, kSaturated, kPrefill };
template <>
struct Names<GenerationMode> {
  static constexpr std::array entries = {
      Named<GenerationMode>{GenerationMode::kSingle, "single"},
      Named<GenerationMode>{GenerationMode::kStatic, "static"},
      Named<GenerationMode>{GenerationMode::kConcurrency, "concurrency"},
      Named<GenerationMode>{GenerationMode::kSaturated, "saturated"},
      Named<GenerationMode>{GenerationMode::kPrefill, "prefill"},
  };
};

/// The time that a rate of output tokens is over: all of it, or decoding alone.
enum class RateCounts { kAll, kDecode };
template <>
struct Names<RateCounts> {
  static constexpr std::array entries = {
      Named<RateCounts>{RateCounts::kAll, "all"},
      Named<RateCounts>{RateCounts::kDecode, "decode"},
  };
};

/// One measured configuration. A field without a value was not stated. Rates are of the whole system.
struct GenerationRun : MeasuredRun {
  std::optional<int> tp, pp, ep, replicas;
  std::optional<Format> weights, kv_cache;
  std::optional<double> bits_per_weight;
  std::optional<double> input_tokens, output_tokens;  ///< of a sequence, mean
  std::optional<double> cache_tokens;  ///< that the cache holds room for, where it is set aside for more than the run
  std::optional<double> batch;         ///< sequences of the whole system at a time
  std::optional<GenerationMode> mode;
  std::optional<RateCounts> rate_counts;
  std::optional<AttentionKernel> attention;  ///< over prompts, where it is not what the engine usually has

  // What plans say beside (own runs).
  std::optional<double> requests;        ///< of one model, all of the work
  std::optional<double> longest_output;  ///< tokens
  std::optional<int> in_flight;          ///< sequences of one replica at a time, as the engine is told
  std::optional<bool> parts_attention;   ///< false: attention is cut by heads, whatever engines usually do
  std::optional<Placement> placement;    ///< of several networks
  std::optional<Store> store;            ///< activations kept
  std::optional<Speculation> speculation;

  std::optional<TokensPerSecond> output_rate, total_rate, prefill_rate;
  std::optional<Seconds> first_token, per_token;
};

}  // namespace gpuplan
