// A line of a log, and what one line says of one step.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "input/logs/book/scan.h"

namespace gpuplan {

/// A line without colours and the prefixes of launchers.
struct LogLine {
  std::string_view text{};
  std::uint32_t number = 0;
  std::string_view labelled{};   ///< with the bare number of `srun --label` before it; empty when there is none
  int rank = -1;                 ///< -1: the line does not say
  double time = scan::kUnknown;  ///< seconds since 1970 that stand before it
};

/// What a parser of step lines makes of a line.
enum class Match {
  kNo,      ///< a line of something else
  kRecord,  ///< understood
  kBroken   ///< begins as one of its lines, but does not go on so
};

/// What the values of a step are.
enum class StepValue : std::uint8_t {
  kLoss,
  kGradNorm,
  kLearningRate,
  kValidation,
  kStepSeconds,
  kTokens,        ///< a second, of all GPUs
  kTokensPerGpu,  ///< a second, of one
  kSequences,     ///< a second, of all GPUs
  kModelFlops,    ///< FLOP/s of one GPU
  kClock          ///< seconds from any start on, when the step was done
};
inline constexpr std::size_t kStepValues = 10;

struct StepRecord {
  double step = scan::kUnknown;
  double of = scan::kUnknown;                              ///< steps that the line says there are
  double epoch = scan::kUnknown, epochs = scan::kUnknown;  ///< the step's, and how many there are
  bool of_epoch = false, of_run = false;                   ///< the step is surely counted in its epoch, in the run
  double left_out = 0;                                     ///< so many steps of this line the optimizer did not do
  std::array<double, kStepValues> values{};
  std::uint32_t known = 0;  ///< bits by StepValue

  void set(StepValue quantity, double value) {
    values[static_cast<std::size_t>(quantity)] = value;
    known |= 1U << static_cast<unsigned>(quantity);
  }
  bool has(StepValue quantity) const { return (known >> static_cast<unsigned>(quantity) & 1U) != 0; }
  /// Leaves nothing but one of its values.
  void keep_only(StepValue quantity) { known &= 1U << static_cast<unsigned>(quantity); }
  double operator[](StepValue quantity) const { return values[static_cast<std::size_t>(quantity)]; }
};

/// Values that stand one a line below a line that tells their step and nothing else; filed when it is over.
struct PlainBlock {
  bool open = false, sure = false;  ///< sure: a block of a later step came, too
  bool loss_alone = false;          ///< its loss is called so and no more
  int others = 0;                   ///< lines in it that are no values
  StepRecord record{};
  Bytes allocated{}, reserved{};
  LogLine head{};
};

}  // namespace gpuplan
