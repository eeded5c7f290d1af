// A trial of a plan: a job of a few steps on a small model that goes through every script of the same launcher and
// framework.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/text/tree.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

struct SmokeJob {
  std::string text;                  ///< a job file
  std::vector<std::string> notes{};  ///< what it leaves out, and which models it takes
};

/// The job of `launch` as `written`, cut down: the phases of the machines that cost most, each with the framework, the
/// strategy and the settings of the plan, the smallest published model of the family (or the shape of the job made
/// small), some steps, and a checkpoint every few of them. `machines`: on as many GPUs as the plan, cut as in the plan;
/// else the search says how. Fails (bad input) where no phase can be cut down: a `command` has to name {steps}.
Result<SmokeJob> smoke_job(const Tree& written, const Launch& launch, bool machines);

/// The phase of a trial whose program writes a checkpoint when it is told to stop; others go on from their last one.
bool saves_when_stopped(const LaunchPhase& laid);

/// Rows for `DATA`, JSON lines: with text, prompt, completion, and a chosen and a rejected one, or with messages.
std::string smoke_rows(bool messages);

}  // namespace gpuplan
