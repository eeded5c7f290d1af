// plan --show scaling: one GPU against two, four, eight of the same kind.
#include <algorithm>
#include <limits>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

/// Plans on one kind of GPU, fewest first; one plan, the cheapest, for each number.
struct Family {
  const Gpu* gpu = nullptr;
  bool spot = false;
  std::vector<const Plan*> sizes;
};

std::vector<Family> families_of(const std::vector<const Plan*>& plans) {
  std::vector<Family> families;
  for (const Plan* plan : plans) {
    if (plan->offer == nullptr || plan->node.gpu == nullptr || plan->gpus == 0) continue;
    if (plan->hours.p50 <= Seconds{}) continue;  // what takes less than half a second is no faster on more
    auto family = std::ranges::find_if(
        families, [&](const Family& f) { return f.gpu == plan->node.gpu && f.spot == plan->spot; });
    if (family == families.end()) family = families.insert(families.end(), {plan->node.gpu, plan->spot, {}});
    const auto same = std::ranges::find_if(family->sizes, [&](const Plan* p) { return p->gpus == plan->gpus; });
    if (same == family->sizes.end()) family->sizes.push_back(plan);
    else if (std::pair(plan->cost.p50, plan->hours.p50) < std::pair((*same)->cost.p50, (*same)->hours.p50))
      *same = plan;
  }
  for (Family& family : families) sort_stably(family.sizes, {}, [](const Plan* plan) { return plan->gpus; });
  std::erase_if(families, [](const Family& family) { return family.sizes.size() < 2; });
  return families;
}

/// Price of a GPU-hour moves by more than this share between sizes: not the machine's doing.
constexpr double kSamePrice = 0.02;

double price_spread(const Family& family) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Plan* plan : family.sizes) {
    const auto price = price_of_gpu(*plan);
    if (!price) continue;
    low = std::min(low, price->value);
    high = std::max(high, price->value);
  }
  return low > 0 && high > 0 ? high / low - 1 : 0;
}

std::string family_name(const Family& family) { return family.gpu->name + (family.spot ? " spot" : ""); }

/// "4x RTX 5090 are 3.98 times as fast as 1x at 1.0 times the cost (efficiency 99%)."
std::string summary(const Family& family) {
  const Plan& one = *family.sizes.front();
  const Plan& most = *family.sizes.back();
  const double faster = one.hours.p50 / most.hours.p50;
  std::string text = std::to_string(most.gpus) + "x " + family_name(family) + ": " + significant_text(faster, 2) +
                     "x as fast as " + std::to_string(one.gpus) + "x";
  if (one.cost.p50 > Dollars{}) {
    const double ratio = most.cost.p50 / one.cost.p50;
    text += ratio > 0.995 && ratio < 1.005 ? ", same cost"
                                           : ", " + significant_text(ratio, ratio < 0.995 ? 2 : 3) + "x the cost";
  }
  return text + ".";
}

}  // namespace

ViewContent scaling_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns = {{.title = ""},
                                 {.title = "PLAN", .narrowest = 14, .wrap = true, .gap = 1, .key = "plan"},
                                 {.title = "", .key = "gpus"}};
  add_hours_columns(columns, 3);
  columns.push_back({.title = "SPEED-UP", .align = Align::kRight, .key = "speed_up"});
  columns.push_back({.title = "EFFICIENCY", .align = Align::kRight, .drop = 1, .key = "parallel_efficiency"});
  columns.push_back(
      {.title = "PRICE", .align = Align::kRight, .drop = 5, .unit = "GPU-hour", .key = "usd_per_gpu_hour"});
  add_cost_columns(columns, 2);
  columns.push_back({.title = "COST", .align = Align::kRight, .unit = "relative", .key = "relative_cost"});
  columns.push_back({.title = "HOW", .drop = 6, .narrowest = 40, .key = "how"});
  ViewContent view{"Scaling: 1 GPU vs several, cheapest offer of each size", Table(std::move(columns)), {}};

  std::vector<Family> families = families_of(contenders(report.found.plans));
  if (families.empty()) {
    view.notes.emplace_back("No GPU is offered in two sizes that run this job.");
    return view;
  }
  if (const Plan* pick = report.pick(); pick != nullptr)
    std::ranges::stable_partition(families, [&](const Family& f) { return f.gpu == pick->node.gpu; });
  const std::size_t all = families.size();
  std::size_t shown = 0, rows = 0;
  std::vector<std::string> uneven;
  bool model = false, superlinear = false, trains = false;
  for (const Family& family : families) {
    if (!report.all && rows + family.sizes.size() > kViewRows && shown > 0) break;
    ++shown;
    rows += family.sizes.size();
    const Plan& one = *family.sizes.front();
    if (price_spread(family) > kSamePrice) uneven.push_back(family_name(family));
    for (const Plan* plan : family.sizes) {
      const bool picked = plan == report.pick();
      const Paint paint = picked ? Paint::kGreen : Paint::kPlain;
      const double faster = one.hours.p50 / plan->hours.p50;
      const double efficiency = faster * one.gpus / plan->gpus;
      const bool first = plan == &one;
      superlinear = superlinear || efficiency > 1.02;
      std::vector<Cell> row = {pick_mark(report, picked), {printable(plan->label, 60), paint}};
      row.emplace_back(static_cast<double>(plan->gpus));
      add_hours(row, plan->hours, paint);
      row.emplace_back(faster, first ? "–" : times_words(faster));
      row.emplace_back(efficiency, first ? "–" : count_text(100 * efficiency) + "%");
      row.push_back(price_cell(price_of_gpu(*plan)));
      add_cost(row, plan->cost, paint);
      const double ratio = one.cost.p50 > Dollars{} ? plan->cost.p50 / one.cost.p50 : 0;
      row.push_back(ratio <= 0 ? Cell() : first ? Cell(ratio, "–") : Cell(ratio, fixed_text(ratio, 2) + "x"));
      const PhasePlan* main = nullptr;
      for (const PhasePlan& part : plan->phases) {
        model = model || part.estimate->work_is_model;
        trains = trains || !part.estimate->serving;
        if (part.estimate->node && (main == nullptr || part.hours.p50 > main->hours.p50)) main = &part;
      }
      row.emplace_back(main == nullptr ? std::string() : strategy_words(main->estimate, phase_of(report, *main)),
                       Paint::kDim);
      view.table.add(std::move(row));
    }
    if (shown <= 3) view.notes.push_back(summary(family));
  }
  if (superlinear)
    view.notes.emplace_back(
        trains ? "Above 100%: sharding frees memory, so each GPU can run a larger micro-batch or skip activation "
                 "checkpointing."
               : "Above 100%: weights shared out leave more memory, so more requests run at once on each GPU.");
  if (!uneven.empty())
    view.notes.push_back("The price per GPU-hour differs between sizes of " + listed(uneven) +
                         ": the cost shows that too.");
  view.notes.emplace_back(
      std::string("Efficiency: speedup per GPU; hours include setup and loading, which do not scale. ") +
      (model ? "Speedups are medians: errors of a prediction are shared by all sizes of one GPU."
             : "Your figures are assumed to hold for every number of GPUs."));
  if (const std::string words = shown_rows(shown, all, "GPU"); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
