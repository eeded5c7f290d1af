// What is said of known problems that touch a plan.
#pragma once

#include <string>
#include <vector>

#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/plan_report.h"

namespace gpuplan {

/// "fails with software older than PyTorch 2.7", "slower with CUDA 12.8 wheels or newer", "uses more memory".
std::string problem_effect(const KnownProblem& problem);
/// What goes wrong, marked where nobody has checked it since it was written from memory.
std::string problem_sentence(const KnownProblem& problem);

/// The gravest of a plan, where it stops a run and is well known; empty when there is none.
std::string problem_words(const PlanReport& report, const Plan& plan);

/// "Known issues" of a plan, gravest first, at most `most` of them; empty when none touches it. Lines end in a line
/// feed.
std::string problems_text(const PlanReport& report, const Plan& plan, const Screen& screen, std::size_t most);

/// Ids of the problems that touch the plan: an array.
void write_problem_ids(JsonWriter& json, const PlanReport& report, const Plan& plan);
/// Every problem that touches one of these plans, with its source: an array.
void write_problems(JsonWriter& json, const PlanReport& report, const std::vector<const Plan*>& plans);

}  // namespace gpuplan
