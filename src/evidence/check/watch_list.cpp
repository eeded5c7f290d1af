#include "evidence/check/watch_list.h"

#include "base/amount.h"
#include "base/text.h"
#include "evidence/check/signs.h"

namespace gpuplan {
namespace {

std::string share_words(double of) { return significant_text(of * 100, 2) + "%"; }

template <class T>
std::string planned_range(const Interval<T>& value) {
  return to_text(value.p50) + " (" + range_text(to_text(value.p10), to_text(value.p90)) + ")";
}

/// "0.947 h" beside "1.19 h", where a time alone would be in minutes: both are to be held against each other.
std::string in_unit_of(Seconds other, Seconds time) {
  const bool hours = to_text(other).ends_with(" h") && to_text(time).ends_with(" min");
  return hours ? significant_text(time / units::hour, 3) + " h" : to_text(time);
}

std::string rate_of_tokens(TokensPerSecond rate) { return rate_text(rate.value) + " tokens/s"; }

}  // namespace

std::vector<WatchLine> watch_list(const Expectation& expected, bool goes_back) {
  std::vector<WatchLine> lines;
  if (expected.gpus == 0 || (!expected.seconds_per_step && !expected.tokens_per_second && !expected.memory))
    return lines;
  const bool training = expected.steps > 0;
  const std::string slow = !training ? "look at concurrent sequences, lengths of prompts and answers and the format of "
                                       "the weights, then at clocks (nvidia-smi -q -d PERFORMANCE)"
                           : expected.gpus > 1 ? "look at the links between the GPUs first (NCCL_DEBUG=INFO), then at "
                                                 "precision, attention and compile"
                                               : "look at precision, the attention kernel and compile, then at clocks "
                                                 "(nvidia-smi -q -d PERFORMANCE)";
  if (training && expected.seconds_per_step)
    lines.push_back({"a step takes over " + to_text(expected.seconds_per_step->p90),
                     planned_range(*expected.seconds_per_step), slow});
  else if (expected.tokens_per_second)
    lines.push_back({"fewer than " + rate_of_tokens(expected.tokens_per_second->p10),
                     rate_of_tokens(expected.tokens_per_second->p50), slow});
  if (expected.memory && expected.usable) {
    lines.push_back({"out of memory", planned_range(*expected.memory) + " of " + to_text(*expected.usable),
                     expected.micro_batch > 1 ? "halve the micro-batch (" + count_text(expected.micro_batch) +
                                                    " now) and double gradient accumulation"
                     : training ? "full activation checkpointing (recompute: full), shorter sequences, or more GPUs"
                                : "a smaller batch, or a shorter context"});
    lines.push_back({"memory stays below " + to_text(expected.memory->p50 * kMemoryAsPlanned),
                     to_text(expected.memory->p50),
                     "batch or sequences are smaller than planned: check settings and data"});
  }
  lines.push_back({"GPUs are busy less than " + share_words(kBusyGpu) + " of the time",
                   share_words(kBusyGpu) + " or more",
                   "data or CPU hold them up: more dataloader workers, data on a local disk"});
  if (training) {
    lines.push_back({"step times vary more than " + fixed_text(kSteadySteps, 1) + "x", "steady",
                     "data loading, evaluation inside steps, or another program on the machine"});
    lines.push_back({"the loss is nan or inf", "finite",
                     std::string("halve the learning rate, clip gradients at 1.0, ") +
                         (goes_back ? "go on from a checkpoint before it" : "start again from the beginning")});
    lines.push_back(
        {"the loss jumps", "falls", "halve the learning rate or warm up longer; check the data of that step"});
    lines.push_back(
        {"the loss does not fall", "falls", "check data and labels, then try a tenth of the learning rate"});
  }
  if (expected.hours.p90 > Seconds{})
    lines.push_back({"it takes longer than " + to_text(expected.hours.p90),
                     in_unit_of(expected.hours.p90, expected.hours.p50),
                     expected.price > DollarsPerSecond{}
                         ? "each further hour costs " + to_text(expected.price * units::hour) +
                               (expected.credits_left.value_or(Dollars{}) > Dollars{}
                                    ? ", which credits pay until " + to_text(*expected.credits_left) + " are used"
                                    : std::string()) +
                               ": stop it if the reason is not clear"
                         : "find the reason before it goes on"});
  return lines;
}

}  // namespace gpuplan
