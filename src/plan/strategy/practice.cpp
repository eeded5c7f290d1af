#include "plan/strategy/practice.h"

#include <algorithm>
#include <cmath>

namespace gpuplan {

namespace {

bool wider_than_a_machine(int ranks, const NodeShape& node) { return ranks > node.gpus; }

double for_so_many(const PracticeConstants& practice, double factor, double gpus) {
  return gpus <= practice.few_gpus ? factor : 1 + (factor - 1) * std::sqrt(practice.few_gpus / gpus);
}

double PracticeConstants::* of_sharding(Sharding sharding) {
  switch (sharding) {
    case Sharding::kNone:
      break;
    case Sharding::kZero1:
      return &PracticeConstants::zero1;
    case Sharding::kZero2:
      return &PracticeConstants::zero2;
    case Sharding::kZero3:
      return &PracticeConstants::zero3;
    case Sharding::kHsdp:
      return &PracticeConstants::hybrid;
  }
  return nullptr;
}

/// Hands `visit` each constant that this way of running takes.
template <class Visit>
void for_each_factor(const Strategy& s, const NodeShape& node, bool usual, const Visit& visit) {
  using P = PracticeConstants;
  if (double P::* const sharding = of_sharding(s.sharding)) visit(sharding);
  if (s.tp > 1) visit(fast_links(node) ? &P::tensor : &P::tensor_over_pcie);
  if (s.pp > 1) visit(&P::pipeline);
  if (s.interleave > 1) visit(&P::interleave);
  if (s.cp > 1) visit(&P::context);
  if (s.ep > 1) visit(wider_than_a_machine(s.ep * s.tp * s.cp, node) ? &P::expert_across : &P::expert);
  if (s.offload != Offload::kNone) visit(&P::offload);
  if (!usual) visit(&P::other_framework);
}

}  // namespace

bool fast_links(const NodeShape& node) {
  return node.direct_link() && (node.link_kind != LinkKind::kNvlinkPairs || node.gpus == 2);
}

bool usual(const Framework& framework, const Framework& first, bool moe) {
  return moe ? framework.expert : &framework == &first;
}

double complexity_penalty(const PracticeConstants& practice, const Strategy& strategy, const NodeShape& node,
                          bool usual) {
  double factor = 1;
  for_each_factor(strategy, node, usual, [&](double PracticeConstants::* one) { factor *= practice.*one; });
  return for_so_many(practice, std::min(factor, practice.most), strategy.gpus());
}

std::vector<double PracticeConstants::*> complexity_factors(const Strategy& strategy, const NodeShape& node,
                                                            bool usual) {
  std::vector<double PracticeConstants::*> factors;
  for_each_factor(strategy, node, usual, [&](double PracticeConstants::* one) { factors.push_back(one); });
  return factors;
}

double most_care(const PracticeConstants& practice, double gpus) { return for_so_many(practice, practice.most, gpus); }

double weight_of_points(const PracticeConstants& practice, int points) { return 1 + practice.each_point * points; }

int complexity(const Strategy& s) {
  return (s.tp > 1 ? 2 : 0) + (s.pp > 1 ? 3 : 0) + (s.interleave > 1 ? 1 : 0) + (s.cp > 1 ? 2 : 0) +
         (s.ep > 1 ? 2 : 0) + (s.offload != Offload::kNone ? 2 : 0) + (s.recompute != Recompute::kNone ? 1 : 0) +
         static_cast<int>(s.sharding) + (s.compile ? 1 : 0);
}

bool can_run(const Framework& f, const Strategy& s) {
  const bool recomputes =
      s.recompute == Recompute::kNone || (s.recompute == Recompute::kFull ? f.recompute_full : f.recompute_selective);
  return recomputes && f.zero[static_cast<std::size_t>(s.sharding)] && (s.tp == 1 || f.tensor) &&
         (s.pp == 1 || f.pipeline) && (s.interleave == 1 || f.interleave) && (s.cp == 1 || f.context) &&
         (s.ep == 1 || f.expert) && includes(f.offload, s.offload);
}

}  // namespace gpuplan
