// gpuplan launch JOB: a plan as scripts that run it. Nothing is started or rented here.
#include <algorithm>
#include <memory>
#include <utility>

#include "api/runs/launch.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/io/terminal.h"
#include "cli/load/check_scripts.h"
#include "cli/load/job_options.h"
#include "cli/load/load_job.h"
#include "cli/options/common_options.h"
#include "launch/launch_report.h"
#include "launch/to/launchers.h"
#include "output/text/table.h"

namespace gpuplan::cli {
namespace {

struct LaunchArguments {
  JobOptions job;
  std::string to;
  std::vector<std::string> plans;  ///< ids, files of kept plans, or "all"
  std::string folder;              ///< empty: named after job and launcher
  std::string name;                ///< of script, job and folder; empty: after job, phase and machine
  std::string data_folder;
  bool force = false, check = false, allow_tight = false, smoke = false, json = false, no_color = false;
};

int nothing_to_launch(System& system, const LaunchArguments& options, const api::LaunchAnswer& answer) {
  for (const std::string& line : answer.why()) say(system, "gpuplan: " + line);
  const int code = exit_code(answer.verdict());
  return options.json && code == kNothingFits ? deliver(system, answer.json(), "", code) : code;
}

/// The question with the files of kept plans read.
Result<api::LaunchAnswer> ask(System& system, const LaunchArguments& options, const Catalogue& catalogue) {
  const auto request = read_request(system, options.job, catalogue);
  if (!request) return std::unexpected(request.error());
  api::LaunchTerms terms{.to = options.to,
                         .folder = options.folder,
                         .name = options.name,
                         .allow_tight = options.allow_tight,
                         .smoke = options.smoke,
                         .command = command_words("launch", options.job, options.data_folder),
                         .plan_command = command_words("plan", options.job, options.data_folder)};
  for (const std::string& word : options.plans) {
    auto plan = read_asked_plan(system, word);
    if (!plan) return std::unexpected(std::move(plan.error()));
    terms.plans.push_back(*std::move(plan));
  }
  return api::ask_launch(*request, terms, catalogue);
}

/// Whether no validator objects.
bool check_all(System& system, LaunchReport& report) {
  report.checked = true;
  bool passed = true;
  for (WrittenFolder& written : report.folders) {
    written.checks = check_scripts(system, written.path, written.folder.files);
    passed = passed && std::ranges::none_of(written.checks, [](const ScriptCheck& check) {
               return check.result == ScriptCheck::Result::kFailed;
             });
  }
  return passed;
}

int run_launch(System& system, const LaunchArguments& options) {
  if (const auto known = api::launcher_named(options.to); !known) return complain(system, known.error());
  const auto catalogue = load_learned(system, options.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  auto answer = ask(system, options, *catalogue);
  if (!answer) return complain(system, answer.error());
  if (!answer->why().empty()) return nothing_to_launch(system, options, *answer);
  if (const int code = deliver_folder(system, answer->top(), answer->files(), options.force); code != kDone)
    return code;
  LaunchReport& report = answer->report();
  const bool passed = !options.check || check_all(system, report);
  return deliver(system, options.json ? answer->json() : launch_text(report, screen(system, options.no_color)), "",
                 passed ? kDone : kCheckFailed);
}

std::string launcher_help() {
  std::string text = "\nLaunchers for --to:\n";
  for (const Launcher& launcher : launchers())
    text += "  " + padded(launcher.name, 10) + "  " + std::string(launcher.help) + '\n';
  return text;
}

constexpr const char* kLaunchNotes =
    "Writes a folder with a script for each phase, the launcher's own files, plan.json, and a README.md with\n"
    "the commands to type. Nothing is started, rented or sent anywhere.\n"
    "Exit codes: 3 nothing fits; 4 no plan meets the limits; 6 a validator of --check found a fault.\n";

}  // namespace

CommandSpec launch_command() {
  auto options = std::make_shared<LaunchArguments>();
  CommandSpec command{.name = "launch",
                      .summary = "generate launch scripts for a plan (Slurm, SkyPilot, Kubernetes, ...)",
                      .examples =
                          "  gpuplan launch examples/trm-nanochat.yaml --to bash -o run\n"
                          "  gpuplan launch examples/latentwire.yaml --to slurm --check\n"
                          "  gpuplan plan job.yaml -o plan.json && gpuplan launch plan.json --to skypilot\n"
                          "  gpuplan launch examples/trm-nanochat.yaml --to bash --plan all -o all-plans\n"
                          "  gpuplan launch examples/llama-8b-full.yaml --to bash --smoke -o trial\n",
                      .notes = kLaunchNotes + launcher_help()};
  add_job_options(command, options->job);
  command.options.push_back({.names = "--to",
                             .target = &options->to,
                             .help = "launcher to write scripts for, see below",
                             .value = "LAUNCHER",
                             .choices = api::launcher_names(),
                             .loose = true});
  command.options.push_back({.names = "--plan",
                             .target = &options->plans,
                             .help = "plan to launch: an id from gpuplan plan --json, a file saved with gpuplan plan "
                                     "-o plan.json, or all (repeatable; default: the recommended one)",
                             .value = "ID|FILE",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "-o,--output",
                             .target = &options->folder,
                             .help = "folder to write (default: JOB-LAUNCHER)",
                             .value = "DIR",
                             .completes = Completes::kFolders});
  command.options.push_back({.names = "--name",
                             .target = &options->name,
                             .help = "name of script, job and folder, such as train_8xA100_fast (default: after job, "
                                     "phase and machine)",
                             .value = "NAME"});
  command.options.push_back({.names = "--force",
                             .target = &options->force,
                             .help = "write into a folder that is not empty; files of the same names are overwritten"});
  command.options.push_back(
      {.names = "--check", .target = &options->check, .help = "run the installed validators on the written files"});
  command.options.push_back({.names = "--allow-tight",
                             .target = &options->allow_tight,
                             .help = "also launch a plan with OOM risk: its memory fits at P50, not at P90"});
  command.options.push_back({.names = "--smoke",
                             .target = &options->smoke,
                             .help = "write a trial of the plan: the same scripts with a small model and few steps, "
                                     "stopped, resumed and checked (with --counts N: on N GPUs)"});
  command.options.push_back({.names = "--json", .target = &options->json, .help = "output JSON"});
  command.options.push_back(
      {.names = "--no-color", .target = &options->no_color, .help = "disable color (also: NO_COLOR)"});
  add_data_option(command, options->data_folder);
  set_run<run_launch>(command, options);
  return command;
}

}  // namespace gpuplan::cli
