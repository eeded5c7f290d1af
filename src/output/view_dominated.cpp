// plan --show dominated: every plan that another one beats, beside the one that beats it.
#include "base/amount.h"
#include "output/plan_views.h"
#include "output/plan_words.h"
#include "output/view_columns.h"

namespace gpuplan {

ViewContent dominated_view(const PlanStory& story, const Screen&) {
  ViewContent view{"Plans that another plan beats in hours, in dollars, or in both, and loses to in neither",
                   Table({{.title = "PLAN", .narrowest = 22, .wrap = true, .key = "plan"},
                          {.title = "HOURS", .align = Align::kRight, .key = "hours"},
                          {.title = "COST", .align = Align::kRight, .key = "cost_usd"},
                          {.title = "DOMINATED BY", .narrowest = 22, .wrap = true, .key = "dominated_by"},
                          {.title = "HOURS", .align = Align::kRight, .key = "dominator_hours"},
                          {.title = "COST", .align = Align::kRight, .key = "dominator_cost_usd"}}),
                   {}};
  std::size_t all = 0;
  for (const Plan& plan : story.found.plans) {
    if (plan.dominated_by.empty() || (++all > kViewRows && !story.all)) continue;  // nearest to the frontier first
    const Plan& by = story.plan(plan.dominated_by.front());
    view.table.add({story.name(plan),
                    {plan.hours.p50 / units::hour, hours_text(plan.hours.p50)},
                    {plan.cost.p50 / units::dollar, to_text(plan.cost.p50)},
                    {story.name(by), Paint::kBold},
                    {by.hours.p50 / units::hour, hours_text(by.hours.p50)},
                    {by.cost.p50 / units::dollar, to_text(by.cost.p50)}});
  }
  if (view.table.empty()) view.notes.emplace_back("No plan is dominated.");
  if (const std::string words = shown_words(view.table.rows(), all, "plan"); !words.empty())
    view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
