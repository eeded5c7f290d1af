#include "evidence/check/run_check.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "base/text.h"
#include "evidence/check/serving_check.h"

namespace gpuplan {
namespace {

constexpr double kLow = 0.1, kHigh = 0.9;

/// Rates and times of steps that do nothing but train: without those with evaluations and checkpoints, as long as half
/// of them are left.
Points plain_steps(const Points& points, const std::vector<double>& every) {
  Points plain;
  for (const Series::Point& point : points) {
    const bool slow = std::ranges::any_of(
        every, [&](double steps) { return steps >= 2 && point.step > 0 && std::fmod(point.step, steps) == 0; });
    if (!slow) plain.push_back(point);
  }
  return 2 * plain.size() >= points.size() ? plain : points;
}

std::optional<RunFigure> rate_figure(Measured what, const Points& points, const CheckedRun& run) {
  const Points plain = plain_steps(after_warm_up(points), run.slow_steps_every);
  const auto middle = median_of(plain);
  if (!middle) return std::nullopt;
  return RunFigure{what, *middle, quantile_of(plain, kLow), quantile_of(plain, kHigh)};
}

template <class Amount>
std::optional<Interval<double>> bare(const std::optional<Interval<Amount>>& range) {
  if (!range) return std::nullopt;
  return Interval<double>{range->p10.value, range->p50.value, range->p90.value};
}

/// A part of the memory is as uncertain as the whole.
std::optional<Interval<double>> part_of(const std::optional<Interval<Bytes>>& whole, const std::optional<Bytes>& part) {
  if (!whole || !part || whole->p50 <= Bytes{}) return std::nullopt;
  return *bare(whole) * (*part / whole->p50);
}

void add_memory(const CheckedRun& run, std::vector<RunFigure>& figures) {
  const Expectation& expected = run.expected;
  const std::pair<LoggedMemory, Measured> kinds[] = {{LoggedMemory::kAllocated, Measured::kAllocated},
                                                     {LoggedMemory::kReserved, Measured::kReserved},
                                                     {LoggedMemory::kDevice, Measured::kDevice}};
  for (const auto& [kind, what] : kinds) {
    const auto& peak = run.log.peak_memory[static_cast<std::size_t>(kind)];
    if (!peak) continue;
    RunFigure figure{what, peak->value};
    figure.expected = kind == LoggedMemory::kAllocated  ? part_of(expected.memory, expected.allocated)
                      : kind == LoggedMemory::kReserved ? part_of(expected.memory, expected.reserved)
                                                        : bare(expected.memory);
    if (expected.usable) figure.of = expected.usable->value;
    figures.push_back(figure);
  }
}

std::vector<RunFigure> figures_of(const CheckedRun& run, const LogView& view) {
  std::vector<RunFigure> figures;
  if (auto figure = rate_figure(Measured::kThroughput, throughput_points(view), run)) {
    figure->expected = bare(run.expected.tokens_per_second);
    figures.push_back(*figure);
  }
  if (auto figure = rate_figure(Measured::kStepTime, step_points(view), run)) {
    figure->expected = bare(run.expected.seconds_per_step);
    figures.push_back(*figure);
  }
  std::ranges::move(latency_figures(run), std::back_inserter(figures));
  add_memory(run, figures);
  if (auto figure = rate_figure(Measured::kModelFlops, points_of(run.log.model_flops), run)) {
    if (run.peak) figure->of = run.peak->value;
    figures.push_back(*figure);
  }
  if (const auto figure = rate_figure(Measured::kGpuBusy, points_of(run.log.gpu_busy), run)) figures.push_back(*figure);
  return figures;
}

std::optional<SeriesSummary> story_of(const Series& series, bool falls) {
  if (series.empty()) return std::nullopt;
  const Points points = points_of(series);
  const Points settled = after_warm_up(points);
  SeriesSummary summary;
  summary.first = series.first().value;
  summary.end = end_of(points).value_or(summary.first);
  summary.median = median_of(settled).value_or(summary.end);
  summary.low = quantile_of(settled, kLow).value_or(summary.end);
  summary.high = quantile_of(settled, kHigh).value_or(summary.end);
  summary.least = series.least();
  summary.most = series.most();
  summary.count = series.count();
  if (falls) summary.fall = fall_of(points);
  return summary;
}

/// Steps from one line of the log to the next; 1: the log counts every step.
double interval_of(const RunLog& log) {
  if (log.every_step_counted) return 1;
  std::optional<double> least;
  for (const Series* series : {&log.loss, &log.step_seconds, &log.tokens_per_second, &log.tokens_per_second_per_gpu}) {
    const double span = series->last().step - series->first().step;
    if (series->count() < 2 || !(span > 0)) continue;
    const double interval = std::max(1.0, span / static_cast<double>(series->count() - 1));
    least = std::min(interval, least.value_or(interval));
  }
  return least.value_or(1);
}

/// The first of `planned` steps is called 0, and the last one less than their number. nanoGPT does one step more.
bool counts_from_zero(const RunLog& log) {
  if (log.every_step_counted) return false;
  const LogFormat format = log.formats.empty() ? LogFormat::kWandb : log.formats.front();
  if (format == LogFormat::kNanogpt) return false;
  if (format == LogFormat::kNanochat || format == LogFormat::kLightning) return true;
  const Series& series = log.loss.empty() ? log.step_seconds : log.loss;
  return !series.empty() && series.first().step == 0;
}

/// Steps that may have come after the last line: a log says something every few steps.
double slack_of(const RunLog& log, double planned) {
  constexpr double kMostBetween = 0.1;  // of all steps: longer pauses between lines prove nothing
  return std::min(interval_of(log), std::max(1.0, kMostBetween * planned));
}

/// The step of the log's own plan where that is as good as the job's, which may follow from lengths of samples.
double steps_to_do(const CheckedRun& run) {
  const double own = run.log.planned_steps.value_or(0);
  if (run.expected.steps <= 0 || own <= 0) return run.expected.steps;
  if (run.log.every_step_counted) return run.exact_steps ? std::max(own, run.expected.steps) : own;
  return run.exact_steps ? run.expected.steps : own;
}

/// The last step is among those done.
bool last_step_done(const CheckedRun& run) {
  const double planned = steps_to_do(run);
  if (!run.log.last_step || planned <= 0) return false;
  return *run.log.last_step + (counts_from_zero(run.log) ? 1 : 0) >= planned;
}

/// The line after the last one would be of a step that is not planned.
bool all_steps(const CheckedRun& run) {
  const double planned = steps_to_do(run);
  if (!run.log.last_step || planned <= 0) return false;
  if (last_step_done(run)) return true;
  if (run.log.every_step_counted) return false;
  const double next = *run.log.last_step + slack_of(run.log, planned);
  return counts_from_zero(run.log) ? next >= planned : next > planned;
}

bool is_memory(const LogEvent& event) { return event.kind == LogEvent::Kind::kOutOfMemory; }

/// What can end a run: an error, no memory, or being stopped to be started again.
bool may_end(const LogEvent& event) {
  return event.kind == LogEvent::Kind::kError || is_memory(event) || event.kind == LogEvent::Kind::kRestart;
}

/// Work went on after it. Lines of two files are not in one order: an error in a file without work (stderr beside
/// stdout) is got over when the same file tells of a new start; being stopped, when any file does. That steps came
/// again is a new start itself.
bool got_over(const RunLog& log, const LogEvent& ended) {
  const auto restarted = [](const LogEvent& one) { return one.kind == LogEvent::Kind::kRestart; };
  const auto work = std::ranges::find(log.work, ended.file, &LogPlace::file);
  if (work != log.work.end()) {
    if (work->file != log.work.back().file) return true;
    return restarted(ended) ? ended.line <= work->line : ended.line < work->line;
  }
  if (restarted(ended) && !ended.stopped) return true;
  return std::ranges::any_of(log.events, [&](const LogEvent& one) {
    if (!restarted(one)) return false;
    return one.file == ended.file ? one.line > ended.line : ended.stopped && !one.stopped;
  });
}

/// What the run ended with: the last that nothing came after, or that it was out of memory. Null: with nothing.
const LogEvent* what_ended(const RunLog& log) {
  const LogEvent* last = nullptr;
  for (const LogEvent& event : log.events) {
    if (!may_end(event) || got_over(log, event)) continue;
    // What starts the program says only that it ended.
    if (last != nullptr && is_memory(*last) && !is_memory(event)) continue;
    const bool later = last == nullptr || std::pair(event.file, event.line) > std::pair(last->file, last->line);
    if (later || (is_memory(event) && !is_memory(*last))) last = &event;
  }
  return last;
}

std::string end_words(const LogEvent& ended, bool several_files) {
  const std::string place = place_of(ended, several_files);
  if (is_memory(ended)) return "it ran out of memory " + place;
  const bool stopped = ended.kind == LogEvent::Kind::kRestart;
  return (stopped ? "it was stopped and not restarted, " : "it ended with an error ") + place + ": " + ended.text;
}

/// Of generation. Programs that only the job's own metrics know say nothing that could be looked for.
bool generation_ended(const RunLog& log) {
  if (log.generated) return true;
  if (log.prompts) return *log.prompts_done >= *log.prompts;
  if (std::ranges::find(log.formats, LogFormat::kVllm) != log.formats.end()) return false;
  return std::ranges::any_of(log.metrics, [](const auto& metric) { return !metric.second.empty(); });
}

/// Whether it learns by rewards or preferences: those losses are none of a language model, and lie around zero.
bool rewarded(const CheckedRun& run) {
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  return run.log.rewards || (train != nullptr && train->objective != Objective::kNextToken);
}

/// A loss below zero where the phase trains a language model: its cross-entropy cannot be that, and a gate such as
/// `loss < 3` would open. A job whose loss is another one reads it by a metric of that name.
std::string impossible_loss(const CheckedRun& run) {
  constexpr double kRounding = 1e-3;
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  if (train == nullptr || train->models.empty() || train->models.front().custom ||
      train->models.front().shape.kind != ModelKind::kDecoder || rewarded(run))
    return "";
  if (std::ranges::any_of(run.log.metrics, [](const auto& metric) { return metric.first == "loss"; })) return "";
  for (const Series* series : {&run.log.loss, &run.log.validation})
    if (!series->empty() && series->least() < -kRounding)
      return "the loss is below zero (" + significant_text(series->least(), 4) +
             "), which a cross-entropy cannot be: stages of a pipeline before the last print such numbers, so check "
             "the "
             "log of the last stage; of another loss, read it by metrics: {loss: ...}";
  if (const auto end = end_of(points_of(run.log.loss)); end && *end == 0)
    return "the loss is exactly 0 at the end, which a cross-entropy of text is not: no token of the batches has a "
           "label, "
           "or the loss has overflowed; of another loss, read it by metrics: {loss: ...}";
  return "";
}

/// All steps are done and nothing tells what they came to. Logs with conditions on numbers of the job's own do.
bool no_loss(const CheckedRun& run, const RunCheck& check) {
  const RunLog& log = run.log;
  const auto* train = std::get_if<TrainPhase>(&run.phase.work);
  if (train == nullptr || train->models.empty()) return false;  // a log by itself
  return check.planned_steps > 0 && check.done && check.steps && log.loss.empty() && log.validation.empty() &&
         std::ranges::all_of(log.metrics, [](const auto& metric) { return metric.second.empty(); });
}

/// Why a run that ended is not passed, whatever its conditions say.
void find_reasons(const CheckedRun& run, RunCheck& check) {
  const RunLog& log = run.log;
  if (check.planned_steps > 0 && !check.steps && log.loss.empty() && !log.finished)
    check.reasons.emplace_back("the log has no training steps");
  if (log.end_skipped)
    check.reasons.push_back("the optimizer skipped most of the last steps, so that they have no loss (" +
                            count_text(log.skipped_steps) + " skipped in all): their gradients were not finite");
  else if (check.loss && !std::isfinite(check.loss->end))
    check.reasons.emplace_back("the loss is not a number at the end");
  else if (check.grad_norm && !std::isfinite(log.grad_norm.last().value))
    check.reasons.emplace_back("the gradient norm is not a number at the end");
  if (no_loss(run, check))
    check.reasons.emplace_back(
        "the log has steps, but no loss: whether they trained anything it does not say; --map loss=NAME or the job's "
        "metrics: {loss: ...} read it under another name");
  if (std::string words = impossible_loss(run); !words.empty()) check.reasons.push_back(std::move(words));
  // Steps that follow from lengths of samples are about as many as planned.
  constexpr double kAbout = 0.8, kSlackOfEpochs = 0.02;
  const double fewest = check.planned_steps * (run.exact_steps ? 1 : kAbout);
  if (log.finished && check.steps && *check.steps + slack_of(log, fewest) < fewest && check.contradictions.empty())
    check.reasons.push_back("training ended at step " + count_text(*check.steps) + " of " +
                            count_text(check.planned_steps));
  // Of steps that the log does not number, the epochs that it names or the time that they took.
  if (log.finished && !check.steps && check.contradictions.empty()) {
    const auto* train = std::get_if<TrainPhase>(&run.phase.work);
    const double epochs = train != nullptr && !train->steps ? train->epochs.value_or(0) : 0;
    if (log.most_steps && *log.most_steps < fewest * (1 - kSlackOfEpochs))
      check.reasons.push_back("training ended after at most " + count_text(*log.most_steps) + " of " +
                              count_text(check.planned_steps) + " steps");
    else if (epochs > 0 && log.epoch && *log.epoch < epochs * (1 - kSlackOfEpochs))
      check.reasons.push_back("training ended at epoch " + significant_text(*log.epoch, 3) + " of " +
                              significant_text(epochs, 3));
  }
  if (check.open_end) {
    std::string words = "the log does not show that it finished";
    if (log.prompts)
      words += " (" + count_text(*log.prompts_done) + " of " + count_text(*log.prompts) + " prompts are done)";
    check.reasons.push_back(std::move(words));
  }
  if (const LogEvent* ended = what_ended(log))
    check.reasons.push_back(end_words(*ended, ended->file > 0 || (!log.work.empty() && log.work.back().file > 0)));
}

Verdict verdict_of(const RunCheck& check) {
  if (!check.contradictions.empty() || !check.reasons.empty()) return Verdict::kNotPassed;
  if (check.planned_steps > 0 && !check.done) return Verdict::kRunning;
  const bool all = std::ranges::all_of(check.conditions, [](const Judgement& one) { return one.holds == Holds::kYes; });
  return all ? Verdict::kPassed : Verdict::kNotPassed;
}

}  // namespace

Agreement RunFigure::agreement() const {
  if (!expected) return Agreement::kNoPrediction;
  if (value < expected->p10) return Agreement::kBelow;
  return value > expected->p90 ? Agreement::kAbove : Agreement::kInside;
}

std::optional<double> RunFigure::ratio() const {
  if (!expected || !(expected->p50 > 0)) return std::nullopt;
  return value / expected->p50;
}

const RunFigure* RunCheck::figure(Measured what) const {
  const auto found = std::ranges::find(figures, what, &RunFigure::what);
  return found == figures.end() ? nullptr : &*found;
}

std::string place_of(const LogEvent& event, bool several_files) {
  std::string text = "in line " + count_text(event.line);
  if (several_files) text += " of file " + count_text(event.file + 1.0);
  return text;
}

const LogEvent* last_event(const RunLog& log, LogEvent::Kind kind) {
  const LogEvent* last = nullptr;
  for (const LogEvent& event : log.events)
    if (event.kind == kind) last = &event;
  return last;
}

std::uint64_t count_of(const RunLog& log, LogEvent::Kind kind) {
  return log.event_counts[static_cast<std::size_t>(kind)];
}

RunCheck check_run(const CheckedRun& run) {
  const RunLog& log = run.log;
  const LogView view{log, run.expected.gpus, run.expected.tokens_per_step};
  RunCheck check;
  check.contradictions = contradictions(run);
  check.steps = log.last_step;
  check.planned_steps = run.expected.steps;
  check.all_steps = all_steps(run);
  const bool generation = std::holds_alternative<GeneratePhase>(run.phase.work);
  check.open_end = generation && check.contradictions.empty() && !generation_ended(log);
  check.done = log.finished || check.all_steps || (generation && !check.open_end);
  check.surely_done = log.finished || last_step_done(run) || (generation && !check.open_end);
  check.elapsed = log.run_time ? log.run_time : log.elapsed;
  check.restarts = count_of(log, LogEvent::Kind::kRestart);
  check.bad_losses = count_of(log, LogEvent::Kind::kNotFinite);
  check.out_of_memory = count_of(log, LogEvent::Kind::kOutOfMemory);
  check.errors = count_of(log, LogEvent::Kind::kError);
  check.figures = figures_of(run, view);
  check.loss = story_of(log.loss, !log.rewards);  // of rewards it need not fall, and jumps with them
  check.validation = story_of(log.validation, true);
  if (check.validation) check.validation->end = log.validation.last().value;
  check.grad_norm = story_of(log.grad_norm, false);
  check.conditions = run.conditions.judge(view);
  std::ranges::move(judge_target(run, check.figures), std::back_inserter(check.conditions));
  check.metrics = run.conditions.metrics(view);
  find_reasons(run, check);
  check.verdict = verdict_of(check);
  check.projection = project(run, check);
  return check;
}

}  // namespace gpuplan
