// gpuplan calibrate LOG --job JOB: own runs, from which predictions learn.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "api/runs/calibrate.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/job_options.h"
#include "cli/load/keep_run.h"
#include "cli/load/load_catalogue.h"
#include "cli/load/load_job.h"
#include "cli/load/read_logs.h"
#include "cli/options/common_options.h"
#include "input/text/csv.h"
#include "output/runs/calibrate_report.h"

namespace gpuplan::cli {
namespace {

struct CalibrateArguments {
  Common common;
  JobOptions job;
  std::string plan, phase;
  std::vector<std::string> words;  ///< logs; ids with --share
  std::vector<std::string> forget;
  bool list = false, off = false, on = false, share = false;

  bool keeps() const { return !list && !off && !on && !share && forget.empty(); }
};

Result<void> good_options(const CalibrateArguments& options) {
  if (options.job.runs.none) return wrong_use("--no-runs: calibrate is about your own runs; leave it away");
  if (!options.keeps() && !options.share && !options.words.empty())
    return wrong_use("'" + printable(options.words.front(), 60) +
                     "': a log is kept alone, without --list, --forget, --on or --off");
  if (options.keeps() && options.words.empty())
    return wrong_use("no log; give one with --job JOB, or --list, --forget ID, --off, --on or --share");
  const auto is_input = [](const std::string& name) { return name == "-"; };
  const auto from_input = std::ranges::count_if(options.words, is_input) + (is_input(options.job.job) ? 1 : 0) +
                          (is_input(options.plan) ? 1 : 0);
  if (from_input > 1) return wrong_use("'-' (standard input) can be used only once, for the log, the job or the plan");
  return {};
}

Result<api::CheckQuestion> read_question_of(System& system, const CalibrateArguments& options,
                                            const Catalogue& catalogue) {
  auto plan = read_asked_plan(system, options.plan);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const auto request = read_request(system, options.job, catalogue);
  if (!request) return std::unexpected(request.error());
  return api::CheckQuestion::read(*request, {*std::move(plan), options.phase, true}, catalogue);
}

int deliver_report(System& system, const CalibrateArguments& options, const CalibrateReport& report) {
  return deliver_form(
      system, options.common, kDone, [&](const Screen& screen) { return calibrate_text(report, screen); },
      [&] { return calibrate_json(report); }, [&] { return own_runs_csv(report); });
}

int keep(System& system, const CalibrateArguments& options) {
  const auto catalogue = load_learned(system, options.common.data_folder, {options.job.runs.file, false});
  // The file of --runs may not be there yet.
  const auto facts = load_catalogue(system, options.common.data_folder);
  if (!facts) return complain(system, facts.error());
  const bool named = !options.job.runs.file.empty();
  const bool there = !named || system.facts_of(options.job.runs.file).is_file();
  if (!catalogue && there) return complain(system, catalogue.error());
  const Catalogue* asked = catalogue ? &*catalogue : &*facts;
  auto question = read_question_of(system, options, *asked);
  // A plan that was made before anything was learned.
  if (!question && !options.plan.empty() && options.plan != "-" && options.job.job != "-")
    if (auto again = read_question_of(system, options, *facts)) {
      question = std::move(again);
      asked = &*facts;
    }
  if (!question) return complain(system, question.error());
  if (!question->nothing_fits().empty()) {
    for (const std::string& line : question->nothing_fits()) say(system, "gpuplan: " + line);
    return kNothingFits;
  }
  const auto log = read_logs(system, options.words, question->metrics(), nullptr);
  if (!log) return complain(system, log.error());
  if (const auto known = api::check_known(*log, shown_names(options.words)); !known)
    return complain(system, known.error());
  auto answer = question->answer(*log, true);
  if (!answer) return complain(system, answer.error());
  answer->files = shown_names(options.words);
  for (const std::string& note : answer->notes) say(system, "gpuplan: " + note);
  const auto kept = keep_run(system, *answer, *asked, options.job.runs, options.common.data_folder);
  if (!kept) return complain(system, kept.error());
  tell_bad_rows(system, kept->now->bad_lines());
  if (kept->already) say(system, "gpuplan: " + already_words(*kept));
  return deliver_report(system, options, kept->report());
}

/// Forgets rows, or turns all of them on or off; the exit code, or nullopt when all went well.
std::optional<int> change(System& system, const CalibrateArguments& options, const std::string& file) {
  std::optional<Error> wrong;
  const auto changed = [&](OwnRunFile& table) -> Result<void> {
    for (const std::string& id : options.forget)
      if (!table.remove(id))
        return wrong_use("--forget: no own run '" + printable(id, 40) + "' (gpuplan calibrate --list)");
    if (options.off || options.on) table.use(options.on);
    return {};
  };
  const ChangeBy rewrite([&](const std::string& text) -> std::optional<std::string> {
    auto table = OwnRunFile::parse(text, shown_name(file));
    Result<void> done = table ? changed(*table) : std::unexpected(std::move(table.error()));
    if (done) return table->text();
    wrong = std::move(done.error());
    return std::nullopt;
  });
  const std::error_code error = system.change_file(file, CsvTable::kMaxBytes, rewrite);
  if (wrong) return complain(system, *wrong);
  if (!error) return std::nullopt;
  if (error == std::errc::operation_canceled) return kInterrupted;
  complain(system, not_written(shown_name(file), error));
  return kInternal;
}

Result<std::unique_ptr<api::OwnRuns>> read_own(System& system, const CalibrateArguments& options,
                                               const std::string& file) {
  auto facts = load_catalogue(system, options.common.data_folder);
  if (!facts) return std::unexpected(std::move(facts.error()));
  std::string text;
  if (system.facts_of(file).is_file()) {
    auto read = read_file(system, file, CsvTable::kMaxBytes);
    if (!read) return std::unexpected(std::move(read.error()));
    text = *std::move(read);
  }
  return api::OwnRuns::read({shown_name(file), std::move(text)}, *std::move(facts));
}

int share(System& system, const CalibrateArguments& options, const api::OwnRuns& own) {
  for (const std::string& id : options.words)
    if (std::ranges::find(own.rows(), id, &OwnRow::id) == own.rows().end())
      return complain(system, wrong_use("--share: no own run '" + printable(id, 40) + "' (gpuplan calibrate --list)"));
  std::string text, header;
  bool private_model = false;
  for (const bool training : {true, false})
    for (const OwnRow& row : own.rows()) {
      if (std::holds_alternative<TrainingRun>(row.run) != training) continue;
      if (!options.words.empty() && std::ranges::find(options.words, row.id) == options.words.end()) continue;
      if (const std::string head = shared_header(row.run); head != header) text += (header = head) + '\n';
      text += shared_line(row, "own-" + row.id, own.facts()) + '\n';
      private_model = private_model || own.facts().find_model(common_of(row.run).model) == nullptr;
    }
  if (text.empty()) return complain(system, wrong_use("--share: there are no own runs"));
  say(system,
      "gpuplan: these lines tell hardware, framework, layout, lengths, the model's shape and what was measured; not "
      "the "
      "job, its phases, logs, paths or dates" +
          std::string(private_model ? ", nor the name of a model that gpuplan does not know" : "") +
          ". Nothing is sent: add them to data/measured in a pull request.");
  return deliver(system, text, options.common.output, kDone);
}

int run_calibrate(System& system, const CalibrateArguments& options) {
  if (const auto good = good_options(options); !good) return complain(system, good.error());
  if (options.keeps()) return keep(system, options);
  const auto file = own_runs_target(system, options.job.runs);
  if (!file) return complain(system, file.error());
  if (options.off || options.on || !options.forget.empty()) {
    const auto failed = change(system, options, *file);
    if (failed) return *failed;
  }
  const auto own = read_own(system, options, *file);
  if (!own) return complain(system, own.error());
  tell_bad_rows(system, (*own)->bad_lines());
  if (options.share) return share(system, options, **own);
  CalibrateReport report = (*own)->report();
  report.file = shown_name(*file);
  return deliver_report(system, options, report);
}

constexpr const char* kCalibrateNotes =
    "A run is kept as a row of one CSV file that you may read, edit and delete: gpuplan/own_runs.csv in\n"
    "XDG_DATA_HOME (else ~/.local/share), or what --runs or GPUPLAN_RUNS name. Nothing is sent anywhere.\n"
    "plan, fit, whatif, profiles, simulate, launch and check learn from all rows in use, and say so:\n"
    "\"calibrated on 3 runs\". One odd run counts little, runs that\n"
    "contradict each other widen the range. --no-runs asks without them.\n"
    "A log of another job, an incomplete run, too few steps and clocks that go backwards are refused.\n";

}  // namespace

CommandSpec calibrate_command() {
  auto options = std::make_shared<CalibrateArguments>();
  CommandSpec command{.name = "calibrate",
                      .summary = "learn from your own runs: later predictions fit your machines",
                      .examples =
                          "  gpuplan calibrate run.log --job job.yaml\n"
                          "  gpuplan calibrate run.log gpus.csv --plan plan.json --phase train\n"
                          "  gpuplan calibrate --list\n"
                          "  gpuplan calibrate --forget r4x0q7k\n"
                          "  gpuplan calibrate --off\n"
                          "  gpuplan calibrate --share > rows.csv\n",
                      .notes = kCalibrateNotes};
  command.words = {{.names = "log",
                    .target = &options->words,
                    .help = "log of the run, or - for standard input; several are merged. With --share: ids of runs",
                    .value = "LOG...",
                    .completes = Completes::kFiles}};
  JobOptions& job = options->job;
  command.options.push_back({.names = "--job",
                             .target = &job.job,
                             .help = "the job that the log belongs to; a saved plan contains it",
                             .value = "JOB",
                             .completes = Completes::kFiles});
  command.options.push_back(
      {.names = "--plan",
       .target = &options->plan,
       .help = "plan that was run: an id from gpuplan plan --json, or a file saved with gpuplan plan -o plan.json "
               "(default: the plan for the GPUs in the log, else the recommended one)",
       .value = "ID|FILE",
       .completes = Completes::kFiles});
  command.options.push_back({.names = "--phase",
                             .target = &options->phase,
                             .help = "phase that the log belongs to (default: detected)",
                             .value = "PHASE"});
  command.options.push_back({.names = "--list",
                             .target = &options->list,
                             .help = "show the runs that are kept, and what they teach",
                             .one_of = "what"});
  command.options.push_back({.names = "--forget",
                             .target = &options->forget,
                             .help = "remove the run with this id (repeatable)",
                             .value = "ID"});
  command.options.push_back({.names = "--off",
                             .target = &options->off,
                             .help = "keep all runs, but learn from none of them",
                             .one_of = "what"});
  command.options.push_back(
      {.names = "--on", .target = &options->on, .help = "learn from all runs again", .one_of = "what"});
  command.options.push_back({.names = "--share",
                             .target = &options->share,
                             .help = "print the runs as rows of data/measured, for a pull request",
                             .one_of = "what"});
  add_set_option(command, job.set);
  add_price_options(command, job.prices, job.rates);
  add_config_flag(command, job.no_config);
  add_runs_options(command, job.runs);
  command.options.push_back({.names = "--as-of",
                             .target = &job.as_of,
                             .help = "use the market as it was known then",
                             .value = "YYYY-MM[-DD]"});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_calibrate>(command, options);
  return command;
}

}  // namespace gpuplan::cli
