#include "evidence/own/measured.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/log/log_values.h"

namespace gpuplan {
namespace {

constexpr std::size_t kFewest = 5;  ///< values after the warm-up that a median is taken of

std::unexpected<Error> refused(std::string why) { return failure("not kept: " + std::move(why)); }

/// Values after the warm-up proper: where the log counts no steps, after as many values.
std::size_t settled(const Series& series) {
  const Points points = points_of(series);
  if (points.empty()) return 0;
  const double first = points.front().step;
  constexpr auto kWarm = static_cast<std::size_t>(kWarmUpSteps);
  if (!std::isfinite(first)) return points.size() - std::min(points.size(), kWarm);
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [&](const Series::Point& point) { return point.step >= first + kWarmUpSteps; }));
}

/// The series that the rate of training is taken from; null: there is none.
const Series* pace_of(const RunLog& log) {
  for (const Series* series : {&log.step_seconds, &log.tokens_per_second, &log.tokens_per_second_per_gpu})
    if (!series->empty()) return series;
  return nullptr;
}

/// A time that is not above zero, or steps that take longer than the whole run did.
std::string backward_clock(const RunCheck& check, const RunLog& log) {
  if (log.clock_back > 0) return "its clock goes backwards (line " + count_text(log.clock_back) + ")";
  for (const Series* series :
       {&log.step_seconds, &log.tokens_per_second, &log.tokens_per_second_per_gpu, &log.output_tokens_per_second})
    for (const Series::Point& point : series->points())
      if (point.value < 0 || (series == &log.step_seconds && point.value == 0))
        return "its clock goes backwards (line " + count_text(point.line) + ")";
  if (check.elapsed && *check.elapsed < Seconds{}) return "its clock goes backwards";
  const RunFigure* step = check.figure(Measured::kStepTime);
  constexpr double kDouble = 2;
  if (step != nullptr && check.elapsed && check.steps && check.restarts == 0 &&
      step->value * *check.steps > kDouble * check.elapsed->value)
    return "its clock contradicts itself: " + count_text(*check.steps) + " steps of " + to_text(Seconds{step->value}) +
           " in " + to_text(*check.elapsed);
  return "";
}

void set_memory(const RunLog& log, MeasuredRun& run) {
  const std::pair<LoggedMemory, MemoryKind> kinds[] = {{LoggedMemory::kReserved, MemoryKind::kReserved},
                                                       {LoggedMemory::kAllocated, MemoryKind::kAllocated},
                                                       {LoggedMemory::kDevice, MemoryKind::kDevice}};
  for (const auto& [logged, kind] : kinds) {
    const auto& peak = log.peak_memory[static_cast<std::size_t>(logged)];
    if (!peak || *peak <= Bytes{}) continue;
    run.memory = *peak;
    run.memory_kind = kind;
    return;
  }
}

Result<void> set_training(const RunCheck& check, const RunLog& log, const PhaseEstimate& planned, TrainingRun& run) {
  set_memory(log, run);
  const Series* pace = pace_of(log);
  const RunFigure* step = check.figure(Measured::kStepTime);
  const RunFigure* rate = check.figure(Measured::kThroughput);
  if (pace != nullptr && (step != nullptr || rate != nullptr)) {
    const std::size_t values = settled(*pace);
    if (values < kFewest)
      return refused("too few steps: " + count_of(static_cast<double>(values), "value") + " after the first " +
                     count_text(kWarmUpSteps) + " steps, which warm up; expected at least " + count_text(kFewest));
    const double tokens = planned.steps > 0 ? planned.tokens / planned.steps : 0;
    if (step != nullptr && step->value > 0) run.step = Seconds{step->value};
    else if (rate != nullptr && rate->value > 0 && tokens > 0) run.step = Seconds{tokens / rate->value};
  }
  if (!run.step && !run.memory)
    return refused("the log says neither the time of a step, nor tokens per second, nor peak memory");
  return {};
}

Result<void> set_generation(const RunCheck& check, const RunLog& log, const PhaseEstimate& planned,
                            GenerationRun& run) {
  const RunFigure* rate = check.figure(Measured::kThroughput);
  if (rate == nullptr || !(rate->value > 0)) return refused("the log says no tokens per second");
  if (log.output_tokens_per_second.count() > 0 && log.output_tokens_per_second.count() < kFewest)
    return refused("too few values of tokens per second: " +
                   count_text(static_cast<double>(log.output_tokens_per_second.count())) + "; expected at least " +
                   count_text(kFewest));
  // An engine logs what it generates itself.
  if (planned.strategy.dp > 1 && !(log.prompts && *log.prompts >= planned.units))
    return refused("the plan has " + count_text(planned.strategy.dp) +
                   " replicas, and the log does not show that it is of all of them");
  (run.mode == GenerationMode::kPrefill ? run.prefill_rate : run.output_rate) = TokensPerSecond{rate->value};
  return {};
}

}  // namespace

Result<void> set_measured(const RunCheck& check, const RunLog& log, const PhaseEstimate& planned, AnyRun& run) {
  if (!check.contradictions.empty()) return refused("the log is of another job: " + listed(check.contradictions));
  if (!check.reasons.empty()) return refused(join(check.reasons, "; "));
  if (!check.done)
    return refused("the run is not complete: step " + (check.steps ? count_text(*check.steps) : std::string("?")) +
                   " of " + count_text(check.planned_steps));
  if (std::string clock = backward_clock(check, log); !clock.empty()) return refused(std::move(clock));
  if (auto* training = std::get_if<TrainingRun>(&run)) return set_training(check, log, planned, *training);
  return set_generation(check, log, planned, std::get<GenerationRun>(run));
}

}  // namespace gpuplan
