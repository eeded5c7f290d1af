// What people expect of a training besides the training: data by name, evaluations, reports, access told before,
// merging.
#pragma once

#include <string>

#include "launch/work/parts.h"

namespace gpuplan {

/// Programs that read DATA, and where numbers are reported to: of torch, the Trainer and TRL.
void add_data_programs(const WorkPlace& place, Work& work);

/// Optimizer steps from one evaluation to the next; 0: the job has no `evaluate`.
int evaluation_steps(const WorkPlace& place);

/// How a run is called in Weights & Biases and TensorBoard: the launch's name, with the phase where there are several.
std::string run_name(const WorkPlace& place);

/// Lines of a command that lead numbers to REPORT_TO: its packages, and the project's and the run's name.
void lead_reports(const WorkPlace& place, Work& work);

/// Asks before the work whether models, data and keys are to be had; `models` are those that are fetched.
void ask_first(const WorkPlace& place, const std::vector<ModelUse>& models, Work& work);

/// Merges and pushes what the training leaves, where MERGE and PUSH_TO say so.
void finish_model(const WorkPlace& place, Work& work);

}  // namespace gpuplan
