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
            " GiB a GPU";
  return text;
}

std::string where_words(const Offer& offer) {
  const std::string place = place_words(offer);
  return std::to_string(offer.gpus) + "x " + offer.gpu + (place.empty() ? "" : " (" + place + ")");
}

std::string gpu_hours_words(const Plan& plan) {
  if (plan.billed_gpu_hours <= 0) return "";
  return significant_text(plan.gpu_hours, 3) + " GPU-hours used of " + significant_text(plan.billed_gpu_hours, 3) +
         " paid for (" + percent(plan.gpu_hours / plan.billed_gpu_hours) + ")";
}

void add_phase(const Plan& plan, const PhasePlan& part, const Phase& phase, Table& table) {
  std::string gpus = part.estimate->gpus > 0 ? std::to_string(part.estimate->gpus) : kNoValue;
  if (part.gpus_billed > part.estimate->gpus) gpus += " of " + std::to_string(part.gpus_billed);
  std::string how = how_words(part, phase, true);
  if (plan.offer == nullptr && part.offer != nullptr) how = where_words(*part.offer) + ": " + how;
  table.add({{printable(phase.name, 40)},
             {hours_text(part.start)},
             {hours_text(part.hours.p50)},
             {gpus},
             {part.cost.p50 > Dollars{} ? to_text(part.cost.p50) : kNoValue},
             {how, Paint::kDim}});
}

/// Why the phase is cut as it is; empty when there was nothing to choose.
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

/// How its machines are held: a comma and what the leases say; empty where one machine is held throughout.
std::string held_words(const Job& job, const Plan& plan) {
  if (plan.kept || plan.leases.empty()) return "";
  std::string text = plan.at_once > 1 ? ", on machines of their own where that saves time" : "";
  const bool gaps = std::ranges::any_of(spells_of(plan), [](const Spell& spell) { return spell.phases.empty(); });
  if (gaps) text += ", machines let go while no phase runs";
  std::vector<std::string> held;  // while somebody works, GPUs do not
  for (const PhasePlan& part : plan.phases) {
    const Phase& phase = job.phases[static_cast<std::size_t>(part.estimate->phase)];
    const auto* fixed = std::get_if<FixedPhase>(&phase.work);
    if (fixed != nullptr && fixed->human && part.offer != nullptr) held.push_back(printable(phase.name, 40));
  }
  if (!held.empty()) text += ", and kept while somebody works (" + listed(held) + ")";
  return text;
}

/// What is no phase but takes time or money.
void add_rest(const PlanReport& report, const Plan& plan, Table& table) {
  if (plan.spot_loss > plan.hours.p50 * kWorthALine)
    table.add({{"interruptions"},
               {},
               {hours_text(plan.spot_loss)},
               {},
               {},
               {"expected, with checkpoints; inside the hours above", Paint::kDim}});
  if (plan.idle > Dollars{})
    table.add({{"idle"}, {}, {}, {}, {to_text(plan.idle)}, {"machines held while no phase uses them", Paint::kDim}});
  table.add({{"in all", Paint::kBold},
             {},
             {hours_text(plan.hours.p50), Paint::kBold},
             {},
             {to_text(plan.cost.p50), Paint::kBold},
             {gpu_hours_words(plan), Paint::kDim}});
  if (plan.buffer > Seconds{})
    table.add({{"of it buffer " + percent(report.job.buffer)},
               {},
               {hours_text(plan.buffer)},
               {},
               {},
               {"inside the hours and costs above", Paint::kDim}});
  const Dollars contingency = report.job.contingency;
  if (contingency > Dollars{})
    table.add({{"contingency"},
               {},
               {},
               {},
               {to_text(contingency)},
               {to_text(plan.cost.p50 + contingency) + " with it", Paint::kDim}});
}

}  // namespace

std::string offer_words(const Plan& plan) {
  if (plan.offer == nullptr) return "";
  const Offer& offer = *plan.offer;
  std::string text = std::to_string(offer.gpus) + "x " + offer.gpu;
  if (offer.kind != OfferKind::kRented) {
    text = std::to_string(plan.gpus) + " of the " + std::to_string(offer.gpus) + " " + offer.gpu + " of " +
           place_words(offer);
    if (!offer.partition.empty()) text += ", partition " + printable(offer.partition, 40);
  }
  if (plan.nodes > 1) text = std::to_string(plan.nodes) + " machines of " + text;
  if (const std::string place = place_words(offer); offer.kind == OfferKind::kRented && !place.empty())
    text += " at " + place;
  if (!offer.instance.empty()) text += ", " + printable(offer.instance, 60);
  const auto& price = plan.spot ? offer.spot_price : offer.price;
  if (offer.kind == OfferKind::kRented) text += plan.spot ? ", spot" : ", on demand";
  if (!price || price->p90 <= DollarsPerSecond{}) return text + ": free";
  text += ": " + price_words(offer, plan.spot) + (plan.nodes > 1 ? " each" : "");
  text += ", billed " + billing_words(offer.billing);
  return offer.as_of.empty() ? text : text + ", price of " + printable(offer.as_of, 20);
}

std::string how_text(const PlanReport& report, const Plan& plan, const Screen& screen, bool memory) {
  std::string text;
  if (const std::string offer = offer_words(plan); !offer.empty())
    text += paragraph("Offer: " + offer + ".", screen, 2, 9);
  if (plan.phases.size() == 1) {
    const PhasePlan& only = plan.phases.front();
    text += paragraph("How:   " + how_words(only, report.job.phases.front(), memory) + ".", screen, 2, 9);
    if (const std::string speed = serving_words(only.estimate, report.job.phases.front()); !speed.empty())
      text += paragraph("Speed: " + speed + ".", screen, 2, 9);
    const std::string why = why_text(report, only.estimate);
    return why.empty() ? text : text + paragraph("Why:   " + why, screen, 2, 9);
  }
  text += paragraph(report.name(plan) + ", phase by phase" + held_words(report.job, plan) + ":", screen);
  Table table({{.title = "PHASE", .narrowest = 24},
               {.title = "START", .align = Align::kRight, .drop = 2, .unit = "hour"},
               {.title = "HOURS", .align = Align::kRight},
               {.title = "GPUS", .align = Align::kRight, .drop = 3, .unit = "used"},
               {.title = "COST", .align = Align::kRight},
               {.title = "HOW", .narrowest = 26, .wrap = true}});
  for (const PhasePlan& part : plan.phases)
    add_phase(plan, part, report.job.phases[static_cast<std::size_t>(part.estimate->phase)], table);
  add_rest(report, plan, table);
  text += table.text(screen, 4);
  if (const PhasePlan* longest = longest_training(report, plan))
    if (const std::string why = why_text(report, longest->estimate); !why.empty()) {
      const Phase& phase = report.job.phases[static_cast<std::size_t>(longest->estimate->phase)];
      text += paragraph("Why " + printable(phase.name, 40) + " runs so: " + why, screen, 4, 4);
    }
  return text;
}

}  // namespace gpuplan
