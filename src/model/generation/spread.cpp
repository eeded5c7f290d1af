// How far the generation model may be off: half widths of ln(measured / predicted) by what applies to a phase.
#include <algorithm>

#include "model/generation/generation.h"
#include "model/uncertainty.h"

namespace gpuplan {
namespace {

Width time_width(const GenerationWork& work, const GenerationRates& r, const Strategy& s) {
  const GenerationConstants& c = *r.constants;
  const GeneratePhase& phase = *work.phase;
  const Gpu& gpu = *r.node->gpu;
  const bool one = phase.situation == Situation::kSingle;
  const bool prompts = phase.forward_only;
  const bool saturated = !prompts && r.profile->continuous && phase.situation == Situation::kSaturated;
  const bool served = !prompts && r.profile->continuous && phase.situation == Situation::kConcurrency;
  const bool batch = !prompts && !one && !saturated && !served;
  const bool over_pcie = s.tp > 1 && !r.node->direct_link();
  Width width({c.spread_base, "dense, 16-bit weights, one data-centre GPU"});
  width.add(r.weight_bytes < 2, c.spread_quantised, "quantized weights");
  width.add(s.tp > 1 || s.pp > 1, c.spread_tensor, "tensor or pipeline parallel");
  width.add(over_pcie, c.spread_pcie, "tensor parallel over PCIe");
  width.add(s.gpus() >= 16, c.spread_wide, "16 GPUs and more");
  width.add(work.any_moe(), c.spread_experts, "mixture of experts");
  width.add(!prompts && r.host_per_layer.value > 0, c.spread_eager, "CPU-bound eager engine");
  width.add(work.prompt_tokens >= 16384, c.spread_long, "prompts of 16k tokens and more");
  width.add(batch, c.spread_static, "static batch");
  width.add(batch && s.micro_batch <= 0, c.spread_largest, "largest static batch that fits");
  width.add(prompts, c.spread_prefill, "prompts only");
  width.add(!prompts && work.stored_per_sample.value > 0, c.spread_hooks, "hooks that collect activations");
  width.add(phase.speculation.has_value() && !prompts, c.spread_speculative, "speculative decoding");
  width.add(gpu.compute_capability > 0 && gpu.compute_capability < 8, c.spread_old, "GPU older than Ampere");
  width.add(gpu.vendor != "nvidia", c.spread_other, "GPU of another vendor than NVIDIA");
  width.add(!r.profile->measured, c.spread_unknown_engine, "an engine without measured runs");
  width.add(!r.efficiency->measured, c.spread_unmeasured, "no run measured on such hardware");
  if (saturated) width.scale(c.steady_saturated);
  if (served) width.scale(c.steady_served);
  return width;
}

double memory_width(const GenerationWork& work, const GenerationRates& r, const Strategy& s) {
  const GenerationConstants& c = *r.constants;
  Width width({c.memory_spread_base, ""});
  width.add(work.prompt_tokens >= 16384, c.memory_spread_long, "");
  width.add(s.tp > 1, c.memory_spread_tensor, "");
  width.add(work.any_moe(), c.memory_spread_experts, "");
  return width.regime().half_width;
}

}  // namespace

Spread generation_spread(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy) {
  const GenerationConstants& c = *rates.constants;
  Width width = time_width(work, rates, strategy);
  const Regime regime = width.regime();
  Spread spread;
  spread.time = spread.next_token = spread.first_token = deviation_of(regime.half_width);
  spread.memory = deviation_of(memory_width(work, rates, strategy));
  spread.regime = regime.words;
  if (rates.profile->continuous && work.phase->situation != Situation::kSingle) {
    // Arrivals decide how long the prompts of others are waited for.
    width.add(true, c.spread_first_token, "");
    spread.first_token = deviation_of(width.regime().half_width);
  }
  return spread;
}

}  // namespace gpuplan
