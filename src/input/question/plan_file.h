// Plans that `gpuplan plan -o plan.json` kept, or a page of `gpuplan report`, read back.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "evidence/check/expectation.h"
#include "input/job/job_reader.h"

namespace gpuplan {

/// The most that is read of a plan: --all of a large market has some ten megabytes.
inline constexpr std::size_t kMaxPlanBytes = 64'000'000;

struct KeptPlan {
  std::string id, label;
  std::vector<Expectation> phases;  ///< in the order of the job
  Dollars cost{};                   ///< of all phases, median, buffer inside
};

struct PlanFile {
  std::string file;
  std::string job;   ///< its name
  JobSource source;  ///< as it was when the plan was made, settings inside
  std::string pick;  ///< id of the plan launched, else of the one recommended; empty: none
  std::vector<KeptPlan> plans;
};

/// The plan in a page that `gpuplan report -o plan.html` wrote; any other text as it is.
std::string_view plan_in_page(std::string_view text);

/// True for the text of a kept plan, whole or damaged, or of a page with one in it, rather than of a job.
bool is_kept_plan(std::string_view text);

/// Reads plans in pages, too. Fails, with one line, for what is no plan, for plans kept by a version that kept no job
/// with them, and for a job in it that can not be read as YAML.
Result<PlanFile> read_plan_file(std::string_view text, const std::string& file);

/// The plan with this id; the one recommended when `id` is empty. Fails, naming ids that look alike, when there is
/// none.
Result<const KeptPlan*> plan_named(const PlanFile& kept, std::string_view id);

/// Fails, naming both, when the plan was made for a job of another name.
Result<void> made_for(const PlanFile& kept, std::string_view job);

/// What the plan expects of the phase; null when it has no such phase.
const Expectation* expectation_of(const KeptPlan& plan, std::string_view phase);

}  // namespace gpuplan
