// gpuplan validate [RUNS.csv]: predicted against measured runs.
#include <algorithm>
#include <memory>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/deliver.h"
#include "cli/deliver_form.h"
#include "cli/load_catalogue.h"
#include "cli/read_file.h"
#include "evidence/left_out.h"
#include "input/csv.h"
#include "input/embedded_data.h"
#include "input/left_out_table.h"
#include "input/publications.h"
#include "input/run_table.h"
#include "output/accuracy_page.h"
#include "output/validate_report.h"

namespace gpuplan::cli {
namespace {

struct Options {
  Common common;
  std::string file, metric, explain;
  std::vector<std::string> by, sources;
  int worst = 5;
  bool all = false, left_out = false, report = false;
};

constexpr std::string_view kBuiltIn = "measured/train_runs.csv", kLeftOut = "measured/left_out.csv";

/// Each once; the parser has checked the names.
std::vector<Grouping> groupings_of(const std::vector<std::string>& names) {
  std::vector<Grouping> groupings;
  for (const std::string& name : names)
    if (const auto grouping = from_name<Grouping>(name);
        grouping && std::ranges::find(groupings, *grouping) == groupings.end())
      groupings.push_back(*grouping);
  return groupings;
}

/// Whether the head of a table is that of generation runs: those have memory in common with training runs.
bool holds_generation_runs(std::string_view text) {
  const std::string_view head = text.substr(0, text.find_first_of("\r\n"));
  const std::vector<std::string_view> names = split(head, ',');
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(names, [&](std::string_view each) { return squeeze(each) == squeeze(name); });
  };
  if (has("step_seconds") || has("tokens_per_second_per_gpu")) return false;
  return has("mode") || (has("input_tokens") && has("output_tokens"));
}

/// The runs of the file, or those that are built in.
Result<RunTable> read_runs(const std::string& file, const Catalogue& catalogue) {
  if (file.empty()) return read_training_runs(embedded_data(kBuiltIn), "data/" + std::string(kBuiltIn), catalogue);
  const auto text = read_file(file, CsvTable::kMaxBytes);
  if (!text) return std::unexpected(text.error());
  if (holds_generation_runs(*text))
    return failure(
        "holds runs of generation (a column mode, or input and output tokens); only training runs are "
        "compared so far: rows with step_seconds, tokens_per_second_per_gpu or peak_memory_gib",
        {shown_name(file), 1, 0});
  auto table = read_training_runs(*text, shown_name(file), catalogue);
  if (table && table->runs.empty() && table->bad_lines.empty())
    return failure("no run in it: expected a row for each run below the names of the columns", {shown_name(file)});
  return table;
}

/// Keeps the runs of the sources asked for.
std::optional<Error> keep_sources(std::vector<TrainingRun>& runs, const std::vector<std::string>& sources) {
  if (sources.empty()) return std::nullopt;
  std::set<std::string> known;
  for (const TrainingRun& run : runs) known.insert(run.source);
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const std::string& source : sources)
    if (std::ranges::none_of(known, [&](const std::string& name) { return iequals(name, source); }))
      return wrong_use("--source: no run of '" + printable(source) + "'" + did_you_mean(source, names)).error();
  std::erase_if(runs, [&](const TrainingRun& run) {
    return std::ranges::none_of(sources, [&](const std::string& source) { return iequals(source, run.source); });
  });
  return std::nullopt;
}

/// The constants as they come out without each source.
Result<LeftOut> load_left_out(const Catalogue& catalogue) {
  if (embedded_data(kLeftOut).empty())
    return failure(
        "this build has no constants fitted without each source (data/measured/left_out.csv); build it with "
        "that file, or leave --left-out out");
  auto values = read_left_out(embedded_data(kLeftOut), "data/" + std::string(kLeftOut));
  if (!values) return std::unexpected(values.error());
  return LeftOut(catalogue, *values);
}

/// Every run, each with the constants fitted without its source.
std::vector<PredictedRun> predict_left_out(const LeftOut& left_out, const std::vector<TrainingRun>& runs) {
  std::vector<PredictedRun> predicted;
  predicted.reserve(runs.size());
  for (const TrainingRun& run : runs) predicted.push_back({&run, predict_run(left_out.catalogue_for(run.source), run)});
  return predicted;
}

/// The page docs/accuracy.md.
int print_page(const Options& options, const Catalogue& catalogue, const std::vector<TrainingRun>& runs) {
  const auto publications = read_publications(embedded_data(kBuiltIn), kBuiltIn);
  if (!publications) return complain(publications.error());
  ValidationReport fitted;
  fitted.judged = {Judged::kTime, Judged::kMemory};
  fitted.runs = predict_runs(catalogue, runs);
  AccuracyPage page{.fitted = &fitted, .left_out = nullptr, .publications = *publications};
  if (embedded_data(kLeftOut).empty()) return deliver(accuracy_page(page), options.common.output, kDone);
  const auto without = load_left_out(catalogue);
  if (!without) return complain(without.error());
  ValidationReport left_out = fitted;
  left_out.left_out = true;
  left_out.runs = predict_left_out(*without, runs);
  page.left_out = &left_out;
  return deliver(accuracy_page(page), options.common.output, kDone);
}

/// What is told of single runs: the one that is asked for, else those farthest off.
Result<std::vector<ToldRun>> told_runs(const Options& options, const ValidationReport& report,
                                       const Catalogue& catalogue, const std::optional<LeftOut>& left_out) {
  const auto tell = [&](std::size_t at, Judged what) {
    const TrainingRun& run = *report.runs[at].run;
    return ToldRun{at, what, explain_run(left_out ? left_out->catalogue_for(run.source) : catalogue, run)};
  };
  std::vector<ToldRun> told;
  if (!options.explain.empty()) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
      names.push_back(report.runs[i].run->id);
      if (iequals(names.back(), options.explain)) return std::vector{tell(i, report.judged.front())};
    }
    return wrong_use("--explain: no run is called '" + printable(options.explain) + "'" +
                     did_you_mean(options.explain, names));
  }
  for (const Judged what : report.judged) {
    auto worst = worst_first(report.runs, what);
    worst.resize(std::min(worst.size(), static_cast<std::size_t>(options.worst)));
    for (const std::size_t at : worst) told.push_back(tell(at, what));
  }
  return told;
}

bool from_several_sources(const std::vector<TrainingRun>& runs) {
  return std::ranges::any_of(runs, [&](const TrainingRun& each) { return each.source != runs.front().source; });
}

int run(const Options& options) {
  if (!options.file.empty() && (options.left_out || options.report))
    return complain(wrong_use(std::string(options.left_out ? "--left-out" : "--report") +
                              " is for the built-in runs, whose sources the constants were fitted to: leave out '" +
                              printable(options.file) + "'"));
  const auto catalogue = load_catalogue(options.common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  auto table = read_runs(options.file, *catalogue);
  if (!table) return complain(table.error());
  for (const Error& line : table->bad_lines) complain(line);
  if (table->runs.empty()) return kBadInput;
  if (options.report) return print_page(options, *catalogue, table->runs);
  if (const auto wrong = keep_sources(table->runs, options.sources)) return complain(*wrong);

  ValidationReport report;
  report.name = options.file.empty() ? "" : shown_name(options.file);
  report.left_out = options.left_out;
  report.bad_lines = table->bad_lines;
  report.judged = {Judged::kTime, Judged::kMemory};
  if (const auto what = from_name<Judged>(options.metric)) {
    report.judged = {*what};
    std::erase_if(table->runs, [&](const TrainingRun& each) { return !states(each, *what); });
    if (table->runs.empty())
      return complain(wrong_use("--metric: none of the runs states its " + std::string(judged_words(*what))));
  }
  std::optional<LeftOut> left_out;
  if (options.left_out) {
    auto loaded = load_left_out(*catalogue);
    if (!loaded) return complain(loaded.error());
    left_out.emplace(*std::move(loaded));
  }
  report.runs = left_out ? predict_left_out(*left_out, table->runs) : predict_runs(*catalogue, table->runs);
  auto told = told_runs(options, report, *catalogue, left_out);
  if (!told) return complain(told.error());
  report.told = *std::move(told);

  const std::vector<Grouping> by = groupings_of(options.by);
  ValidationLook look{.by = by, .all = options.all};
  if (by.empty() && from_several_sources(table->runs)) look.by = {Grouping::kSource};
  return deliver_form(
      options.common, kDone,
      [&](const Screen& screen) {
        return options.explain.empty() ? validate_text(report, look, screen) : explained_text(report, screen);
      },
      [&] { return validate_json(report, by); }, [&] { return validate_csv(report, by); });
}

constexpr const char* kHowToRead =
    "How to read the figures:\n"
    "  error      |ln(predicted / measured)|: 10 % is a factor of 1.105, too much or too little\n"
    "  bias       the same with its sign: + means predicted too slow or too large\n"
    "  P90        nine of ten runs are closer than that\n"
    "  in range   share of the runs between their predicted p10 and p90; 80 % is right\n"
    "  the middle source: the median error of each source first, then the median of those\n"
    "  calibrated: each source corrected by one of its own runs, on average over which one\n"
    "\n"
    "RUNS.csv has a row for each run. Columns are found by name, all but one measured figure may be\n"
    "missing: step_seconds, tokens_per_second_per_gpu, peak_memory_gib; gpu, gpus, gpus_per_node,\n"
    "framework, model (or layers, hidden, heads, ...), seq_len, micro_batch, grad_accum, dp, tp, pp,\n"
    "sharding, recompute, precision, optimizer, method, attention, compile, ... as in\n"
    "data/measured/train_runs.csv.\n";

}  // namespace

CommandSpec validate_command() {
  auto options = std::make_shared<Options>();
  CommandSpec command{.name = "validate",
                      .group = Group::kFacts,
                      .summary = "how accurate predictions are: published or own training runs, predicted and measured",
                      .examples =
                          "  gpuplan validate\n"
                          "  gpuplan validate --by gpu,machines --metric time\n"
                          "  gpuplan validate my-runs.csv --all\n"
                          "  gpuplan validate --explain languini-004\n",
                      .notes = kHowToRead};
  command.words = {{.names = "runs",
                    .target = &options->file,
                    .help = "table of measured training runs, - for standard input; the published ones that are built "
                            "in when absent",
                    .value = "RUNS.csv",
                    .completes = Completes::kFiles}};
  std::vector<std::string> groupings;
  for (const auto name : all_names<Grouping>()) groupings.emplace_back(name);
  command.options.push_back({.names = "--by",
                             .target = &options->by,
                             .help = "errors by group: " + listed(groupings, "or") + "; may be given again",
                             .value = "GROUP,...",
                             .choices = groupings,
                             .commas = true});
  command.options.push_back({.names = "--metric",
                             .target = &options->metric,
                             .help = "time or memory only",
                             .value = "METRIC",
                             .choices = {"time", "memory"}});
  command.options.push_back({.names = "--source",
                             .target = &options->sources,
                             .help = "runs of this source only; may be given again",
                             .value = "NAME",
                             .commas = true});
  command.options.push_back({.names = "--worst",
                             .target = &options->worst,
                             .help = "how many of the runs farthest off are shown (default: 5)",
                             .value = "N",
                             .least = 0,
                             .most = 100000});
  add_all_flag(command, options->all, "every run in place of the farthest off");
  command.options.push_back({.names = "--explain",
                             .target = &options->explain,
                             .help = "one run alone: how it was understood, its figures, every term",
                             .value = "ID"});
  command.options.push_back({.names = "--left-out",
                             .target = &options->left_out,
                             .help = "predict each built-in run with constants fitted without its source: what to "
                                     "expect on runs that the constants have never seen"});
  command.options.push_back({.names = "--report",
                             .target = &options->report,
                             .help = "the whole account of the built-in runs, in Markdown: docs/accuracy.md"});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run>(command, options);
  return command;
}

}  // namespace gpuplan::cli
