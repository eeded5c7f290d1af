// What a profiler saw of a step, held against what the plan expects of it, part by part.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/interval.h"
#include "base/names.h"
#include "base/units.h"
#include "evidence/log/gpu_trace.h"
#include "model/training/training.h"

namespace gpuplan {

/// Parts of a step that a trace and a prediction both have. Each moment of a step is in one of them.
enum class StepPart : std::uint8_t { kMatmul, kAttention, kElementwise, kCommunication, kCopies, kIdle };
template <>
struct Names<StepPart> {
  static constexpr std::array entries = {
      Named<StepPart>{StepPart::kMatmul, "matrix products"},
      Named<StepPart>{StepPart::kAttention, "attention"},
      Named<StepPart>{StepPart::kElementwise, "elementwise, optimizer"},
      Named<StepPart>{StepPart::kCommunication, "communication waited for"},
      Named<StepPart>{StepPart::kCopies, "copies waited for"},
      Named<StepPart>{StepPart::kIdle, "idle"},
  };
};
inline constexpr std::size_t kStepPartCount = Names<StepPart>::entries.size();
using StepShares = std::array<double, kStepPartCount>;  ///< of a step; by StepPart, they add up to 1

/// REQUIRES: shares of a trace.
StepShares measured_shares(const TraceShares& shares);
/// Of a step of that length without anything in it: all is idle.
StepShares planned_shares(const StepParts& step);

struct TraceCheck {
  StepShares measured{}, planned{};
  std::optional<Seconds> step{};                ///< as the profiler marked it
  std::optional<Interval<Seconds>> expected{};  ///< time of a step by the plan

  /// How much longer a part takes than planned, as a share of the planned step; without marked steps the shares alone
  /// are compared.
  double excess(StepPart part) const;
  /// The part that is furthest above its plan; nullopt: none by more than a twentieth of a step.
  std::optional<StepPart> worst() const;
};

}  // namespace gpuplan
