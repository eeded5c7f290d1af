// gpuplan validate [RUNS.csv]: predicted against measured runs.
#include <algorithm>
#include <memory>
#include <set>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "evidence/validation/left_out.h"
#include "input/measured/generation_run_table.h"
#include "input/measured/left_out_table.h"
#include "input/measured/publications.h"
#include "input/measured/run_table.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"
#include "output/runs/accuracy_page.h"
#include "output/runs/validate_report.h"

namespace gpuplan::cli {
namespace {

struct ValidateArguments {
  Common common;
  std::string file, kind, metric, explain;
  std::vector<std::string> by, sources;
  int worst = -1;  ///< not said
  bool all = false, left_out = false, report = false;
};

constexpr std::string_view kTraining = "measured/train_runs.csv", kGeneration = "measured/infer_runs.csv";
/// Constants fitted without each source, of training and of generation.
constexpr std::string_view kLeftOut[] = {"measured/left_out.csv", "measured/left_out_generation.csv"};

/// Runs of both kinds, those of one kind in the order of their table.
struct Runs {
  std::vector<TrainingRun> training;
  std::vector<GenerationRun> generation;
  std::vector<Error> bad_lines;

  bool empty() const { return training.empty() && generation.empty(); }
};

/// Every run of either kind.
template <class F>
void for_each_run(const Runs& runs, const F& use) {
  for (const TrainingRun& run : runs.training) use(run);
  for (const GenerationRun& run : runs.generation) use(run);
}
template <class F>
void erase_runs_if(Runs& runs, const F& drops) {
  std::erase_if(runs.training, drops);
  std::erase_if(runs.generation, drops);
}

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
  for (const std::string_view own : {"mode", "output_tokens_per_second", "total_tokens_per_second",
                                     "prefill_tokens_per_second", "ttft_ms", "tpot_ms"})
    if (has(own)) return true;
  return has("input_tokens") && has("output_tokens");
}

/// Adds the runs of a table of that kind. Errors: the table as a whole can not be read.
std::optional<Error> add_training(std::string_view text, const std::string& name, const Catalogue& catalogue,
                                  Runs& runs) {
  auto table = read_training_runs(text, name, catalogue);
  if (!table) return std::move(table.error());
  runs.training = std::move(table->runs);
  runs.bad_lines.insert(runs.bad_lines.end(), table->bad_lines.begin(), table->bad_lines.end());
  return std::nullopt;
}
std::optional<Error> add_generation(std::string_view text, const std::string& name, const Catalogue& catalogue,
                                    Runs& runs) {
  auto table = read_generation_runs(text, name, catalogue);
  if (!table) return std::move(table.error());
  runs.generation = std::move(table->runs);
  runs.bad_lines.insert(runs.bad_lines.end(), table->bad_lines.begin(), table->bad_lines.end());
  return std::nullopt;
}

/// The runs of the file, whose columns say of which kind they are, or those that are built in.
Result<Runs> read_runs(System& system, const ValidateArguments& options, const Catalogue& catalogue) {
  Runs runs;
  std::optional<Error> wrong;
  if (options.file.empty()) {
    if (options.kind != "generation")
      wrong = add_training(embedded_data(kTraining), "data/" + std::string(kTraining), catalogue, runs);
    if (!wrong && options.kind != "training")
      wrong = add_generation(embedded_data(kGeneration), "data/" + std::string(kGeneration), catalogue, runs);
    if (wrong) return std::unexpected(*std::move(wrong));
    return runs;
  }
  const auto text = read_file(system, options.file, CsvTable::kMaxBytes);
  if (!text) return std::unexpected(text.error());
  const std::string name = shown_name(options.file);
  const bool generation = options.kind.empty() ? holds_generation_runs(*text) : options.kind == "generation";
  wrong = generation ? add_generation(*text, name, catalogue, runs) : add_training(*text, name, catalogue, runs);
  if (wrong) return std::unexpected(*std::move(wrong));
  if (runs.empty() && runs.bad_lines.empty())
    return failure("no run in it: expected a row for each run below the names of the columns", {name});
  return runs;
}

/// Keeps the runs of the sources asked for.
std::optional<Error> keep_sources(Runs& runs, const std::vector<std::string>& sources) {
  if (sources.empty()) return std::nullopt;
  std::set<std::string> known;
  for_each_run(runs, [&](const MeasuredRun& run) { known.insert(run.source); });
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const std::string& source : sources)
    if (std::ranges::none_of(known, [&](const std::string& name) { return iequals(name, source); }))
      return wrong_use("--source: no run of '" + printable(source) + "'" + did_you_mean(source, names)).error();
  erase_runs_if(runs, [&](const MeasuredRun& run) {
    return std::ranges::none_of(sources, [&](const std::string& source) { return iequals(source, run.source); });
  });
  return std::nullopt;
}

/// The constants as they come out without each source.
Result<LeftOut> load_left_out(const Catalogue& catalogue) {
  std::vector<LeftOutValue> all;
  for (const std::string_view file : kLeftOut) {
    if (embedded_data(file).empty()) continue;
    auto values = read_left_out(embedded_data(file), "data/" + std::string(file));
    if (!values) return std::unexpected(values.error());
    all.insert(all.end(), values->begin(), values->end());
  }
  if (all.empty())
    return failure("this build has no constants fitted without each source (data/" + std::string(kLeftOut[0]) +
                   "); build it with that file, or leave --left-out out");
  return LeftOut(catalogue, all);
}

RunPrediction predict(const Catalogue& catalogue, const TrainingRun& run) { return predict_run(catalogue, run); }
RunPrediction predict(const Catalogue& catalogue, const GenerationRun& run) {
  return predict_generation_run(catalogue, run);
}

/// Every run with the catalogue's constants, or each with those fitted without its source.
std::vector<PredictedRun> predict_all(const Catalogue& catalogue, const LeftOut* left_out, const Runs& runs) {
  std::vector<PredictedRun> predicted;
  predicted.reserve(runs.training.size() + runs.generation.size());
  for_each_run(runs, [&](const auto& run) {
    RunPrediction made;
    if (left_out == nullptr) made = predict(catalogue, run);
    else if (left_out->has(run.source)) made = predict(left_out->catalogue_for(run.source), run);
    else made.refused = "no constants were fitted without its source";
    predicted.emplace_back(&run, std::move(made));
  });
  return predicted;
}

/// The kinds of figure of the kinds of run that are there.
std::vector<Judged> figures_of(const Runs& runs) {
  std::vector<Judged> judged;
  if (!runs.training.empty()) judged.assign(kTrainingFigures.begin(), kTrainingFigures.end());
  if (!runs.generation.empty()) judged.insert(judged.end(), kGenerationFigures.begin(), kGenerationFigures.end());
  return judged;
}

/// The page docs/accuracy.md.
int print_page(System& system, const ValidateArguments& options, const Catalogue& catalogue, const Runs& runs) {
  AccuracyPage page;
  for (const std::string_view table : {kTraining, kGeneration}) {
    const auto publications = read_publications(embedded_data(table), table);
    if (!publications) return complain(system, publications.error());
    page.publications.insert(page.publications.end(), publications->begin(), publications->end());
  }
  ValidationReport fitted;
  fitted.judged = figures_of(runs);
  fitted.runs = predict_all(catalogue, nullptr, runs);
  page.fitted = &fitted;
  if (embedded_data(kLeftOut[0]).empty()) return deliver(system, accuracy_page(page), options.common.output, kDone);
  const auto without = load_left_out(catalogue);
  if (!without) return complain(system, without.error());
  ValidationReport left_out = fitted;
  left_out.left_out = true;
  left_out.runs = predict_all(catalogue, &*without, runs);
  page.left_out = &left_out;
  return deliver(system, accuracy_page(page), options.common.output, kDone);
}

/// The first kind of figure asked for that the run states, for which its terms are told.
Judged told_as(const PredictedRun& run, const std::vector<Judged>& judged) {
  for (const Judged what : judged)
    if (states(run, what)) return what;
  return judged.front();
}

/// What is told of single runs: the one that is asked for, else those farthest off.
Result<std::vector<ReportedRun>> reported_runs(const ValidateArguments& options, const ValidationReport& report,
                                               const Catalogue& catalogue, const std::optional<LeftOut>& left_out,
                                               int worst_shown) {
  const auto tell = [&](std::size_t at, Judged what) {
    const PredictedRun& run = report.runs[at];
    const Catalogue& constants = left_out ? left_out->catalogue_for(run.run->source) : catalogue;
    return ReportedRun{at, what,
                       run.training != nullptr ? explain_run(constants, *run.training)
                                               : explain_generation_run(constants, *run.generation)};
  };
  std::vector<ReportedRun> told;
  if (!options.explain.empty()) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
      names.push_back(report.runs[i].run->id);
      if (iequals(names.back(), options.explain)) return std::vector{tell(i, told_as(report.runs[i], report.judged))};
    }
    return wrong_use("--explain: no run is called '" + printable(options.explain) + "'" +
                     did_you_mean(options.explain, names));
  }
  for (const Judged what : report.judged) {
    auto worst = worst_first(report.runs, what);
    worst.resize(std::min(worst.size(), static_cast<std::size_t>(worst_shown)));
    for (const std::size_t at : worst) told.push_back(tell(at, what));
  }
  return told;
}

bool from_several_sources(const Runs& runs) {
  std::set<std::string_view> sources;
  for_each_run(runs, [&](const MeasuredRun& run) { sources.insert(run.source); });
  return sources.size() > 1;
}

/// What --metric names: memory is that of both kinds.
bool is_asked(std::string_view metric, Judged what) {
  return metric.empty() || metric == name_of(what) || (metric == "memory" && is_memory(what));
}

/// Keeps the figures that --metric names, and the runs that state one.
std::optional<Error> keep_metric(Runs& runs, std::vector<Judged>& judged, const std::string& metric) {
  if (metric.empty()) return std::nullopt;
  std::erase_if(judged, [&](Judged what) { return !is_asked(metric, what); });
  const auto lacks = [&](const auto& run) {
    return std::ranges::none_of(measured_figures(run),
                                [&](const MeasuredFigure& each) { return is_asked(metric, each.judged); });
  };
  erase_runs_if(runs, lacks);
  if (!runs.empty()) return std::nullopt;
  const std::string words = metric == "memory" ? "peak memory" : std::string(judged_words(*from_name<Judged>(metric)));
  return wrong_use("--metric: none of the runs states its " + words).error();
}

int run_validate(System& system, const ValidateArguments& options) {
  if (!options.file.empty() && (options.left_out || options.report))
    return complain(system,
                    wrong_use(std::string(options.left_out ? "--left-out" : "--report") +
                              " is for the built-in runs, whose sources the constants were fitted to: leave out '" +
                              printable(options.file) + "'"));
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  auto runs = read_runs(system, options, *catalogue);
  if (!runs) return complain(system, runs.error());
  for (const Error& line : runs->bad_lines) complain(system, line);
  if (runs->empty()) return kBadInput;
  if (options.report) return print_page(system, options, *catalogue, *runs);
  if (const auto wrong = keep_sources(*runs, options.sources)) return complain(system, *wrong);

  ValidationReport report;
  report.name = options.file.empty() ? "" : shown_name(options.file);
  report.left_out = options.left_out;
  report.bad_lines = runs->bad_lines;
  report.judged = figures_of(*runs);
  if (const auto wrong = keep_metric(*runs, report.judged, options.metric)) return complain(system, *wrong);
  std::optional<LeftOut> left_out;
  if (options.left_out) {
    auto loaded = load_left_out(*catalogue);
    if (!loaded) return complain(system, loaded.error());
    left_out.emplace(*std::move(loaded));
  }
  report.runs = predict_all(*catalogue, left_out ? &*left_out : nullptr, *runs);
  const std::vector<Grouping> by = groupings_of(options.by);
  const bool both = !runs->training.empty() && !runs->generation.empty();
  ValidationLook look{.by = by, .all = options.all};
  look.sums_only = both && by.empty() && !options.all && options.worst < 0;
  // Many kinds of figure: the farthest off of each says enough.
  constexpr std::size_t kFewFigures = 3;
  const int worst = options.worst >= 0 ? options.worst : report.judged.size() > kFewFigures ? 2 : 5;
  auto told = reported_runs(options, report, *catalogue, left_out, look.sums_only ? 0 : worst);
  if (!told) return complain(system, told.error());
  report.told = *std::move(told);
  if (by.empty() && from_several_sources(*runs)) look.by = {Grouping::kSource};
  return deliver_form(
      system, options.common, kDone,
      [&](const Screen& screen) {
        return options.explain.empty() ? validate_text(report, look, screen) : explained_text(report, screen);
      },
      [&] { return validate_json(report, by); }, [&] { return validate_csv(report, by); });
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
                             .target = &options->by,
                             .help = "errors by group: " + listed(groupings, "or") + "; may be given again",
                             .value = "GROUP,...",
                             .choices = groupings,
                             .commas = true});
  command.options.push_back({.names = "--metric",
                             .target = &options->metric,
                             .help = "one kind of figure only: " + listed(metrics, "or"),
                             .value = "METRIC",
                             .choices = metrics});
  command.options.push_back({.names = "--source",
                             .target = &options->sources,
                             .help = "runs of this source only; may be given again",
                             .value = "NAME",
                             .commas = true});
  command.options.push_back(
      {.names = "--worst",
       .target = &options->worst,
       .help = "how many of the runs farthest off are shown for each kind of figure (default: 5, of many kinds 2)",
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
  set_run<run_validate>(command, options);
  return command;
}

}  // namespace gpuplan::cli
