// gpuplan validate [RUNS.csv]: predicted against measured runs.
#include <memory>
#include <utility>

#include "api/accuracy/validate.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "input/text/csv.h"

namespace gpuplan::cli {
namespace {

struct ValidateArguments {
  Common common;
  std::string file, kind;
  api::ValidateTerms terms;
  bool report = false;
};

/// The runs of the file, or those that are compiled in.
Result<api::MeasuredRuns> read_runs(System& system, const ValidateArguments& options, const Catalogue& catalogue) {
  if (options.file.empty()) return api::built_in_runs(options.kind, catalogue);
  auto text = read_file(system, options.file, CsvTable::kMaxBytes);
  if (!text) return std::unexpected(std::move(text.error()));
  return api::read_measured_runs({shown_name(options.file), *std::move(text)}, options.kind, catalogue);
}

int run_validate(System& system, const ValidateArguments& options) {
  if (!options.file.empty() && (options.terms.left_out || options.report))
    return complain(system,
                    wrong_use(std::string(options.terms.left_out ? "--left-out" : "--report") +
                              " is for the built-in runs, whose sources the constants were fitted to: leave out '" +
                              printable(options.file) + "'"));
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  auto runs = read_runs(system, options, *catalogue);
  if (!runs) return complain(system, runs.error());
  for (const Error& line : runs->bad_lines) complain(system, line);
  if (runs->empty()) return kBadInput;
  if (options.report) {
    const auto page = api::accuracy_of(*runs, *catalogue);
    return page ? deliver(system, *page, options.common.output, kDone) : complain(system, page.error());
  }
  const auto answer = api::ask_validate(*std::move(runs), options.terms, *catalogue);
  if (!answer) return complain(system, answer.error());
  return deliver_form(
      system, options.common, kDone, [&](const Screen& screen) { return answer->text(screen); },
      [&] { return answer->json(); }, [&] { return answer->csv(); });
}

constexpr const char* kHowToReadValidate =
    "How to read the figures:\n"
    "  error      |ln(predicted / measured)|: 10 % is a factor of 1.105, too much or too little\n"
    "  bias       the same with its sign: + means predicted too slow or too large\n"
    "  P90        nine of ten runs are closer than that\n"
    "  in range   share of the runs between their predicted p10 and p90; 80 % is right\n"
    "  the middle source: the median error of each source first, then the median of those\n"
    "  calibrated: each source corrected by one of its own runs, on average over which one\n"
    "\n"
    "RUNS.csv has a row for each run of training or of generation. Columns are found by name, all but\n"
    "one measured figure may be missing: gpu, gpus, gpus_per_node, framework, model (or layers, hidden,\n"
    "heads, ...), and\n"
    "  training    step_seconds, tokens_per_second_per_gpu, peak_memory_gib; seq_len, micro_batch,\n"
    "              grad_accum, dp, tp, pp, sharding, recompute, precision, optimizer, method, attention,\n"
    "              compile, ... as in data/measured/train_runs.csv\n"
    "  generation  output_tokens_per_second, total_tokens_per_second, prefill_tokens_per_second, ttft_ms,\n"
    "              tpot_ms, peak_memory_gib; mode (single, static, concurrency, saturated, prefill),\n"
    "              input_tokens, output_tokens, batch, weights, kv_cache, tp, pp, ep, replicas, ... as in\n"
    "              data/measured/infer_runs.csv\n";

}  // namespace

CommandSpec validate_command() {
  auto options = std::make_shared<ValidateArguments>();
  CommandSpec command{.name = "validate",
                      .group = Group::kFacts,
                      .summary = "how accurate predictions are: published or own runs, predicted and measured",
                      .examples =
                          "  gpuplan validate\n"
                          "  gpuplan validate --kind generation --by weights --metric saturated\n"
                          "  gpuplan validate --by gpu,machines --metric time\n"
                          "  gpuplan validate my-runs.csv --all\n"
                          "  gpuplan validate --explain languini-004\n",
                      .notes = kHowToReadValidate};
  command.words = {{.names = "runs",
                    .target = &options->file,
                    .help = "table of measured runs, - for standard input; the published ones that are built "
                            "in when absent",
                    .value = "RUNS.csv",
                    .completes = Completes::kFiles}};
  std::vector<std::string> groupings;
  for (const auto name : all_names<Grouping>()) groupings.emplace_back(name);
  // Memory of generation is asked for as memory.
  std::vector<std::string> metrics;
  for (const auto& [what, name] : Names<Judged>::entries)
    if (what != Judged::kServingMemory) metrics.emplace_back(name);
  command.options.push_back({.names = "--kind",
                             .target = &options->kind,
                             .help = "runs of training or of generation only; a table is told by its columns",
                             .value = "KIND",
                             .choices = {"training", "generation"}});
  command.options.push_back({.names = "--by",
                             .target = &options->terms.by,
                             .help = "errors by group: " + listed(groupings, "or") + "; may be given again",
                             .value = "GROUP,...",
                             .choices = groupings,
                             .commas = true});
  command.options.push_back({.names = "--metric",
                             .target = &options->terms.metric,
                             .help = "one kind of figure only: " + listed(metrics, "or"),
                             .value = "METRIC",
                             .choices = metrics});
  command.options.push_back({.names = "--source",
                             .target = &options->terms.sources,
                             .help = "runs of this source only; may be given again",
                             .value = "NAME",
                             .commas = true});
  command.options.push_back(
      {.names = "--worst",
       .target = &options->terms.worst,
       .help = "how many of the runs farthest off are shown for each kind of figure (default: 5, of many kinds 2)",
       .value = "N",
       .least = 0,
       .most = 100000});
  add_all_flag(command, options->terms.all, "every run in place of the farthest off");
  command.options.push_back({.names = "--explain",
                             .target = &options->terms.run,
                             .help = "one run alone: how it was understood, its figures, every term",
                             .value = "ID"});
  command.options.push_back({.names = "--left-out",
                             .target = &options->terms.left_out,
                             .help = "predict each built-in run with constants fitted without its source: what to "
                                     "expect on runs that the constants have never seen"});
  command.options.push_back({.names = "--report",
                             .target = &options->report,
                             .help = "the whole account of the built-in runs, in Markdown: docs/accuracy.md"});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_validate>(command, options);
  return command;
}

}  // namespace gpuplan::cli
