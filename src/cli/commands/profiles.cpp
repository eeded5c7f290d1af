// gpuplan profiles JOB: how to set each phase up on each kind of machine.
#include <algorithm>
#include <memory>
#include <tuple>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/job_options.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "output/questions/profiles_report.h"
#include "plan/capacity/largest_batch.h"
#include "plan/capacity/machines.h"

namespace gpuplan::cli {
namespace {

struct ProfilesArguments {
  Common common;
  JobOptions job;
  std::string phase;
  bool all = false;
};

/// Positions of the phases asked for.
Result<std::vector<int>> phases_of(const Job& job, const ProfilesArguments& options) {
  std::vector<int> phases;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    if (!computes(job.phases[i])) continue;
    names.push_back(job.phases[i].name);
    if (options.phase.empty() || options.phase == job.phases[i].name) phases.push_back(static_cast<int>(i));
  }
  if (names.empty()) return failure("the job has no phase that trains or generates", {shown_name(options.job.job)});
  if (phases.empty())
    return wrong_use("--phase: no phase '" + printable(options.phase) + "' trains or generates" +
                     did_you_mean(options.phase, names));
  return phases;
}

/// Machines of the market; boxes as they are commonly rented for every GPU of the catalogue with --all, and for GPUs
/// that the job names and the market does not have.
std::vector<Machines> machines_of(const api::Searched& searched, const Catalogue& catalogue, bool all) {
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
  std::ranges::stable_sort(
      machines, {}, [](const Machines& m) { return std::tuple(-m.node.gpu->usable.value, m.node.gpu->name, m.gpus); });
  return machines;
}

/// The profile that the recommended plan runs the phase on.
std::optional<std::size_t> picked_profile(const api::Searched& searched, const PhaseProfiles& found) {
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

int run_profiles(System& system, const ProfilesArguments& options) {
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  auto question = read_question(system, options.job, *catalogue);
  if (!question) return complain(system, question.error());
  const auto searched = api::search_job(std::move(question->loaded.job), question->known, *catalogue, question->terms);
  if (!searched) return complain(system, searched.error());
  const auto phases = phases_of(searched->job, options);
  if (!phases) return complain(system, phases.error());
  const std::vector<Machines> machines = machines_of(*searched, *catalogue, options.all);
  if (machines.empty())
    return complain(
        system,
        wrong_use(
            "no machine of the market is left; drop conditions (where, --counts, ...), or ask for GPUs beyond it with "
            "--gpu or --all"));

  ProfilesReport report{searched->job, {}};
  for (const int phase : *phases) {
    auto found = profiles_of(searched->job, phase, *catalogue, machines, options.job.ignore == "given",
                             thread_count(options.job));
    if (!found) return complain(system, found.error());
    ProfilesSection section{*std::move(found), std::nullopt};
    section.picked = picked_profile(*searched, section.found);
    if (section.picked) {
      const Profile& picked = section.found.profiles[*section.picked];
      if (picked.best)
        section.gain_by_compiling = gain_by_compiling(searched->job, phase, *catalogue, picked.machines, *picked.best);
    }
    report.sections.push_back(std::move(section));
  }
  return deliver_form(
      system, options.common, report.held() ? kDone : kNothingFits,
      [&](const Screen& screen) { return profiles_text(report, screen); }, [&] { return profiles_json(report); },
      [&] {
        std::vector<NamedTable> tables;
        for (const ProfilesSection& section : report.sections)
          tables.push_back({report.phase(section).name, profiles_table(report, section)});
        return joined_csv("phase", tables);
      });
}

constexpr const char* kHowToReadProfiles =
    "How to read the table:\n"
    "  PROFILE   the machine as {profile} in the job's command names it; ✔ the recommended plan's\n"
    "  BATCH     sequences an optimizer step: GPUs side by side x MICRO x ACCUM.\n"
    "  USED      share of the usable memory, median; P10 … P90 holds 8 of 10 outcomes\n"
    "  LARGEST   sequences at once that still fit, recomputing as much as that takes\n";

}  // namespace

CommandSpec profiles_command() {
  auto options = std::make_shared<ProfilesArguments>();
  CommandSpec command{.name = "profiles",
                      .summary = "how to set a job up on each GPU: micro-batch, accumulation, precision, memory used",
                      .examples =
                          "  gpuplan profiles examples/neurlang.yaml\n"
                          "  gpuplan profiles job.yaml --gpu \"RTX 4090\" --counts 1,2,4\n"
                          "  gpuplan profiles job.yaml --phase train --all --json\n",
                      .notes = kHowToReadProfiles};
  add_job_options(command, options->job);
  command.options.push_back(
      {.names = "--phase", .target = &options->phase, .help = "this phase of the job only", .value = "NAME"});
  add_all_flag(command, options->all, "every GPU of the catalogue, in place of the market's machines");
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_profiles>(command, options);
  return command;
}

}  // namespace gpuplan::cli
