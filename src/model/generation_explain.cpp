// How far the generation model may be off, and where its figures come from.
#include <string_view>

#include "model/generation.h"
#include "model/generation_engines.h"
#include "model/generation_step.h"

namespace gpuplan {
namespace {

/// Standard deviation of the logarithm, ln(high / low) / (2 x 1.2816) of 80 % ranges of measured / predicted on
/// published runs (2026) with whole sources left out, widened by a fifth since the constants were chosen with these
/// runs in view; more where fewer than 80 % of the runs of a regime fell inside. One sequence in an eager engine has
/// the range of its mixtures of experts: hosts differ more than models do.
constexpr double kLlamaCpp = 0.14, kGraph16 = 0.24, kGraphQuantised = 0.25, kGraphTensor = 0.26, kLongPrompt = 0.23;
constexpr double kMoeSingle = 0.79, kMoeEager = 0.43, kEagerSingle = 0.43;
constexpr double kStaticGiven = 0.28, kStaticLargest = 0.40;
constexpr double kSaturatedNvlink = 0.15, kSaturated = 0.18, kSaturatedMoe = 0.29, kSaturatedPcie = 0.23;
constexpr double kPrefill = 0.28;
constexpr double kServedDense = 0.18, kServedMoe = 0.32, kServedWide = 0.49;
constexpr double kMemory = 0.12;

bool any_moe(const GenerationWork& work) {
  for (const NetworkWork& network : work.networks)
    if (network.moe()) return true;
  return false;
}

Spread regime(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy) {
  const GeneratePhase& phase = *work.phase;
  const bool eager = rates.host_per_layer.value > 0;
  const bool moe = any_moe(work);
  if (phase.forward_only) return {kPrefill, kMemory, "prompts only"};
  const bool server = rates.profile->continuous &&
                      (phase.situation == Situation::kSaturated || phase.situation == Situation::kConcurrency);
  if (phase.situation == Situation::kSingle) {
    if (moe)
      return eager ? Spread{kMoeEager, kMemory, "mixture of experts, one sequence, eager engine"}
                   : Spread{kMoeSingle, kMemory, "mixture of experts, one sequence"};
    if (eager) return {kEagerSingle, kMemory, "one sequence, bound by the host of an eager engine"};
    if (work.stored_per_sample.value > 0)
      return {kEagerSingle, kMemory, "one sequence, layers hooked to keep activations"};
    if (rates.profile->expands_16_bit || rates.profile->half_accumulate)
      return {kLlamaCpp, kMemory, "one sequence, llama.cpp and its like"};
    if (work.prompt_tokens >= 16384) return {kLongPrompt, kMemory, "one sequence after a long prompt"};
    if (strategy.tp > 1) return {kGraphTensor, kMemory, "one sequence, tensor parallel"};
    return rates.weight_bytes < 2 ? Spread{kGraphQuantised, kMemory, "one sequence, quantised weights"}
                                  : Spread{kGraph16, kMemory, "one sequence, 16-bit weights"};
  }
  if (!server)
    return strategy.micro_batch > 0 ? Spread{kStaticGiven, kMemory, "static batch of a given size"}
                                    : Spread{kStaticLargest, kMemory, "largest static batch that fits"};
  if (phase.situation == Situation::kConcurrency) {
    if (strategy.gpus() >= 16) return {kServedWide, kMemory, "requests in flight, 16 GPUs or more"};
    return moe ? Spread{kServedMoe, kMemory, "requests in flight, mixture of experts"}
               : Spread{kServedDense, kMemory, "requests in flight, dense model"};
  }
  if (moe) return {kSaturatedMoe, kMemory, "saturated, mixture of experts"};
  if (strategy.tp * strategy.pp > 1 && rates.link_bus == rates.pcie_bus)
    return {kSaturatedPcie, kMemory, "saturated, PCIe"};
  return strategy.tp > 1 ? Spread{kSaturatedNvlink, kMemory, "saturated, dense model over NVLink"}
                         : Spread{kSaturated, kMemory, "saturated, dense model"};
}

constexpr std::string_view kFit = "constants fitted on published serving runs, 2026";

void time_term(std::vector<Term>& terms, std::string_view name, Seconds value, std::string_view formula,
               std::string_view source) {
  if (value.value > 0) terms.push_back({Term::Kind::kTime, name, value.value, formula, source, true});
}

void memory_term(std::vector<Term>& terms, std::string_view name, Bytes value, std::string_view formula,
                 std::string_view source) {
  if (value.value > 0) terms.push_back({Term::Kind::kMemory, name, value.value, formula, source, true});
}

void inform(std::vector<Term>& terms, Term::Kind kind, std::string_view name, double value, std::string_view formula,
            std::string_view source) {
  terms.push_back({kind, name, value, formula, source, false});
}

std::string_view host_source(const GenerationWork& work, const GenerationRates& rates) {
  if (rates.host_per_layer.value > 0) return "0.72 ms a layer in eager Python, fitted on published runs, 2026";
  if (work.stored_per_sample.value > 0) return "0.72 ms a layer: hooks that keep activations rule out CUDA graphs";
  return "0.39 ms a step and 6 us a sequence, fitted on published runs, 2026";
}

}  // namespace

Spread generation_spread(const GenerationWork& work, const GenerationRates& rates, const Strategy& strategy) {
  Spread spread = regime(work, rates, strategy);
  spread.time *= rates.trust;
  return spread;
}

std::vector<Term> explain_generation(const GenerationWork& work, const GenerationRates& rates,
                                     const Strategy& strategy) {
  const GenerationEstimate estimate = generation_estimate(work, rates, strategy);
  const GenerationParts& parts = estimate.parts;
  const MemoryUse& memory = estimate.memory;
  const bool latent = !work.networks.empty() && work.networks.front().latent();
  const bool moe = any_moe(work);
  std::vector<Term> terms;
  terms.reserve(32);

  time_term(terms, "prompts", parts.prefill,
            "products of all prompt tokens + attention over the mean keys seen + element-wise passes + all-reduces + "
            "launches",
            kFit);
  time_term(terms, "reading weights", parts.weights,
            moe ? "(dense weights + experts x (1 - (1 - k/E)^sequences)) / achieved bandwidth, every step"
                : "weights / achieved bandwidth, every step",
            rates.native_products
                ? kFit
                : "expansion limited by the multiprocessors: stored bytes a clock, fitted on published runs, 2026");
  time_term(terms, "products beyond reading", parts.compute,
            "sqrt(r^2 + p^2 + 0.6 r p) - r, with r reading and p 2 x parameters x sequences (tiles padded by up to 42 "
            "rows) / achieved rate",
            kFit);
  time_term(terms, "reading the cache", parts.kv_reads,
            latent ? "latent vectors / 0.72 of bandwidth, joined with their products"
                   : "cache / 0.72 of bandwidth (eager engines copy it at every step)",
            latent ? "DeepSeek-V2 (2024), absorbed projections; rates fitted, 2026" : kFit);
  time_term(terms, "kernel launches", parts.launch,
            "layers x 9.7 kernels x 3.2 us (x 1.3 with experts, x 0.9 on GPUs from 2024 on)", kFit);
  time_term(terms, "host", parts.host, "((GPU^4 + host^4)^(1/4) - GPU) + fixed time of a step",
            host_source(work, rates));
  time_term(terms, "tensor-parallel traffic", parts.tensor_traffic,
            "2 x layers x (latency x (1 + 0.35 log2 n) + 2 (n-1)/n x 2 bytes x hidden x sequences / bus)",
            "ring all-reduce (Patarasuk and Yuan 2009); latency and bus rate fitted, 2026");
  time_term(terms, "pipeline traffic", parts.pipeline_traffic, "80 us for each boundary of the layer split", kFit);
  time_term(terms, "keeping activations", parts.store,
            "layers x width x tokens x bytes over PCIe, then to a disk that the GPUs share",
            "1.5 GB/s: Samsung PM9A3 data sheet (2021), smallest size; an assumption for rented disks");

  memory_term(terms, "weights", memory.weights, "parameters x bytes x 1.015 / (tp x pp)",
              "1.5 % padding: published runs, 2026");
  memory_term(terms, "KV cache", memory.kv_cache,
              latent ? "(latent + rotary width) x layers x tokens x bytes, on every rank"
                     : "2 x kv heads x head width x layers x tokens x bytes / ranks",
              latent ? "DeepSeek-V2 (2024)" : "definition");
  memory_term(terms, "activations", memory.activations,
              "2 bytes x prompt tokens at once x (4 hidden + 3 MLP width); kept hidden states on top", kFit);
  memory_term(terms, "logits", memory.logits, "4 bytes x vocabulary x sequences", "scores in fp32");
  memory_term(terms, "context and framework", memory.context(), "driver context, libraries, graphs, fragmentation",
              kFit);

  inform(terms, Term::Kind::kCount, "sequences in flight a replica", estimate.batch,
         "memory left / memory of a sequence, engine limits, samples", kFit);
  inform(terms, Term::Kind::kCount, "models one after the other", estimate.rounds,
         "all, or a share of them where they run side by side", "placement");
  inform(terms, Term::Kind::kTokenRate, "speed of one replica", estimate.replica_tokens_per_second,
         "new tokens of its samples / its time, prompts included", "definition");
  inform(terms, Term::Kind::kTokenRate, "speed of all replicas", estimate.tokens_per_second,
         "new tokens / time of the phase", "definition");
  inform(terms, Term::Kind::kByteRate, "achieved when reading weights", rates.decode_stream.value,
         "share of the data sheet's bandwidth", "data/efficiency.csv");
  inform(terms, Term::Kind::kOperationRate, "achieved in products", rates.matmul.value,
         rates.native_products ? "(share of peak)^-4 + (power limit)^-4, to the power -1/4"
                               : "16-bit rate x 0.84: weights are expanded first",
         "data/efficiency.csv");
  inform(terms, Term::Kind::kTime, "time to first token", estimate.time_to_first_token.value,
         "prompt alone, and waiting for the prompts and steps in flight", kFit);
  inform(terms, Term::Kind::kTime, "time per output token", estimate.time_per_output_token.value,
         "one decoding step, and the prompts read beside it", kFit);
  inform(terms, Term::Kind::kTime, "loading weights from disk", estimate.load.value,
         "weights / disk rate, not in the total", "1.5 GB/s: Samsung PM9A3 data sheet (2021), smallest size");
  return terms;
}

}  // namespace gpuplan
