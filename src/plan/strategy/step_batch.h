// How many sequences an optimizer step takes, over all GPUs: what the job says, made to divide by the GPUs where it is
// said in tokens, else what people train such a model with.
#pragma once

#include <string>

#include "domain/facts/practice_constants.h"
#include "domain/work/phase.h"
#include "model/training/training.h"

namespace gpuplan {

/// Sequences of a step on some GPUs.
struct StepBatch {
  double sequences = 0;  ///< 0: the job leaves it open, and nothing is usual (a network known by its totals only)
  double wanted = 0;     ///< before it was made to divide
  bool usual = false;    ///< the job says nothing: assumed by practice (data/practice_constants.csv)
};

/// What people take for such a phase, the same on every machine: adapters and fine-tuning by the size of the model,
/// pretraining by its size too, in tokens; always so that a run has enough steps. A power of two sequences, at least 1;
/// 0 for a network known by its totals only.
double usual_batch(const PracticeConstants& practice, const TrainingWork& work);

/// Sequences of a step on so many GPUs. A batch in tokens may become up to `batch_slack` larger or smaller so that all
/// GPUs get as many (`batch_slack_most` where nothing nearer does), one that is assumed up to `usual_slack`; one stated
/// in sequences stays.
StepBatch step_batch(const PracticeConstants& practice, const TrainingWork& work, const TrainPhase& phase,
                     const std::string& gpu, int gpus);

/// The next smaller number of GPUs to try where a batch could not be shared out over so many; 0: none is left.
int fewer_gpus(const StepBatch& batch, int gpus);

}  // namespace gpuplan
