// gpuplan check LOG --job JOB: a run's log against the plan; the gate between phases.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "api/runs/check.h"
#include "api/traces/trace.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/io/growing_file.h"
#include "cli/io/on_signal.h"
#include "cli/io/read_file.h"
#include "cli/load/job_options.h"
#include "cli/load/keep_run.h"
#include "cli/load/load_job.h"
#include "cli/load/read_logs.h"
#include "cli/load/read_trace.h"
#include "cli/options/common_options.h"
#include "output/runs/calibrate_report.h"
#include "output/runs/check_report.h"
#include "output/runs/log_report.h"
#include "output/runs/trace_report.h"
#include "output/text/table.h"

namespace gpuplan::cli {
namespace {

struct CheckArguments {
  Common common;
  JobOptions job;
  std::string plan;   ///< id, or file of a kept plan; empty: the pick
  std::string phase;  ///< empty: the one that the log is of
  std::vector<std::string> logs;
  bool follow = false;
  bool keep = false;    ///< as an own run
  bool format = false;  ///< say which lines were read
  std::string names;    ///< "loss=objective,step=batch"

  /// Nothing to hold the log against was named.
  bool alone() const { return job.job.empty() && plan.empty() && phase.empty() && !follow && !keep; }
};

/// Milliseconds between looking for more, and nanoseconds in which nothing may come before a run counts as ended.
constexpr int kPause = 500;
constexpr std::int64_t kQuiet = 10'000'000'000;

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }

int code_of(Verdict verdict) { return verdict == Verdict::kPassed ? kDone : kCheckFailed; }

Result<api::CheckAnswer> answered(const api::CheckQuestion& question, const RunLog& log, bool final,
                                  const CheckArguments& options) {
  auto answer = question.answer(log, final);
  if (answer) answer->files = shown_names(options.logs);
  return answer;
}

int tell(System& system, const api::CheckAnswer& answer, const CheckArguments& options) {
  const CheckReport report = answer.report();
  return deliver_form(
      system, options.common, code_of(answer.check.verdict),
      [&](const Screen& screen) { return check_text(report, screen, options.common.details); },
      [&] { return check_json(report); }, [&] { return check_csv(report); });
}

int say_nothing_fits(System& system, const api::CheckQuestion& question, const CheckArguments& options) {
  return deliver_form(
      system, options.common, kNothingFits,
      [&](const Screen& screen) {
        std::string text;
        for (const std::string& line : question.nothing_fits()) text += paragraph(line, screen, 0, 0);
        return text;
      },
      [&] { return question.nothing_fits_json(); },
      [&] {
        for (const std::string& line : question.nothing_fits()) say(system, "gpuplan: " + line);
        return std::string();
      });
}

/// Logs that grow. One is read on from where it ended; of several, all are read again when one has grown.
class Follower {
 public:
  Follower(System& system, const CheckArguments& options, const api::CheckQuestion& question)
      : system_(system), options_(options), question_(question) {}

  int run() {
    interrupted = 0;
    const OnSignal signals({SIGINT, SIGTERM}, interrupt);
    auto reader = LogReader::make(question_.metrics(), {.names = options_.names});
    if (!reader) return complain(system_, reader.error());
    reader_ = std::make_unique<LogReader>(*std::move(reader));
    for (const std::string& name : options_.logs) files_.push_back(system_.growing_file(name));
    if (!several() && !files_.empty()) reader_->name_file(files_.front()->name());
    quiet_since_ = system_.now();
    while (interrupted == 0) {
      const auto grown = read_more();
      if (!grown) return complain(system_, grown.error());
      if (*grown) {
        quiet_since_ = system_.now();
        if (const auto told = tell_progress(); !told) return complain(system_, told.error());
      }
      if (has_ended()) break;
      if (!*grown) system_.sleep(kPause);
    }
    return finish();
  }

 private:
  const RunLog& log() { return several() ? again_ : reader_->log(); }
  bool several() const { return files_.size() > 1; }

  /// Opens what is there by now.
  Result<void> open_files() {
    for (const auto& file : files_) {
      if (file->is_open()) continue;
      if (const auto open = file->open(); !open) {
        if (!open.error().message.starts_with(
                unreadable_words(std::make_error_code(std::errc::no_such_file_or_directory))))
          return std::unexpected(open.error());
        if (std::ranges::find(waits_for_, file->name()) != waits_for_.end()) continue;
        say(system_, "gpuplan: waiting for " + printable(file->name(), 80));
        waits_for_.push_back(file->name());
      }
    }
    return {};
  }

  /// What is not there yet (the samples of GPUs, beside a log) holds up nothing.
  Result<bool> read_more() {
    if (const auto open = open_files(); !open) return std::unexpected(open.error());
    bool grown = false;
    std::vector<std::string> there;
    for (const auto& file : files_) {
      if (!file->is_open()) continue;
      there.push_back(file->name());
      if (file->starts_anew()) {
        say(system_,
            "gpuplan: " + printable(file->name(), 80) + " was truncated or replaced; reading it from its start");
        if (!several()) {
          reader_->next_file();
          reader_->name_file(file->name());
        }
        grown = true;
      }
      for (;;) {
        const auto piece = file->read(kPause);
        if (!piece) return std::unexpected(piece.error());
        if (piece->empty()) break;
        grown = true;
        if (!several()) reader_->feed(*piece);
        if (interrupted != 0) break;
      }
    }
    if (!grown || !several()) return grown;
    auto log = read_logs(system_, there, question_.metrics(), &interrupted, {.names = options_.names});
    if (!log) return std::unexpected(std::move(log.error()));
    again_ = *std::move(log);
    return true;
  }

  /// A line when something has changed that is worth one.
  Result<void> tell_progress() {
    if (!api::is_known(log())) return {};
    const auto answer = answered(question_, log(), false, options_);
    if (!answer) {
      if (!log().planned_steps) return {};  // which phase it is, its first lines may not tell
      return std::unexpected(answer.error());
    }
    const RunCheck& check = answer->check;
    done_ = check.surely_done;
    broken_ = check.reasons.size() > (check.open_end ? 1U : 0U) || !check.contradictions.empty();
    std::string state(name_of(check.verdict));
    for (const Judgement& one : check.conditions) state += static_cast<char>('0' + static_cast<int>(one.holds));
    for (const std::uint64_t count : {check.out_of_memory, check.bad_losses, check.errors, check.restarts})
      state += ' ' + std::to_string(count);
    constexpr double kShare = 0.02;  // of all steps
    const double steps = check.steps.value_or(0);
    const bool further = steps >= told_steps_ + std::max(1.0, kShare * check.planned_steps) || steps < told_steps_;
    if (state == told_state_ && !further) return {};
    told_state_ = std::move(state);
    told_steps_ = steps;
    say(system_, progress_words(answer->report()));
    return {};
  }

  bool has_ended() {
    if (files_.empty() || !files_.front()->is_open()) return false;
    if (std::ranges::all_of(files_, [](const auto& file) { return file->ended() || !file->is_open(); })) return true;
    if (log().finished && done_) return true;
    return (done_ || broken_) && system_.now() - quiet_since_ > kQuiet;
  }

  int finish() {
    for (const auto& file : files_)
      if (!file->is_open() && several()) say(system_, "gpuplan: " + printable(file->name(), 80) + " never appeared");
    Result<RunLog> log = several() ? Result<RunLog>(std::move(again_)) : reader_->finish();
    if (!log) return complain(system_, log.error());
    if (interrupted != 0 && !api::is_known(*log)) return kInterrupted;
    if (const auto known = api::check_known(*log, shown_names(options_.logs)); !known)
      return complain(system_, known.error());
    const auto answer = answered(question_, *log, true, options_);
    if (!answer) return interrupted != 0 ? static_cast<int>(kInterrupted) : complain(system_, answer.error());
    const int code = tell(system_, *answer, options_);
    return interrupted != 0 ? static_cast<int>(kInterrupted) : code;
  }

  System& system_;
  const CheckArguments& options_;
  const api::CheckQuestion& question_;
  std::unique_ptr<LogReader> reader_;
  std::vector<std::unique_ptr<GrowingFile>> files_;
  RunLog again_;                        ///< of several files
  std::vector<std::string> waits_for_;  ///< files that were not there, said
  bool done_ = false, broken_ = false;
  std::string told_state_;
  double told_steps_ = -1;
  std::int64_t quiet_since_ = 0;
};

Result<void> good_check_options(const CheckArguments& options) {
  const auto is_input = [](const std::string& name) { return name == "-"; };
  const auto from_input = std::ranges::count_if(options.logs, is_input) + (is_input(options.job.job) ? 1 : 0) +
                          (is_input(options.plan) ? 1 : 0);
  if (from_input > 1) return wrong_use("'-' (standard input) can be used only once, for the log, the job or the plan");
  if (options.keep && options.follow)
    return wrong_use("--keep and --follow cannot be combined; keep the run when it is done");
  if (options.format && !options.alone())
    return wrong_use("--format says what a log holds, without a job; leave --job and --plan out");
  if (!options.names.empty())
    if (const auto names = LogReader::make({}, {.names = options.names}); !names)
      return wrong_use(names.error().message);
  if (std::ranges::any_of(options.logs, &std::string::empty))
    return wrong_use("the name of the log is empty; give a file, or - for standard input");
  return {};
}

/// `found_now`: a kept plan is looked up among those found now.
Result<api::CheckQuestion> read_check(System& system, const CheckArguments& options, const Catalogue& catalogue,
                                      bool found_now) {
  auto plan = read_asked_plan(system, options.plan);
  if (!plan) return std::unexpected(std::move(plan.error()));
  const auto request = read_request(system, options.job, catalogue);
  if (!request) return std::unexpected(request.error());
  return api::CheckQuestion::read(*request, {*std::move(plan), options.phase, found_now}, catalogue);
}

/// Keeps the run and says on stderr what was learned; the verdict stays what it is.
void keep(System& system, const api::CheckAnswer& answer, const Catalogue& catalogue, const CheckArguments& options) {
  const auto kept = keep_run(system, answer, catalogue, options.job.runs, options.common.data_folder);
  if (!kept) {
    complain(system, kept.error());
    return;
  }
  const std::string text =
      kept->already ? already_words(*kept) + "\n" : calibrate_text(kept->report(), {.columns = 1000, .colour = false});
  for (const std::string_view line : split(text, '\n'))
    if (!line.empty()) say(system, line);
}

int tell_trace(System& system, const api::TraceAnswer& answer, const CheckArguments& options) {
  const TraceReport report = answer.report();
  return deliver_form(
      system, options.common, kDone, [&](const Screen& screen) { return trace_text(report, screen); },
      [&] { return trace_json(report); }, [&] { return trace_csv(report); });
}

/// What GPUs did, by a profiler; with a job beside what its plan expects of a step.
int run_trace(System& system, const CheckArguments& options) {
  const std::string& name = options.logs.front();
  if (options.logs.size() > 1 || options.keep || options.format || !options.names.empty())
    return complain(system, wrong_use("a profiler's trace is read by itself: gpuplan check " + printable(name, 80) +
                                      ", without other files, --keep, --format and --map")
                                .error());
  if (options.alone()) {
    auto trace = read_trace_file(system, name);
    if (!trace) return complain(system, trace.error());
    return tell_trace(system, api::answer_trace(*std::move(trace), shown_name(name)), options);
  }
  const auto catalogue = load_learned(system, options.common.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  const auto question = read_check(system, options, *catalogue, true);
  if (!question) return complain(system, question.error());
  if (!question->nothing_fits().empty()) return say_nothing_fits(system, *question, options);
  auto trace = read_trace_file(system, name);
  if (!trace) return complain(system, trace.error());
  const auto answer = api::answer_trace(*question, *std::move(trace), shown_name(name));
  if (!answer) return complain(system, answer.error());
  return tell_trace(system, *answer, options);
}

/// Without a job: what the log holds.
int run_alone(System& system, const CheckArguments& options) {
  auto log = read_logs(system, options.logs, {}, &interrupted, {.names = options.names, .columns = options.format});
  if (!log) return complain(system, log.error());
  const auto answer = api::answer_alone(*std::move(log), shown_names(options.logs), options.format);
  if (!answer) return complain(system, answer.error());
  const LogReport report = answer->report(options.format);
  return deliver_form(
      system, options.common, kDone, [&](const Screen& screen) { return log_text(report, screen); },
      [&] { return log_json(report); }, [&] { return log_csv(report); });
}

int run_check(System& system, const CheckArguments& options) {
  if (const auto good = good_check_options(options); !good) return complain(system, good.error());
  if (!options.follow && !options.logs.empty() && is_trace_file(system, options.logs.front()))
    return run_trace(system, options);
  if (options.alone()) return run_alone(system, options);
  const auto catalogue = load_learned(system, options.common.data_folder, options.job.runs);
  if (!catalogue) return complain(system, catalogue.error());
  const auto question = read_check(system, options, *catalogue, options.keep);
  if (!question) return complain(system, question.error());
  if (!question->nothing_fits().empty()) return say_nothing_fits(system, *question, options);
  if (options.follow) return Follower(system, options, *question).run();
  const auto log = read_logs(system, options.logs, question->metrics(), &interrupted, {.names = options.names});
  if (!log) return complain(system, log.error());
  if (const auto known = api::check_known(*log, shown_names(options.logs)); !known)
    return complain(system, known.error());
  const auto answer = answered(*question, *log, true, options);
  if (!answer) return complain(system, answer.error());
  const int code = tell(system, *answer, options);
  if (options.keep) keep(system, *answer, *catalogue, options);
  return code;
}

constexpr const char* kCheckNotes =
    "What is read: logs of nanochat, nanoGPT, modded-nanogpt, llm.c, LLMQ, torchtitan, torchtune, Megatron-LM, NeMo,\n"
    "DeepSpeed, LitGPT, Composer and Hugging Face Trainer (also its trainer_state.json), progress bars, Lightning and "
    "W&B\n"
    "CSV, tables of steps (CSV, TSV), TensorBoard event files, nvidia-smi CSV, DCGM, vLLM, SGLang, and lines such as\n"
    "\"step 10 | loss 3.1 | 57 ms\"; plain or gzip. The format is detected; --format says what was read from which "
    "lines.\n"
    "Several files are merged, such as a log and the CSV of nvidia-smi. Without --job and --plan, check says what the "
    "log\n"
    "holds (exit code 0). A trace of the PyTorch profiler (*.pt.trace.json, also gzip) or of Nsight Systems (SQLite) "
    "is\n"
    "read by itself: time of a step, shares of kernels, communication, idle; with --job beside what the plan "
    "expects.\n"
    "\nHow to read the result (docs/check.md has every definition):\n"
    "  CRITERION      the job's success criteria for the phase (succeed_when); one that the log cannot decide (?)\n    "
    "             counts as failed\n"
    "  MEASURED       rates and times: median after the warm-up; memory: peak\n"
    "  IN RANGE       within the predicted 80% range; does not affect the exit code\n"
    "  at this pace   when the phase will be done and what it will cost at the speed so far\n"
    "\nExit codes: 0 the run is complete and meets every criterion; 6 it does not (also while it is running, and "
    "for\nthe log of another job); 3 no plan fits the job; 5 the log cannot be read.\n";

}  // namespace

CommandSpec check_command() {
  auto options = std::make_shared<CheckArguments>();
  CommandSpec command{.name = "check",
                      .summary = "compare a run's log with its plan; exit code for CI",
                      .examples =
                          "  gpuplan check run.log --job examples/trm-nanochat.yaml --phase validate\n"
                          "  gpuplan check run.log\n"
                          "  gpuplan check run.log --map loss=objective,step=batch_idx\n"
                          "  gpuplan check run.log gpus.csv --plan plan.json\n"
                          "  gpuplan check trainer_state.json --job job.yaml --json\n"
                          "  torchrun train.py 2>&1 | tee run.log | gpuplan check - --job job.yaml --follow\n",
                      .notes = kCheckNotes};
  command.words = {{.names = "log",
                    .target = &options->logs,
                    .help = "log of the run, or - for standard input; several are merged",
                    .value = "LOG...",
                    .completes = Completes::kFiles,
                    .required = true}};
  JobOptions& job = options->job;
  command.options.push_back({.names = "--job",
                             .target = &job.job,
                             .help = "the job that the log belongs to; a saved plan contains it",
                             .value = "JOB",
                             .completes = Completes::kFiles});
  command.options.push_back(
      {.names = "--plan",
       .target = &options->plan,
       .help = "plan to compare with: an id from gpuplan plan --json, or a file saved with gpuplan plan -o plan.json "
               "(default: the plan for the GPUs in the log, else the recommended one)",
       .value = "ID|FILE",
       .completes = Completes::kFiles});
  command.options.push_back({.names = "--phase",
                             .target = &options->phase,
                             .help = "phase that the log belongs to (default: detected)",
                             .value = "PHASE"});
  command.options.push_back({.names = "--follow",
                             .target = &options->follow,
                             .help = "follow the log as it grows: a line on stderr for each change, the result when "
                                     "the run is done (or on interrupt, exit code 130)"});
  command.options.push_back({.names = "--format",
                             .target = &options->format,
                             .help = "without a job: also list the formats that were recognized, by line, and the "
                                     "names with numbers"});
  command.options.push_back({.names = "--map",
                             .target = &options->names,
                             .help = "read a log in another form by its own names, such as loss=objective,step=batch",
                             .value = "QUANTITY=NAME,..."});
  command.options.push_back({.names = "--keep",
                             .target = &options->keep,
                             .help = "keep the run, so that predictions learn from it (gpuplan calibrate)"});
  add_set_option(command, job.set);
  add_price_options(command, job.prices, job.rates);
  add_config_flag(command, job.no_config);
  add_runs_options(command, job.runs);
  command.options.push_back({.names = "--ignore",
                             .target = &job.ignore,
                             .help = "given: compare with predictions, not with your own figures",
                             .value = "given",
                             .choices = {"given"}});
  command.options.push_back({.names = "--as-of",
                             .target = &job.as_of,
                             .help = "use the market as it was known then",
                             .value = "YYYY-MM[-DD]"});
  add_details_flag(command, options->common);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_check>(command, options);
  return command;
}

}  // namespace gpuplan::cli
