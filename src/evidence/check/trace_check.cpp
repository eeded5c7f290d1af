#include "evidence/check/trace_check.h"

#include <algorithm>

namespace gpuplan {
namespace {

double& at(StepShares& shares, StepPart part) { return shares[static_cast<std::size_t>(part)]; }

}  // namespace

StepShares measured_shares(const TraceShares& trace) {
  const auto kind = [&](KernelKind one) { return trace.kinds[static_cast<std::size_t>(one)]; };
  StepShares shares{};
  at(shares, StepPart::kCommunication) = trace.exposed;
  at(shares, StepPart::kIdle) = trace.idle;
  at(shares, StepPart::kCopies) = std::max(0.0, 1 - trace.idle - trace.exposed - trace.computing);
  // Kernels of several streams overlap a little: what computes is shared out as they ran.
  const double elementwise = kind(KernelKind::kElementwise) + kind(KernelKind::kOther);
  const double all = kind(KernelKind::kMatmul) + kind(KernelKind::kAttention) + elementwise;
  if (all > 0) {
    at(shares, StepPart::kMatmul) = kind(KernelKind::kMatmul) / all * trace.computing;
    at(shares, StepPart::kAttention) = kind(KernelKind::kAttention) / all * trace.computing;
    at(shares, StepPart::kElementwise) = elementwise / all * trace.computing;
  }
  return shares;
}

StepShares planned_shares(const StepParts& step) {
  StepShares shares{};
  const Seconds total = step.total();
  if (!(total > Seconds{})) {
    at(shares, StepPart::kIdle) = 1;
    return shares;
  }
  // What is computed again are layers, most of whose time are products.
  at(shares, StepPart::kMatmul) = (step.matmul + step.head + step.recompute) / total;
  at(shares, StepPart::kAttention) = step.attention / total;
  at(shares, StepPart::kElementwise) = (step.elementwise + step.dequantise + step.optimizer) / total;
  at(shares, StepPart::kCommunication) =
      (step.tensor_traffic + step.expert_traffic + step.data_traffic + step.pipeline_traffic) / total;
  at(shares, StepPart::kCopies) = step.offload / total;
  // Answers are products of few rows and reads of caches, nearly all of it products by name.
  at(shares, StepPart::kMatmul) += step.rollouts / total;
  at(shares, StepPart::kCopies) += step.weight_sync / total;
  at(shares, StepPart::kIdle) = (step.launch + step.bubble + step.straggle + step.rewards) / total;
  return shares;
}

double TraceCheck::excess(StepPart part) const {
  const auto i = static_cast<std::size_t>(part);
  const double longer = step && expected && expected->p50 > Seconds{} ? *step / expected->p50 : 1;
  return measured[i] * longer - planned[i];
}

std::optional<StepPart> TraceCheck::worst() const {
  constexpr double kWorthSaying = 0.05;
  std::optional<StepPart> worst;
  for (const auto& entry : Names<StepPart>::entries)
    if (excess(entry.value) > kWorthSaying && (!worst || excess(entry.value) > excess(*worst))) worst = entry.value;
  return worst;
}

}  // namespace gpuplan
