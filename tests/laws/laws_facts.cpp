// Better hardware at the same price.
#include <algorithm>

#include "laws/laws.h"

namespace gpuplan::laws {
namespace {

/// Whether a plan trains in formats that are taken only where the full ones do not fit: those are slower, and better.
bool has_lighter(const Answer& answer) {
  return std::ranges::any_of(answer.plans(), [](const Plan& plan) {
    return std::ranges::any_of(plan.phases, [](const PhasePlan& part) { return part.estimate->lighter; });
  });
}

/// The facts with every GPU that the case offers made better by `improve`, and its machines.
template <class Improve>
Verdict better(const Answer& base, const std::string& what, Improve improve) {
  if (base.facts) return silent();
  // Evaluations and checkpoints that come every so many steps are counted when a strategy has been chosen; one with
  // larger steps has fewer of them (docs/how-gpuplan-works.md).
  for (const std::string_view often : {"evaluate", "checkpoint"})
    if (job_text(base.asked.job).find(often) != std::string::npos) return silent();
  auto facts = std::make_shared<Catalogue>(built_in());
  improve(*facts);
  const Asked after = ask(base.asked, 1, facts);
  if (!after) return broken("refused with " + what + ": " + after.error().message);
  if (const std::string words = worse_best(base, **after, kMostCare); !words.empty())
    return broken(what + ": " + words);
  return holds();
}

Verdict more_memory(const Answer& base, Random& random) {
  const double factor = between(random, 1.05, 3);
  if (has_lighter(base)) return silent();
  return better(base, "memory x " + std::to_string(factor), [&](Catalogue& facts) {
    for (Gpu& gpu : facts.gpus) {
      gpu.memory = gpu.memory * factor;
      gpu.usable = gpu.usable * factor;
    }
  });
}

Verdict more_bandwidth(const Answer& base, Random& random) {
  const double factor = between(random, 1.05, 3);
  return better(base, "memory bandwidth x " + std::to_string(factor), [&](Catalogue& facts) {
    for (Gpu& gpu : facts.gpus) gpu.bandwidth = gpu.bandwidth * factor;
  });
}

Verdict faster_links(const Answer& base, Random& random) {
  const double factor = between(random, 1.05, 3);
  const bool inside = chance(random, 0.5);
  return better(base, (inside ? "links x " : "network x ") + std::to_string(factor), [&](Catalogue& facts) {
    if (inside)
      for (Gpu& gpu : facts.gpus) gpu.link = gpu.link * factor;
    for (Node& node : facts.nodes) {
      if (inside) node.link = node.link * factor;
      else node.network = node.network * factor;
    }
  });
}

constexpr Law kLaws[] = {
    {"more-memory", "GPUs with more memory never make the best plans slower or dearer by more than care, nor fewer fit",
     more_memory},
    {"more-bandwidth", "GPUs with faster memory never make the best plans slower or dearer by more than care",
     more_bandwidth},
    {"faster-links", "faster links and networks never make the best plans slower or dearer by more than care",
     faster_links},
};

}  // namespace

std::span<const Law> facts_laws() { return kLaws; }

}  // namespace gpuplan::laws
