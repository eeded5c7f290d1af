// gpuplan simulate JOB: what machines that are taken away do to a job, policy by policy.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/on_signal.h"
#include "cli/io/progress.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "cli/questions/simulate_question.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan::cli {
namespace {

struct SimulateArguments {
  Common common;
  JobOptions job;
  SimulateOptions simulate;
};

constexpr const char* kHowToReadSimulate =
    "Policies (Wu et al., \"Can't Be Late\", NSDI 2024; docs/spot.md):\n"
    "  on_demand         machines that stay, from beginning to end\n"
    "  spot_only         spot while there is any; waits, and keeps no deadline\n"
    "  greedy            spot while there is any, until the deadline asks for machines that stay\n"
    "  time_sliced       the same in each of some equal slices of the time\n"
    "  uniform_progress  spot while there is any, machines that stay whenever behind an even pace\n"
    "  uniform_progress_idle\n"
    "                    the same by another reading of the paper; only with --policy\n"
    "\nHow to read the tables:\n"
    "  HOURS, COST       medians over the histories, with P10 … P90 and the mean\n"
    "  LATE              share of the histories that miss the deadline\n"
    "  LOST              work done that no checkpoint held\n"
    "  at least          less than this nobody pays who knows the future (traces with a deadline)\n"
    "\nThe exit code is 3 when nothing fits or has a spot price, 4 when no policy keeps the deadline at the wanted\n"
    "confidence.\n";

[[noreturn]] void leave(int) { ::_exit(kInterrupted); }

int say_nothing_fits(System& system, const SimulateArguments& options, const AskedPlan& asked) {
  return deliver_form(
      system, options.common, asked.code,
      [&](const Screen& screen) {
        std::string text;
        for (const std::string& line : asked.nothing_fits) text += paragraph(line, screen, 0, 0);
        return text;
      },
      [&] {
        JsonWriter json;
        json.begin_object().member("schema", "gpuplan/simulate@1").member("job", asked.report.job);
        json.null_member("plan").key("policies").begin_array().end();
        json.member("nothing_fits", join(asked.nothing_fits, " ")).end();
        return json.take();
      },
      [&] {
        for (const std::string& line : asked.nothing_fits) say(system, "gpuplan: " + line);
        return std::string();
      });
}

int run_simulate(System& system, const SimulateArguments& options) {
  const std::int64_t start = system.now();
  const OnSignal at_once({SIGINT}, leave);  // long runs end at once, and say why
  AskedPlan asked;
  if (!options.simulate.work.empty()) {
    if (!options.job.job.empty())
      return complain(system, wrong_use("--work: stands in the place of a job; leave " +
                                        printable(options.job.job, 60) + " or --work away"));
    if (const std::string_view flag = first_flag(options.job.sketch); !flag.empty())
      return complain(system, wrong_use("--work: says how long the work takes; leave " + std::string(flag) + " away"));
    auto report = ask_in_flags(system, options.simulate, options.job);
    if (!report) return complain(system, report.error());
    asked.report = *std::move(report);
  } else {
    const auto catalogue = load_catalogue(system, options.common.data_folder);
    if (!catalogue) return complain(system, catalogue.error());
    auto answer = ask_plan(system, options.simulate, options.job, *catalogue);
    if (!answer) return complain(system, answer.error());
    asked = *std::move(answer);
    if (!asked.nothing_fits.empty()) return say_nothing_fits(system, options, asked);
  }

  SimulateReport& report = asked.report;
  const std::vector<SpotPolicy> policies = asked_policies(options.simulate, report.simulation);
  if (policies.empty())
    return complain(system, wrong_use(report.simulation.deadline > Seconds{}
                                          ? "--policy: needs the price of these machines on demand"
                                          : "--policy: keeps a deadline, and there is none; add --deadline TIME"));
  {
    Progress progress(system, "simulating policies", std::ssize(policies));
    for (const SpotPolicy policy : policies) {
      report.result.policies.push_back(simulate_policy(report.simulation, policy, thread_count(options.job)));
      progress.step();
    }
    report.result.bound = simulate_bound(report.simulation);
  }
  choose_best(report.simulation, report.result);
  report.elapsed_ms = static_cast<double>(system.now() - start) / 1e6;
  const PolicyResult& best = report.result.policies[*report.result.best];
  const bool misses = report.simulation.deadline > Seconds{} && 1 - best.late < report.simulation.confidence;
  return deliver_form(
      system, options.common, misses ? kMissesLimits : kDone,
      [&](const Screen& screen) { return simulate_text(report, screen); }, [&] { return simulate_json(report); },
      [&] { return simulate_csv(report); });
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const std::string_view name : all_names<SpotPolicy>()) names.emplace_back(name);
  names.emplace_back("all");
  return names;
}

void add_simulate_options(CommandSpec& command, SimulateOptions& options) {
  const auto text = [&](const char* name, std::string& target, const char* value, const char* help, const char* group) {
    command.options.push_back({.names = name, .target = &target, .help = help, .value = value, .group = group});
  };
  constexpr const char* kSpot = "How spot machines come and go";
  constexpr const char* kWork = "Work and prices, where there is no job";
  command.options.push_back({.names = "--trace",
                             .target = &options.traces,
                             .help = "replay the availability in this file (JSON or CSV, docs/spot.md) in place of a "
                                     "rate; may be given again",
                             .value = "FILE",
                             .completes = Completes::kFiles,
                             .group = kSpot});
  command.options.push_back({.names = "--starts",
                             .target = &options.starts,
                             .help = "ticks at which replays begin: CSV with start_tick, and trace or zone_device; "
                                     "random ones unless given",
                             .value = "FILE.csv",
                             .completes = Completes::kFiles,
                             .group = kSpot});
  text("--wait", options.wait, "TIME", "mean time until another spot machine is there; at once unless given", kSpot);
  text("--restart", options.restart, "TIME", "from a new machine to running again, billed", kSpot);
  text("--notice", options.notice, "TIME", "warning before a machine is taken away", kSpot);
  text("--interval", options.interval, "TIME", "work between checkpoints, in place of the best", kSpot);
  command.options.push_back({.names = "--policy",
                             .target = &options.policies,
                             .help = "only these policies; names with commas, or all",
                             .value = "NAME,...",
                             .choices = policy_names(),
                             .commas = true});
  command.options.push_back({.names = "--slices",
                             .target = &options.slices,
                             .help = "slices of time_sliced; 8 unless given",
                             .value = "N",
                             .least = 1,
                             .most = 1000});
  command.options.push_back({.names = "--trials",
                             .target = &options.trials,
                             .help = "histories for each policy; 5000 unless given. With --starts: one for each start",
                             .value = "N",
                             .least = 1,
                             .most = 1'000'000});
  text("--plan", options.plan, "ID", "the plan to simulate, by its id in gpuplan plan --json; else the pick", "");
  text("--work", options.work, "TIME", "so much work on machines that stay: 48h, or a range such as 40-50h", kWork);
  text("--spot-price", options.spot_price, "$/H", "of all machines together", kWork);
  text("--on-demand-price", options.on_demand_price, "$/H", "of the same", kWork);
  text("--checkpoint", options.checkpoint, "TIME", "to write one; without it an interruption loses no work", kWork);
  command.options.push_back({.names = "--machines",
                             .target = &options.machines,
                             .help = "machines needed at once, all or nothing; 1 unless given",
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
      .summary = "spot machines: distribution of hours and cost, checkpoints, and when to go on demand",
      .examples =
          "  gpuplan simulate job.yaml --deadline \"12 h\"\n"
          "  gpuplan simulate job.yaml --interruptions 5%/h --wait 20min --policy greedy,uniform_progress\n"
          "  gpuplan simulate job.yaml --trace examples/traces/zone-a.json --trials 20000 --json\n"
          "  gpuplan simulate --work 48h --deadline 60h --restart 12min --spot-price 0.97 --on-demand-price 3.06 "
          "--trace zone.json --starts starts.csv\n",
      .notes = kHowToReadSimulate};
  add_job_options(command, options->job);
  add_simulate_options(command, options->simulate);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_simulate>(command, options);
  return command;
}

}  // namespace gpuplan::cli
