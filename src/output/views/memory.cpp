// plan --show memory: what each plan needs of what it has, by part, and the smallest card that would do.
#include <algorithm>

#include "base/sorting.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"

namespace gpuplan {
namespace {

/// From here on a card is as full as it should be; below the other, most of it lies idle.
constexpr double kNearlyFull = 0.8;
constexpr double kMostlyEmpty = 0.5;

/// What a GPU must have: what the estimate needs, or, where the cache fills the rest, what one sequence needs.
Interval<Bytes> least_need(const PlanReport& report, const PhasePlan& part) {
  const PhaseEstimate& estimate = part.estimate;
  if (!fills_memory(phase_of(report, part))) return estimate.memory_total;
  Job alone = report.job;
  alone.phases = {phase_of(report, part)};
  const Machines machines{*estimate.node, std::max(estimate.nodes, 1), estimate.gpus, true};
  const auto one = OpenBatch(alone, 0, report.catalogue, machines, estimate).with(1);
  return one ? one->memory_total : estimate.memory_total;
}

/// Of the phases that run on the same machines as `part`, the one that asks for the largest GPU, and what it asks for.
struct Neediest {
  const PhasePlan* part;
  Interval<Bytes> need;
};
Neediest neediest(const PlanReport& report, const Plan& plan, const PhasePlan& part) {
  Neediest most{&part, least_need(report, part)};
  for (const PhasePlan& other : plan.phases) {
    if (&other == &part || other.offer != part.offer || !other.estimate->node) continue;
    const Interval<Bytes> need = least_need(report, other);
    if (need.p90 > most.need.p90) most = {&other, need};
  }
  return most;
}

/// Cards of the market by usable memory.
std::vector<const Gpu*> cards(const PlanReport& report) {
  std::vector<const Gpu*> gpus;
  for (const GpuChoice& choice : gpus_to_try(report.job, report.catalogue, false))
    if (const Gpu* gpu = report.catalogue.find_gpu(choice.gpu); gpu != nullptr) gpus.push_back(gpu);
  sort_stably(gpus, {}, [](const Gpu* gpu) { return std::pair(gpu->usable.value, gpu->name); });
  const auto rest = std::ranges::unique(gpus);
  gpus.erase(rest.begin(), rest.end());
  return gpus;
}

/// Null when none would do.
const Gpu* smallest_card(const std::vector<const Gpu*>& gpus, Bytes p90) {
  const auto found = std::ranges::find_if(gpus, [&](const Gpu* gpu) { return p90 < gpu->usable; });
  return found == gpus.end() ? nullptr : *found;
}

/// "16.3 of 31.8 GiB: memory is not the bottleneck ...".
std::string conclusion(const PlanReport& report, const Plan& plan, const PhasePlan& part,
                       const std::vector<const Gpu*>& gpus) {
  const Gpu& gpu = *part.estimate->node->gpu;
  const Interval<Bytes> own = least_need(report, part);
  const auto [most, need] = neediest(report, plan, part);
  const double share = part.estimate->memory_total.p50 / gpu.usable;
  std::string text = report.name(plan) + " uses " + percent(share) + " of its memory";
  if (fills_memory(phase_of(report, part)))
    text += ", most of it for concurrent requests; one request needs " + gib_text(own.p50) + " GiB per GPU";
  else if (share < kMostlyEmpty) text += ": memory is not the limit";
  else if (share >= kNearlyFull) text += ": little headroom";
  if (most != &part)
    text += "; " + printable(phase_of(report, *most).name, 40) + " needs " + gib_text(need.p50) + " GiB";
  text += ".";
  if (gpus.size() < 2 && need.p90 < gpu.usable) return text;  // of a market of one card there is no smaller one
  std::vector<std::string> names;
  const Gpu* first = nullptr;
  for (const Gpu* card : gpus) {
    if (need.p90 >= card->usable) continue;
    if (first == nullptr) first = card;
    if (names.size() < 4) names.push_back(card->name);
  }
  if (first == nullptr) return text + " No GPU on offer fits it with headroom.";
  const auto holding =
      static_cast<std::size_t>(std::ranges::count_if(gpus, [&](const Gpu* card) { return need.p90 < card->usable; }));
  text += " The same setup fits on " + count_text(first->memory / units::GiB) + " GB cards and up: ";
  text += join(names, ", ");
  if (holding > names.size()) text += ", and " + std::to_string(holding - names.size()) + " more";
  return text + ".";
}

}  // namespace

ViewContent memory_view(const PlanReport& report, const Screen&) {
  ViewContent view{
      "Memory of the fullest GPU, in GiB: by component, headroom, smallest GPU",
      Table({{.title = ""},
             {.title = "PLAN", .narrowest = 24, .key = "plan"},
             {.title = "PHASE", .drop = 3, .narrowest = 10, .key = "phase"},
             {.title = "NEEDS", .align = Align::kRight, .around = " of ", .unit = "GiB per GPU"},
             {.title = "", .key = "needed_gib"},
             {.title = kRangeHead, .align = Align::kRight, .drop = 9, .around = kRangeDash},
             {.title = "", .key = "needed_gib_p10"},
             {.title = "", .key = "needed_gib_p90"},
             {.title = "", .key = "usable_gib"},
             {.title = "USED", .align = Align::kRight, .key = "used_share"},
             {.title = "SIZE", .align = Align::kRight, .drop = 2, .unit = "vs need", .key = "usable_over_needed"},
             {.title = "WEIGHTS", .align = Align::kRight, .drop = 4, .key = "weights_gib"},
             {.title = "GRADIENTS", .align = Align::kRight, .drop = 7, .key = "gradients_gib"},
             {.title = "OPTIMIZER", .align = Align::kRight, .drop = 6, .key = "optimizer_gib"},
             {.title = "ACTIVATIONS", .align = Align::kRight, .drop = 5, .key = "activations_gib"},
             {.title = "LOGITS", .align = Align::kRight, .drop = 7, .key = "logits_gib"},
             {.title = "KV CACHE", .align = Align::kRight, .drop = 5, .key = "kv_cache_gib"},
             {.title = "OTHER", .align = Align::kRight, .drop = 8, .key = "buffers_and_context_gib"},
             {.title = "SMALLEST GPU", .drop = 1, .narrowest = 13, .key = "smallest_card"}}),
      {}};
  const auto gpus = cards(report);
  const bool several = report.job.phases.size() > 1;
  std::vector<std::string> seen;  // providers of the same machine say the same
  bool given = false;
  for (const Plan* plan : plans_shown(report)) {
    const PhasePlan* part = plan->fullest();
    if (part == nullptr || !part->estimate->node || part->estimate->memory_total.p50 <= Bytes{}) continue;
    const PhaseEstimate& estimate = part->estimate;
    const Phase& phase = phase_of(report, *part);
    const Gpu& gpu = *estimate.node->gpu;
    const Interval<Bytes>& need = estimate.memory_total;
    const bool fills = fills_memory(phase);
    const Interval<Bytes> least = neediest(report, *plan, *part).need;
    const std::string key = count_text(estimate.gpus) + gpu.name + strategy_words(estimate, phase);
    if (plan != report.pick() && std::ranges::find(seen, key) != seen.end()) continue;
    seen.push_back(key);
    const double times = gpu.usable / need.p50;
    const MemoryUse& use = estimate.memory;
    const Gpu* smallest = smallest_card(gpus, least.p90);
    given = given || std::ranges::any_of(phase.given, [](const Given& g) { return g.memory.has_value(); });
    const Paint paint = plan == report.pick() ? Paint::kGreen : Paint::kPlain;
    view.table.add(
        {pick_mark(report, *plan),
         {report.name(*plan), paint},
         {several ? printable(phase.name, 40) : ""},
         {gib_text(need.p50) + " of " + gib_text(gpu.usable), estimate.fit == Fit::kTight ? Paint::kYellow : paint},
         Cell(need.p50 / units::GiB),
         {range_text(gib_text(need.p10), gib_text(need.p90)), Paint::kDim},
         Cell(need.p10 / units::GiB),
         Cell(need.p90 / units::GiB),
         Cell(gpu.usable / units::GiB),
         {need.p50 / gpu.usable, percent(need.p50 / gpu.usable)},
         fills ? Cell("filled", Paint::kDim) : Cell(times, times_words(times)),
         gib_cell(use.weights),
         gib_cell(use.gradients),
         gib_cell(use.optimizer),
         gib_cell(use.activations),
         gib_cell(use.logits),
         gib_cell(use.kv_cache),
         gib_cell(use.buffers + use.context()),
         smallest == nullptr ? Cell("none", Paint::kYellow)
         : gpus.size() < 2   ? Cell()  // one card alone: there is no smaller one to look for
                             : Cell(smallest->name)});
  }
  if (view.table.empty()) {
    view.notes.emplace_back("No phase uses GPU memory.");
    return view;
  }
  if (const Plan* pick = report.pick())
    if (const PhasePlan* part = pick->fullest(); part != nullptr && part->estimate->memory_total.p50 > Bytes{})
      view.notes.push_back(conclusion(report, *pick, *part, gpus));
  if (given)
    view.notes.emplace_back("Totals from your job file replace the predicted ones; the components are predicted.");
  return view;
}

}  // namespace gpuplan
