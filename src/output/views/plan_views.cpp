#include "output/views/plan_views.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "output/text/json_writer.h"

namespace gpuplan {

std::span<const PlanView> plan_views() {
  static constexpr std::array kViews = {
      PlanView{"chart", "cost against time, every plan to scale", chart_view},
      PlanView{"decisions", "what to choose, by what matters most, and when", decisions_view},
      PlanView{"worth", "the best plan by what an hour of waiting is worth", worth_view},
      PlanView{"saved", "dollars for each hour saved along the frontier, and whether it is worth it", saved_view},
      PlanView{"dominated", "plans that another one beats, and by how much", dominated_view},
      PlanView{"speed", "relative speed of GPUs at the same work, with relative price and cost", speed_view},
      PlanView{"serving", "tokens a second, time to first and for each further token, requests in flight, target",
               serving_view},
      PlanView{"scaling", "one GPU against several of the same kind", scaling_view},
      PlanView{"prices", "the offers, what spot saves, and which of them hold the job", prices_view},
      PlanView{"fallback", "what to take when the pick is not to be had, and up to which price", fallback_view},
      // Memory, phases and pools.
      PlanView{"memory", "needed of usable by part, what is left over, the smallest card that would do", memory_view},
      PlanView{"phases", "hours and cost of each phase, batches, steps and seconds a step", phases_view},
      PlanView{"gpu-hours", "GPU-hours of the pick by phase, used and paid for; each frontier plan with --all",
               gpu_hours_view},
      PlanView{"pool", "by number of GPUs: hours, share left free, complexity, when to use it", pool_view},
      PlanView{"schedule", "when each phase of the pick runs, idle GPUs and cost", schedule_view},
      PlanView{"ledger", "the pick's bill stretch by stretch: what runs, GPUs used of billed, dollars, what idles",
               ledger_view},
      PlanView{"options", "the pick's machines kept, let go while idle, or on spot: hours, cost, what each saves",
               options_view},
      PlanView{"gates", "what is spent when the job stops at a phase that does not pass, and what to expect",
               gates_view},
      PlanView{"strategies", "how the pick is cut over its GPUs, what was tried instead, and why not", strategies_view},
      PlanView{"problems", "known trouble with the software and hardware of the frontier's plans, with sources",
               problems_view},
      PlanView{"storage", "activations that collect phases keep: disk, host memory, copying, cost", storage_view},
      PlanView{"evidence", "the job's own figures beside the model's: both frontiers and both picks", evidence_view},
  };
  return kViews;
}

void write_views(JsonWriter& json, const std::vector<const PlanView*>& views, const PlanReport& report) {
  json.begin_object();
  for (const PlanView* view : views) {
    const ViewContent content =
        report.found.plans.empty()
            ? ViewContent{std::string(view->help), Table({}), {"Nothing fits: there are no plans to compare."}}
            : view->make(report, Screen{});
    json.key(view->name).begin_object().member("title", content.title).key("rows");
    content.table.write_json(json);
    json.key("notes").begin_array();
    for (const std::string& note : content.notes) json.value(note);
    json.end().end();
  }
  json.end();
}

std::string view_text(const ViewContent& view, const Screen& screen) {
  std::string text = heading(view.title, screen) + '\n';
  if (!view.drawing.empty() && !screen.markdown()) text += view.drawing;
  else if (!view.table.empty()) text += view.table.text(screen);
  const bool told = std::ranges::any_of(
      view.notes, [](const std::string& note) { return note.starts_with("Left out for want of room"); });
  if (view.drawing.empty() && !told) text += left_out_words(view.table, screen);
  for (const std::string& note : view.notes) text += paragraph(note, screen);
  return text;
}

}  // namespace gpuplan
