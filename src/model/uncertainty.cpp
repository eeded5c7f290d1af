#include "model/uncertainty.h"

#include "base/interval.h"
#include "model/training.h"

namespace gpuplan {

double deviation_of(double half_width) { return half_width / kZ90; }

namespace {

/// Bands were measured on runs the constants were fitted to, so new ones get a little more.
constexpr double kWiden = 1.15;

bool eight_bit(Precision precision) { return precision == Precision::kFp8 || precision == Precision::kMxfp8; }

Regime time_regime(const TrainingWork& work, const TrainingRates& r, const Strategy& s, int nodes) {
  const Gpu& gpu = *r.node->gpu;
  Regime regime = nodes > 1 ? Regime{0.13, "dense, several machines"} : Regime{0.15, "dense, data-centre GPU"};
  if (eight_bit(r.precision)) regime = wider(regime, {0.16, "8-bit products"});
  if (s.tp > 1 || s.pp > 1) regime = wider(regime, {0.17, "tensor or pipeline parallel"});
  if (work.sequence >= 16384) regime = wider(regime, {0.28, "sequences of 16k and more"});
  if (r.precision == Precision::kNvfp4) regime = wider(regime, {0.24, "4-bit products"});
  if (work.moe) {
    const bool one_domain = r.link_span >= s.ep;
    regime = wider(
        regime, one_domain ? Regime{0.40, "mixture of experts"} : Regime{0.51, "mixture of experts across machines"});
  }
  if (work.adapters) regime = wider(regime, {0.35, "low-rank adapters"});
  if (s.attention == AttentionKernel::kEager) regime = wider(regime, {0.33, "attention without a fused kernel"});
  if (gpu.memory_type.starts_with("GDDR")) regime = wider(regime, {0.36, "GPU with GDDR memory"});
  if (gpu.compute_capability > 0 && gpu.compute_capability < 8) regime = wider(regime, {0.38, "GPU older than Ampere"});
  if (s.offload != Offload::kNone) regime = wider(regime, {0.50, "optimizer in host memory"});
  if (work.models.size() > 1 || work.phase->method == Method::kFrozen)
    regime = wider(regime, {0.50, "several or frozen networks, never measured"});
  if (!r.efficiency->measured) regime = wider(regime, {0.60, "no training run measured on such hardware"});
  const double tokens = work.mean_tokens * s.micro_batch / s.cp;
  if (tokens <= 512) regime = wider(regime, {0.65, "few tokens a micro-batch: bound by launches and host speed"});
  if (work.custom) regime = wider(regime, {0.82, "network known by its totals only"});
  if (nodes > 1 && r.node->network.value <= 0) regime = wider(regime, {0.60, "network between the machines unknown"});
  return regime;
}

double memory_width(const TrainingWork& work, const TrainingRates& r) {
  if (work.custom) return 0.5;
  if (work.models.size() > 1 || work.phase->method == Method::kFrozen) return 0.4;
  if (work.quantised_base) return 0.35;
  return r.efficiency->measured ? 0.30 : 0.34;
}

}  // namespace

Spread training_spread(const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy, int nodes) {
  const Regime regime = time_regime(work, rates, strategy, nodes);
  Spread spread;
  spread.time = deviation_of(regime.half_width * kWiden);
  spread.memory = deviation_of(memory_width(work, rates) * kWiden);
  spread.regime = regime.words;
  return spread;
}

}  // namespace gpuplan
