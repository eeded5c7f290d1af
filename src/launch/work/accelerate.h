// What starts the processes of transformers' Trainer and TRL, and shares out the states: accelerate, DDP, FSDP,
// DeepSpeed.
#pragma once

#include <string>

#include "launch/work/parts.h"

namespace gpuplan {

enum class Backend { kOne, kDdp, kFsdp, kDeepSpeed };

Backend backend_of(const WorkPlace& place);

/// Whether what learns are DTensors, as under FSDP 2.
bool shards_by_dtensors(const WorkPlace& place);
/// The optimizer's name for these: kernels of bitsandbytes do not know them, torchao has the same in 8 bit.
std::string for_dtensors(const std::string& optimizer);

/// Stage of ZeRO: states go to the host from stage 1 on, weights in stage 3 only.
int deepspeed_stage(const Strategy& strategy);

/// How FSDP hands weights to what is saved: a part from each rank, or all gathered by one.
enum class States { kSharded, kWhole };

/// accelerate.yaml.
std::string accelerate_yaml(const WorkPlace& place, Backend backend, States states);
/// Flags of `accelerate launch` beside that file: " --num_processes 8 ...".
std::string accelerate_flags(const WorkPlace& place);
/// What pip installs for the Trainer, or for TRL on top of it.
enum class Trains { kTrainer, kTrl };
std::vector<std::string> trainer_packages(const WorkPlace& place, Backend backend, Trains trains);
/// ds_config.json.
std::string deepspeed_json(const WorkPlace& place);

}  // namespace gpuplan
