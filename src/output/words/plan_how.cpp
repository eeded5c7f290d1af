#include "output/words/plan_how.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "output/words/strategy_reasons.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

std::string how_words(const PhasePlan& part, const Phase& phase, bool memory) {
  std::string text = strategy_words(part.estimate, phase);
  if (text.empty()) text = phase_words(phase);
  if (const std::string rate = rate_words(part, phase); !rate.empty()) text += "; " + rate;
  if (memory && part.estimate->node && part.estimate->node->gpu != nullptr && part.estimate->memory_total.p50 > Bytes{})
    text += "; " + gib_text(part.estimate->memory_total.p50) + " of " + gib_text(part.estimate->node->gpu->usable) +
            " GiB per GPU";
  return text + host_words(*part.estimate);
}

std::string where_words(const Offer& offer) {
  const std::string place = place_words(offer);
  return std::to_string(offer.gpus) + "x " + offer.gpu + (place.empty() ? "" : " (" + place + ")");
}

std::string gpu_hours_words(const Plan& plan) {
  if (plan.billed_gpu_hours <= 0) return "";
  return percent(plan.gpu_hours / plan.billed_gpu_hours) +
         (paid_word(plan) == "held" ? " of held GPU-hours used (" : " of paid GPU-hours used (") +
         significant_text(plan.gpu_hours, 3) + " of " + significant_text(plan.billed_gpu_hours, 3) + ")";
}

void add_phase(const Plan& plan, const PhasePlan& part, const Phase& phase, PhaseWords words, Table& table) {
  std::string gpus = part.estimate->gpus > 0 ? std::to_string(part.gpus_used()) : kNoValue;
  if (part.gpus_billed > part.gpus_used()) gpus += " of " + std::to_string(part.gpus_billed);
  std::string how = words == PhaseWords::kAll ? how_words(part, phase, true) : strategy_words(part.estimate, phase);
  if (how.empty()) how = phase_words(phase);
  if (plan.offer == nullptr && part.offer != nullptr) how = where_words(*part.offer) + ": " + how;
  table.add({{printable(phase.name, 40)},
             {hours_text(part.start)},
             {hours_text(part.hours.p50)},
             {gpus},
             {part.cost.p50 > Dollars{} ? to_text(part.cost.p50) : kNoValue},
             {how, Paint::kDim}});
}

/// Why the phase runs as it does; empty when there was nothing to choose.
std::string why_text(const PlanReport& report, const PhaseEstimate& estimate) {
  const Phase& phase = report.job.phases[static_cast<std::size_t>(estimate.phase)];
  return why_words(alternatives(report.job, estimate, report.catalogue), estimate, phase);
}

/// The training phase that takes longest; null when there is none.
const PhasePlan* longest_training(const PlanReport& report, const Plan& plan) {
  const PhasePlan* longest = nullptr;
  for (const PhasePlan& part : plan.phases) {
    const Phase& phase = report.job.phases[static_cast<std::size_t>(part.estimate->phase)];
    if (!std::holds_alternative<TrainPhase>(phase.work) || !part.estimate->node) continue;
    if (longest == nullptr || part.hours.p50 > longest->hours.p50) longest = &part;
  }
  return longest;
}

/// How its machines are held: what the leases say; empty where one machine is held throughout.
std::string held_words(const PlanReport& report, const Plan& plan) {
  if (plan.kept || plan.leases.empty()) return "";
  std::vector<std::string> words;
  if (plan.at_once > 1) words.emplace_back("parallel phases on machines of their own");
  const bool gaps = std::ranges::any_of(spells_of(plan), [](const Spell& spell) { return spell.phases.empty(); });
  if (gaps) words.emplace_back("machines released while idle");
  const std::vector<std::string> held = manual_work(report, plan).phases;
  if (!held.empty()) words.push_back("held during manual work in " + listed(held));
  return words.empty() ? "" : " (" + join(words, ", ") + ")";
}

/// What is no phase but takes time or money.
void add_rest(const PlanReport& report, const Plan& plan, Table& table) {
  const bool boots = std::ranges::any_of(plan.leases, [](const Lease& lease) {
    return lease.offer->billing.startup > Seconds{} && lease.offer->billing.startup_billed;
  });
  if (plan.idle > Dollars{})
    table.add({{"idle machines"},
               {},
               {},
               {},
               {to_text(plan.idle)},
               {boots ? "booting, or held while no phase uses them" : "held while no phase uses them", Paint::kDim}});
  if (plan.buffer > Seconds{})
    table.add({{"buffer, " + percent(report.job.buffer)},
               {},
               {hours_text(plan.buffer)},
               {},
               {},
               {"included above", Paint::kDim}});
  table.add({{"total", Paint::kBold},
             {},
             {hours_text(plan.hours.p50), Paint::kBold},
             {},
             {to_text(plan.cost.p50), Paint::kBold},
             {gpu_hours_words(plan), Paint::kDim}});
  const Dollars contingency = report.job.contingency;
  if (contingency > Dollars{})
    table.add({{"+ contingency"},
               {},
               {},
               {},
               {to_text(contingency)},
               {to_text(plan.cost.p50 + contingency) + " with it", Paint::kDim}});
}

}  // namespace

std::string host_words(const PhaseEstimate& estimate) {
  if (!estimate.node || estimate.strategy.offload == Offload::kNone || estimate.host_memory <= Bytes{}) return "";
  const Bytes there = estimate.node->ram;
  return ", " + gib_text(estimate.host_memory) + (there > Bytes{} ? " of " + gib_text(there) : "") + " GiB of RAM";
}

std::string offer_words(const Plan& plan) {
  if (plan.offer == nullptr) return "";
  const Offer& offer = *plan.offer;
  std::string text = std::to_string(offer.gpus) + "x " + offer.gpu;
  if (offer.kind != OfferKind::kRented) {
    text = place_words(offer);
    if (!offer.partition.empty()) text += " (partition " + printable(offer.partition, 40) + ")";
    text += ", " + std::to_string(plan.gpus) + " of " + std::to_string(offer.gpus * offer.nodes) + " " + offer.gpu;
  }
  if (plan.nodes > 1)
    text = std::to_string(plan.nodes) + " machines of " +
           (offer.kind == OfferKind::kRented ? text : std::to_string(offer.gpus) + " GPUs: " + text);
  if (const std::string place = place_words(offer); offer.kind == OfferKind::kRented && !place.empty())
    text += " at " + place;
  if (!offer.instance.empty()) text += ", " + printable(offer.instance, 60);
  const auto& price = plan.spot ? offer.spot_price : offer.price;
  if (offer.kind == OfferKind::kRented) text += plan.spot ? ", spot" : ", on demand";
  if (!price || price->p90 <= DollarsPerSecond{}) return text + ", no charge";
  text += ", " + paid_price_words(plan) + (plan.nodes > 1 ? " each" : "");
  if (offer.kind != OfferKind::kOwn) text += ", billed " + billing_words(offer.billing);
  return offer.as_of.empty() ? text : text + ", price of " + printable(offer.as_of, 20);
}

std::string phases_text(const PlanReport& report, const Plan& plan, const Screen& screen, PhaseWords words) {
  Table table({{.title = "PHASE", .narrowest = 12},
               {.title = "START", .align = Align::kRight, .drop = 1},
               {.title = "HOURS", .align = Align::kRight},
               {.title = "GPUS", .align = Align::kRight, .around = " of "},
               {.title = "COST", .align = Align::kRight},
               {.title = "HOW", .narrowest = 26, .wrap = words != PhaseWords::kOneLine}});
  for (const PhasePlan& part : plan.phases)
    add_phase(plan, part, report.job.phases[static_cast<std::size_t>(part.estimate->phase)], words, table);
  add_rest(report, plan, table);
  return table.text(screen, words == PhaseWords::kAll ? 4 : 2);
}

std::string how_text(const PlanReport& report, const Plan& plan, const Screen& screen, bool memory) {
  std::string text;
  if (const std::string offer = offer_words(plan); !offer.empty()) text += labelled("Offer:", offer + ".", screen, 7);
  if (plan.phases.size() == 1) {
    const PhasePlan& only = plan.phases.front();
    text += labelled("Run:", how_words(only, report.job.phases.front(), memory) + ".", screen, 7);
    if (const std::string speed = serving_words(only.estimate, report.job.phases.front()); !speed.empty())
      text += labelled("Speed:", speed + ".", screen, 7);
    const std::string why = why_text(report, only.estimate);
    return why.empty() ? text : text + labelled("Why:", why, screen, 7);
  }
  text += paragraph("Phases of " + report.name(plan) + held_words(report, plan) + ":", screen);
  text += phases_text(report, plan, screen, PhaseWords::kAll);
  if (const PhasePlan* longest = longest_training(report, plan))
    if (const std::string why = why_text(report, longest->estimate); !why.empty()) {
      const Phase& phase = report.job.phases[static_cast<std::size_t>(longest->estimate->phase)];
      text += paragraph("Why this setup for " + printable(phase.name, 40) + ": " + why, screen, 4, 4);
    }
  return text;
}

ManualWork manual_work(const PlanReport& report, const Plan& plan) {
  ManualWork held;
  for (const PhasePlan& part : plan.phases) {
    const Phase& phase = report.job.phases[static_cast<std::size_t>(part.estimate->phase)];
    const auto* fixed = std::get_if<FixedPhase>(&phase.work);
    if (fixed == nullptr || !fixed->human || part.offer == nullptr) continue;
    held.phases.push_back(printable(phase.name, 40));
    held.cost += part.cost.p50;
  }
  return held;
}

}  // namespace gpuplan
