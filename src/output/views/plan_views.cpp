#include "output/views/plan_views.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "output/text/json_writer.h"

namespace gpuplan {

std::span<const PlanView> plan_views() {
  static constexpr std::array kViews = {
      PlanView{"chart", "cost against time, every plan to scale", chart_view},
      PlanView{"decisions", "best plan for each priority", decisions_view},
      PlanView{"worth", "best plan by the value of your time", worth_view},
      PlanView{"saved", "what each saved hour costs", saved_view},
      PlanView{"dominated", "dominated plans: another is at least as fast and as cheap, and better on one",
               dominated_view},
      PlanView{"speed", "speed of GPUs on this job, with price and cost", speed_view},
      PlanView{"serving", "throughput and latency: tokens/s, TTFT, TPOT, concurrent requests, target", serving_view},
      PlanView{"scaling", "1 GPU vs several of the same kind", scaling_view},
      PlanView{"prices", "offers, what spot saves, and which of them fit the job", prices_view},
      PlanView{"fallback", "alternatives if the recommended GPU is unavailable", fallback_view},
      // Memory, phases and pools.
      PlanView{"memory", "memory by component, headroom, smallest GPU", memory_view},
      PlanView{"phases", "hours and cost of each phase, batches, steps and time per step", phases_view},
      PlanView{"gpu-hours", "GPU-hours by phase, used and paid for; each plan of the frontier with --all",
               gpu_hours_view},
      PlanView{"pool", "by GPU count: time, GPUs left free, setup effort", pool_view},
      PlanView{"schedule", "when each phase runs, idle GPUs and cost", schedule_view},
      PlanView{"ledger", "the bill by period, with idle cost", ledger_view},
      PlanView{"options", "same machine: held, released while idle, or spot", options_view},
      PlanView{"gates", "cost if a gate fails", gates_view},
      PlanView{"strategies", "parallelism tried, and why it was rejected", strategies_view},
      PlanView{"problems", "known issues of software and hardware, with sources", problems_view},
      PlanView{"storage", "activations kept by collect phases: disk, CPU memory, copying, cost", storage_view},
      PlanView{"evidence", "your figures next to the predictions", evidence_view},
      PlanView{"notes", "what your job file says in words", notes_view},
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
