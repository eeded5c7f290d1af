// Which numbers of lines are steps of the run, and what was taken for such and is none.
#include <cmath>

#include "input/logs/book/book.h"

namespace gpuplan {

/// Steps that are counted in epochs become steps of the run.
void LogBook::place_in_run(LogFormat format, StepRecord& record) {
  double planned = record.of;
  if (!record.of_run && !std::isnan(record.step)) {
    const bool any_form = format == LogFormat::kFields || format == LogFormat::kTrainerOutput;
    if (any_form && std::isnan(record.epoch)) {
      record.epoch = facts.epoch;
      if (std::isnan(record.epochs)) record.epochs = facts.epochs_told;
    }
    if (!any_form && std::isnan(record.epoch) && std::isnan(record.of)) return;
    EpochSteps& epochs = segment(format).epochs;
    // Programs that are known and name no epochs were run again when their steps begin anew.
    const bool begins = hello_ || log.finished || !any_form;
    record.step = epochs.count({record.step, record.of, record.epoch, record.epochs, record.of_epoch}, begins);
    planned = epochs.planned();
  }
  if (format == LogFormat::kFields && !step_owner_) planned_before_ = log.planned_steps;
  if (!(record.of > 0) || (step_owner_ && *step_owner_ != format && steps_trained_)) return;
  log.planned_steps = std::isnan(planned) ? std::nullopt : std::optional(planned);
}

void LogBook::forget_other_ranks(LogFormat format, double step) {
  Segment& now = segment(format);
  if (!(now.step >= step)) return;
  now = {};
  if (step_owner_ == format) forget_reached();
  for (std::size_t i = 0; i < kSeries; ++i)
    if (owners_[i] == format) series(static_cast<StepValue>(i)).rewind(step);
}

void LogBook::forget_steps(LogFormat format) {
  segment(format) = {};
  if (step_owner_ == format) forget_reached();
  if (owners_[static_cast<std::size_t>(StepValue::kStepSeconds)] != format) return;
  log.step_seconds.clear();
  time_source_ = TimeSource::kNone;
}

/// What lines of any form said of steps, before the program's own came, was told by something that it wrote beside.
void LogBook::give_way(double step) {
  if (step_owner_ != LogFormat::kFields) return;
  // What comes to the same step counts the same steps.
  const bool same = log.last_step && std::abs(*log.last_step - step) <= 1;
  segment(LogFormat::kFields) = {};
  forget_reached();
  step_owner_.reset();
  steps_trained_ = false;
  if (!same) log.planned_steps = planned_before_;
  log.every_step_counted = false;
  facts.bar_total.reset();
}

std::optional<LogFormat> LogBook::told_by() const {
  const auto& losses = owners_[static_cast<std::size_t>(StepValue::kLoss)];
  return step_owner_ || losses == LogFormat::kFields ? step_owner_ : losses;
}

void LogBook::forget_reached() {
  log.last_step.reset();
  log.first_step.reset();
}

void LogBook::benchmarks_server() {
  facts.serving_benchmark = log.benchmark = true;
  constexpr LogFormat kBarsOfOne = LogFormat::kTrainerOutput;
  if (step_owner_ != kBarsOfOne || !log.last_step || !log.loss.empty()) return;
  if (log.planned_steps) prompts(*log.last_step, *log.planned_steps);
  forget_steps(kBarsOfOne);
  step_owner_.reset();
  log.planned_steps.reset();
  log.every_step_counted = false;
  records_[static_cast<std::size_t>(kBarsOfOne)] = {};
}

}  // namespace gpuplan
