// One pass of one network on one replica: a decode step, a batch of prompts, and the memory both need.
#pragma once

#include "base/units.h"
#include "model/generation.h"

namespace gpuplan {

/// How one replica is cut, with the link that its tensor ranks use.
struct GenerationCut {
  double tp = 1, pp = 1, ep = 1;
  Seconds reduce_latency{};  ///< of one all-reduce; zero without tensor parallelism
  double reduce_seconds_per_byte = 0;
  Seconds exchange_latency{};  ///< of one all-to-all between replicas that share experts
  double exchange_seconds_per_byte = 0;
  Seconds host_per_layer{};
};

GenerationCut generation_cut(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy);

/// Seconds of one new token for every sequence in flight; the parts add up to total().
struct DecodeStep {
  Seconds weights{}, compute{}, kv{}, launch{}, host{}, traffic{}, hops{};
  constexpr Seconds total() const { return weights + compute + kv + launch + host + traffic + hops; }
};

/// `sequences` new tokens at once, each with `context` tokens before it.
DecodeStep decode_step(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                       double sequences, double context);

/// Reading `sequences` prompts of `tokens` tokens each, through all stages one after the other.
Seconds prefill_time(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                     double sequences, double tokens);

/// Weights on the fullest GPU.
Bytes weight_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut);

/// Cache of one sequence of `tokens` tokens on one GPU.
Bytes cache_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut, double tokens);

}  // namespace gpuplan
