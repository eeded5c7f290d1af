// Constants of the generation model for tests that are worked by hand: the fit moves those of data/, not these.
#pragma once

#include "domain/facts/generation_constants.h"

namespace gpuplan::made_up {

inline GenerationConstants generation_constants() {
  GenerationConstants all;
  all.decode_time = 1.1;
  all.prefill_time = 1.15;
  all.launch_us = 14;
  all.launch_experts = 1.4;
  all.modern = 0.8;
  all.prefill_fixed_ms = 3;
  all.elementwise = 32;
  all.eager_scores = 17.8;
  all.watts_8bit = 1.9;
  all.watts_4bit = 3.2;
  all.own_flops_clock = 700;
  all.load_bytes_clock = 20;
  all.cache_time = 1;
  all.cache_bytes_clock = 4;
  all.kv_copy = 3.3;
  all.expert_time = 1;
  all.expanded_experts = 1;
  all.expert_imbalance = 1.15;
  all.routing_skew = 0;
  all.reduce_latency = 1.2;
  all.reduce_time = 1.2;
  all.one_shot_us = 8;
  all.crowded = 0.5;
  all.group_wait = 1.2;
  all.hop_us = 80;
  all.chunk_serial = 0.42;
  all.eager_experts = 0.1;
  all.hook_layer_us = 720;
  all.eager_prefill = 0.5;
  all.chunk_tokens = 8192;
  all.most_in_flight = 1024;
  all.chunk_small = 8192;
  all.in_flight_small = 1024;
  all.most_static = 512;
  all.static_fill = 0.82;
  all.chunk_overlap = 0.26;
  all.tail = 0.3;
  all.first_fixed_ms = 18;
  all.first_steps = 1.5;
  all.waves = 0.6;
  all.weight_padding = 1.015;
  all.activation_hidden = 4;
  all.activation_mlp = 3;
  all.logit_bytes = 4;
  all.framework_gib = 0.1;
  all.own_bytes_clock = 7;
  all.exchange_share = 0.75;
  return all;
}

}  // namespace gpuplan::made_up
