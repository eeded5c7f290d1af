// One pass of one network on one replica: a decode step, a batch of prompts, and the memory both need.
#pragma once

#include "base/units.h"
#include "model/generation/generation.h"

namespace gpuplan {

/// How one replica is cut, with the links that its ranks use.
struct GenerationCut {
  double tp = 1, pp = 1, ep = 1;
  LinkRate reduce;     ///< between tensor ranks
  Seconds one_shot{};  ///< all-reduce in one step, besides its transfer; zero: not done
  LinkRate exchange;   ///< between replicas that share experts
  Seconds host_per_layer{};
};

GenerationCut generation_cut(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy);

/// Seconds of one pass that makes `positions` tokens for every sequence in flight; the parts add up to total().
struct DecodeStep {
  Seconds weights{};  ///< reading weights and multiplying, as far as reading takes
  Seconds compute{};  ///< what products take beyond
  Seconds kv{}, launch{}, host{}, traffic{}, hops{};
  constexpr Seconds total() const { return weights + compute + kv + launch + host + traffic + hops; }
};

/// `sequences` sequences, each with `context` tokens before it; `positions` tokens of each are computed at once (more
/// than one when drafted tokens are checked).
DecodeStep decode_step(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                       double sequences, double context, double positions = 1);

/// Reading `sequences` prompts of `tokens` tokens each, through all stages one after the other.
Seconds prefill_time(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut,
                     double sequences, double tokens);

/// Weights on the fullest GPU.
Bytes weight_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut);

/// Cache of one sequence of `tokens` tokens on one GPU.
Bytes cache_memory(const NetworkWork& network, const GenerationRates& rates, const GenerationCut& cut, double tokens);

}  // namespace gpuplan
