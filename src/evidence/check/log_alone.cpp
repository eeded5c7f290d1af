#include "evidence/check/log_alone.h"

#include "base/whole.h"
#include "evidence/conditions/log_quantity.h"

namespace gpuplan {

RunCheck check_alone(const RunLog& log) {
  Expectation expected;
  expected.steps = log.planned_steps.value_or(0);
  expected.tokens_per_step = log.tokens_per_step.value_or(0);
  constexpr double kMostGpus = 1e6;
  if (const double gpus = log.processes.value_or(0); gpus >= 1 && gpus <= kMostGpus) expected.gpus = whole<int>(gpus);
  Phase phase;
  if (!log.output_tokens_per_second.empty() && log.loss.empty()) phase.work = GeneratePhase{};
  const PhaseConditions conditions;
  const CheckedRun run{.expected = expected,
                       .phase = phase,
                       .conditions = conditions,
                       .log = log,
                       .gpu = {},
                       .exact_steps = expected.steps > 0};
  RunCheck check = check_run(run);
  check.contradictions.clear();
  // The pace of the steps so far stands for a prediction, so that what is left follows from it alone.
  const LogView view{log, expected.gpus, expected.tokens_per_step};
  if (const auto mean = mean_of(after_warm_up(step_points(view)))) {
    const Seconds step{*mean};
    expected.seconds_per_step = Interval<Seconds>{step, step, step};
    expected.hours.p50 = step * expected.steps;
    check.projection = project(run, check);
  }
  return check;
}

}  // namespace gpuplan
