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

/// Whether the Trainer recomputes activations itself and not FSDP, whose wrapper would draw another mask of dropout the
/// second time (accelerate/utils/fsdp_utils.py, preserve_rng_state).
bool trainer_recomputes(const WorkPlace& place, Backend backend);
/// Whether weights that learn may take no part in a pass: experts that no token of a rank goes to, or adapters beside
/// them, which DDP has to be told of.
bool leaves_weights_unused(const WorkPlace& place);
/// Lines of the shell that tell FSDP which classes to gather one by one (wrapped_layers.py, which joins the phase's
/// files with decoder_layers.py); none without FSDP. `trl`: for the network that TRL loads, else for one of text.
std::vector<std::string> name_layers(const WorkPlace& place, Work& work, bool trl);
/// The same of a program that runs under FSDP whatever backend_of() says.
std::vector<std::string> name_all_layers(const WorkPlace& place, Work& work, bool by_architecture);

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
/// Asks before a start for the compilers that DeepSpeed's own optimizers need there: that for CPU memory, and LAMB.
void ask_compilers(const WorkPlace& place, Work& work);
/// ds_config.json.
std::string deepspeed_json(const WorkPlace& place);

}  // namespace gpuplan
