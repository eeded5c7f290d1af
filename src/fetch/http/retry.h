// When a request that failed is tried again.
#pragma once

#include <optional>

namespace gpuplan::fetch {

struct RetryRules {
  int tries = 4;                ///< in all
  double first_s = 1;           ///< before the second try; doubled for each further one
  double most_s = 20;           ///< and never more
  double longest_asked_s = 60;  ///< a server that asks for more is left for another day
};

/// Whether another try may end better: 408, 425, 429 and those of 500 to 504 that say so.
bool worth_retrying(int status);

/// Seconds to wait before the next try; nullopt: none. `failed`: tries so far, from 1. `asked_s`: Retry-After; 0: not
/// said. It is never undercut. `chance` in [0, 1) spreads many callers: half to all of the time.
std::optional<double> wait_before_retry(int failed, double asked_s, double chance, const RetryRules& rules);

}  // namespace gpuplan::fetch
