// A job of generation done by somebody's API instead: what it would cost, and from how many tokens on machines of one's
// own are cheaper.
#pragma once

#include <optional>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

struct ApiComparison {
  const ApiPrice* price = nullptr;  ///< the one that is cheapest for this mix of input and output; null: none is known
  Dollars api{};                    ///< what it asks for all tokens of the job
  Dollars own{};                    ///< what the plan costs, median
  double output_tokens = 0, input_tokens = 0;
  /// Output tokens from which the plan's machines are cheaper, the mix and the speed staying as they are: what they
  /// cost before and after the work, over what a token costs less on them. 0: never, since the work alone costs more.
  double even_tokens = 0;

  Dollars own_per_million() const { return own * (1e6 / output_tokens); }  ///< output tokens, input inside
  Dollars api_per_million() const { return api * (1e6 / output_tokens); }
};

/// Of a plan that does nothing but generate text with one model, on machines that cost something; else nullopt. The
/// price of an API is that of the model, or of the one that was taught to answer from it ("-Instruct") or the reverse.
std::optional<ApiComparison> api_comparison(const Plan& plan, const Job& job, const Catalogue& catalogue);

}  // namespace gpuplan
