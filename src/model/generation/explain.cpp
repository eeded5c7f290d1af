// Where the figures of the generation model come from.
#include <string_view>

#include "model/generation/collection.h"
#include "model/generation/generation.h"
#include "model/generation/step.h"

namespace gpuplan {
namespace {

constexpr std::string_view kFit = "constants fitted to published generation runs";

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
  if (rates.host_per_layer.value > 0) return "host time of a layer in eager Python, data/engines.csv";
  if (work.stored_per_sample.value > 0) return "hooks that keep activations rule out CUDA graphs: host time of a layer";
  return "host time of a step and of each sequence, data/engines.csv";
}

}  // namespace

std::vector<Term> explain_generation(const GenerationWork& work, const GenerationRates& rates,
                                     const Strategy& strategy) {
  const GenerationEstimate estimate = generation_estimate(work, rates, strategy);
  const GenerationParts& parts = estimate.parts;
  const MemoryUse& memory = estimate.memory;
  const bool latent = !work.networks.empty() && work.networks.front().latent();
  const bool moe = work.any_moe();
  std::vector<Term> terms;
  terms.reserve(32);

  time_term(terms, "prompts", parts.prefill,
            "products of all prompt tokens + attention over the mean keys seen + element-wise passes + all-reduces + "
            "launches",
            kFit);
  time_term(terms, "weight reads", parts.weights,
            moe ? "(dense weights + experts that the sequences reach) / achieved bandwidth, every step"
                : "weights / achieved bandwidth, every step",
            rates.native_products() ? kFit : "expansion limited by the multiprocessors: stored bytes a clock");
  time_term(terms, "matmuls beyond weight reads", parts.compute,
            "(r^4 + p^4 + e^4)^(1/4) + start of a kernel - (r + e) for each matrix, with r reading it, e expanding it "
            "and p its tiles in waves over the multiprocessors",
            kFit);
  time_term(terms, "KV-cache reads", parts.kv_reads,
            latent ? "latent vectors / achieved bandwidth, joined with their products"
                   : "cache / achieved bandwidth (eager engines copy it at every step)",
            latent ? "DeepSeek-V2 (2024), absorbed projections; rates fitted, 2026" : kFit);
  time_term(terms, "kernel launches", parts.launch,
            "layers x idle time between kernels (more with experts, less with software of 2024 and later)", kFit);
  time_term(terms, "CPU launch overhead", parts.host, "((GPU^4 + host^4)^(1/4) - GPU) + fixed time of a step",
            host_source(work, rates));
  time_term(
      terms, "tensor-parallel traffic", parts.tensor_traffic,
      "2 x layers x (latency + 2 (n-1)/n x 2 bytes x hidden x sequences / bus), or in one step where that is shorter",
      "ring all-reduce (Patarasuk and Yuan 2009); latency and bus rate of data/links.csv");
  time_term(terms, "pipeline traffic", parts.pipeline_traffic, "a fixed time for each boundary of the layer split",
            kFit);
  const CollectionUse collection = collection_use(work, rates, strategy, estimate);
  explain_collection(work, collection, terms);

  memory_term(terms, "weights", memory.weights, "parameters x bytes / (tp x pp), padded", kFit);
  memory_term(terms, "KV cache", memory.kv_cache,
              latent ? "(latent + rotary width) x layers x tokens x bytes, on every rank"
                     : "2 x kv heads x head width x layers x tokens x bytes / ranks",
              latent ? "DeepSeek-V2 (2024)" : "definition");
  memory_term(terms, "activations", memory.activations - collection.on_gpu,
              "2 bytes x prompt tokens at once x (4 hidden + 3 MLP width)", kFit);
  memory_term(terms, "logits", memory.logits, "4 bytes x vocabulary x sequences", "scores in fp32");
  memory_term(terms, "context and framework", memory.context(), "driver context, libraries, graphs, fragmentation",
              kFit);

  inform(terms, Term::Kind::kCount, "concurrent requests per replica", estimate.batch,
         "memory left / memory of a sequence, engine limits, samples", kFit);
  if (work.guesses > 0)
    inform(terms, Term::Kind::kCount, "tokens a pass and sequence", work.tokens_a_pass,
           "1 + a + a^2 + ... + a^k with k guesses that hold with chance a",
           "Leviathan, Kalman and Matias 2023, arXiv:2211.17192; the chance is the job's own figure");
  inform(terms, Term::Kind::kCount, "models one after another", estimate.rounds,
         "all, or a share of them where they run side by side", "placement");
  inform(terms, Term::Kind::kTokenRate, "speed of one replica", estimate.replica_tokens_per_second,
         "new tokens of its samples / its time, prompts included", "definition");
  inform(terms, Term::Kind::kTokenRate, "speed of all replicas", estimate.tokens_per_second,
         "new tokens / time of the phase", "definition");
  inform(terms, Term::Kind::kByteRate, "achieved when reading weights", rates.decode_stream.value,
         "share of the data sheet's bandwidth", "data/efficiency.csv");
  inform(terms, Term::Kind::kOperationRate, "achieved in products", (Flops{1} / rates.blocks.products.flop).value,
         rates.native_products() ? "(share of peak)^-4 + (power limit)^-4, to the power -1/4"
                                 : "16-bit rate x 0.9: weights are expanded first",
         "data/efficiency.csv");
  inform(terms, Term::Kind::kTime, "time to first token", estimate.time_to_first_token.value,
         "prompt alone, plus waiting for prompts and steps under way", kFit);
  inform(terms, Term::Kind::kTime, "time per output token", estimate.time_per_output_token.value,
         "one decoding step, and the prompts read beside it", kFit);
  inform(terms, Term::Kind::kTime, "loading weights from disk", estimate.load.value,
         "weights / disk rate, not in the total", "1.5 GB/s: Samsung PM9A3 data sheet (2021), smallest size");
  return terms;
}

}  // namespace gpuplan
