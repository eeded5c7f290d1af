// What a phase asks of Slurm: time, processors, memory, GPUs, and how long before its end it is told.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

struct SlurmResources {
  const Offer* offer = nullptr;  ///< the machines are of; never null
  bool exclusive = false;        ///< whole machines are billed: nobody else may be on them
  std::string gpu_type;          ///< usual Slurm name of the GPU; empty: not known
  std::optional<int> cpus;       ///< of one machine; nullopt: all of an exclusive machine, or as the cluster says
  bool cpus_assumed = false;     ///< the pool does not say: as many a GPU as the smallest machine known with it
  std::optional<Bytes> memory;   ///< of one machine, in whole GiB; nullopt: as `cpus`
  bool memory_least = false;     ///< more than is predicted: what its processes take at the least
  Seconds time{};                ///< whole minutes, at most the pool's max_time
  Seconds checkpoint{};          ///< to write one
  int lead = 0;                  ///< seconds before the end at which the signal is to come
  bool resumes = true;           ///< what runs may go on from a checkpoint: it is put back into the queue
  bool saves_late = false;       ///< it writes no checkpoint when it is told to stop
  int runs = 1;                  ///< of that length that the plan allows before somebody has to look at it
};

/// Of a phase that is on machines of a group. Fails (bad input) where the pool's limit leaves no room to write a
/// checkpoint, and for names that can not stand in a line of Slurm.
Result<SlurmResources> slurm_resources(const Launch& launch, const LaunchPhase& phase);

/// "1-12:30:00".
std::string slurm_time(Seconds time);

}  // namespace gpuplan
