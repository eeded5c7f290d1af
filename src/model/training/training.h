// Training: time of an optimizer step and memory of the fullest GPU.
//
// Four levels, so that a search pays for each thing once: (1) TrainingWork once for a phase, (2) TrainingRates for
// each machine, framework and precision, (3) LayerCost for each tensor cut, micro-batch and recomputation, (4)
// TrainingEstimate for each pipeline, data-parallel degree, sharding and accumulation. Levels 3 and 4 allocate
// nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/phase.h"
#include "model/communication.h"
#include "model/compute.h"
#include "model/error/error.h"
#include "model/estimate.h"

namespace gpuplan {

struct GenerationRates;
struct RolloutWork;

/// A matrix product that `count` layer runs contain: every token's row of `inner` elements becomes one of `columns`.
struct Product {
  double columns = 0, inner = 0;
  double count = 0;
  bool split_columns = false;  ///< tensor parallelism cuts the columns
  bool split_inner = false;    ///< or the inner dimension
};

/// Level 1: one network of the phase as operations. Sums run over all layers, loops included.
struct ModelWork {
  const ModelUse* use = nullptr;
  ParameterCount params;
  double trainable = 0;          ///< parameters that learn
  bool backward_inputs = true;   ///< gradients pass through this network
  bool backward_weights = true;  ///< its weights get gradients
  bool adapters = false;         ///< low-rank adapters learn beside its frozen weights
  double passes = 1;             ///< forward and backward passes a sequence (supervision steps)

  double tokens = 0;      ///< of its own a sequence (image patches); 0: the phase's
  double layer_runs = 0;  ///< layers x loops
  std::vector<Product> products, expert_products;
  double experts = 0, experts_per_token = 0;
  double attention_flops = 0;   ///< forward, for one pair of tokens, all layers
  double attention_narrow = 1;  ///< 128 over the width of heads that are narrower
  double eager_scale = 1;
  double score_heads = 0;               ///< heads x layers
  double window = 0, window_share = 0;  ///< tokens; share of layers that see only them
  bool causal = true;
  double stream = 0;                             ///< elements that elementwise passes move a token forward
  double stream_whole = 0;                       ///< of it, what tensor ranks share out only with sequence parallelism
  double unfused_norms = 0, unfused_rotary = 0;  ///< elements a token that these read, all layers
  double adapter_stream = 0;
  double adapted = 0;        ///< share of the linear layers of a layer that have adapters
  double cast_stream = 0;    ///< elements converted to 8 or 4 bit a token forward
  double kept = 0;           ///< elements kept a token for the backward pass
  double kept_whole = 0;     ///< of `kept`, likewise: inputs of norms and what they give
  double norm_inputs = 0;    ///< elements a token that norms computed operation by operation read
  double kept_gates = 0;     ///< of `kept`, what gates give: kernels that fuse them with their product compute it again
  double expert_gates = 0;   ///< of these, routed experts'
  double kept_widest = 0;    ///< of one layer, the widest
  double kept_experts = 0;   ///< of `kept`, elements of routed experts
  double kept_products = 0;  ///< of `kept`, inputs of products, which 8-bit kernels keep in 8 bit
  double kept_outputs = 0;   ///< elements of product outputs, of which selective recomputation keeps some
  double kept_attention = 0;  ///< elements of the inputs of layers and the outputs of attention, which it keeps all
  double boundary = 0;        ///< elements a token between layers (hidden)
  double key_values = 0;      ///< elements of keys and values a token, all layers
  double vocab = 0;           ///< rows of the output matrix; 0: none
  bool masked = false;        ///< only masked tokens have an output
  double head_share = 1;      ///< tokens with an output, if not masked
  double scored(const TrainingConstants& constants) const { return masked ? constants.masked_share : head_share; }
};

/// Parameters by where a pipeline and tensor cut puts them.
struct PlacedParameters {
  double layers = 0, experts = 0, embedding = 0, head = 0;
  double whole = 0;  ///< on every GPU (adapters and extra modules are not cut)
  double tied = 0;   ///< embedding of which the last stage needs a copy
  constexpr double total() const { return layers + experts + embedding + head + whole; }
};

/// Level 1: everything about the phase that no hardware changes.
struct TrainingWork {
  const TrainPhase* phase = nullptr;
  std::vector<ModelWork> models;
  double params = 0;            ///< all networks
  double trainable = 0;         ///< parameters with gradients and optimizer state
  double sequence = 0;          ///< tokens a sequence may have (memory)
  double mean_tokens = 0;       ///< tokens a sequence has on average (time)
  double rows = 1;              ///< sequences of their own, for attention and padding, that a sequence of the batch is
                                ///< made of: 2 where it is a pair of answers
  double sequences_total = 0;   ///< sequences to process: the same work for every candidate
  double batch = 0;             ///< sequences an optimizer step; 0: auto
  double samples_total = 0;     ///< samples as the user counts them (for samples a second)
  bool quantised_base = false;  ///< QLoRA

  PlacedParameters learn, base;  ///< that learn; that are frozen
  double padded[11] = {};        ///< tokens a sequence is padded to in micro-batches of 1, 2, 4, ... 1024
  double layers = 1;             ///< of the deepest network: what a pipeline cuts
  double hidden = 0;             ///< widest network
  double matrices = 1;           ///< share of the learning parameters that are layer matrices
  bool adapters = false;         ///< low-rank adapters
  bool moe = false;
  bool custom = false;                            ///< a network known by its totals only
  std::shared_ptr<const RolloutWork> rollouts{};  ///< answers that it learns from (rollouts.h); null: they are there
  double forward_only = 0;  ///< passes of learning weights, counted in no other place, that have no backward pass
};

/// Points to the phase, which must outlive it. Fails when the phase does not say how much work there is (the message
/// has no place).
Result<TrainingWork> training_work(const TrainPhase& phase);
Result<TrainingWork> training_work(const TrainPhase&&) = delete;
/// Tokens that a sequence is padded to in such a micro-batch; between powers of two linear.
double padded_tokens(const TrainingWork& work, int micro_batch);

/// Level 2: constants of one machine with one framework and precision.
struct TrainingRates {
  const NodeShape* node = nullptr;
  const Framework* framework = nullptr;
  Precision precision = Precision::kBf16;
  bool compile = false;
  bool compiled_kernels = false;  ///< and what it compiles for the GPU fuses passes over memory
  FlopsPerSecond peak{};          ///< data sheet, this precision
  FlopsPerSecond head_peak{};     ///< output matrix and loss run in 16 bit
  const Efficiency* efficiency = nullptr;
  const TrainingSoftware* software_row = nullptr;
  const TrainingConstants* constants = nullptr;
  const ErrorModel* errors = nullptr;
  FlopsPerSecond attention{};  ///< achieved in the fused attention that the framework ships
  FlopsPerSecond attention_newest{}, attention_common{}, attention_old{};  ///< in those a run may name
  BytesPerSecond stream{};                                                 ///< achieved memory bandwidth
  Seconds launch_per_layer{};                                              ///< host time of one layer and pass
  Seconds launch_per_step{};
  double expert_launches = 0;  ///< host time of each expert over that of its layer, where experts run in a loop
  LinkRate link;               ///< inside the machine
  BytesPerSecond link_bus{};   ///< its bus rate
  Seconds link_latency{};
  double link_span = 1;          ///< GPUs it joins: those of the machine, or of a rack that it spans
  BytesPerSecond network_bus{};  ///< achieved, one machine
  Seconds network_latency{};
  BytesPerSecond host_link{};  ///< PCIe, one direction, achieved
  double software = 1;         ///< framework factor on compute time
  // Bytes a learning parameter, by what the framework keeps.
  double weight_bytes = 2, gradient_bytes = 2, master_bytes = 4, state_bytes = 8;
  double base_bytes = 2;          ///< a frozen layer parameter
  double base_other_bytes = 2;    ///< a frozen parameter outside the layers
  double element_bytes = 2;       ///< an activation
  double logit_bytes = 19;        ///< a logit at the peak of the loss
  double copy_bytes = 0;          ///< 8-bit copies of a learning parameter
  double kept_inputs = 0;         ///< of a product's input, where its kernel keeps it as it reads it; 0: as activations
  double unlisted = 0;            ///< share of layers whose products selective recomputation does not know, nor keeps
  bool casts_weights = false;     ///< products read 16-bit copies of 32-bit weights, which stay for the backward pass
  bool step_in_backward = false;  ///< gradients are used up as they come
  double optimizer_flops = 0;     ///< a parameter and step (Muon)
  MatmulRate blocks, head;        ///< products of the layers; of the output matrix
  FlopsPerSecond eager_attention{};
  double time_factor = 1.26;      ///< time inside a training step over time of the kernels alone, software included
  double product_factor = 1.26;   ///< the same of products of the layers, whose clocks fall in a way of their own
  double head_factor = 1.26;      ///< of the output matrix
  bool fused = false;             ///< fused norms, softmax and optimizer
  bool fused_step = false;        ///< the optimizer step is one kernel
  bool scores_only = false;       ///< selective recomputation is of attention's scores; else of most of a layer
  bool sequence_parallel = true;  ///< tensor ranks share out tokens between the products
  double fused_loss = 0;          ///< tokens whose logits exist at a time; 0: those of the whole micro-batch
  std::shared_ptr<const GenerationRates> rollouts{};  ///< of the engine that gives answers; null: there is none
};

/// Its row of the catalogue, else that of frameworks without one.
const TrainingSoftware& software_of(const Catalogue& catalogue, std::string_view framework);

/// Whether what a layer keeps for its backward pass lies in host memory: by the strategy, or because the framework does
/// so whenever it recomputes.
bool activations_on_host(const TrainingRates& rates, const Strategy& strategy);

/// They point to the catalogue, the node and the framework, which must outlive them.
TrainingRates training_rates(const Catalogue& catalogue, const NodeShape& node, const Framework& framework,
                             Precision precision, bool compile, const TrainingWork& work);
TrainingRates training_rates(const Catalogue&, const NodeShape&&, const Framework&, Precision, bool,
                             const TrainingWork&) = delete;
TrainingRates training_rates(const Catalogue&, const NodeShape&, const Framework&&, Precision, bool,
                             const TrainingWork&) = delete;

/// Level 3 key: what one layer's cost depends on.
struct LayerCut {
  int tp = 1, cp = 1, ep = 1;
  int micro_batch = 1;
  Recompute recompute = Recompute::kNone;
  AttentionKernel attention = AttentionKernel::kFlash;
  bool operator==(const LayerCut&) const = default;
};

/// Level 3: one micro-batch through all layers of all networks on one rank (before the pipeline cut), and its head.
struct LayerCost {
  Seconds matmul{}, attention{}, elementwise{}, recompute{}, dequantise{};  ///< GPU time, forward and backward
  Seconds launch{};                                                         ///< host time of the same
  Seconds tensor_traffic{};  ///< exposed all-reduces of tensor parallelism
  Seconds expert_traffic{};
  Seconds head{}, head_launch{};
  Bytes activations{};  ///< kept until backward, all layers, one micro-batch
  Bytes one_layer{};    ///< working set of one layer in backward: what it recomputes, and its gradients
  Bytes logits{};
  Bytes boundary{};  ///< activations at a stage boundary, one micro-batch
};

LayerCost layer_cost(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut);

/// The same in two steps, for whoever asks first whether it fits: activations, working set, logits and boundary, and
/// then all times into it.
LayerCost layer_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut);
void add_layer_times(const TrainingWork& work, const TrainingRates& rates, const LayerCut& cut, LayerCost& cost);

/// Level 4: seconds of one optimizer step; the parts add up to total().
struct StepParts {
  Seconds matmul{}, attention{}, elementwise{}, recompute{}, dequantise{}, head{};
  Seconds launch{};  ///< host time that the GPU waits for
  Seconds tensor_traffic{}, expert_traffic{}, data_traffic{}, pipeline_traffic{};
  Seconds bubble{};  ///< pipeline fill, drain and imbalance
  Seconds optimizer{}, offload{};
  Seconds straggle{};                            ///< many nodes wait for the slowest
  Seconds rollouts{}, rewards{}, weight_sync{};  ///< answers, what they are worth, and the engine's weights after it

  constexpr Seconds total() const {
    return matmul + attention + elementwise + recompute + dequantise + head + launch + tensor_traffic + expert_traffic +
           data_traffic + pipeline_traffic + bubble + optimizer + offload + straggle + rollouts + rewards + weight_sync;
  }
  /// Every part so many times as long.
  constexpr void stretch(double factor) {
    for (Seconds* part : {&matmul, &attention, &elementwise, &recompute, &dequantise, &head, &launch, &tensor_traffic,
                          &expert_traffic, &data_traffic, &pipeline_traffic, &bubble, &optimizer, &offload, &straggle,
                          &rollouts, &rewards, &weight_sync})
      *part = *part * factor;
  }
};

/// How an engine that shares the GPUs gives the answers of one step.
struct RolloutUse {
  int tp = 1;            ///< GPUs of one replica
  double share = 0;      ///< of a GPU's memory, as its label says, that the engine is told to take
  Bytes held{};          ///< that share
  Bytes weights{};       ///< of it, the engine's own weights
  double in_flight = 1;  ///< answers at once, a replica
  double longest = 0;    ///< tokens of the longest answer of a step
  double passes = 0;     ///< of the model, a step
  Seconds prompts{}, answers{};

  constexpr Seconds total() const { return prompts + answers; }
};

struct TrainingEstimate {
  StepParts step;
  MemoryUse memory;
  std::optional<RolloutUse> rollouts{};
  Bytes host_memory{};  ///< of one machine: offloaded state, or loading the checkpoint; processes and data workers
};

/// REQUIRES: layer was computed for the strategy's tp, cp, ep, micro_batch, recompute and attention.
MemoryUse training_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                          const Strategy& strategy);
/// When the fullest GPU needs that much: "loading", "end of forward", "backward", "optimizer step".
std::string_view fullest_instant(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                 const Strategy& strategy);

/// Memory of the host of one machine: the larger of loading the checkpoint and of what is offloaded, and processes.
struct HostMemory {
  Bytes loading{};    ///< copies of the checkpoint while it is read
  Bytes offloaded{};  ///< optimizer states, weights and activations that live there
  Bytes processes{};  ///< a process and its data workers for each GPU

  constexpr Bytes total() const { return std::max(loading, offloaded) + processes; }
};
HostMemory training_host_memory(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                const Strategy& strategy);

TrainingEstimate training_estimate(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes);

/// The same where the memory is known already.
TrainingEstimate training_estimate(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes, const MemoryUse& memory);

/// Whose errors the prediction shares.
ErrorLabels training_labels(const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy, int nodes);
Spread training_spread(const ErrorModel& errors, const ErrorLabels& labels);
Spread training_spread(const TrainingWork& work, const TrainingRates& rates, const Strategy& strategy, int nodes);
/// What deviations of memory are multiplied by: their squares are in proportion to the bytes that may be more or less.
/// 1 where nothing is frozen.
double memory_scale(const MemoryUse& use);
/// What own runs teach: medians times the factors of the spread.
void correct(TrainingEstimate& estimate, const Spread& spread);

/// The same numbers, term by term, with formulas and their sources.
std::vector<Term> explain_training(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes);

}  // namespace gpuplan
