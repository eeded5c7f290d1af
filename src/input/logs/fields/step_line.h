// One line of steps of any form, as the names of its numbers are read one by one.
#pragma once

#include <optional>
#include <string_view>

#include "input/logs/fields/fields.h"

namespace gpuplan {

struct StepLine {
  StepRecord record;
  double mean_time = scan::kUnknown;
  double some_time = scan::kUnknown;  ///< that may be the step's, or what all have taken
  bool after_epoch = false;           ///< the number before this one was that of an epoch
  bool rewards = false;               ///< it has names that only learning by rewards has
  bool fraction = false;              ///< a loss or time that is no whole number: code has whole ones
  double batch = scan::kUnknown, batches = scan::kUnknown;     ///< "Batch 50/938", which may be a size too
  double bracket = scan::kUnknown, brackets = scan::kUnknown;  ///< "[  10/125000]" of a line that names no step
  bool gpu_memory = false;                                     ///< "gpu mem", beside which "mem" is the host's
  bool steps_timed = false;                                    ///< the name of its time has "step" in it, or "iter"
  std::string_view loss_name{};                                ///< of the loss that the line tells
  double before = scan::kUnknown;                              ///< the number before this one
  std::optional<StepValue> whole_loss{};                       ///< a whole number stands where this loss does
  double loss_step = scan::kUnknown;                           ///< that number, which was the step
  double passes = 1;                                           ///< "iter 64 step 8": passes of a step
  bool step_is_iter = false;                                   ///< the step was told as "iter"
  bool unnamed_time = false;                                   ///< some_time stands without a name
  double train = scan::kUnknown, held_out = scan::kUnknown;    ///< "Train: 9.5, Val: 9.6"
  std::string_view time_name{};  ///< what this program calls the time of a step, whatever its unit; seconds without one
};

constexpr unsigned quantity_bit(StepValue quantity) { return 1U << static_cast<unsigned>(quantity); }

/// Words before a step or loss that say that it is of held-out data: "Validation at step 500: loss 3.2".
bool speaks_of_validation(std::string_view words);
/// Of several losses of a line or record the first counts, or the one that is called so alone: "Actor Loss: 0.01 |
/// Critic Loss: 0.2", "loss: 5.4 | average_loss: 5.7". `had`: the one before it; empty: none.
bool takes_loss(std::string_view had, std::string_view name);
/// All of the line to the end of the name, or what stands in its own part of it: "step 5 | eval loss".
std::string_view words_before(std::string_view text, std::string_view name, bool own_part);
/// The next number of the line.
void note_field(LogBook& book, StepLine& it, const LogField& field);
/// Of a line that does not name its step, by other counts on it.
void find_step(LogBook& book, StepLine& it, const LogLine& line, double bare_step);
/// Seconds since the run began by those of "| 45 s |", which may be that; NaN: they are not known to be. To be asked
/// before those of a step.
double seconds_of_run(LogFacts& facts, const StepLine& it);
/// Seconds of a step by those of "Time: 125 s" and "45 s", which may be all that passed since the line before; NaN:
/// they are not known to be.
double seconds_of_step(LogFacts& facts, const StepLine& it, const LogLine& line, double last_step);

}  // namespace gpuplan
