#include "model/training/training.h"
#include "model/uncertainty.h"

namespace gpuplan {

namespace {

Regime time_regime(const TrainingWork& work, const TrainingRates& r, const Strategy& s, int nodes) {
  const TrainingConstants& c = *r.constants;
  const Gpu& gpu = *r.node->gpu;
  const double tokens = work.mean_tokens * s.micro_batch / s.cp;
  Width width({c.spread_base, "dense, data-centre GPU"});
  width.add(nodes > 1, c.spread_machines, "several machines");
  width.add(s.tp > 1 || s.pp > 1, c.spread_cut, "tensor or pipeline parallel");
  width.add(is_eight_bit(r.precision), c.spread_eight_bit, "8-bit products");
  width.add(r.precision == Precision::kNvfp4, c.spread_four_bit, "4-bit products");
  width.add(work.sequence >= 16384, c.spread_long, "sequences of 16k and more");
  width.add(work.moe, c.spread_experts, "mixture of experts");
  width.add(work.moe && s.ep > r.link_span, c.spread_experts_apart, "mixture of experts across machines");
  width.add(work.adapters, c.spread_adapters, "low-rank adapters");
  width.add(s.attention == AttentionKernel::kEager, c.spread_scores, "attention without a fused kernel");
  width.add(gpu.memory_type.starts_with("GDDR"), c.spread_gddr, "GPU with GDDR memory");
  width.add(gpu.compute_capability > 0 && gpu.compute_capability < 8, c.spread_old, "GPU older than Ampere");
  width.add(gpu.vendor != "nvidia", c.spread_other, "GPU of another vendor than NVIDIA");
  width.add(s.offload != Offload::kNone, c.spread_offload, "CPU offload");
  width.add(tokens <= 512, c.spread_launch, "few tokens per micro-batch: CPU-bound");
  width.add(r.software_row->name == "*", c.spread_unknown_framework, "a framework without measured runs");
  width.add(!r.efficiency->measured, c.spread_unmeasured, "no training run measured on such hardware");
  width.add(nodes > 1 && r.node->network.value <= 0, c.spread_network, "network between the machines unknown");
  width.add(work.models.size() > 1 || work.phase->method == Method::kFrozen, c.spread_networks,
            "several or frozen models, never measured");
  width.add(work.custom, c.spread_custom, "custom model, only totals known");
  return width.regime();
}

double memory_width(const TrainingWork& work, const TrainingRates& r, const Strategy& s) {
  const TrainingConstants& c = *r.constants;
  Width width({c.memory_spread_base, ""});
  width.add(work.quantised_base, c.memory_spread_four_bit, "");
  width.add(s.offload != Offload::kNone, c.memory_spread_offload, "");
  width.add(s.tp > 1 || s.pp > 1, c.memory_spread_cut, "");
  width.add(work.moe, c.memory_spread_experts, "");
  width.add(!r.efficiency->measured, c.memory_spread_unmeasured, "");
  width.add(work.models.size() > 1 || work.phase->method == Method::kFrozen, c.memory_spread_networks, "");
  width.add(work.custom, c.memory_spread_custom, "");
  return width.regime().half_width;
}

}  // namespace

Spread training_spread(const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy, int nodes) {
  const Regime regime = time_regime(work, rates, strategy, nodes);
  Spread spread;
  spread.time = deviation_of(regime.half_width);
  spread.memory = training_memory_spread(work, rates, strategy);
  spread.regime = regime.words;
  return spread;
}

double training_memory_spread(const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy) {
  return deviation_of(memory_width(work, rates, strategy));
}

}  // namespace gpuplan
