#include "api/door_plans.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/questions/plan_answer.h"
#include "api/report/report.h"
#include "base/shell/shell_text.h"
#include "output/page/body.h"

namespace gpuplan::api {

Result<Reply> reply_plan(const DoorQuestion& asked, const Catalogue& catalogue,
                         const std::vector<const PlanView*>& views) {
  const bool compare = std::ranges::any_of(views, [](const PlanView* view) { return view->make == evidence_view; });
  auto answer = ask_plan(asked.request, catalogue, {.compare_given = compare});
  if (!answer) return std::unexpected(std::move(answer.error()));
  answer->report().all = true;
  return Reply{answer->json({.all = asked.all, .explain = asked.explain, .views = views}), answer->verdict()};
}

Result<Reply> reply_report(const DoorQuestion& asked, const Catalogue& catalogue) {
  ReportTerms terms{.arguments = asked.arguments, .sensitivity = asked.sensitivity};
  if (terms.arguments.empty() && asked.request.job) terms.arguments = shell_word(asked.request.job->name);
  const auto answer = ask_report(asked.request, terms, catalogue);
  if (!answer) return std::unexpected(answer.error());
  Reply told{answer->json(), answer->verdict()};
  auto page = page_body(told.document, answer->drawings());
  if (!page) return std::unexpected(std::move(page.error()));
  told.html = std::move(page->html);
  told.contents = std::move(page->contents);
  return told;
}

}  // namespace gpuplan::api
