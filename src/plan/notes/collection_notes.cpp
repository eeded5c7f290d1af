#include "plan/notes/collection_notes.h"

#include <algorithm>

#include "base/amount.h"

namespace gpuplan {
namespace {

/// The phase in the first plan that has it; null when no plan was found.
const PhaseEstimate* estimate_of(const std::vector<Plan>& plans, int phase) {
  for (const Plan& plan : plans)
    for (const PhasePlan& part : plan.phases)
      if (part.estimate->phase == phase) return &*part.estimate;
  return nullptr;
}

std::string engine_note(const GeneratePhase& collect, const PhaseEstimate& estimate) {
  if (estimate.framework == nullptr) return "";
  if (collect.engine.empty())
    return "Hugging Face Transformers with forward hooks (engine: " + estimate.framework->name +
           "), what activations are usually collected with; engines that serve replay captured graphs, which run no "
           "hooks.";
  if (estimate.framework->cuda_graphs && !collect.forward_only)
    return "hooks keep " + estimate.framework->name +
           " from replaying captured graphs: its kernels are launched one by one.";
  return "";
}

std::string batch_note(const GeneratePhase& collect) {
  if (collect.batch.given() || collect.situation != Situation::kSaturated || collect.forward_only) return "";
  return "batches as large as memory holds; many scripts with hooks take one sample at a time (situation: single).";
}

std::string disk_note(const std::vector<Plan>& plans, int phase) {
  bool any = false, unpriced = false, priced = false;
  for (const Plan& plan : plans)
    for (const PhasePlan& part : plan.phases) {
      if (part.estimate->phase != phase || part.offer == nullptr || part.estimate->collection.disk <= Bytes{}) continue;
      any = true;
      // The job's own price stands at the phase or at its storage; what is billed has one.
      const bool price = part.offer->disk_price || part.estimate->collection.disk_price || part.disk > Dollars{};
      (price ? priced : unpriced) = true;
    }
  if (!any) return "";
  if (!priced) return "disk space is free of charge: no offer lists disk_price (store.disk_price).";
  std::string text = "disk space is paid for while the phase runs";
  if (unpriced) text += "; free of charge where an offer lists no disk_price";
  return text + ".";
}

std::string rate_note(const GeneratePhase& collect) {
  if (!collect.store || collect.store->to == "memory" || collect.store->disk_rate) return "";
  return "disk speed 1.5 GB/s (store.disk_rate); network volumes are often slower.";
}

}  // namespace

void add_collection_notes(const Job& job, const std::vector<Plan>& plans, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const Phase& phase = job.phases[i];
    const auto* collect = std::get_if<GeneratePhase>(&phase.work);
    if (collect == nullptr || !collect->store) continue;
    const PhaseEstimate* estimate = estimate_of(plans, static_cast<int>(i));
    if (estimate == nullptr) continue;
    for (const std::string& words : {engine_note(*collect, *estimate), batch_note(*collect), rate_note(*collect),
                                     disk_note(plans, static_cast<int>(i))})
      if (!words.empty()) lines.push_back("phases." + phase.name + ": " + words);
  }
}

}  // namespace gpuplan
