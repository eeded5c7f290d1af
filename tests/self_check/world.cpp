#include "self_check/world.h"

#include <array>
#include <iterator>
#include <span>
#include <string_view>

#include "self_check/made_up.h"

namespace gpuplan::self_check {
namespace {

using units::dollar;
using units::GB;
using units::GiB;
using units::hour;
using units::minute;
using units::second;

Gpu gpu(const char* name, const char* vendor, const char* architecture, double capability, double memory_gib,
        const char* memory_type, double gigabytes_a_second, double tflops) {
  Gpu result;
  result.name = name;
  result.vendor = vendor;
  result.architecture = architecture;
  result.compute_capability = capability;
  result.year = 2023;
  result.memory = memory_gib * GiB;
  result.usable = (memory_gib - 0.7) * GiB;
  result.memory_type = memory_type;
  result.bandwidth = gigabytes_a_second * GB / second;
  result.fp32 = FlopsPerSecond{tflops * 0.0671e12};
  result.tf32 = FlopsPerSecond{tflops * 0.5e12};
  result.bf16 = result.fp16 = FlopsPerSecond{tflops * 1e12};
  result.int8 = FlopsPerSecond{tflops * 2e12};
  result.pcie_gen = 4;
  result.pcie_lanes = 16;
  result.tdp_watts = 400;
  result.sms = 108;
  return result;
}

std::vector<Gpu> gpus() {
  Gpu server = gpu("Server", "nvidia", "First", 9.0, 80, "HBM3", 3311, 977);
  server.fp8 = server.bf16 * 2;
  server.link = 900.0 * GB / second;
  server.link_kind = LinkKind::kNvswitch;
  server.pcie_gen = 5;
  server.tdp_watts = 700;
  server.sms = 132;
  Gpu next = gpu("Next Server", "nvidia", "Second", 10.0, 180, "HBM3e", 7777, 2223);
  next.fp8 = next.bf16 * 2;
  next.fp4 = next.bf16 * 4;
  next.link = 1800.0 * GB / second;
  next.link_kind = LinkKind::kNvswitch;
  next.tdp_watts = 1000;
  next.sms = 148;
  Gpu card = gpu("Card", "nvidia", "First", 8.9, 24, "GDDR6X", 1009, 163);
  card.fp8 = card.fp16_acc16 = card.bf16 * 2;
  card.fp32 = card.tf32 = FlopsPerSecond{82e12};
  card.sms = 128;
  Gpu old = gpu("Old Card", "nvidia", "Before", 7.5, 16, "GDDR6", 321, 63);
  old.bf16 = old.tf32 = {};
  old.pcie_gen = 3;
  old.sms = 40;
  Gpu red = gpu("Red", "amd", "Other", 0, 192, "HBM3", 5301, 1299);
  red.fp8 = red.bf16 * 2;
  red.link = 896.0 * GB / second;
  red.link_kind = LinkKind::kXgmi;
  red.sms = 304;
  return {server, next, card, old, red};
}

Efficiency efficiency(const char* architecture, const char* memory, double scale) {
  Efficiency row = made_up::efficiency();
  row.architecture = architecture;
  row.memory_type = memory;
  row.matmul *= scale;
  if (row.architecture == "Other") row.matmul_fp32 = row.matmul;  // no vendor but one has units beside its matrix cores
  row.wave *= scale;
  row.serve_bandwidth *= scale;
  row.tflops_per_watt = 1.1 * scale;
  return row;
}

Framework framework(const char* name, int rank) {
  Framework row;
  row.name = name;
  row.vendors = {"nvidia", "amd"};
  row.auto_rank = rank;
  row.compile = true;
  row.precisions = {Precision::kFp32, Precision::kTf32, Precision::kFp16, Precision::kBf16, Precision::kFp8};
  return row;
}

std::vector<Framework> frameworks() {
  Framework plain = framework("torch", 1);
  plain.trains = true;
  plain.zero[1] = plain.zero[2] = plain.zero[3] = true;
  plain.frozen = true;
  Framework cutting = framework("cutting", 3);
  cutting.trains = true;
  cutting.zero[1] = true;
  cutting.tensor = cutting.pipeline = cutting.context = cutting.expert = cutting.interleave = true;
  Framework offloading = framework("offloading", 2);
  offloading.trains = true;
  offloading.zero[1] = offloading.zero[2] = offloading.zero[3] = true;
  offloading.offload = Offload::kAll;
  offloading.zero[4] = true;
  offloading.lora = offloading.qlora = true;
  offloading.master_fp32 = false;
  Framework serving = framework("vllm", 1);
  serving.generates = serving.tensor = serving.pipeline = serving.expert = serving.cuda_graphs = true;
  serving.min_compute_capability = 7.0;
  Framework eager = framework("hf", 2);
  eager.generates = eager.pipeline = true;
  Framework split = framework("llama.cpp", 3);
  split.generates = split.pipeline = split.cuda_graphs = true;
  split.multi_node = false;
  return {plain, cutting, offloading, serving, eager, split};
}

EngineProfile engine(const char* name, unsigned formats) {
  EngineProfile row = made_up::engine();
  row.name = name;
  row.formats = formats;
  return row;
}

constexpr unsigned bit(Format format) { return 1U << static_cast<unsigned>(format); }

/// One engine that serves, one that runs eagerly, one that splits layers.
std::vector<EngineProfile> engines() {
  constexpr unsigned kHalf = bit(Format::kFp16) | bit(Format::kBf16) | bit(Format::kFp32);
  constexpr unsigned kSmall = bit(Format::kInt8) | bit(Format::kInt4) | bit(Format::kNf4) | bit(Format::kMxfp4);
  EngineProfile serving = engine("vllm", kHalf | kSmall | bit(Format::kFp8) | bit(Format::kNvfp4) | bit(Format::kW8A8));
  serving.time = 1.07;
  serving.prompts = 0.91;
  serving.host_step_us = 613;
  serving.launch = 1.13;
  serving.experts = 0.93;
  serving.cache_expand = 1.7;
  serving.cache_start = 0.6;
  serving.casts = 0.73;
  serving.free_share = 0.95;
  serving.emulates = serving.one_shot = true;
  EngineProfile eager = engine("hf", kHalf | kSmall);
  eager.time = 0.96;
  eager.host_layer_us = 777;
  eager.host_step_us = eager.host_sequence_us = 0;
  eager.eight_bit = 0.37;
  eager.memory_share = 1;
  eager.attention = PromptAttention::kCommon;
  eager.continuous = eager.pipelines = false;
  eager.copies_cache = eager.loops_experts = true;
  EngineProfile split = engine("llama.cpp", kHalf | bit(Format::kQ8_0) | bit(Format::kQ4K) | bit(Format::kMxfp4));
  split.expand = 0.41;
  split.product = 0.63;
  split.reserve_gib = 0.8;
  split.prompt_chunk = 512;
  split.attention = PromptAttention::kScores;
  split.own_kernels = split.half_accumulate = true;
  split.pipelines = false;
  split.publishers = 0;
  return {serving, eager, split};
}

/// A constant by its name, as the table had it when this was built.
struct Constant {
  std::string_view name;
  double value;
};
constexpr Constant kTraining[] = {
#include <self_check/training_constants.inc>  // written by cmake/self_check_constants.cmake
};
constexpr Constant kGeneration[] = {
#include <self_check/generation_constants.inc>  // written by cmake/self_check_constants.cmake
};
constexpr Constant kPractice[] = {
#include <self_check/practice_constants.inc>  // written by cmake/self_check_constants.cmake
};
static_assert(std::size(kTraining) == kTrainingConstants.size() &&
              std::size(kGeneration) == kGenerationConstants.size() &&
              std::size(kPractice) == kPracticeConstants.size());

template <class Constants>
Constants today(const auto& known, std::span<const Constant> values) {
  Constants all;
  for (const auto& field : known)
    for (const Constant& constant : values)
      if (constant.name == field.name) all.*field.field = constant.value;
  return all;
}

/// Rings over links between cards, from card to card or through the host, and between machines.
LinkEfficiency link(LinkPath path, double share, double latency, double hop) {
  LinkEfficiency row = made_up::link();
  row.path = path;
  row.gather = share;
  row.reduce = share * 1.07;
  row.exchange = share * 0.9;
  row.latency_us = latency;
  row.hop_us = hop;
  row.fill_us = latency * 3;
  row.fill_half_us = latency * 2;
  return row;
}

TrainingSoftware software(const char* name, double time, bool fused) {
  TrainingSoftware row = made_up::software();
  row.name = name;
  row.time = time;
  row.fused = row.vendor_attention = fused;
  return row;
}

Node box(const char* gpu, int gpus, double network_gigabytes) {
  Node node;
  node.provider = "any";
  node.gpu = gpu;
  node.gpus = gpus;
  node.network = network_gigabytes * GB / second;
  node.ram = 64.0 * gpus * GiB;
  return node;
}

ModelShape shape(const char* name, int layers, int hidden, int heads, int kv_heads, int ffn, int vocab) {
  ModelShape result;
  result.name = name;
  result.layers = layers;
  result.hidden = hidden;
  result.heads = heads;
  result.kv_heads = kv_heads;
  result.head_dim = hidden / heads;
  result.ffn = ffn;
  result.vocab = vocab;
  result.max_context = 8192;
  return result;
}

ModelUse use(ModelShape shape) {
  ModelUse result;
  result.name = shape.name;
  result.shape = std::move(shape);
  return result;
}

}  // namespace

Catalogue catalogue() {
  Catalogue all;
  all.gpus = gpus();
  for (std::size_t i = 0; i < all.gpus.size(); ++i) all.gpu_names.add(all.gpus[i].name, static_cast<int>(i));
  all.efficiencies = {efficiency("*", "*", 1.0), efficiency("First", "HBM", 1.03), efficiency("First", "GDDR", 1.11),
                      efficiency("Second", "*", 0.93), efficiency("Other", "*", 1.0)};
  all.frameworks = frameworks();
  for (std::size_t i = 0; i < all.frameworks.size(); ++i)
    all.framework_names.add(all.frameworks[i].name, static_cast<int>(i));
  all.engines = engines();
  all.links = {link(LinkPath::kDirect, 0.77, 7, 0.7), link(LinkPath::kPeer, 0.53, 9, 1.3),
               link(LinkPath::kHost, 0.31, 13, 2), link(LinkPath::kNetwork, 0.83, 41, 5)};
  all.training_software = {software("*", 1.1, false), software("cutting", 1.03, true)};
  all.training_constants = today<TrainingConstants>(kTrainingConstants, kTraining);
  all.generation_constants = today<GenerationConstants>(kGenerationConstants, kGeneration);
  all.practice_constants = today<PracticeConstants>(kPracticeConstants, kPractice);
  all.errors = made_up::errors();
  all.assumptions = made_up::assumptions();
  all.nodes = {box("Server", 8, 50), box("Next Server", 8, 100), box("Card", 4, 1.25), box("Red", 8, 50)};
  return all;
}

std::vector<ModelUse> networks() {
  ModelShape dense = shape("dense", 32, 4096, 32, 8, 14336, 128256);
  ModelShape small = shape("small", 12, 768, 12, 12, 3072, 50304);
  small.gated = false;
  small.tied = true;
  small.positions = 1024;
  small.norm = NormKind::kLayer;
  small.attention_bias = BiasKind::kAll;
  small.mlp_bias = true;
  ModelShape mixture = shape("mixture", 24, 2048, 32, 4, 6144, 151936);
  mixture.experts = 64;
  mixture.experts_per_token = 8;
  mixture.expert_ffn = 768;
  mixture.qk_norm = QkNorm::kHead;
  ModelShape latent = shape("latent", 27, 2048, 16, 16, 10944, 102400);
  latent.experts = 64;
  latent.experts_per_token = 6;
  latent.expert_ffn = 1408;
  latent.shared_ffn = 2816;
  latent.dense_layers = 1;
  latent.kv_lora_rank = 512;
  latent.qk_nope_dim = 128;
  latent.qk_rope_dim = 64;
  latent.v_dim = 128;
  latent.native = Format::kFp8;
  ModelShape windows = shape("windows", 26, 2304, 8, 4, 9216, 256000);
  windows.head_dim = 256;
  windows.window = 4096;
  windows.window_layers = 13;
  windows.norms_per_layer = 4;
  windows.tied = true;
  ModelShape encoder = shape("encoder", 24, 1024, 16, 16, 4096, 30522);
  encoder.kind = ModelKind::kEncoder;
  encoder.gated = false;
  encoder.norm = NormKind::kLayer;
  encoder.positions = 512;
  encoder.token_types = 2;
  std::vector<ModelUse> all;
  for (ModelShape* one : {&dense, &small, &mixture, &latent, &windows, &encoder}) all.push_back(use(std::move(*one)));
  ModelUse totals;
  totals.name = "totals";
  totals.custom = CustomModel{27e6, Flops{3.1e12}, 410 * units::MiB, 900};
  all.push_back(std::move(totals));
  return all;
}

std::vector<Offer> offers(const Catalogue& catalogue) {
  std::vector<Offer> all;
  double price = 0.31;
  for (const Gpu& gpu : catalogue.gpus) {
    for (const int count : {1, 2, 4, 8}) {
      Offer offer;
      offer.provider = count < 4 ? "Small Clouds" : "Large Clouds";
      offer.region = count % 3 == 1 ? "north" : "south";
      offer.gpu = gpu.name;
      offer.gpus = count;
      price = price * 1.17 + 0.05;
      const DollarsPerSecond hourly = price * dollar / hour;
      offer.price = Interval<DollarsPerSecond>{hourly * 0.9, hourly, hourly * 1.2};
      if (count != 2) offer.spot_price = exactly(hourly * 0.41);
      if (count == 1) offer.interruptions = {0.02 / hour, 0.05 / hour, 0.125 / hour};
      else if (count == 4) offer.band = SpotBand::k10To15;
      else if (count != 8) offer.interruptions = exactly(0.05 / hour);
      offer.billing = count < 4 ? Billing{1 * minute, 1 * second} : Billing{1 * hour, 1 * hour};
      offer.as_of = "2025-01-01";
      offer.source = "made up";
      all.push_back(std::move(offer));
    }
  }
  Offer pool = all.front();
  pool.kind = OfferKind::kPool;
  pool.provider = "pool";
  pool.gpus = 12;
  pool.price = exactly(DollarsPerSecond{});
  pool.spot_price = std::nullopt;
  pool.leave_free = 0.25;
  pool.max_time = 20 * hour;
  all.push_back(pool);
  Offer own = pool;
  own.kind = OfferKind::kOwn;
  own.provider = "own";
  own.gpu = "Card";
  own.gpus = 2;
  own.leave_free = 0;
  own.price = exactly(0.14 * dollar / hour);
  all.push_back(own);
  return all;
}

}  // namespace gpuplan::self_check
