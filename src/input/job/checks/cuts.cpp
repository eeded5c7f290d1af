#include "input/job/checks/cuts.h"

#include <string>

#include "base/text.h"
#include "input/job/checks/fail_at.h"
#include "model/generation/cuts.h"

namespace gpuplan {
namespace {

std::string degrees(const std::vector<int>& found) {
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const int degree : found) names.push_back(number_text(degree));
  return listed(names, "or") + (names.size() == 1 ? " does" : " do");
}

std::string cut_words(const ModelUse& model, CutProblem problem, int tp) {
  const std::string ways = std::to_string(tp);
  switch (problem) {
    case CutProblem::kHeads:
      return count_text(model.shape.heads) + " heads of " + model.name + " are not divisible by " + ways;
    case CutProblem::kKvHeads:
      return count_text(model.shape.kv_heads) + " KV heads of " + model.name + " cannot be split evenly over " + ways +
             " GPUs";
    case CutProblem::kExpertWidth:
      return "the experts of " + model.name + ", " + count_text(model.shape.expert_ffn) + " wide, do not divide by " +
             ways;
    default:
      return "the MLP of " + model.name + ", " + count_text(model.shape.ffn) + " wide, does not divide by " + ways;
  }
}

}  // namespace

bool check_degrees(Reader& reader, const Tree& tree, const std::vector<ModelUse>& models, const Parallel& parallel,
                   CutsOf work) {
  const auto wrong = [&](std::string_view key, const std::string& message) {
    return fail_at(reader, tree, key, message);
  };
  const auto problem_of = [&](const ModelShape& shape, int tp) {
    return work == CutsOf::kTraining ? training_cut_problem(shape, tp) : tensor_problem(shape, tp);
  };
  for (const ModelUse& model : models) {
    if (model.custom) continue;
    const ModelShape& shape = model.shape;
    if (parallel.tp)
      if (const CutProblem problem = problem_of(shape, *parallel.tp); problem != CutProblem::kNone)
        return wrong("tp", cut_words(model, problem, *parallel.tp) + "; " +
                               degrees(nearest_tensor_degrees(shape, *parallel.tp)));
    if (parallel.pp && *parallel.pp > shape.layers)
      return wrong("pp", count_text(shape.layers) + " layers of " + model.name + " do not fill " +
                             count_text(*parallel.pp) + " stages; expected at most " + count_text(shape.layers));
    if (!parallel.ep || *parallel.ep == 1) continue;
    if (!shape.moe()) return wrong("ep", model.name + " has no experts; use 1, or tp instead of ep");
    if (!experts_divide(shape, *parallel.ep))
      return wrong("ep", count_text(shape.experts) + " experts of " + model.name + " are not divisible by " +
                             count_text(*parallel.ep) + "; " + degrees(nearest_expert_degrees(shape, *parallel.ep)));
  }
  return true;
}

}  // namespace gpuplan
