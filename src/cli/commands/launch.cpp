// gpuplan launch JOB: a plan as scripts that run it. Nothing is started or rented here.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/shell_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/io/terminal.h"
#include "cli/load/check_scripts.h"
#include "cli/load/job_options.h"
#include "cli/load/job_place.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "cli/questions/choose_plan.h"
#include "launch/launch_folder.h"
#include "launch/launch_report.h"
#include "launch/to/launchers.h"
#include "launch/work/work.h"
#include "output/answer/plan_json.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"
#include "plan/ranking/fallback.h"

namespace gpuplan::cli {
namespace {

struct LaunchArguments {
  JobOptions job;
  std::string to;
  std::vector<std::string> plans;  ///< ids, files of kept plans, or "all"
  std::string folder;              ///< empty: named after job and launcher
  std::string data_folder;
  bool force = false, check = false, allow_tight = false, json = false, no_color = false;
};

const Launcher* launcher_named(const std::string& name) {
  for (const Launcher& launcher : launchers())
    if (iequals(launcher.name, name)) return &launcher;
  return nullptr;
}

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const Launcher& launcher : launchers()) names.emplace_back(launcher.name);
  return names;
}

/// A plan to launch and what is to be said of the choice.
struct Chosen {
  const Plan* plan = nullptr;
  std::string note;  ///< empty: nothing
};

/// The plan that was kept in this file, among those of today.
Result<Chosen> still_there(const SearchResult& found, const KeptChoice& kept, const std::string& file) {
  const auto match = std::ranges::find(found.plans, kept.id, &Plan::id);
  if (match == found.plans.end())
    return failure("its plan " + printable(kept.id, 40) + " (" + printable(kept.label, 60) +
                       ") is not among the plans of this job and market; give the same --prices, --set and --as-of as "
                       "for the plan, or plan again",
                   {file});
  Chosen chosen{&*match, ""};
  Dollars today{};
  for (const PhasePlan& part : match->phases) today += part.cost.p50;
  constexpr double kWorthALine = 0.01;
  if (kept.cost > Dollars{} && (today > kept.cost * (1 + kWorthALine) || today < kept.cost * (1 - kWorthALine)))
    chosen.note =
        "The kept plan costs " + short_money(kept.cost) + "; by the market of today it is " + short_money(today) + ".";
  return chosen;
}

/// What one --plan means.
Result<Chosen> chosen_plan(System& system, const std::string& asked, const api::Searched& searched) {
  if (!names_plan_file(asked)) {
    const auto plan = plan_with_id(searched.found, asked);
    if (!plan) return std::unexpected(plan.error());
    return Chosen{*plan, ""};
  }
  const auto kept = open_plan(system, asked);
  if (!kept) return std::unexpected(kept.error());
  if (const auto same = made_for(*kept, searched.job.name); !same) return std::unexpected(same.error());
  if (const auto named = plan_named(*kept, ""); !named) return std::unexpected(named.error());
  return still_there(searched.found, *kept->source.kept, kept->file);
}

std::string tight_words(const PlanReport& plan_report, const Plan& plan) {
  return plan_report.name(plan) + " is tight: " + memory_words(plan) +
         " a GPU by the median, more than there is in one run of ten; --allow-tight launches it all the same";
}

/// The plans that the options mean.
Result<std::vector<Chosen>> chosen_plans(System& system, const LaunchArguments& options, const api::Question& question,
                                         const api::Searched& searched, const PlanReport& plan_report) {
  const SearchResult& found = searched.found;
  std::vector<Chosen> chosen;
  for (const std::string& asked : options.plans) {
    if (iequals(asked, "all")) {
      for (const Plan& plan : found.plans)
        if (plan.fit == Fit::kFits || options.allow_tight) chosen.push_back({&plan, ""});
    } else {
      const auto one = chosen_plan(system, asked, searched);
      if (!one) return std::unexpected(one.error());
      chosen.push_back(*one);
    }
  }
  if (options.plans.empty() && question.written.kept) {
    const auto one = still_there(found, *question.written.kept, shown_name(options.job.job));
    if (!one) return std::unexpected(one.error());
    chosen.push_back(*one);
  } else if (options.plans.empty()) {
    chosen.push_back({plan_report.pick(), ""});
  }
  for (const Chosen& one : chosen)
    if (one.plan->fit == Fit::kTight && !options.allow_tight) return wrong_use(tight_words(plan_report, *one.plan));
  return chosen;
}

/// A folder of its own for each of several plans.
std::string folder_of(const LaunchArguments& options, const Launcher& launcher, const Job& job,
                      const PlanReport& plan_report, const Plan& plan, bool several) {
  constexpr std::size_t kSlug = 40;
  std::string folder =
      options.folder.empty() ? slug_of(job.name, kSlug, "job") + "-" + std::string(launcher.name) : options.folder;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return several ? folder + "/" + slug_of(plan_report.name(plan), kSlug, "plan") + "-" + plan.id : folder;
}

int nothing_to_launch(System& system, const LaunchArguments& options, const PlanReport& plan_report) {
  for (const std::string& line : nothing_fits_words(plan_report)) say(system, "gpuplan: " + line);
  if (options.json) {
    LaunchReport empty;
    empty.job = plan_report.job.name;
    empty.launcher = options.to;
    return deliver(system, launch_json(empty), "", kNothingFits);
  }
  return kNothingFits;
}

/// Returns kDone, or the exit code after a message.
int write_one(System& system, const std::string& folder, const std::vector<LaunchFile>& files, bool force) {
  const auto written = system.write_folder(folder, files, force);
  if (written) return kDone;
  if (!written.error().message.empty()) say(system, "gpuplan: " + written.error().message);
  return written.error().code;
}

/// Several plans make one folder each, below one that must be empty before the first of them.
int write_plans(System& system, const LaunchArguments& options, const LaunchReport& report, const std::string& top) {
  if (report.folders.size() == 1)
    return write_one(system, report.folders.front().path, report.folders.front().folder.files, options.force);
  std::vector<LaunchFile> all = {{"PLANS.txt", plans_index(report, top)}};
  for (const WrittenFolder& written : report.folders)
    for (const LaunchFile& file : written.folder.files)
      all.push_back({written.path.substr(top.size() + 1) + "/" + file.path, file.text, file.executable});
  return write_one(system, top, all, options.force);
}

int run_launch(System& system, const LaunchArguments& options) {
  if (options.to.empty())
    return complain(system, wrong_use("--to: which launcher? expected one of " + join(launcher_names(), ", ")));
  const Launcher* launcher = launcher_named(options.to);
  if (launcher == nullptr)
    return complain(system,
                    wrong_use("--to: '" + printable(options.to, 40) + "' is none of " + join(launcher_names(), ", ")));
  const auto catalogue = load_catalogue(system, options.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  auto question = read_question(system, options.job, *catalogue);
  if (!question) return complain(system, question.error());
  const auto searched = api::search_job(question->loaded.job, question->known, *catalogue, question->terms);
  if (!searched) return complain(system, searched.error());
  PlanReport plan_report(searched->found, searched->job, *catalogue);
  plan_report.command = command_words("plan", options.job, options.data_folder);
  plan_report.offers = searched->market;
  plan_report.how = question->terms.how;
  api::name_market(*question, plan_report);
  api::blame_phases(*searched, *catalogue, question->terms, plan_report);
  if (searched->found.plans.empty()) return nothing_to_launch(system, options, plan_report);
  if (options.plans.empty() && searched->found.recommendations.limits_missed) {
    say(system,
        "gpuplan: no plan keeps the job's limits (gpuplan plan says by how much); to launch the nearest all the same: "
        "--plan " +
            plan_report.pick()->id);
    return kMissesLimits;
  }

  const auto chosen = chosen_plans(system, options, *question, *searched, plan_report);
  if (!chosen) return complain(system, chosen.error());
  const std::string command =
      command_words("launch", options.job, options.data_folder) + " --to " + std::string(launcher->name);
  LaunchReport report;
  report.job = searched->job.name;
  report.launcher = launcher->name;
  report.checked = options.check;
  std::vector<std::unique_ptr<Launch>> launches;  // reports point at them
  const bool several = chosen->size() > 1;
  for (const Chosen& one : *chosen) {
    auto launch =
        lay_out(searched->job, *one.plan, *catalogue, plan_report.name(*one.plan), command + " --plan " + one.plan->id);
    if (!launch) return complain(system, placed(launch.error(), question->loaded.source));
    if (searched->found.recommendations.pick) launch->fallbacks = market_order(searched->job, searched->found);
    launches.push_back(std::make_unique<Launch>(*std::move(launch)));
    PlanJsonLook look;
    look.launched = one.plan;
    look.job_file = question->loaded.source.file;
    look.job_text = flow_text(question->loaded.source.tree);
    auto folder = launch_folder(*launches.back(), *launcher, plan_json(plan_report, look));
    if (!folder) return complain(system, placed(folder.error(), question->loaded.source));
    if (!one.note.empty()) folder->notes.insert(folder->notes.begin(), one.note);
    report.folders.push_back({folder_of(options, *launcher, searched->job, plan_report, *one.plan, several),
                              launches.back().get(),
                              *std::move(folder),
                              {}});
  }
  const std::string& first = report.folders.front().path;
  const std::string top = several ? first.substr(0, first.rfind('/')) : first;
  if (const int code = write_plans(system, options, report, top); code != kDone) return code;
  bool passed = true;
  if (options.check)
    for (WrittenFolder& written : report.folders) {
      written.checks = check_scripts(system, written.path, written.folder.files);
      passed = passed && std::ranges::none_of(written.checks, [](const ScriptCheck& check) {
                 return check.result == ScriptCheck::Result::kFailed;
               });
    }
  return deliver(system, options.json ? launch_json(report) : launch_text(report, screen(system, options.no_color)), "",
                 passed ? kDone : kCheckFailed);
}

std::string launcher_help() {
  std::string text = "\nLaunchers for --to:\n";
  for (const Launcher& launcher : launchers())
    text += "  " + padded(launcher.name, 10) + "  " + std::string(launcher.help) + '\n';
  return text;
}

constexpr const char* kLaunchNotes =
    "A folder is written with a script for each phase, what the launcher needs around them, the plan as plan.json and "
    "a\n"
    "README.md that says what to type. Nothing is started, rented or sent anywhere.\n"
    "The exit code is 3 when nothing fits, 4 when no plan keeps the limits, 6 when a validator of --check objects.\n";

}  // namespace

CommandSpec launch_command() {
  auto options = std::make_shared<LaunchArguments>();
  CommandSpec command{.name = "launch",
                      .summary = "write the scripts that run a plan: Slurm, SkyPilot, Kubernetes, Vast.ai and more",
                      .examples =
                          "  gpuplan launch examples/trm-nanochat.yaml --to bash -o run\n"
                          "  gpuplan launch examples/latentwire.yaml --to slurm --check\n"
                          "  gpuplan plan job.yaml -o plan.json && gpuplan launch plan.json --to skypilot\n"
                          "  gpuplan launch examples/trm-nanochat.yaml --to bash --plan all -o all-plans\n",
                      .notes = kLaunchNotes + launcher_help()};
  add_job_options(command, options->job);
  command.options.push_back({.names = "--to",
                             .target = &options->to,
                             .help = "what starts it, see below",
                             .value = "LAUNCHER",
                             .choices = launcher_names(),
                             .loose = true});
  command.options.push_back(
      {.names = "--plan",
       .target = &options->plans,
       .help = "the plan to launch: an id of gpuplan plan --json, a file kept with gpuplan plan -o plan.json, or all; "
               "the pick unless given; may be given again",
       .value = "ID|FILE",
       .completes = Completes::kFiles});
  command.options.push_back({.names = "-o,--output",
                             .target = &options->folder,
                             .help = "folder to write; JOB-LAUNCHER unless given",
                             .value = "DIR",
                             .completes = Completes::kFolders});
  command.options.push_back({.names = "--force",
                             .target = &options->force,
                             .help = "into a folder that holds files already; those of the same names are replaced"});
  command.options.push_back({.names = "--check",
                             .target = &options->check,
                             .help = "run the validators that are installed on what was written"});
  command.options.push_back({.names = "--allow-tight",
                             .target = &options->allow_tight,
                             .help = "plans whose memory fits by the median only"});
  command.options.push_back({.names = "--json", .target = &options->json, .help = "JSON in place of text"});
  command.options.push_back({.names = "--no-color",
                             .target = &options->no_color,
                             .help = "no colour; NO_COLOR in the environment does the same"});
  add_data_option(command, options->data_folder);
  set_run<run_launch>(command, options);
  return command;
}

}  // namespace gpuplan::cli
