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
  const bool built_in = options.terms.left_out || options.terms.first_contact || options.report;
  if (!options.file.empty() && built_in)
    return complain(system,
                    wrong_use(std::string(options.terms.left_out        ? "--left-out"
                                          : options.terms.first_contact ? "--first-contact"
                                                                        : "--report") +
                              " works only with the built-in runs, which the constants were fitted to; leave out '" +
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
    "How to read the table:\n"
    "  error      |ln(predicted / measured)|; 10% means about 10% too high or too low\n"
    "  bias       the same with its sign: + means predicted too slow or too large\n"
    "  P90        9 of 10 runs have a smaller error\n"
    "  coverage   share of the runs within their predicted P10–P90; 80% is ideal\n"
    "  median of sources: the median error of each source first, then the median of those\n"
    "  calibrated: after correcting by one run of the same source (average over that run)\n"
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
                      .summary = "show prediction accuracy on published runs, or on yours",
                      .examples =
                          "  gpuplan validate\n"
                          "  gpuplan validate --kind generation --by weights --metric saturated\n"
                          "  gpuplan validate --by gpu,machines --metric time\n"
                          "  gpuplan validate my-runs.csv --all\n"
                          "  gpuplan validate my-runs.csv --pairs\n"
                          "  gpuplan validate --explain languini-004\n",
                      .notes = kHowToReadValidate};
  command.words = {{.names = "runs",
                    .target = &options->file,
                    .help = "CSV of measured runs, or - for standard input (default: the built-in published runs)",
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
                             .help = "only training or generation runs (default: detected from the columns)",
                             .value = "KIND",
                             .choices = {"training", "generation"}});
  command.options.push_back({.names = "--by",
                             .target = &options->terms.by,
                             .help = "show errors by group: " + listed(groupings, "or") + " (repeatable)",
                             .value = "GROUP,...",
                             .choices = groupings,
                             .commas = true});
  command.options.push_back({.names = "--metric",
                             .target = &options->terms.metric,
                             .help = "only this metric: " + listed(metrics, "or"),
                             .value = "METRIC",
                             .choices = metrics});
  command.options.push_back({.names = "--source",
                             .target = &options->terms.sources,
                             .help = "only runs of this source (repeatable)",
                             .value = "NAME",
                             .commas = true});
  command.options.push_back(
      {.names = "--worst",
       .target = &options->terms.worst,
       .help = "number of largest errors to list per metric (default: 5; 2 when there are many metrics)",
       .value = "N",
       .least = 0,
       .most = 100000});
  add_all_flag(command, options->terms.all, "list every run, not only the largest errors");
  command.options.push_back({.names = "--explain",
                             .target = &options->terms.run,
                             .help = "explain one run: how it was read, its figures, every term",
                             .value = "ID"});
  command.options.push_back({.names = "--left-out",
                             .target = &options->terms.left_out,
                             .help = "leave-one-source-out: predict each built-in run with constants fitted without "
                                     "its source, as for runs never seen before"});
  command.options.push_back({.names = "--pairs",
                             .target = &options->terms.pairs,
                             .help = "compare runs of one source and model in pairs: predicted ratio against measured "
                                     "ratio, by what differs"});
  command.options.push_back({.names = "--calibrate",
                             .target = &options->terms.own,
                             .help = "predict each source's runs with N of them as your own runs",
                             .value = "N",
                             .least = 1,
                             .most = 16});
  command.options.push_back({.names = "--first-contact",
                             .target = &options->terms.first_contact,
                             .help = "predictions of built-in runs made before anybody had looked at them"});
  command.options.push_back({.names = "--report",
                             .target = &options->report,
                             .help = "print the full report on the built-in runs in Markdown (docs/accuracy.md)"});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_validate>(command, options);
  return command;
}

}  // namespace gpuplan::cli
