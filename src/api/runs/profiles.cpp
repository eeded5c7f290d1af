#include "api/runs/profiles.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/sorting.h"
#include "base/text.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"

namespace gpuplan::api {
namespace {

/// Positions of the phases asked for.
Result<std::vector<int>> phases_asked(const Job& job, const std::string& asked, const std::string& job_file) {
  std::vector<int> phases;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    if (!computes(job.phases[i])) continue;
    names.push_back(job.phases[i].name);
    if (asked.empty() || asked == job.phases[i].name) phases.push_back(static_cast<int>(i));
  }
  if (names.empty()) return failure("the job has no phase that trains or generates", {job_file});
  if (phases.empty())
    return wrong_use("--phase: no phase '" + printable(asked) + "' trains or generates" + did_you_mean(asked, names));
  return phases;
}

/// Machines of the market; boxes as they are commonly rented for every GPU of the catalogue with --all, and for GPUs
/// that the job names and the market does not have.
std::vector<Machines> machines_of(const Searched& searched, const Catalogue& catalogue, bool all) {
  std::vector<Machines> machines;
  if (!all) machines = distinct_machines(searched.job, catalogue, searched.market);
  const Where& where = searched.job.where;
  if (!machines.empty() || (where.gpus.empty() && !all)) return machines;
  const std::vector<int> counts = where.counts.empty() ? std::vector<int>{1} : where.counts;
  const auto add = [&](const Gpu& gpu, int count) {
    machines.push_back({common_box(catalogue, gpu, count), 1, count, false});
  };
  for (const Gpu& gpu : catalogue.gpus) {
    if (where.gpus.empty())
      for (const int count : counts) add(gpu, count);
    for (const GpuChoice& choice : where.gpus) {
      if (choice.gpu != gpu.name) continue;
      if (choice.count > 0) add(gpu, choice.count);
      else
        for (const int count : counts) add(gpu, count);
    }
  }
  sort_stably(machines, {},
              [](const Machines& m) { return std::tuple(-m.node.gpu->usable.value, m.node.gpu->name, m.gpus); });
  return machines;
}

/// The profile that the recommended plan runs the phase on.
std::optional<std::size_t> picked_profile(const Searched& searched, const PhaseProfiles& found) {
  const auto& pick = searched.found.recommendations.pick;
  if (!pick) return std::nullopt;
  for (const PhasePlan& part : searched.found.plans[static_cast<std::size_t>(*pick)].phases) {
    if (part.estimate->phase != found.phase || !part.estimate->node) continue;
    const Plan& plan = searched.found.plans[static_cast<std::size_t>(*pick)];
    const int gpus = plan.offer != nullptr ? plan.gpus : part.gpus_billed;
    const int nodes = plan.offer != nullptr ? plan.nodes : part.estimate->nodes;
    const std::string name = profile_name(part.estimate->node->gpu->name, gpus, nodes);
    const auto at = std::ranges::find(found.profiles, name, &Profile::name);
    if (at != found.profiles.end()) return static_cast<std::size_t>(at - found.profiles.begin());
  }
  return std::nullopt;
}

}  // namespace

Result<ProfilesAnswer> ask_profiles(const Request& request, const ProfilesTerms& terms, const Catalogue& catalogue) {
  auto question = read_question(request, catalogue);
  if (!question) return std::unexpected(std::move(question.error()));
  auto found = search_job(std::move(question->loaded.job), question->known, catalogue, question->terms);
  if (!found) return std::unexpected(std::move(found.error()));
  auto owned = std::make_unique<const Searched>(*std::move(found));
  const Searched& searched = *owned;
  const auto phases = phases_asked(searched.job, terms.phase, question->terms.job_file);
  if (!phases) return std::unexpected(phases.error());
  const std::vector<Machines> machines = machines_of(searched, catalogue, terms.all);
  if (machines.empty())
    return wrong_use(
        "no machine of the market is left; drop conditions (where, --counts, ...), or ask for GPUs beyond it with "
        "--gpu or --all");

  ProfilesAnswer answer{std::move(owned), {searched.job, {}}};
  for (const int phase : *phases) {
    auto profiles =
        profiles_of(searched.job, phase, catalogue, machines, request.how.ignore_given, request.how.threads);
    if (!profiles) return std::unexpected(std::move(profiles.error()));
    ProfilesSection section{*std::move(profiles), std::nullopt};
    section.picked = picked_profile(searched, section.found);
    if (section.picked) {
      const Profile& picked = section.found.profiles[*section.picked];
      if (picked.best)
        section.gain_by_compiling = gain_by_compiling(searched.job, phase, catalogue, picked.machines, *picked.best);
    }
    answer.report.sections.push_back(std::move(section));
  }
  return answer;
}

}  // namespace gpuplan::api
