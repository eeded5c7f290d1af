// How often a training phase writes a checkpoint, how many of them stay, and the disk that they take.
#pragma once

#include "domain/facts/practice_constants.h"
#include "domain/work/phase.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// Whether a rule says how often; `keep` and `to` alone do not.
bool says_how_often(const CheckpointRule& rule);

/// Whether they are written to a bucket and take no disk.
bool leaves_machine(const CheckpointRule& rule);

/// Machines that write a checkpoint side by side: all when each holds a part that no other has.
int checkpoint_writers(const PhaseEstimate& estimate);

/// Checkpoints of a run on machines that nobody takes away: those asked for, and the end's. Without a rule as often as
/// failures of hardware are worth it. REQUIRES: size and rate of a checkpoint, steps and work are known.
double checkpoints_of(const CheckpointRule& rule, const PracticeConstants& practice, const PhaseEstimate& estimate);

/// Sets how many are written and how many stay.
void set_checkpoints(const CheckpointRule& rule, double count, PhaseEstimate& estimate);
/// The same once disks are counted: room for as many as stay then.
void recount_checkpoints(const CheckpointRule& rule, double count, PhaseEstimate& estimate);

/// On the disks of all machines together.
Bytes kept_bytes(const CheckpointRule& rule, const PhaseEstimate& estimate);

/// Where a phase is cut into jobs of a limited time, the longest time between checkpoints: a job that ends before its
/// first has done nothing, so at least four in each, and one every hour where nobody says how many.
Seconds longest_apart(const PhaseEstimate& estimate, int jobs);

}  // namespace gpuplan
