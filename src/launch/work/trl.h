// TRL's program for supervised fine-tuning, or ours.
#pragma once

#include <string>
#include <string_view>

#include "launch/work/accelerate.h"

namespace gpuplan {

/// args: {program: own} or {program: trl}.
inline constexpr std::string_view kProgramArgument = "program";

struct TrainerProgram {
  bool trl = false;
  std::string note;  ///< which one runs, why, and how to get the other
};

/// Which program fine-tunes with transformers. `trl sft` is what people know and expect, so that it is the rule for
/// hf-trainer from published weights; but it writes no checkpoint on a signal and resumes from none, so that
/// train_trainer.py runs wherever machines may be taken away or jobs end by the clock, and for what TRL has no setting
/// for. `program` in the phase's args overrides that. Fails for another word there, and for trl where TRL cannot.
Result<TrainerProgram> trainer_program(const WorkPlace& place);

/// REQUIRES: trainer_program() chose it. `optimizer` is its name for the Trainer.
Result<Work> trl_work(const WorkPlace& place, const std::string& optimizer);

}  // namespace gpuplan
