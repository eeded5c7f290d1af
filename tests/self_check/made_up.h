// Rows of constants that no measurement made: every number is written down, since a row that a table did not fill has
// none. For the self check, and for tests whose expected values are worked by hand.
#pragma once

#include "domain/facts/catalogue.h"

namespace gpuplan::made_up {

inline Efficiency efficiency() {
  Efficiency row;
  row.matmul = 0.7;
  row.matmul_fp32 = 0.92;
  row.matmul_fp8 = 0.6;
  row.matmul_fp4 = 0.45;
  row.k_half = 200;
  row.k_half_fp8 = 300;
  row.k_half_fp4 = 300;
  row.k_split = 1500;
  row.wave = 0.5;
  row.wave_fp8 = 0.5;
  row.wave_fp4 = 0.5;
  row.matmul_bandwidth = 0.75;
  row.bandwidth = 0.8;
  row.attention = 0.5;
  row.attention_common = 0.4;
  row.attention_old = 0.3;
  row.attention_short = 600;
  row.attention_softmax = 0.3;
  row.kernel_us = 2;
  row.kernel_us_fp8 = 5;
  row.kernel_us_fp4 = 5;
  row.training = 1;
  row.tflops_per_watt = 0;
  row.fp32_per_sm_clock = 256;
  row.serve_bandwidth = 0.8;
  row.serve_us = 5;
  row.serve_us_fp8 = 8;
  row.serve_us_fp4 = 8;
  row.cache_bandwidth = 0.85;
  row.cache_us = 12;
  row.cache_wave_us = 3;
  row.cache_expand = 0;
  row.experts = 0.8;
  row.experts_fp8 = 0.8;
  row.experts_fp4 = 0.8;
  row.experts_bandwidth = 0.75;
  row.experts_us = 20;
  row.training_publishers = row.serving_publishers = 3;
  return row;
}

/// An engine that reads every format, and keeps its cache in each.
inline EngineProfile engine() {
  EngineProfile row;
  row.formats = row.caches = ~0U;
  row.slots = row.most_measured = 0;
  row.publishers = 3;
  row.time = 1;
  row.prompts = 1;
  row.host_layer_us = 0;
  row.host_step_us = 390;
  row.host_sequence_us = 6;
  row.launch = 1;
  row.expand = 1;
  row.eight_bit = 1;
  row.product = 1;
  row.experts = 1;
  row.cache_expand = 1;
  row.cache_start = 1;
  row.casts = 1;
  row.memory_share = 0.9;
  row.free_share = 1;
  row.reserve_gib = 2;
  row.prompt_chunk = 0;
  return row;
}

inline TrainingSoftware software() {
  TrainingSoftware row;
  row.time = 1.1;
  row.host_eager_ms = 0.4;
  row.host_compiled_ms = 0.3;
  row.step_ms = 4;
  row.step_layer_ms = 0.6;
  row.logit_bytes = 19;
  row.logit_bytes_compiled = 12;
  row.four_bit_bytes = 0.5625;
  row.weight_bytes = 4;
  row.gradient_bytes = 4;
  row.eight_bit_copies = 0;
  row.publishers = 3;
  row.flat_step = 0;
  return row;
}

inline LinkEfficiency link() {
  LinkEfficiency row;
  row.gather = 0.7;
  row.reduce = 0.75;
  row.exchange = 0.6;
  row.own = 0;
  row.latency_us = 20;
  row.hop_us = 0;
  row.fill_us = 0;
  row.fill_half_us = 0;
  return row;
}

/// Bytes a second of a hub and of disks, seconds, and bytes of data.
inline Assumptions assumptions() {
  Assumptions all;
  all.download.value = all.upload.value = {1e8, 3e8, 9e8};
  all.disk.value = {4e8, 1.5e9, 5.6e9};
  all.start.value = {10, 20, 40};
  all.compile.value = {30, 42, 60};
  all.graphs.value = {15, 40, 100};
  all.text_bytes.value = {2, 4, 5};
  all.image_bytes.value = {5e4, 1.1e5, 2.5e5};
  all.image_set.value = {1e5, 1.28e6, 1e7};
  return all;
}

/// Every figure knows every part: a tenth of error from each, three where nobody measured; twice that for first tokens.
inline ErrorModel errors() {
  ErrorModel model;
  for (auto& parts : model.components) parts.fill({0.1, 0.3});
  model.components[index_of(ErrorFigure::kFirstToken)].fill({0.2, 0.6});
  return model;
}

}  // namespace gpuplan::made_up
