#include "plan/notes/api_prices.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "base/text.h"

namespace gpuplan {
namespace {

/// The model that all phases of the job generate text with; null: there is none such.
const ModelShape* only_model(const Job& job) {
  const ModelShape* only = nullptr;
  for (const Phase& phase : job.phases) {
    const auto* generate = std::get_if<GeneratePhase>(&phase.work);
    if (generate == nullptr || generate->collect || generate->forward_only || generate->models.size() != 1)
      return nullptr;
    const ModelShape& model = generate->models.front().shape;
    if (only != nullptr && only->name != model.name) return nullptr;
    only = &model;
  }
  return only;
}

/// "Qwen2.5-7B" of "Qwen2.5-7B-Instruct": APIs serve the one, people fine-tune and name the other.
std::string_view untaught(std::string_view name) {
  for (const std::string_view ending : {"-instruct", "-it", "-chat"})
    if (name.size() > ending.size() && iequals(name.substr(name.size() - ending.size()), ending))
      return name.substr(0, name.size() - ending.size());
  return name;
}

}  // namespace

std::optional<ApiComparison> api_comparison(const Plan& plan, const Job& job, const Catalogue& catalogue) {
  const ModelShape* model = only_model(job);
  if (model == nullptr || plan.cost.p50 <= Dollars{}) return std::nullopt;
  ApiComparison found;
  found.own = plan.cost.p50;
  double work = 0, all = 0;  // seconds
  for (const PhasePlan& part : plan.phases) {
    const PhaseEstimate& estimate = *part.estimate;
    if (!estimate.serving || estimate.serving->output.p50 <= TokensPerSecond{}) return std::nullopt;
    const double with_input = estimate.serving->processed.p50 / estimate.serving->output.p50;
    found.output_tokens += estimate.tokens;
    found.input_tokens += estimate.tokens * (with_input - 1);
    work += estimate.work.p50.value;
    all += estimate.work.p50.value + estimate.extra.p50.value;
  }
  if (found.output_tokens <= 0 || all <= 0) return std::nullopt;
  const bool named =
      std::ranges::find(catalogue.api_prices, model->name, &ApiPrice::model) != catalogue.api_prices.end();
  for (const ApiPrice& price : catalogue.api_prices) {
    if (named ? price.model != model->name : untaught(price.model) != untaught(model->name)) continue;
    const Dollars asked = (price.input * found.input_tokens + price.output * found.output_tokens) * 1e-6;
    if (found.price != nullptr && asked >= found.api) continue;
    found.price = &price;
    found.api = asked;
  }
  if (found.price == nullptr) return found;
  const Dollars standing = found.own * (1 - work / all);
  const Dollars saved = found.api - found.own * (work / all);
  if (saved > Dollars{}) found.even_tokens = found.output_tokens * (standing / saved);
  return found;
}

}  // namespace gpuplan
