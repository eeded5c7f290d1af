// What to do about a run that is not as planned: sentences with the numbers they rest on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "evidence/check/run_check.h"

namespace gpuplan {

enum class Ailment {
  kOutOfMemory,
  kSlow,
  kFewGpus,
  kNotFinite,
  kSpikes,
  kNotFalling,
  kGradients,
  kShortOfGoal,
  kLate,
  kRestarts,
  kSmallerThanPlanned,
  kSkippedSteps
};
template <>
struct Names<Ailment> {
  static constexpr std::array entries = {
      Named<Ailment>{Ailment::kOutOfMemory, "out_of_memory"},
      Named<Ailment>{Ailment::kSlow, "slow"},
      Named<Ailment>{Ailment::kFewGpus, "idle_gpus"},
      Named<Ailment>{Ailment::kNotFinite, "not_finite"},
      Named<Ailment>{Ailment::kSpikes, "loss_spikes"},
      Named<Ailment>{Ailment::kNotFalling, "loss_does_not_fall"},
      Named<Ailment>{Ailment::kGradients, "gradients"},
      Named<Ailment>{Ailment::kShortOfGoal, "short_of_goal"},
      Named<Ailment>{Ailment::kLate, "late"},
      Named<Ailment>{Ailment::kRestarts, "restarts"},
      Named<Ailment>{Ailment::kSmallerThanPlanned, "smaller_than_planned"},
      Named<Ailment>{Ailment::kSkippedSteps, "skipped_steps"},
  };
};

struct Advice {
  Ailment ailment = Ailment::kSlow;
  std::string words;
};

/// The phase with one setting changed, as the model sees it on the same GPUs.
struct MemoryTrial {
  std::string change;   ///< "micro-batch 16 instead of 32"
  std::string setting;  ///< "phases.train.micro=16"
  Bytes memory{};       ///< median, of the fullest GPU
  Seconds hours{};      ///< of the phase, median
  bool fits = false;    ///< P90 of memory is below usable memory
  bool found = true;    ///< false: there is no such plan of the same program and layout, and no figures
};

/// `trials`: what would need less memory, tried when the run ended for want of it.
std::vector<Advice> diagnose(const CheckedRun& run, const RunCheck& check, const std::vector<MemoryTrial>& trials);

}  // namespace gpuplan
