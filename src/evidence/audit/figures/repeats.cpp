#include "evidence/audit/figures/repeats.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// A name whose last word is what is done several times, or who does it.
bool names_repeats(std::string_view lower) {
  return ends_with_word(
      trim(lower), {"epochs",  "passes",      "runs",    "repeats", "repetitions", "seeds",     "trials",     "folds",
                    "members", "people",      "persons", "users",   "students",    "engineers", "developers", "teams",
                    "jobs",    "experiments", "rounds",  "times",   "copies",      "replicas"});
}

/// Whole numbers that nothing is multiplied with.
bool counts_something_else(std::string_view lower) {
  return has_any(lower, {"batch", "token",    "context", "length",    "layer",   "param", "rank",  "micro", "accum",
                         "gpu",   "parallel", "score",   "year",      "version", "size",  "vocab", "width", "head",
                         "dim",   "memory",   "vram",    "bandwidth", "price",   "cost",  "step",  "sample"}) ||
         has_word_of(lower, {"tp", "pp", "dp", "cp", "ep", "id", "pos", "day", "week", "month"});
}

}  // namespace

std::vector<double> repeats_of(const ClaimRecord& record) {
  constexpr double kLeast = 2, kMost = 1e6;
  constexpr std::size_t kEnough = 32;
  std::vector<double> products{1};
  for (const ClaimFact& one : record.facts) {
    const ClaimAmount& value = *one.value;
    if (!value.whole || value.range() || value.approximate || value.odd || value.low < kLeast || value.low > kMost ||
        !value.currency.empty())
      continue;
    const std::string name = to_lower(one.name);
    const bool epochs = value.dimension == ClaimDimension::kEpochs;
    const bool bare = value.dimension == ClaimDimension::kBare || value.dimension == ClaimDimension::kTimes;
    const bool counts = bare && (one.role == ClaimRole::kNone || one.role == ClaimRole::kEpochs) &&
                        (names_repeats(name) || (record.table >= 0 && !counts_something_else(name)));
    if (!epochs && !counts) continue;
    const std::size_t so_far = products.size();
    for (std::size_t i = 0; i < so_far && products.size() < kEnough; ++i) products.push_back(products[i] * value.low);
  }
  products.erase(products.begin());
  return products;
}

bool repeats_differ(const ClaimRecord& a, const ClaimRecord& b) {
  const auto product = [](const ClaimRecord& record) {
    double all = 1;
    for (const ClaimFact& one : record.facts)
      if (one.value->dimension == ClaimDimension::kEpochs || names_repeats(to_lower(one.name))) all *= one.value->low;
    return all;
  };
  return product(a) != product(b);
}

}  // namespace gpuplan::audit
