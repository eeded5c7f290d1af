// gpuplan profiles JOB: how to set each phase up on each kind of machine.
#include <memory>

#include "api/runs/profiles.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/load/job_options.h"
#include "cli/options/common_options.h"
#include "output/questions/profiles_report.h"

namespace gpuplan::cli {
namespace {

struct ProfilesArguments {
  Common common;
  JobOptions job;
  api::ProfilesTerms profiles;
};

int run_profiles(System& system, const ProfilesArguments& options) {
  const auto catalogue = load_learned(system, options.common.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  const auto request = read_request(system, options.job, *catalogue);
  if (!request) return complain(system, request.error());
  const auto answer = api::ask_profiles(*request, options.profiles, *catalogue);
  if (!answer) return complain(system, answer.error());
  const ProfilesReport& report = answer->report;
  return deliver_form(
      system, options.common, exit_code(answer->verdict()),
      [&](const Screen& screen) { return profiles_text(report, screen, options.common.details); },
      [&] { return profiles_json(report); },
      [&] {
        std::vector<NamedTable> tables;
        for (const ProfilesSection& section : report.sections)
          tables.push_back({report.phase(section).name, profiles_table(report, section)});
        return joined_csv("phase", tables);
      });
}

constexpr const char* kHowToReadProfiles =
    "How to read the table:\n"
    "  PROFILE      the machine, as {profile} in the job's command names it; ✔ recommended\n"
    "  GLOBAL BATCH sequences per optimizer step: data-parallel GPUs x MICRO x GRAD ACCUM\n"
    "  USED         share of the usable memory, median; P10–P90: 80% of outcomes fall in this range\n"
    "  MAX BATCH    largest micro-batch that fits, with activation checkpointing if needed\n";

}  // namespace

CommandSpec profiles_command() {
  auto options = std::make_shared<ProfilesArguments>();
  CommandSpec command{.name = "profiles",
                      .summary = "show suggested settings per GPU: micro-batch, precision, memory use",
                      .examples =
                          "  gpuplan profiles examples/neurlang.yaml\n"
                          "  gpuplan profiles job.yaml --gpu \"RTX 4090\" --counts 1,2,4\n"
                          "  gpuplan profiles job.yaml --phase train --all --json\n",
                      .notes = kHowToReadProfiles};
  add_job_options(command, options->job);
  command.options.push_back(
      {.names = "--phase", .target = &options->profiles.phase, .help = "only this phase of the job", .value = "NAME"});
  add_all_flag(command, options->profiles.all, "list every known GPU, not only those of the offers");
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_profiles>(command, options);
  return command;
}

}  // namespace gpuplan::cli
