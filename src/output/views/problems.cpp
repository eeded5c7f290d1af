// plan --show problems: known trouble with what the plans shown use, each with its source.
#include <algorithm>

#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/problem_words.h"
#include "plan/notes/known_problems.h"

namespace gpuplan {

ViewContent problems_view(const PlanReport& report, const Screen&) {
  ViewContent view{report.all ? "Known issues of all plans" : "Known issues of the plans shown",
                   Table({{.title = "EFFECT", .narrowest = 14, .wrap = true, .key = "effect"},
                          {.title = "PROBLEM", .narrowest = 24, .wrap = true, .key = "problem"},
                          {.title = "WHAT TO DO", .narrowest = 20, .wrap = true, .key = "remedy"},
                          {.title = "PLANS", .narrowest = 14, .wrap = true, .key = "plans"},
                          {.title = "SOURCE", .drop = 1, .narrowest = 16, .wrap = true, .key = "source"}}),
                   {}};
  struct Row {
    const KnownProblem* problem;
    std::vector<std::string> plans;
  };
  std::vector<Row> rows;
  for (const Plan* plan : plans_shown(report)) {
    for (const TouchedPhases& touched : known_problems(*plan, report.job, report.catalogue)) {
      auto row = std::ranges::find(rows, touched.problem, &Row::problem);
      if (row == rows.end()) row = rows.insert(rows.end(), {touched.problem, {}});
      row->plans.push_back(report.name(*plan));
    }
  }
  for (const Row& row : rows) {
    view.table.add({problem_effect(*row.problem), problem_sentence(*row.problem), row.problem->remedy,
                    listed(row.plans), row.problem->source + ", " + row.problem->as_of});
  }
  if (rows.empty())
    view.notes.emplace_back(report.all ? "No known issue affects any plan."
                                       : "No known issue affects a plan shown (--all: all plans).");
  return view;
}

}  // namespace gpuplan
