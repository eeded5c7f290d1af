#include "evidence/validation/run_groups.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kNotStated = "unknown";

GroupLabel stated_or_not(std::string_view text) {
  return text.empty() ? GroupLabel{1, std::string(kNotStated)} : GroupLabel{0, printable(text, 100)};
}

struct Band {
  double below;
  std::string_view name;
};

/// The first band that the value lies in; `rest` above them all.
template <std::size_t count>
GroupLabel banded(double value, const std::array<Band, count>& bands, std::string_view rest) {
  int place = 0;
  for (const Band& band : bands) {
    if (value < band.below) return {place, std::string(band.name)};
    ++place;
  }
  return {place, std::string(rest)};
}

GroupLabel size_label(double parameters) {
  constexpr std::array kBands = {Band{0.5e9, "below 0.5B"}, Band{3e9, "0.5B to 3B"}, Band{15e9, "3B to 15B"},
                                 Band{80e9, "15B to 80B"}};
  if (parameters <= 0) return {99, "size unknown"};
  return banded(parameters, kBands, "80B and up");
}

GroupLabel machines_label(const PredictedRun& run) {
  const int gpus = run.run->gpus.value_or(run.prediction.strategy.gpus());
  if (!run.prediction.refused.empty() && !run.run->gpus) return {3, std::string(kNotStated)};
  if (gpus <= 1) return {0, "one GPU"};
  const bool refused = !run.prediction.refused.empty();
  const bool several = refused ? gpus > run.run->gpus_per_node.value_or(8) : run.prediction.nodes > 1;
  return several ? GroupLabel{2, "several nodes"} : GroupLabel{1, "one node, several GPUs"};
}

bool is_known(const PredictedRun& run) {
  const Framework* framework = run.prediction.framework;
  if (framework == nullptr || run.run->framework.empty()) return false;
  const std::string name = squeeze(run.run->framework);
  return squeeze(framework->name) == name ||
         std::ranges::any_of(framework->aliases, [&](const std::string& alias) { return squeeze(alias) == name; });
}

/// Collects labels in the order they are added.
class Traits {
 public:
  void add(bool has, std::string_view name) {
    if (has) all_.push_back({place_, std::string(name)});
    ++place_;
  }
  std::vector<GroupLabel> take() { return std::move(all_); }

 private:
  std::vector<GroupLabel> all_;
  int place_ = 0;
};

void add_hardware(const Gpu& gpu, Traits& traits) {
  traits.add(gpu.memory_type.starts_with("GDDR"), "GDDR GPUs");
  traits.add(gpu.vendor == "amd", "AMD");
  traits.add(gpu.vendor == "nvidia" && gpu.compute_capability < 8, "older than Ampere");
}

/// What makes predictions hard, after the circumstances of domain/facts/error_model.h and the sorts of runs that few
/// measured.
std::vector<GroupLabel> training_traits(const TrainingRun& run, const RunPrediction& p) {
  const Strategy& s = p.strategy;
  const double step = p.estimate.step.total().value;
  const double tokens = run.sequence.value_or(0) * s.micro_batch / std::max(s.cp, 1);
  constexpr double kBoundByHost = 0.25;
  constexpr double kLong = 16384;
  constexpr double kFewTokens = 512;
  Traits traits;
  add_hardware(*p.gpu, traits);
  traits.add(is_eight_bit(s.precision) && s.tp * s.pp == 1 && s.sharding >= Sharding::kZero2,
             "8-bit matmuls under FSDP");
  traits.add(is_eight_bit(s.precision), "8-bit matmuls");
  traits.add(s.precision == Precision::kNvfp4, "4-bit matmuls");
  traits.add(s.attention == AttentionKernel::kEager, "attention without a fused kernel");
  traits.add(tokens > 0 && tokens <= kFewTokens, "512 tokens or fewer per micro-batch");
  traits.add(step > 0 && p.estimate.step.launch.value > kBoundByHost * step,
             "a quarter or more is CPU launch overhead");
  traits.add(run.sequence.value_or(0) >= kLong, "sequences of 16k and up");
  traits.add(run.shape && run.shape->moe(), "mixture of experts");
  traits.add(s.tp * s.pp > 1, "tensor or pipeline parallel");
  traits.add(s.offload != Offload::kNone, "offload");
  traits.add(s.recompute != Recompute::kNone, "activation checkpointing");
  traits.add(s.compile, "compiled");
  traits.add(!run.micro_batch || (s.gpus() > 1 && !run.tp), "micro-batch or degrees assumed");
  return traits.take();
}

std::vector<GroupLabel> generation_traits(const GenerationRun& run, const RunPrediction& p) {
  const Strategy& s = p.strategy;
  const double total = p.generation.parts.total().value;
  constexpr double kMuch = 0.25;
  constexpr double kLong = 16384;
  constexpr double kNearlyFull = 0.8;
  const bool pcie = p.gpu->link.value <= 0 || p.gpu->link_needs_bridge || !run.nvlink.value_or(true);
  Traits traits;
  add_hardware(*p.gpu, traits);
  traits.add(weight_only(s.weights), "weights dequantized on the fly");
  traits.add(s.weights == Format::kFp8, "8-bit matmuls");
  traits.add(s.weights == Format::kNvfp4 || s.weights == Format::kMxfp4, "4-bit floating point");
  traits.add(run.shape && run.shape->moe(), "mixture of experts");
  traits.add(run.shape && run.shape->mla(), "latent attention");
  traits.add(run.shape && run.shape->window > 0, "sliding window or linear attention");
  traits.add(s.tp > 1 && !pcie, "tensor parallel over NVLink");
  traits.add(s.tp > 1 && pcie, "tensor parallel over PCIe");
  traits.add(s.pp > 1, "pipeline parallel");
  traits.add(s.ep > 1, "attention data parallel, experts shared");
  traits.add(total > 0 && p.generation.parts.host.value > kMuch * total, "a quarter or more is CPU launch overhead");
  traits.add(total > 0 && p.generation.parts.kv_reads.value > kMuch * total, "a quarter or more is KV-cache reads");
  traits.add(run.input_tokens.value_or(0) >= kLong, "prompts of 16k and up");
  traits.add(p.generation.memory.weights.value > kNearlyFull * p.gpu->usable.value, "weights fill 80% of memory");
  traits.add(!run.batch && mode_of(run) == GenerationMode::kStatic, "batch assumed: the largest that fits");
  return traits.take();
}

std::vector<GroupLabel> traits_of(const PredictedRun& run) {
  if (run.prediction.gpu == nullptr || !run.prediction.refused.empty()) return {};
  if (run.training != nullptr) return training_traits(*run.training, run.prediction);
  return run.generation != nullptr ? generation_traits(*run.generation, run.prediction) : std::vector<GroupLabel>{};
}

GroupLabel parallel_label(const GenerationRun& run, const RunPrediction& p) {
  if (!p.refused.empty()) return {99, std::string(kNotStated)};
  const Strategy& s = p.strategy;
  if (s.ep > 1) return {2000, "attention data parallel"};
  if (s.pp > 1) return {1000 + s.pp, "pipeline parallel " + std::to_string(s.pp)};
  if (s.tp > 1) return {s.tp, "tensor parallel " + std::to_string(s.tp)};
  return {0, run.gpus.value_or(1) > 1 ? "replicas of 1 GPU" : "one GPU"};
}

/// Labels of what only generation runs have.
std::vector<GroupLabel> generation_labels(const GenerationRun& run, const RunPrediction& p, Grouping grouping) {
  constexpr std::array kLengths = {Band{129, "prompts up to 128"}, Band{1025, "up to 1k"}, Band{4097, "up to 4k"},
                                   Band{16385, "up to 16k"}};
  constexpr std::array kBatches = {Band{1.5, "one sequence"}, Band{8.5, "2 to 8"}, Band{32.5, "9 to 32"},
                                   Band{128.5, "33 to 128"}};
  switch (grouping) {
    case Grouping::kMode:
      return {{static_cast<int>(mode_of(run)), std::string(name_of(mode_of(run)))}};
    case Grouping::kWeights:
      return {run.weights ? GroupLabel{static_cast<int>(*run.weights), std::string(name_of(*run.weights))}
                          : GroupLabel{99, std::string(kNotStated)}};
    case Grouping::kExperts:
      if (!run.shape) return {{2, std::string(kNotStated)}};
      return {run.shape->moe() ? GroupLabel{1, "mixture of experts"} : GroupLabel{0, "dense"}};
    case Grouping::kParallel:
      return {parallel_label(run, p)};
    case Grouping::kLength:
      if (!run.input_tokens) return {{99, std::string(kNotStated)}};
      return {banded(*run.input_tokens, kLengths, "above 16k")};
    case Grouping::kBatch:
      if (run.batch) return {banded(*run.batch, kBatches, "above 128")};
      return {{98, "as many as fit"}};
    default:
      return {};
  }
}

}  // namespace

std::vector<GroupLabel> labels_of(const PredictedRun& run, Grouping grouping) {
  const RunPrediction& prediction = run.prediction;
  switch (grouping) {
    case Grouping::kSource:
      return {stated_or_not(run.run->source)};
    case Grouping::kGpu:
      return {stated_or_not(prediction.gpu != nullptr ? prediction.gpu->name : run.run->gpu)};
    case Grouping::kSize:
      return {size_label(prediction.parameters)};
    case Grouping::kMethod:
      if (run.training == nullptr) return {};
      return {stated_or_not(run.training->method ? name_of(*run.training->method) : "")};
    case Grouping::kPrecision:
      if (run.training == nullptr) return {};
      return {stated_or_not(run.training->precision ? name_of(*run.training->precision) : "")};
    case Grouping::kMachines:
      return {machines_label(run)};
    case Grouping::kFramework:
      return {stated_or_not(run.run->framework)};
    case Grouping::kKnown:
      return {is_known(run) ? GroupLabel{0, "framework known"} : GroupLabel{1, "framework unknown"}};
    case Grouping::kMode:
    case Grouping::kWeights:
    case Grouping::kExperts:
    case Grouping::kParallel:
    case Grouping::kLength:
    case Grouping::kBatch:
      if (run.generation == nullptr) return {};
      return generation_labels(*run.generation, prediction, grouping);
    case Grouping::kRegime:
      return {prediction.refused.empty() ? stated_or_not(prediction.spread.regime) : GroupLabel{2, "refused"}};
    case Grouping::kTrait:
      return traits_of(run);
  }
  return {};
}

}  // namespace gpuplan
