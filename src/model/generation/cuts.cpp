#include "model/generation/cuts.h"

namespace gpuplan {
namespace {

template <class Works>
std::vector<int> nearest(int wanted, int most, const Works& works) {
  std::vector<int> found;
  for (int below = wanted - 1; below >= 1 && found.empty(); --below)
    if (works(below)) found.push_back(below);
  for (int above = wanted + 1; above <= most; ++above) {
    if (!works(above)) continue;
    found.push_back(above);
    break;
  }
  return found;
}

}  // namespace

CutProblem tensor_problem(const ModelShape& shape, int tp) {
  if (tp <= 1) return CutProblem::kNone;
  if (shape.heads % tp != 0) return CutProblem::kHeads;
  // Latent attention keeps one vector for all heads: every GPU has a copy.
  if (!shape.mla() && shape.kv_heads > 0 && shape.kv_heads % tp != 0 && tp % shape.kv_heads != 0)
    return CutProblem::kKvHeads;
  const bool dense = !shape.moe() || shape.dense_layers > 0;
  if (dense && shape.ffn % tp != 0) return CutProblem::kWidth;
  if (shape.moe() && shape.expert_ffn % tp != 0) return CutProblem::kExpertWidth;
  return CutProblem::kNone;
}

CutProblem training_cut_problem(const ModelShape& shape, int tp) {
  if (shape.heads % tp != 0) return CutProblem::kHeads;
  return shape.ffn > 0 && shape.ffn % tp != 0 ? CutProblem::kWidth : CutProblem::kNone;
}

std::vector<int> nearest_tensor_degrees(const ModelShape& shape, int tp) {
  return nearest(tp, shape.heads, [&](int degree) { return tensor_problem(shape, degree) == CutProblem::kNone; });
}

bool experts_divide(const ModelShape& shape, int gpus) {
  return gpus <= 1 || (shape.experts > 0 && shape.experts % gpus == 0);
}

std::vector<int> nearest_expert_degrees(const ModelShape& shape, int gpus) {
  return nearest(gpus, shape.experts, [&](int degree) { return experts_divide(shape, degree); });
}

}  // namespace gpuplan
