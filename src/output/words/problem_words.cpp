#include "output/words/problem_words.h"

#include <algorithm>

#include "base/text.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"
#include "plan/capacity/largest_batch.h"
#include "plan/notes/known_problems.h"

namespace gpuplan {
namespace {

/// "train: " where the problem is not in all phases that train or generate.
std::string phases_of(const PlanReport& report, const TouchedPhases& touched) {
  const auto computing = std::ranges::count_if(report.job.phases, computes);
  if (std::ssize(touched.phases) == computing) return "";
  std::vector<std::string> names;
  for (const int phase : touched.phases)
    names.push_back(printable(report.job.phases[static_cast<std::size_t>(phase)].name, 40));
  return listed(names) + ": ";
}

std::string line_of(const PlanReport& report, const TouchedPhases& touched) {
  const KnownProblem& problem = *touched.problem;
  return phases_of(report, touched) + problem_effect(problem) + ": " + problem_sentence(problem) + ". " +
         upper_first(problem.remedy) + ".";
}

}  // namespace

std::string problem_effect(const KnownProblem& problem) {
  std::string text(name_of(problem.effect));
  if (text == "more memory") text = "uses more memory";
  if (!problem.from.empty()) text += " with " + problem.from + " or newer";
  if (!problem.fixed_in.empty())
    text += (problem.from.empty() ? " with software older than " : ", fixed in ") + problem.fixed_in;
  return text;
}

std::string problem_sentence(const KnownProblem& problem) {
  return problem.what + (problem.confidence == Confidence::kLow ? " (unverified)" : "");
}

std::string problem_words(const PlanReport& report, const Plan& plan) {
  const auto found = known_problems(plan, report.job, report.catalogue);
  if (found.empty()) return "";
  // What only slows a run down, or nobody has seen lately, is no reason to stop reading.
  const KnownProblem& worst = *found.front().problem;
  const bool unlearned = worst.effect == ProblemEffect::kUnstable && worst.confidence == Confidence::kHigh;
  if ((worst.effect != ProblemEffect::kFails && !unlearned) || worst.confidence == Confidence::kLow) return "";
  std::string text =
      upper_first(problem_effect(worst)) + ": " + problem_sentence(worst) + ". " + upper_first(worst.remedy) + ".";
  if (found.size() > 1)
    text += " " + count_of(static_cast<double>(found.size()) - 1, "more issue") + ": --show problems";
  return text;
}

std::string problems_text(const PlanReport& report, const Plan& plan, const Screen& screen, std::size_t most) {
  const auto found = known_problems(plan, report.job, report.catalogue);
  if (found.empty()) return "";
  std::string title = "Known issues of " + report.name(plan);
  if (found.size() > most) title += ", " + std::to_string(most) + " of " + std::to_string(found.size()) + " (--all)";
  std::string text = paragraph(title + ":", screen);
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i)
    text += paragraph("- " + line_of(report, found[i]), screen, 4, 6);
  return text;
}

void write_problem_ids(JsonWriter& json, const PlanReport& report, const Plan& plan) {
  std::vector<std::string> ids;
  for (const TouchedPhases& touched : known_problems(plan, report.job, report.catalogue))
    ids.push_back(touched.problem->id);
  json.member("known_problems", ids);
}

void write_problems(JsonWriter& json, const PlanReport& report, const std::vector<const Plan*>& plans) {
  std::vector<const KnownProblem*> found;
  for (const Plan* plan : plans)
    for (const TouchedPhases& touched : known_problems(*plan, report.job, report.catalogue))
      if (std::ranges::find(found, touched.problem) == found.end()) found.push_back(touched.problem);
  std::ranges::sort(found);  // in the order of the table
  json.begin_array();
  for (const KnownProblem* problem : found) {
    json.begin_object().member("id", problem->id).member("effect", name_of(problem->effect));
    json.member("problem", problem->what).member("remedy", problem->remedy);
    write_text_or_null(json, "from", problem->from);
    write_text_or_null(json, "fixed_in", problem->fixed_in);
    json.member("confidence", name_of(problem->confidence)).member("source", problem->source);
    json.member("as_of", problem->as_of).end();
  }
  json.end();
}

}  // namespace gpuplan
