// Hardware, networks and phases for the tests of the generation model, written out so that expected values can be
// worked by hand.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/catalogue.h"
#include "model/generation/generation.h"
#include "model/made_up_constants.h"
#include "self_check/made_up.h"

namespace gpuplan::generation_fixture {

using units::GB;
using units::GiB;
using units::second;

inline FlopsPerSecond teraflops(double value) { return FlopsPerSecond{value * 1e12}; }

inline Gpu h100() {
  Gpu gpu;
  gpu.name = "H100 SXM";
  gpu.vendor = "nvidia";
  gpu.architecture = "Hopper";
  gpu.compute_capability = 9.0;
  gpu.year = 2022;
  gpu.memory = 80 * GiB;
  gpu.usable = 79.6 * GiB;
  gpu.memory_type = "HBM3";
  gpu.bandwidth = 3350.0 * GB / second;
  gpu.fp32 = teraflops(67);
  gpu.tf32 = teraflops(494.7);
  gpu.bf16 = gpu.fp16 = teraflops(989.4);
  gpu.fp8 = gpu.int8 = teraflops(1978.9);
  gpu.link = 900.0 * GB / second;
  gpu.pcie_gen = 5;
  gpu.pcie_lanes = 16;
  gpu.tdp_watts = 700;
  gpu.sms = 132;
  return gpu;
}

inline Gpu a100() {
  Gpu gpu = h100();
  gpu.name = "A100 SXM 80GB";
  gpu.architecture = "Ampere";
  gpu.compute_capability = 8.0;
  gpu.year = 2020;
  gpu.memory_type = "HBM2e";
  gpu.bandwidth = 2039.0 * GB / second;
  gpu.fp32 = teraflops(19.5);
  gpu.tf32 = teraflops(156);
  gpu.bf16 = gpu.fp16 = teraflops(312);
  gpu.fp8 = {};
  gpu.int8 = teraflops(624);
  gpu.link = 600.0 * GB / second;
  gpu.pcie_gen = 4;
  gpu.tdp_watts = 400;
  gpu.sms = 108;
  return gpu;
}

inline Gpu rtx4090() {
  Gpu gpu = h100();
  gpu.name = "RTX 4090";
  gpu.architecture = "Ada";
  gpu.compute_capability = 8.9;
  gpu.memory = 24 * GiB;
  gpu.usable = 23.6 * GiB;
  gpu.memory_type = "GDDR6X";
  gpu.bandwidth = 1008.0 * GB / second;
  gpu.fp32 = gpu.tf32 = teraflops(82.6);
  gpu.bf16 = gpu.fp16 = teraflops(165.2);
  gpu.fp16_acc16 = teraflops(330.4);
  gpu.fp8 = teraflops(330.4);
  gpu.int8 = teraflops(660.8);
  gpu.link = {};
  gpu.pcie_gen = 4;
  gpu.tdp_watts = 450;
  gpu.sms = 128;
  return gpu;
}

inline Gpu t4() {
  Gpu gpu = rtx4090();
  gpu.name = "T4";
  gpu.architecture = "Turing";
  gpu.compute_capability = 7.5;
  gpu.year = 2018;
  gpu.memory = 16 * GiB;
  gpu.usable = 14.8 * GiB;
  gpu.memory_type = "GDDR6";
  gpu.bandwidth = 320.0 * GB / second;
  gpu.fp32 = teraflops(8.1);
  gpu.bf16 = gpu.fp8 = gpu.fp16_acc16 = {};
  gpu.fp16 = teraflops(65);
  gpu.pcie_gen = 3;
  gpu.tdp_watts = 70;
  return gpu;
}

/// What tells generations apart, beside made-up constants.
inline Efficiency efficiency(std::string architecture, std::string memory, double watts, double clock) {
  Efficiency row = made_up::efficiency();
  row.architecture = std::move(architecture);
  row.memory_type = std::move(memory);
  row.tflops_per_watt = watts;
  row.fp32_per_sm_clock = clock;
  return row;
}

inline unsigned bits(std::initializer_list<Format> formats) {
  unsigned set = 0;
  for (const Format format : formats) set |= 1U << static_cast<unsigned>(format);
  return set;
}

/// Engines as different as they get: one that serves, one that runs eagerly, one that splits layers, one for one card.
inline std::vector<EngineProfile> engines() {
  EngineProfile served = made_up::engine();
  served.name = "vllm";
  served.formats = bits({Format::kFp32, Format::kFp16, Format::kBf16, Format::kFp8, Format::kInt8, Format::kInt4,
                         Format::kNf4, Format::kMxfp4, Format::kNvfp4, Format::kW8A8});
  served.emulates = served.one_shot = true;
  served.publishers = 3;
  EngineProfile eager = made_up::engine();
  eager.name = "hf";
  eager.formats =
      bits({Format::kFp32, Format::kFp16, Format::kBf16, Format::kInt8, Format::kInt4, Format::kNf4, Format::kMxfp4});
  eager.host_layer_us = 720;
  eager.host_step_us = eager.host_sequence_us = 0;
  eager.continuous = eager.pipelines = false;
  eager.copies_cache = eager.loops_experts = true;
  eager.publishers = 3;
  eager.memory_share = 1;
  eager.attention = PromptAttention::kCommon;
  EngineProfile split = made_up::engine();
  split.name = "llama.cpp";
  split.formats = bits({Format::kFp32, Format::kFp16, Format::kBf16, Format::kQ8_0, Format::kQ6K, Format::kQ4K});
  split.memory_share = 1;
  split.reserve_gib = 0.8;
  split.prompt_chunk = 512;
  split.attention = PromptAttention::kScores;
  split.own_kernels = split.half_accumulate = split.host_tables = true;
  split.publishers = 3;
  split.pipelines = false;
  EngineProfile card = made_up::engine();
  card.name = "exllama";
  card.formats = bits({Format::kFp16, Format::kBf16, Format::kInt8, Format::kInt4});
  card.memory_share = 1;
  card.reserve_gib = 0.8;
  card.half_accumulate = true;
  card.publishers = 3;
  card.continuous = card.pipelines = false;
  EngineProfile any = made_up::engine();
  any.name = "*";
  any.publishers = 0;
  EngineProfile any_eager = eager;
  any_eager.name = "*eager";
  any_eager.publishers = 0;
  return {any, any_eager, served, eager, split, card};
}

/// A ring over each kind of path; microseconds of a collective and of each of its steps.
inline LinkEfficiency link_on(LinkPath path, double share, double latency, double hop) {
  LinkEfficiency row = made_up::link();
  row.path = path;
  row.gather = row.reduce = row.exchange = share;
  row.latency_us = latency;
  row.hop_us = hop;
  return row;
}

inline Catalogue small_catalogue() {
  Catalogue all;
  all.efficiencies = {efficiency("Ampere", "HBM", 0.68, 128), efficiency("Hopper", "HBM", 1.22, 256),
                      efficiency("Ada", "GDDR", 0.66, 256)};
  all.engines = engines();
  all.generation_constants = made_up::generation_constants();
  all.errors = made_up::errors();
  all.assumptions = made_up::assumptions();
  all.links = {link_on(LinkPath::kDirect, 0.8, 6, 0.7), link_on(LinkPath::kPeer, 0.7, 10, 2),
               link_on(LinkPath::kHost, 0.3, 20, 4), link_on(LinkPath::kNetwork, 0.8, 30, 5)};
  return all;
}

inline NodeShape node_of(const Gpu& gpu, int gpus = 8) {
  NodeShape node;
  node.gpu = &gpu;
  node.gpus = gpus;
  node.link = gpu.link;
  node.link_kind = gpu.link.value > 0 ? LinkKind::kNvswitch : LinkKind::kPcie;
  node.peer_access = gpu.link.value > 0;
  node.network = 50.0 * GB / second;
  return node;
}

inline Framework engine(std::string name) {
  Framework framework;
  framework.name = std::move(name);
  framework.generates = true;
  framework.cuda_graphs = framework.name != "hf";
  return framework;
}

inline ModelShape llama_2_7b() {
  ModelShape shape;
  shape.name = "Llama-2-7B";
  shape.layers = 32;
  shape.hidden = 4096;
  shape.heads = shape.kv_heads = 32;
  shape.head_dim = 128;
  shape.ffn = 11008;
  shape.vocab = 32000;
  return shape;
}

inline ModelShape llama_3_8b() {
  ModelShape shape = llama_2_7b();
  shape.name = "Llama-3.1-8B";
  shape.kv_heads = 8;
  shape.ffn = 14336;
  shape.vocab = 128256;
  return shape;
}

inline ModelShape llama_2_70b() {
  ModelShape shape = llama_2_7b();
  shape.name = "Llama-2-70B";
  shape.layers = 80;
  shape.hidden = 8192;
  shape.heads = 64;
  shape.kv_heads = 8;
  shape.ffn = 28672;
  return shape;
}

inline ModelShape mixtral() {
  ModelShape shape = llama_3_8b();
  shape.name = "Mixtral-8x7B";
  shape.vocab = 32000;
  shape.experts = 8;
  shape.experts_per_token = 2;
  shape.expert_ffn = 14336;
  return shape;
}

inline ModelShape deepseek_v3() {
  ModelShape shape;
  shape.name = "DeepSeek-V3";
  shape.layers = 61;
  shape.hidden = 7168;
  shape.heads = shape.kv_heads = 128;
  shape.head_dim = 128;
  shape.ffn = 18432;
  shape.vocab = 129280;
  shape.experts = 256;
  shape.experts_per_token = 8;
  shape.expert_ffn = 2048;
  shape.shared_ffn = 2048;
  shape.dense_layers = 3;
  shape.q_lora_rank = 1536;
  shape.kv_lora_rank = 512;
  shape.qk_nope_dim = 128;
  shape.qk_rope_dim = 64;
  shape.v_dim = 128;
  shape.native = Format::kFp8;
  return shape;
}

/// `samples` samples of `prompt` and `fresh` tokens each.
inline GeneratePhase phase_of(const ModelShape& shape, Situation situation, double samples, double prompt,
                              double fresh) {
  GeneratePhase phase;
  ModelUse use;
  use.name = shape.name;
  use.shape = shape;
  phase.models = {use};
  phase.data = {Prompts{"prompts", samples, {prompt, prompt}, {fresh, fresh}}};
  phase.situation = situation;
  return phase;
}

inline Strategy strategy_of(int dp, int tp = 1, int pp = 1, int batch = 0) {
  Strategy strategy;
  strategy.dp = dp;
  strategy.tp = tp;
  strategy.pp = pp;
  strategy.micro_batch = batch;
  return strategy;
}

/// Everything that an estimate points to, kept alive together.
struct Rig {
  Catalogue all;
  Gpu gpu;
  NodeShape node;
  Framework framework;
  GeneratePhase phase;
  GenerationWork work;
  GenerationRates rates;

  Rig(const Gpu& on, const GeneratePhase& what, const std::string& by = "vllm", Format weights = Format::kBf16,
      Format cache = Format::kBf16, Catalogue facts = small_catalogue())
      : all(std::move(facts)), gpu(on), node(node_of(gpu)), framework(engine(by)), phase(what) {
    work = generation_work(phase).value();
    rates = generation_rates(all, node, framework, weights, cache).value();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  GenerationEstimate estimate(const Strategy& strategy) const { return generation_estimate(work, rates, strategy); }
};

inline GenerationEstimate estimate(const Gpu& gpu, const GeneratePhase& phase, const Strategy& strategy,
                                   const std::string& by = "vllm", Format weights = Format::kBf16) {
  return Rig(gpu, phase, by, weights).estimate(strategy);
}

inline double rate(const Gpu& gpu, const GeneratePhase& phase, const Strategy& strategy, const std::string& by = "vllm",
                   Format weights = Format::kBf16) {
  return estimate(gpu, phase, strategy, by, weights).tokens_per_second;
}

}  // namespace gpuplan::generation_fixture
