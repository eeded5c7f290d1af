// gpuplan whatif JOB: the job and changes of it side by side, or what its hours and cost depend on most.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "api/questions/whatif.h"
#include "api/questions/whatif_cases.h"
#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/load/job_options.h"
#include "cli/options/common_options.h"
#include "output/questions/sensitivity_report.h"
#include "output/questions/whatif_report.h"
#include "output/text/json_writer.h"
#include "output/words/plan_words.h"

namespace gpuplan::cli {
namespace {

struct WhatIfArguments {
  Common common;
  JobOptions job;
  std::vector<std::string> vary;  ///< ADDRESS=A,B,C
  bool sensitivity = false;
  std::string by;  ///< share
};

constexpr const char* kHowToReadWhatIf =
    "What is compared:\n"
    "  The baseline (the job unchanged), each --set alone, all of them together, and every combination of the\n  "
    "values of --vary on top of them. Each is planned anew. If the recommendation changes, a second table\n  shows the "
    "cost of keeping the baseline machine. VS BASELINE: times the hours or the cost of the\n  baseline.\n"
    "\nAddresses and values:\n"
    "  samples=x2        an address may be short if only one key of the job matches\n"
    "  offers[*].price=+10%\n"
    "                    every item of a list; x2, x0.5, +10% and -20% multiply the value in the job\n"
    "  --vary batch=4,8  commas separate values, except inside [] and {}\n"
    "\nSensitivity:\n"
    "  Every number in the job, the price and the error of the prediction are changed one at a time: over their\n  own "
    "range if they have one, else by --by down and up (batches: half and double). Hours and cost are\n  those of the "
    "recommended machines.\n"
    "\nExit codes are those of the baseline: 3 nothing fits, 4 it misses the deadline or budget.\n";

int run_cases(System& system, const WhatIfArguments& options, const Catalogue& catalogue) {
  const auto asked = api::whatif_cases(options.job.set, options.vary);
  if (!asked) return complain(system, asked.error());
  JobOptions plain = options.job;
  plain.set.clear();
  const auto request = read_request(system, plain, catalogue);
  if (!request) return complain(system, request.error());
  std::string command = command_words("whatif", options.job, options.common.data_folder);
  for (const std::string& vary : options.vary) command += " --vary " + shell_word(vary);
  const auto answer = api::ask_whatif(*request, *asked, catalogue, command);
  if (!answer) return complain(system, answer.error());
  return deliver_form(
      system, options.common, exit_code(answer->base().found),
      [&](const Screen& screen) { return whatif_text(answer->report(), screen, options.common.details); },
      [&] { return answer->json(); }, [&] { return whatif_csv(answer->report()); });
}

int run_sensitivity(System& system, const WhatIfArguments& options, const Catalogue& catalogue) {
  if (!options.vary.empty()) return complain(system, wrong_use("--sensitivity and --vary cannot be combined"));
  const auto by = parse_amount(options.by.empty() ? "20%" : options.by, AmountKind::kShare);
  if (!by || *by <= 0 || *by >= 1)
    return complain(system, wrong_use("--by: expected a share between 0% and 100% such as 10%, got '" +
                                      printable(options.by, 40) + "'"));
  const auto request = read_request(system, options.job, catalogue);
  if (!request) return complain(system, request.error());
  const auto answer = api::ask_sensitivity(*request, *by, catalogue);
  if (!answer) return complain(system, answer.error());
  return deliver_form(
      system, options.common, exit_code(answer->base().found),
      [&](const Screen& screen) { return sensitivity_text(answer->report(), screen, options.common.details); },
      [&] { return answer->json(); }, [&] { return sensitivity_csv(answer->report()); });
}

int run_whatif(System& system, const WhatIfArguments& options) {
  const auto catalogue = load_learned(system, options.common.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  if (!options.by.empty() && !options.sensitivity) return complain(system, wrong_use("--by needs --sensitivity"));
  return options.sensitivity ? run_sensitivity(system, options, *catalogue) : run_cases(system, options, *catalogue);
}

}  // namespace

CommandSpec whatif_command() {
  auto options = std::make_shared<WhatIfArguments>();
  CommandSpec command{.name = "whatif",
                      .summary = "compare variations of a job, or rank what drives its cost",
                      .examples =
                          "  gpuplan whatif job.yaml --set samples=x2\n"
                          "  gpuplan whatif job.yaml --set epochs=16 --set where.spot=only\n"
                          "  gpuplan whatif job.yaml --vary batch=4,8,16 --vary sequence=1024,2048\n"
                          "  gpuplan whatif examples/collection.yaml --set 'market.offers[*].price=-20%'\n"
                          "  gpuplan whatif job.yaml --sensitivity\n",
                      .notes = kHowToReadWhatIf};
  add_job_options(command, options->job);
  for (OptionSpec& option : command.options)
    if (option.names == "--set")
      option.help =
          "a change such as samples=x2 or limits.deadline=\"12 h\" (repeatable); with --sensitivity it is part of the "
          "job";
  command.options.push_back({.names = "--vary",
                             .target = &options->vary,
                             .help = "try several values of a key, on top of every --set (repeatable)",
                             .value = "ADDRESS=A,B,C"});
  command.options.push_back({.names = "--sensitivity",
                             .target = &options->sensitivity,
                             .help = "rank the inputs that change cost and hours most"});
  command.options.push_back({.names = "--by",
                             .target = &options->by,
                             .help = "how far --sensitivity changes inputs without a range (default: 20%)",
                             .value = "SHARE"});
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_whatif>(command, options);
  return command;
}

}  // namespace gpuplan::cli
