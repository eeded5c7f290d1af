// What a phase writes on the disk of a machine: its script looks for room before anything is fetched, and clouds are
// asked for as much.
#pragma once

#include <string>
#include <vector>

#include "launch/work/work.h"

namespace gpuplan {

struct DiskPart {
  std::string place;     ///< "run": its folder; "hub": the cache of the Hugging Face hub; "nanochat": that of nanochat
  std::string variable;  ///< nothing is written where this names a file or folder; empty: in any case
  std::string model;     ///< nor where the cache has this model; empty: none
  Bytes size{};
  std::string what;  ///< "checkpoints"
  int writers = 1;   ///< machines that write as much, each: together where they share the runs
};

/// Of the fullest machine, with the plan's figures; what the job's own command fetches nobody knows.
std::vector<DiskPart> disk_parts(const Launch& launch, const LaunchPhase& phase, const Work& work);
Bytes all_of(const std::vector<DiskPart>& parts);
/// "312 GB on each machine: checkpoints 290 GB, weights 16 GB"; "" without parts.
std::string disk_words(const std::vector<DiskPart>& parts, int machines);

}  // namespace gpuplan
