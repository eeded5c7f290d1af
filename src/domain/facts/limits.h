// What keeps a framework from a training job, or from one strategy of it: columns of data/frameworks.csv and rows of
// data/framework_limits.csv. The search leaves out what meets one, and launch says it in the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/facts/catalogue.h"
#include "domain/work/model_shape.h"
#include "domain/work/phase.h"
#include "domain/work/strategy.h"

namespace gpuplan {

/// Whether the framework recomputes so.
bool recomputes(const Framework& framework, Recompute recompute);

/// The row of framework_limits.csv that the training meets under the framework and the strategy; nullptr where it meets
/// none. Allocates nothing.
const LimitRow* limit_met(const Framework& framework, const TrainPhase& train, StartFrom start,
                          const Strategy& strategy);

/// Whether the framework runs a strategy of training that it has method and optimizer for. Allocates nothing.
bool can_run(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& strategy);
/// The same with method and optimizer.
bool can_train(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& strategy);

/// What keeps a framework from a training.
struct Obstacle {
  std::string_view key;  ///< of the job's phase that asks for it: "method", "parallel.tp"; "framework": several do
  std::string what;      ///< "hf-trainer has no tensor parallelism"
  std::string instead;   ///< what to write in the job; empty: another framework (who_trains())
};
/// The first; nullopt where can_train() is true.
std::optional<Obstacle> obstacle(const Framework& framework, const TrainPhase& train, StartFrom start,
                                 const Strategy& strategy);

/// "torchtitan has no DDP beside tensor or pipeline parallelism: write parallel: {sharding: zero2}": the obstacle in
/// words; empty where there is none.
std::string why_not_run(const Framework& framework, const TrainPhase& train, StartFrom start, const Strategy& strategy);

/// Whether the framework or engine has builds for the GPU: its vendor's, and its compute capability.
bool runs_on(const Framework& framework, const Gpu& gpu);
/// "vllm does not run on V100 SXM2 32GB: it needs compute capability 7.5 since 0.24; write engine: hf". REQUIRES: it
/// does not run there.
std::string why_not_on(const Framework& framework, const Gpu& gpu);

/// "torch, deepspeed or megatron": those of the catalogue that can, the first before others; empty: none can.
std::string who_trains(const Catalogue& catalogue, const TrainPhase& train, StartFrom start, const Strategy& strategy);

/// What the job fixes of a strategy on so many of these GPUs; all else is plain.
Strategy asked_strategy(const TrainPhase& train, const std::string& gpu, int gpus);

/// LoRA and QLoRA: the model's own weights stay as they are.
bool trains_adapters(const TrainPhase& train);

/// Whether transformers before 5 has a module for each expert, as for all networks but those like gpt-oss: one that no
/// token of a rank goes to takes no part in the pass there, and has no gradients.
bool experts_are_modules(const ModelShape& shape);
/// Whether adapters of the training sit beside its routed experts, as only the target `experts` says
/// (model/training/adapters.cpp). REQUIRES: it trains adapters.
bool adapts_experts(const TrainPhase& train);

/// Which of torchtitan's networks has this shape (pytorch/torchtitan 0.2.2, torchtitan/models).
enum class TitanForm { kNone, kLlama3, kQwen3, kDeepSeek };
TitanForm titan_form(const ModelShape& shape);

/// Every which layer sees everything where others have a window, as NVIDIA/Megatron-LM counts them from 1
/// (core/transformer/utils.py). 0: none does; nullopt: no such number gives as many.
std::optional<int> full_every(const ModelShape& shape);

}  // namespace gpuplan
