// What every log may say, by the names that conditions use.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/conditions/syntax.h"
#include "evidence/log/log_values.h"
#include "evidence/log/run_log.h"

namespace gpuplan {

/// A log, and what it is read with.
struct LogView {
  const RunLog& log;
  int gpus = 0;                ///< that the run uses; 0: not known
  double tokens_per_step = 0;  ///< 0: not known
};

/// A quantity as a log holds it.
struct LogValue {
  Points points{};                        ///< in the order of the log; empty for a single number
  std::optional<double> end{};            ///< at the end of the log; nullopt: the log does not say
  std::optional<double> least{}, most{};  ///< of all values, also those that were thinned out
  std::string missing{};                  ///< what was looked for and is not there

  bool known() const { return end.has_value(); }
};

struct LogQuantity {
  std::string_view name;
  Dimension dimension;
  /// Should stay where it is while a run goes on: what is asked of it holds for most of its values, not for the last.
  bool steady;
  std::string_view meaning;
  LogValue (*read)(const LogView&);
};

inline constexpr std::size_t kLogQuantities = 11;
/// All of them, in the order of the documentation.
const std::array<LogQuantity, kLogQuantities>& log_quantities();
/// Null for other names.
const LogQuantity* log_quantity(std::string_view name);

/// Tokens a second of all GPUs: as the log says it, or from one GPU, or from the time of steps. Each value as of its
/// step, warm-up inside.
Points throughput_points(const LogView& view);
/// Seconds of one step.
Points step_points(const LogView& view);

/// The peak that is nearest to what the device holds; nullopt: the log says none.
std::optional<Bytes> peak_memory(const RunLog& log);

/// A series with its end.
LogValue value_of(const Series& series);

}  // namespace gpuplan
