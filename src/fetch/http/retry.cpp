#include "fetch/http/retry.h"

#include <algorithm>

namespace gpuplan::fetch {

bool worth_retrying(int status) {
  return status == 408 || status == 425 || status == 429 || status == 500 || (status >= 502 && status <= 504);
}

std::optional<double> wait_before_retry(int failed, double asked_s, double chance, const RetryRules& rules) {
  if (failed >= rules.tries || asked_s > rules.longest_asked_s) return std::nullopt;
  double wait = rules.first_s;
  for (int i = 1; i < failed && wait < rules.most_s; ++i) wait *= 2;
  wait = std::min(wait, rules.most_s) * (0.5 + chance / 2);
  return std::max(wait, asked_s);
}

}  // namespace gpuplan::fetch
