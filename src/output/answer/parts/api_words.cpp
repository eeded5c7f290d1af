#include "output/answer/parts/api_words.h"

#include <variant>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "plan/notes/api_prices.h"

namespace gpuplan {
namespace {

/// "45M", "1.2B"
std::string tokens_words(double tokens) {
  constexpr double kMillion = 1e6, kBillion = 1e9;
  if (tokens >= kBillion) return significant_text(tokens / kBillion, 2) + "B";
  if (tokens >= kMillion) return significant_text(tokens / kMillion, 2) + "M";
  return count_text(tokens);
}

/// " for Llama-3.1-70B" where the job's model is called otherwise: a later one of the same shape.
std::string other_model(const Job& job, const std::string& priced) {
  for (const Phase& phase : job.phases)
    if (const auto* generate = std::get_if<GeneratePhase>(&phase.work);
        generate != nullptr && !generate->models.empty())
      return squeeze(generate->models.front().name).contains(squeeze(priced)) ? "" : " for " + printable(priced, 40);
  return "";
}

}  // namespace

std::string api_words(const PlanReport& report, const Plan& plan) {
  const auto found = api_comparison(plan, report.job, report.catalogue);
  if (!found) return "";
  const std::string own = to_text(found->own * (1e6 / found->output_tokens)) + " per 1M output tokens";
  if (found->price == nullptr) return "This plan costs " + own + " (no API price of the model is known).";
  const ApiPrice& price = *found->price;
  const std::string text = "API: " + to_text(found->api) + " at " + printable(price.provider, 40) +
                           other_model(report.job, price.model) + " (" + to_text(price.input) +
                           " per 1M input tokens, " + to_text(price.output) + " output, " + price.as_of +
                           "); this plan " + to_text(found->own) + ", " + own + ". ";
  if (found->even_tokens <= 0) return text + "Its machines cost more per token, however many there are.";
  if (found->own < found->api)
    return text + "Renting is cheaper from " + tokens_words(found->even_tokens) + " output tokens on.";
  return text + "Renting becomes cheaper at " + tokens_words(found->even_tokens) + " output tokens.";
}

void write_api(JsonWriter& json, const PlanReport& report, const Plan& plan) {
  const auto found = api_comparison(plan, report.job, report.catalogue);
  json.member("usd_per_1m_output_tokens",
              found ? std::optional(found->own_per_million().value) : std::optional<double>());
  if (!found || found->price == nullptr) {
    json.null_member("api");
    return;
  }
  json.key("api").begin_object();
  json.member("provider", found->price->provider).member("model", found->price->model);
  json.member("input_usd_per_1m_tokens", found->price->input.value);
  json.member("output_usd_per_1m_tokens", found->price->output.value);
  json.member("as_of", found->price->as_of).member("source", found->price->source);
  json.member("cost_usd", found->api.value);
  json.member("usd_per_1m_output_tokens", found->api_per_million().value);
  json.member("plan_usd_per_1m_output_tokens", found->own_per_million().value);
  if (found->even_tokens > 0) json.member("cheaper_to_rent_from_output_tokens", found->even_tokens);
  else json.null_member("cheaper_to_rent_from_output_tokens");
  json.end();
}

}  // namespace gpuplan
