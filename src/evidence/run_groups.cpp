#include "evidence/run_groups.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kNotStated = "not stated";

GroupLabel stated_or_not(std::string_view text) {
  return text.empty() ? GroupLabel{1, std::string(kNotStated)} : GroupLabel{0, printable(text, 100)};
}

GroupLabel size_label(double parameters) {
  struct Band {
    double below;
    std::string_view name;
  };
  constexpr std::array kBands = {Band{0.5e9, "below 0.5B"}, Band{3e9, "0.5B to 3B"}, Band{15e9, "3B to 15B"},
                                 Band{80e9, "15B to 80B"}};
  if (parameters <= 0) return {99, "size not known"};
  int place = 0;
  for (const Band& band : kBands) {
    if (parameters < band.below) return {place, std::string(band.name)};
    ++place;
  }
  return {place, "80B and more"};
}

GroupLabel machines_label(const PredictedRun& run) {
  const int gpus = run.run->gpus.value_or(run.prediction.strategy.gpus());
  if (!run.prediction.refused.empty() && !run.run->gpus) return {3, std::string(kNotStated)};
  if (gpus <= 1) return {0, "one GPU"};
  const bool refused = !run.prediction.refused.empty();
  const bool several = refused ? gpus > run.run->gpus_per_node.value_or(8) : run.prediction.nodes > 1;
  return several ? GroupLabel{2, "several machines"} : GroupLabel{1, "one machine, several GPUs"};
}

bool is_known(const PredictedRun& run) {
  const Framework* framework = run.prediction.framework;
  if (framework == nullptr || run.run->framework.empty()) return false;
  const std::string name = squeeze(run.run->framework);
  return squeeze(framework->name) == name ||
         std::ranges::any_of(framework->aliases, [&](const std::string& alias) { return squeeze(alias) == name; });
}

/// What makes predictions hard, after the regimes of model/uncertainty.cpp and the sorts of runs that few measured.
std::vector<GroupLabel> traits_of(const PredictedRun& run) {
  if (run.prediction.gpu == nullptr || !run.prediction.refused.empty()) return {};
  const RunPrediction& p = run.prediction;
  const Strategy& s = p.strategy;
  const double step = p.estimate.step.total().value;
  const double tokens = run.run->sequence.value_or(0) * s.micro_batch / std::max(s.cp, 1);
  constexpr double kBoundByHost = 0.25;
  constexpr double kLong = 16384;
  constexpr double kFewTokens = 512;
  std::vector<GroupLabel> traits;
  int place = 0;
  const auto add = [&](bool has, std::string_view name) {
    if (has) traits.push_back({place, std::string(name)});
    ++place;
  };
  add(p.gpu->memory_type.starts_with("GDDR"), "GPU with GDDR memory");
  add(p.gpu->vendor == "amd", "AMD");
  add(p.gpu->vendor == "nvidia" && p.gpu->compute_capability < 8, "older than Ampere");
  add(is_eight_bit(s.precision) && s.tp * s.pp == 1 && s.sharding >= Sharding::kZero2, "8-bit products under FSDP");
  add(is_eight_bit(s.precision), "8-bit products");
  add(s.precision == Precision::kNvfp4, "4-bit products");
  add(s.attention == AttentionKernel::kEager, "attention without a fused kernel");
  add(tokens > 0 && tokens <= kFewTokens, "512 tokens a micro-batch or fewer");
  add(step > 0 && p.estimate.step.launch.value > kBoundByHost * step, "a quarter or more waits for the host");
  add(run.run->sequence.value_or(0) >= kLong, "sequences of 16k and more");
  add(run.run->shape && run.run->shape->moe(), "mixture of experts");
  add(s.tp * s.pp > 1, "tensor or pipeline parallel");
  add(s.offload != Offload::kNone, "offload");
  add(s.recompute != Recompute::kNone, "recomputation");
  add(s.compile, "compiled");
  add(!run.run->micro_batch || (s.gpus() > 1 && !run.run->tp), "micro-batch or degrees assumed");
  return traits;
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
      return {stated_or_not(run.run->method ? name_of(*run.run->method) : "")};
    case Grouping::kPrecision:
      return {stated_or_not(run.run->precision ? name_of(*run.run->precision) : "")};
    case Grouping::kMachines:
      return {machines_label(run)};
    case Grouping::kFramework:
      return {stated_or_not(run.run->framework)};
    case Grouping::kKnown:
      return {is_known(run) ? GroupLabel{0, "framework known"} : GroupLabel{1, "framework not known"}};
    case Grouping::kRegime:
      return {prediction.refused.empty() ? stated_or_not(prediction.spread.regime) : GroupLabel{2, "refused"}};
    case Grouping::kTrait:
      return traits_of(run);
  }
  return {};
}

}  // namespace gpuplan
