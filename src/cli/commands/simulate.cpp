// gpuplan simulate JOB: what machines that are taken away do to a job, policy by policy.
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "api/runs/simulate.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/on_signal.h"
#include "cli/io/progress.h"
#include "cli/io/read_file.h"
#include "cli/load/job_options.h"
#include "cli/options/common_options.h"
#include "input/prices/trace_file.h"
#include "input/text/csv.h"
#include "output/text/table.h"

namespace gpuplan::cli {
namespace {

struct SimulateArguments {
  Common common;
  JobOptions job;
  std::vector<std::string> traces;  ///< files
  std::string starts;               ///< file
  api::SimulateWords words;
};

constexpr const char* kHowToReadSimulate =
    "Policies (Wu et al., \"Can't Be Late\", NSDI 2024; docs/spot.md):\n"
    "  on_demand         on demand throughout\n"
    "  spot_only         spot only; waits when none is available, and ignores the deadline\n"
    "  greedy            spot until the deadline forces on demand\n"
    "  time_sliced       the same within each of several equal time slices\n"
    "  uniform_progress  spot, with on demand whenever behind schedule\n"
    "  uniform_progress_idle\n"
    "                    another reading of the same policy; only with --policy\n"
    "\nHow to read the tables:\n"
    "  HOURS, COST       median, P10–P90 and mean over the simulated runs\n"
    "  MISSED DEADLINE   share of the simulated runs that miss the deadline\n"
    "  WORK LOST         work since the last checkpoint, done again after an interruption\n"
    "  at least          lower bound: cost with perfect foresight (traces with a deadline)\n"
    "\nExit codes: 3 nothing fits or has a spot price; 4 no policy meets the deadline with the confidence required.\n";

[[noreturn]] void leave(int) { ::_exit(kInterrupted); }

Result<api::NamedText> read_text(System& system, const std::string& file, std::size_t limit) {
  auto text = read_file(system, file, limit);
  if (!text) return std::unexpected(std::move(text.error()));
  return api::NamedText{shown_name(file), *std::move(text)};
}

/// A file named in a job lies beside it.
std::string beside(const std::string& job, const std::string& file) {
  const std::size_t slash = job.rfind('/');
  if (file.starts_with('/') || job == "-" || slash == std::string::npos) return file;
  return job.substr(0, slash + 1) + file;
}

/// `of_job`: the trace that the job names, where the command line names none; may be empty.
Result<api::SpotTexts> read_spot_texts(System& system, const SimulateArguments& options, const std::string& of_job) {
  std::vector<std::string> files = options.traces;
  if (files.empty() && !of_job.empty()) files.push_back(beside(job_file(options.job), of_job));
  api::SpotTexts texts;
  for (const std::string& file : files) {
    auto text = read_text(system, file, kMaxTraceBytes);
    if (!text) return std::unexpected(std::move(text.error()));
    texts.traces.push_back({api::trace_name(file), *std::move(text)});
  }
  if (options.starts.empty()) return texts;
  texts.starts.emplace();
  if (files.empty()) return texts;  // which is the mistake, whatever the file holds
  auto starts = read_text(system, options.starts, CsvTable::kMaxBytes);
  if (!starts) return std::unexpected(std::move(starts.error()));
  texts.starts = *std::move(starts);
  return texts;
}

/// The line that tells how far the policies are has gone when this returns.
Result<api::SimulateAnswer> ask(System& system, const SimulateArguments& options) {
  struct Line {
    System& system;
    std::optional<Progress> shown;
  } line{system, {}};
  const api::PolicyProgress progress = [](void* context, int done, int all) {
    auto& [machine, shown] = *static_cast<Line*>(context);
    if (done == 0) shown.emplace(machine, "simulating policies", all);
    else shown->step();
  };
  if (const auto good = api::check_words(options.words, job_file(options.job), options.job.sketch, options.job.wishes,
                                         !options.traces.empty());
      !good)
    return std::unexpected(good.error());
  api::SimulateTerms terms{.words = options.words,
                           .wishes = options.job.wishes,
                           .threads = thread_count(options.job),
                           .seed = options.job.seed};
  const auto take_texts = [&](const std::string& of_job) -> Result<void> {
    auto texts = read_spot_texts(system, options, of_job);
    if (!texts) return std::unexpected(std::move(texts.error()));
    terms.texts = *std::move(texts);
    return {};
  };
  if (!options.words.work.empty()) {
    if (const auto taken = take_texts(""); !taken) return std::unexpected(taken.error());
    return api::simulate_work(terms, progress, &line);
  }
  const auto catalogue = load_learned(system, options.common.data_folder, options.job.runs);
  if (!catalogue) return std::unexpected(catalogue.error());
  auto question = read_question(system, options.job, *catalogue);
  if (!question) return std::unexpected(std::move(question.error()));
  if (const auto taken = take_texts(question->loaded.job.spot.trace); !taken) return std::unexpected(taken.error());
  return api::simulate_job(*std::move(question), terms, *catalogue, progress, &line);
}

std::string nothing_fits_text(const std::vector<std::string>& why, const Screen& screen) {
  std::string text;
  for (const std::string& line : why) text += paragraph(line, screen, 0, 0);
  return text;
}

int run_simulate(System& system, const SimulateArguments& options) {
  const std::int64_t start = system.now();
  const OnSignal at_once({SIGINT}, leave);  // long runs end at once, and say why
  auto answer = ask(system, options);
  if (!answer) return complain(system, answer.error());
  const std::vector<std::string>& why = answer->nothing_fits;
  answer->report.elapsed_ms = static_cast<double>(system.now() - start) / 1e6;
  return deliver_form(
      system, options.common, exit_code(answer->verdict()),
      [&](const Screen& screen) {
        return why.empty() ? simulate_text(answer->report, screen, options.common.details)
                           : nothing_fits_text(why, screen);
      },
      [&] { return answer->json(); },
      [&] {
        for (const std::string& line : why) say(system, "gpuplan: " + line);
        return why.empty() ? simulate_csv(answer->report) : std::string();
      });
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const std::string_view name : all_names<SpotPolicy>()) names.emplace_back(name);
  names.emplace_back("all");
  return names;
}

void add_simulate_options(CommandSpec& command, SimulateArguments& arguments) {
  api::SimulateWords& options = arguments.words;
  const auto text = [&](const char* name, std::string& target, const char* value, const char* help, const char* group) {
    command.options.push_back({.names = name, .target = &target, .help = help, .value = value, .group = group});
  };
  constexpr const char* kSpot = "Spot interruptions";
  constexpr const char* kWork = "Without a job file";
  command.options.push_back(
      {.names = "--trace",
       .target = &arguments.traces,
       .help = "replay the availability in this file (JSON or CSV, docs/spot.md) instead of a rate (repeatable)",
       .value = "FILE",
       .completes = Completes::kFiles,
       .group = kSpot});
  command.options.push_back(
      {.names = "--starts",
       .target = &arguments.starts,
       .help = "ticks where replays start: CSV with start_tick, and trace or zone_device (default: random)",
       .value = "FILE.csv",
       .completes = Completes::kFiles,
       .group = kSpot});
  text("--wait", options.wait, "TIME", "mean wait for a replacement spot machine (default: none)", kSpot);
  text("--restart", options.restart, "TIME", "time from a new machine to running again, billed", kSpot);
  text("--notice", options.notice, "TIME", "warning before an interruption", kSpot);
  text("--interval", options.interval, "TIME", "work between checkpoints (default: the best)", kSpot);
  command.options.push_back({.names = "--policy",
                             .target = &options.policies,
                             .help = "only these policies (comma-separated), or all",
                             .value = "NAME,...",
                             .choices = policy_names(),
                             .commas = true});
  command.options.push_back({.names = "--slices",
                             .target = &options.slices,
                             .help = "slices of time_sliced (default: 8)",
                             .value = "N",
                             .least = 1,
                             .most = 1000});
  command.options.push_back({.names = "--trials",
                             .target = &options.trials,
                             .help = "simulated runs per policy (default: 5000; with --starts: one per start)",
                             .value = "N",
                             .least = 1,
                             .most = 1'000'000});
  text("--plan", options.plan, "ID", "plan to simulate: an id from gpuplan plan --json (default: the recommended one)",
       "");
  text("--work", options.work, "TIME", "work without interruptions: 48h, or a range such as 40-50h", kWork);
  text("--spot-price", options.spot_price, "$/H", "spot price per hour, all machines together", kWork);
  text("--on-demand-price", options.on_demand_price, "$/H", "on-demand price per hour, all machines together", kWork);
  text("--checkpoint", options.checkpoint, "TIME",
       "time to write a checkpoint; without it an interruption loses no work", kWork);
  command.options.push_back({.names = "--machines",
                             .target = &options.machines,
                             .help = "machines needed at the same time, all or none (default: 1)",
                             .value = "N",
                             .group = kWork,
                             .least = 1,
                             .most = 100'000});
}

}  // namespace

CommandSpec simulate_command() {
  auto options = std::make_shared<SimulateArguments>();
  CommandSpec command{
      .name = "simulate",
      .summary = "simulate spot interruptions: time, cost, when to switch to on demand",
      .examples =
          "  gpuplan simulate job.yaml --deadline \"12 h\"\n"
          "  gpuplan simulate job.yaml --interruptions 5%/h --wait 20min --policy greedy,uniform_progress\n"
          "  gpuplan simulate job.yaml --trace examples/traces/zone-a.json --trials 20000 --json\n"
          "  gpuplan simulate --work 48h --deadline 60h --restart 12min --spot-price 0.97 --on-demand-price 3.06 "
          "--trace zone.json --starts starts.csv\n",
      .notes = kHowToReadSimulate};
  add_job_options(command, options->job);
  add_simulate_options(command, *options);
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_simulate>(command, options);
  return command;
}

}  // namespace gpuplan::cli
