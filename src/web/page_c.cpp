// The door of the planner in a page: src/web/ask_c.cpp for what a page asks, so that what only other questions need
// stays out of a module that travels in every page.
#include "api/ask.h"
#include "api/c_text.h"
#include "api/door_answer.h"
#include "api/door_plans.h"
#include "api/questions/facts.h"

namespace {

using gpuplan::Catalogue;
using gpuplan::Result;
using gpuplan::api::Ask;
using gpuplan::api::DoorQuestion;
using gpuplan::api::Reply;

Result<Catalogue> facts(const DoorQuestion& asked) {
  if (!asked.data.empty()) return gpuplan::failure("data: the planner in a page has tables of its own", {"question"});
  auto facts = gpuplan::api::packed_facts();
  if (!facts) return gpuplan::failure("ask: the planner in this page was built without its tables", {"question"});
  return *std::move(facts);
}

Result<Reply> reply(const DoorQuestion& asked, const Catalogue& catalogue) {
  if (!asked.show.empty()) return gpuplan::failure("show: the planner in a page has no such tables", {"question"});
  if (asked.ask == Ask::kPlan) return reply_plan(asked, catalogue);
  if (asked.ask == Ask::kReport) return reply_report(asked, catalogue);
  return gpuplan::failure("ask: the planner in a page answers plan and report", {"question"});
}

}  // namespace

extern "C" char* gpuplan_ask(const char* json) {
  return gpuplan::api::c_text(gpuplan::api::answer_to(json == nullptr ? "" : json, {facts, reply}));
}
