#include "plan/advice/lighter_weights.h"

#include <variant>
#include <vector>

#include "plan/advice/rental_options.h"

namespace gpuplan {
namespace {

/// Times cheaper or faster: below it nobody checks the quality of answers anew.
constexpr double kAsked = 1.5;

/// Whether a phase writes with weights of 16 bit and more that nobody asked for. Figures of the user's own are about
/// the format that they were measured with.
bool leaves_format_open(const Phase& phase) {
  const auto* generate = std::get_if<GeneratePhase>(&phase.work);
  return generate != nullptr && !generate->weights && !generate->weight_bits && !generate->collect &&
         !generate->forward_only && phase.given.empty() && bits_of(generate->models.front().shape.native) >= 16;
}

bool pays(const Plan& then, const Plan& plan) {
  if (then.fit != Fit::kFits && plan.fit == Fit::kFits) return false;
  const bool cheaper = then.cost.p50 * kAsked <= plan.cost.p50 && then.cost.p50 > Dollars{};
  const bool faster = then.done() * kAsked <= plan.done() && then.cost.p50 <= plan.cost.p50;
  return cheaper || faster;
}

}  // namespace

std::optional<LighterWeights> lighter_weights(const Job& job, const Catalogue& catalogue, const SearchOptions& how,
                                              const Plan& plan) {
  const std::vector<Offer> offers = offers_of(plan);
  if (offers.empty()) return std::nullopt;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    if (!leaves_format_open(job.phases[i])) continue;
    // The one that costs less quality first.
    for (const Format format : {Format::kFp8, Format::kInt4}) {
      Job changed = job;
      std::get<GeneratePhase>(changed.phases[i].work).weights = format;
      const auto found = search(changed, catalogue, offers, how);
      if (!found || !found->recommendations.pick) continue;
      const Plan& then = found->plans[static_cast<std::size_t>(*found->recommendations.pick)];
      if (pays(then, plan)) return LighterWeights{i, format, then.hours.p50, then.cost.p50};
    }
  }
  return std::nullopt;
}

}  // namespace gpuplan
