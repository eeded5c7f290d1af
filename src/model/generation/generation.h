// Generation and activation collection: prefill, decode, memory of weights and cache, placement of several models.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "domain/work/phase.h"
#include "model/communication.h"
#include "model/compute.h"
#include "model/error/error.h"
#include "model/estimate.h"
#include "model/generation/serving_kernels.h"

namespace gpuplan {

/// One kind of matrix of a network: `layers` of them, each columns x inner.
struct WeightMatrix {
  double columns = 0, inner = 0;
  double layers = 0;
  bool split_columns = true;  ///< what tensor parallelism divides; else the inner dimension

  bool operator==(const WeightMatrix&) const = default;
};

/// Level 1: one network as the sums that a step needs. Counts are plain numbers; a "read" parameter is one that every
/// forward pass touches, however often `loops` runs the layers again.
struct NetworkWork {
  double layers = 0;  ///< as stored
  double loops = 1;   ///< times the layers are run with the same weights
  double hidden = 0;
  double heads = 0;
  double kv_heads = 1;  ///< 1 under latent attention: the cache can not be split over tensor ranks
  double vocab = 0;
  double dense = 0;  ///< parameters that every token meets: attention, dense MLPs, shared experts, norms
  std::array<WeightMatrix, 12> matrices{};  ///< the matrices among them; unused ones have no layers
  double beside = 0;                        ///< parameters of towers that lie in memory, in 16 bit, and are not run
  double vectors = 0;                       ///< the rest: norms, biases, routers
  double experts = 0;                       ///< routed experts, all layers; zero in dense models
  double expert_count = 0, experts_per_token = 0, expert_width = 0;
  double expert_layers = 0;
  bool gated = true;
  double head = 0;       ///< output matrix, read for every new token; zero in encoders
  double embedding = 0;  ///< tables that are looked up; zero when tied to the head
  double kv_full = 0;    ///< cache elements of a token in all layers that see everything
  double kv_window = 0;  ///< the same in the layers that see `window` tokens
  double window = 0;
  double window_share = 0;     ///< of layers
  double attention_share = 1;  ///< of layers: those with attention, with a window or without
  double state_share = 0;      ///< of layers: those with a state of fixed size
  double state = 0;            ///< elements of the states of one sequence, all layers
  double attention_width = 0;  ///< heads x (query-key + value width) / 2
  double latent_width = 0;     ///< multi-head latent attention: width of a cached vector; zero otherwise
  double mlp_width = 0;        ///< what a forward pass holds of the MLP, a token
  bool causal = true;
  bool mixed_16_bit = false;  ///< 4-bit checkpoints that keep all but the experts in 16 bit (gpt-oss)
  int same_as = 0;            ///< position of the first network with the same shape

  bool operator==(const NetworkWork&) const = default;

  bool moe() const { return experts > 0; }
  bool latent() const { return latent_width > 0; }
};

/// Level 1: everything about the phase that no hardware changes.
struct GenerationWork {
  const GeneratePhase* phase = nullptr;
  std::vector<ParameterCount> params;  ///< of each model
  double samples = 0;                  ///< for each model
  double prompt_tokens = 0;            ///< mean of a sample
  double new_tokens = 0;               ///< mean of a sample
  double longest = 0;                  ///< prompt and new tokens of the longest sample (memory)
  double longest_new = 0;              ///< new tokens of the longest sample
  Bytes stored_per_sample{};           ///< activations kept, `collect`
  bool stored_on_disk = false;
  int models = 1;
  std::vector<NetworkWork> networks;  ///< of each model
  std::optional<NetworkWork> draft;   ///< that guesses tokens ahead, `speculative`
  double guesses = 0;                 ///< tokens guessed for each pass of the model
  double tokens_a_pass = 1;           ///< that a sequence gets from one pass, on average

  /// Of all models together.
  double parameters() const {
    double sum = 0;
    for (const ParameterCount& each : params) sum += each.total();
    return sum;
  }
  bool any_moe() const {
    return std::ranges::any_of(networks, [](const NetworkWork& network) { return network.moe(); });
  }
};

/// Points to the phase, which must outlive it. Fails when the phase does not say how much work there is (the message
/// has no place).
Result<GenerationWork> generation_work(const GeneratePhase& phase);
Result<GenerationWork> generation_work(const GeneratePhase&&) = delete;

/// Level 2: constants of one machine with one engine and weight format. All rates are of one GPU.
struct GenerationRates {
  const NodeShape* node = nullptr;
  const Framework* engine = nullptr;
  const EngineProfile* profile = nullptr;
  const GenerationConstants* constants = nullptr;
  const ErrorModel* errors = nullptr;
  const Efficiency* efficiency = nullptr;
  Format weights = Format::kBf16;
  Format kv_cache = Format::kBf16;
  double weight_bytes = 2;  ///< of a parameter in the blocks
  double head_bytes = 2;    ///< of a parameter in embedding and head
  double kv_bytes = 2;      ///< of a cached element
  ServingRate blocks;       ///< dense weights in the blocks
  ServingRate blocks_16;    ///< the same as they are kept beside experts in mxfp4: in 16 bit, GGUF files in 8
  ServingRate experts;      ///< grouped products of experts, before their width is counted
  ServingRate head;
  PromptAttention prompt_attention = PromptAttention::kNewest;
  double attention_share = 0;      ///< of the peak that fused attention reaches in long prompts
  FlopsPerSecond attention{};      ///< that rate, in 16 bit
  BytesPerSecond decode_stream{};  ///< achieved when reading weights once
  BytesPerSecond stream{};         ///< element-wise passes
  Seconds launch_per_layer{};      ///< GPU side, one decode step
  Seconds host_per_layer{};        ///< host side (eager engines)
  Seconds host_per_step{};
  Seconds host_per_sequence{};
  std::array<LinkRate, 3> groups{};  ///< between 2, up to 4, and more GPUs of the machine
  LinkRate network;                  ///< of a whole machine
  double chunk_tokens = 1;           ///< prompt tokens that a continuous engine reads in one pass
  double most_in_flight = 1;         ///< sequences that it runs at once
  double most_share = 0;             ///< of memory that it is told to take where few requests fit else; 0: never
  double slots = 1;                  ///< as many as its server runs where nobody says how many; no more than these
  Seconds one_shot{};                ///< all-reduce of a short message in one step; zero: there is no such kernel
  Seconds cache_expand{};            ///< a stored byte of an integer cache
  int link_span = 1;                 ///< GPUs that the fast link joins
  BytesPerSecond host_link{};        ///< PCIe, one direction, achieved
  BytesPerSecond disk{};             ///< for stored activations and loading

  /// False: the format is expanded to 16 bit on this hardware.
  bool native_products() const { return !blocks.expanded; }
};

/// The row of the engine; of "*" or "*eager" for one that has none, as its CUDA graphs say.
const EngineProfile& engine_profile(const Catalogue& catalogue, const Framework& engine);

/// They point to the catalogue, the node and the engine, which must outlive them.
/// Nullopt: the hardware or engine has no such format. `weight_bits`: of a stored weight, scales included, where it is
/// not as usual for the format.
std::optional<GenerationRates> generation_rates(const Catalogue& catalogue, const NodeShape& node,
                                                const Framework& engine, Format weights, Format kv_cache,
                                                std::optional<double> weight_bits = std::nullopt);
std::optional<GenerationRates> generation_rates(const Catalogue&, const NodeShape&&, const Framework&, Format, Format,
                                                std::optional<double> = std::nullopt) = delete;
std::optional<GenerationRates> generation_rates(const Catalogue&, const NodeShape&, const Framework&&, Format, Format,
                                                std::optional<double> = std::nullopt) = delete;

/// Level 4: seconds that one replica takes for `samples` samples of one model; the parts add up to total().
struct GenerationParts {
  Seconds prefill{};  ///< prompts, with all that belongs to them
  Seconds weights{};  ///< reading weights, decode
  Seconds kv_reads{}, compute{}, launch{}, host{};
  Seconds tensor_traffic{};    ///< all-reduces of tensor parallelism and exchanges of expert parallelism
  Seconds pipeline_traffic{};  ///< handing over between the stages of a layer split
  Seconds store{};             ///< kept activations to host and disk
  constexpr Seconds total() const {
    return prefill + weights + kv_reads + compute + launch + host + tensor_traffic + pipeline_traffic + store;
  }
  /// Every part so many times as long.
  constexpr void stretch(double factor) {
    for (Seconds* part :
         {&prefill, &weights, &kv_reads, &compute, &launch, &host, &tensor_traffic, &pipeline_traffic, &store})
      *part = *part * factor;
  }
};

struct GenerationEstimate {
  GenerationParts parts;  ///< the whole phase on the busiest GPU: all models in turn, or its own ones
  MemoryUse memory;
  double batch = 1;  ///< sequences in flight a replica
  double replicas = 1;
  double rounds = 1;                     ///< models that one replica runs one after the other
  double tokens_per_second = 0;          ///< new tokens, all replicas together, while working
  double replica_tokens_per_second = 0;  ///< of one replica
  Seconds time_to_first_token{}, time_per_output_token{};
  double waiting = 0;  ///< share of the time to first token that is not reading the own prompt
  Seconds load{};      ///< reading weights from disk, all rounds; not in `parts`
};

/// REQUIRES: strategy.dp replicas of tp x pp GPUs; micro_batch is the number of sequences in flight, 0: as many as
/// memory holds. ep > 1: that many replicas share one set of experts (dp is a multiple of it).
GenerationEstimate generation_estimate(const GenerationWork& work, const GenerationRates& rates,
                                       const Strategy& strategy);
/// The `memory` of it alone.
MemoryUse generation_memory(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy);

/// Whose errors the prediction shares.
ErrorLabels generation_labels(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy);
/// Whether requests wait for each other: at a server, unless each replica has but one at a time.
bool waits_in_turn(const GeneratePhase& phase, const GenerationRates& rates, const Strategy& strategy);
/// Deviations of the time to first token over those of waiting, where `waiting` is that share of it: reading the own
/// prompt is known as well as any prefill.
double first_token_scale(const ErrorModel& errors, const ErrorLabels& labels, double waiting);
/// `prompts`: nothing is generated; `queued`: requests wait for each other.
Spread generation_spread(const ErrorModel& errors, const ErrorLabels& labels, bool prompts, bool queued);
/// Deviations of a server's or an engine's memory over those of one that holds no weights, which are known by their
/// file.
double serving_memory_scale(const MemoryUse& use);
/// `waiting`: of the estimate; `memory_scale`: of its memory.
Spread generation_spread(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy,
                         double waiting = 1, double memory_scale = 1);
/// What own runs teach: medians times the factors of the spread.
void correct(GenerationEstimate& estimate, const Spread& spread);

std::vector<Term> explain_generation(const GenerationWork& work, const GenerationRates& rates,
                                     const Strategy& strategy);

}  // namespace gpuplan
