// What sets inference engines apart: how they start kernels, batch requests and use memory, and which formats they
// read.
#pragma once

#include <string_view>

#include "base/units.h"
#include "domain/framework.h"
#include "domain/precision.h"

namespace gpuplan {

struct EngineProfile {
  std::string_view name;     ///< as in the catalogue
  unsigned formats = 0;      ///< bit for each Format of weights that it reads
  Seconds host_per_layer{};  ///< host time of a layer launched kernel by kernel; zero with CUDA graphs
  Seconds host_per_step{};
  Seconds host_per_sequence{};
  double expand_scale = 1;   ///< on the rate at which compressed weights are expanded
  double int8_scale = 1;     ///< on the bandwidth when weights are int8 or nf4 (bitsandbytes kernels: 0.29)
  double product_scale = 1;  ///< on large products of compressed weights
  double launch_scale = 1;
  bool expands_16_bit = false;   ///< own kernels that are limited by the multiprocessors even for 16-bit weights
  bool half_accumulate = false;  ///< 16-bit accumulation: twice the rate on GeForce cards
  bool continuous = true;        ///< new requests join a running batch
  bool pipelines = true;         ///< several batches are under way in a layer split
  double prompt_chunk = 0;  ///< tokens of a prompt that pass a layer split together, chunk after chunk; 0: no pipeline
  bool copies_cache = false;  ///< the cache is concatenated and expanded at every step
  bool emulates = false;      ///< expands fp8 and nvfp4 weights where the hardware lacks them
  double memory_share = 1;    ///< of usable memory that it may take
  Bytes reserve{};            ///< driver context, framework, graphs, fragmentation
  double trust = 1;           ///< factor on the spread: 1 where measured runs cover it

  bool reads(Format format) const { return (formats >> static_cast<unsigned>(format) & 1U) != 0; }
};

/// The profile of an engine; one that is not known gets the middle (CUDA graphs or eager as the catalogue says, all
/// formats) and a wider spread.
const EngineProfile& engine_profile(const Framework& engine);

}  // namespace gpuplan
