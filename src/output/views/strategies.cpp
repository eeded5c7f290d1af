// plan --show strategies: how each training phase of the pick is cut over its GPUs, what was tried instead, and why
// not.
#include "base/text.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "output/words/strategy_reasons.h"

namespace gpuplan {

ViewContent strategies_view(const PlanReport& report, const Screen&) {
  ViewContent view{"Parallelism tried, and why it was rejected", alternatives_table(), {}};
  const Plan* pick = report.pick();
  if (pick == nullptr) return view;
  for (const PhasePlan& part : pick->phases) {
    const Phase& phase = phase_of(report, part);
    const auto others = alternatives(report.job, part.estimate, report.catalogue);
    if (others.empty()) continue;
    add_alternatives(others, part.estimate, phase, view.table);
    const std::string name = pick->phases.size() > 1 ? printable(phase.name, 40) + ": " : "";
    if (const std::string why = why_words(others, part.estimate, phase); !why.empty()) view.notes.push_back(name + why);
  }
  if (view.table.empty())
    view.notes.emplace_back("Nothing to compare: no training phase, or the job fixes the parallelism.");
  else view.notes.emplace_back("TIME: predicted, vs the chosen setup.");
  return view;
}

}  // namespace gpuplan
