// The numbers of training_estimate again, term by term.
#include <algorithm>
#include <string_view>
#include <vector>

#include "model/training/rollouts.h"
#include "model/training/training.h"

namespace gpuplan {

namespace {

constexpr std::string_view kFitted = "fitted on published runs, 2026";
constexpr std::string_view kDataSheet = "data sheet";

using Kind = Term::Kind;

void add_step(const StepParts& s, std::vector<Term>& terms) {
  const auto time = [&](std::string_view name, Seconds value, std::string_view formula, std::string_view source) {
    if (value.value != 0) terms.push_back({Kind::kTime, name, value.value, formula, source, true});
  };
  time("matmuls (GEMMs)", s.matmul,
       "sum over GEMMs: 4-norm of 2 m n (k + k_half) / achieved rate, in waves of tiles, and bytes / bandwidth",
       kFitted);
  time("attention", s.attention, "2 (d_qk + d_v) heads pairs / achieved rate; backward 2.5 times the operations",
       "Dao 2023, arXiv:2307.08691; rates fitted on published runs, 2026");
  time("elementwise kernels (norms, activations)", s.elementwise,
       "bytes of norms, residuals, gates and rotary / achieved bandwidth", kFitted);
  time("activation checkpointing", s.recompute, "forward pass again of what was not kept",
       "Chen et al. 2016, arXiv:1604.06174; Korthikanti et al. 2022, arXiv:2205.05198");
  time("dequantization", s.dequantise, "bytes a 4-bit parameter and micro-batch / bandwidth",
       "Dettmers et al. 2023, arXiv:2305.14314; fitted on published runs, 2026");
  time("output and loss", s.head, "three products with the vocabulary, and bytes a logit / bandwidth", kFitted);
  time("CPU launch overhead", s.launch,
       "kernel launches the GPU waits for: 4-norm of GPU and CPU time minus GPU time; optimizer launches", kFitted);
  time("tensor-parallel traffic", s.tensor_traffic,
       "2 all-reduces a layer and pass, less the share that computation hides",
       "Shoeybi et al. 2019, arXiv:1909.08053; fitted on published runs, 2026");
  time("expert traffic", s.expert_traffic, "dispatch and combine of every token's experts, forward and backward",
       kFitted);
  time("data-parallel traffic", s.data_traffic,
       "gradients once a step (none, ZeRO-1), weights and gradients every micro-batch (ZeRO-3), less what computation "
       "hides",
       "Rajbhandari et al. 2020, arXiv:1910.02054; fitted on published runs, 2026");
  time("pipeline traffic", s.pipeline_traffic,
       "boundary activations there and back for every micro-batch, half exposed", kFitted);
  time("pipeline bubble", s.bubble, "(pp - 1) / interleave micro-batches, and what the slowest stage has more",
       "Narayanan et al. 2021, arXiv:2104.04473");
  time("optimizer", s.optimizer, "bytes of weights, gradients and states / achieved bandwidth", kFitted);
  time("CPU offload", s.offload,
       "optimizer: 28 bytes per parameter of CPU memory, 6 over PCIe; weights and activations: there and back over "
       "PCIe, minus what computation hides",
       "Ren et al. 2021, arXiv:2101.06840; fitted on published runs, 2026");
  time("waiting for the slowest machine", s.straggle, "a share of the step for each doubling of machines", kFitted);
  time("rollouts (vLLM)", s.rollouts,
       "reading the prompts, and passes for the answers: as many as all of them take, and until the longest is done",
       "as generation, whose constants are fitted on published runs; the longest: lognormal lengths, an assumption");
  time("reward functions", s.rewards, "reward_time, while the GPUs wait", "job");
  time("weights to vLLM", s.weight_sync,
       "bytes of weights, read and written / bandwidth; gathered where they are sharded; adapters added and taken out",
       "huggingface/trl trl/generation/vllm_generation.py; not measured");
}

void add_rollouts(const TrainingWork& work, const TrainingRates& r, const Strategy& s, std::vector<Term>& terms) {
  if (!work.rollouts || !r.rollouts) return;
  const RolloutUse use = rollout_use(work, *r.rollouts, s);
  const auto fact = [&](Kind kind, std::string_view name, double value, std::string_view formula,
                        std::string_view source) { terms.push_back({kind, name, value, formula, source, false}); };
  constexpr std::string_view kAssumed = "lognormal lengths, an assumption";
  fact(Kind::kTime, "rollouts: reading prompts", use.prompts.value, "of a replica, in chunks of 4,096 tokens",
       "huggingface/trl trl/generation/vllm_generation.py");
  fact(Kind::kTime, "rollouts: giving answers", use.answers.value, "passes x time of a pass with the answers under way",
       "as generation");
  fact(Kind::kCount, "rollouts: passes", use.passes, "answers x mean length / answers at once + longest - mean",
       kAssumed);
  fact(Kind::kCount, "rollouts: longest answer", use.longest, "tokens, expected of all answers of a step", kAssumed);
  fact(Kind::kCount, "rollouts: answers at once", use.in_flight, "a replica of vLLM, as its cache holds",
       "as generation");
  fact(Kind::kCount, "rollouts: GPUs of a replica", use.tp, "vllm_tensor_parallel_size", "plan");
  fact(Kind::kShare, "rollouts: share of GPU memory", use.share, "vllm_gpu_memory_utilization", "plan");
  terms.push_back(
      {Kind::kMemory, "vLLM", use.held.value, "that share of the GPU's memory: weights and KV cache", "plan", false});
}

constexpr std::string_view kZero = "Rajbhandari et al. 2020, arXiv:1910.02054";

/// How activations come to be that large, by what is recomputed.
std::string_view activation_formula(Recompute recompute) {
  switch (recompute) {
    case Recompute::kNone:
      return "tensors that the backward pass reads, tokens x elements x bytes, x micro-batches in flight";
    case Recompute::kSelective:
      return "inputs of layers, outputs of attention and every second product; one layer is computed again";
    case Recompute::kFull:
      return "inputs of layers x micro-batches in flight; one layer is computed again";
  }
  return "";
}

void add_memory(const TrainingWork& work, const TrainingRates& r, const LayerCost& layer, const Strategy& s,
                const MemoryUse& m, std::vector<Term>& terms) {
  const auto memory = [&](std::string_view name, Bytes value, std::string_view formula, std::string_view source,
                          bool part = true) {
    if (value.value != 0) terms.push_back({Kind::kMemory, name, value.value, formula, source, part});
  };
  memory("weights", m.weights, "parameters of the fullest rank x bytes kept, shared out under ZeRO-3", kZero);
  memory("gradients", m.gradients, "trainable parameters x bytes, sharded from ZeRO-2; only those held at the peak",
         kZero);
  memory("optimizer", m.optimizer, "master weights and states, shared out from ZeRO-1",
         "Micikevicius et al. 2018, arXiv:1710.03740; Rajbhandari et al. 2020, arXiv:1910.02054");
  memory("activations", m.activations, activation_formula(s.recompute),
         "Korthikanti et al. 2022, arXiv:2205.05198; Chen et al. 2016, arXiv:1604.06174");
  memory("KV cache", m.kv_cache, "what vLLM takes beside its weights, which stand among the weights above", "plan");
  memory("logits", m.logits, "tokens x vocabulary x bytes at the peak of the loss", kFitted);
  memory(
      "buffers", m.buffers,
      "layers gathered under full sharding, 16-bit copies of 32-bit weights, copies of gradients on their way, stage "
      "boundaries, collectives",
      kFitted);
  memory("framework", m.framework, "workspaces of libraries, tables, inputs", kFitted);
  memory("fragmentation", m.fragmentation,
         "share of what comes and goes within a step, held by the allocator beside it", kFitted);
  memory("driver", m.driver, "context and libraries, outside of the allocator", kFitted);
  const std::string_view instant = fullest_instant(work, r, layer, s);
  memory("allocated", m.allocated(), instant, "the fullest instant of the fullest stage", false);
  memory("reserved", m.reserved(), "allocated + fragmentation: what PyTorch calls reserved", "sum", false);
  const HostMemory host = training_host_memory(work, r, layer, s);
  memory("CPU memory: loading", host.loading, "copies of the checkpoint in 16 bit while it is read",
         "documentation of the framework", false);
  memory("CPU memory: offloaded", host.offloaded, "32-bit weights, states and gradients; weights; activations",
         "Ren et al. 2021, arXiv:2101.06840", false);
  memory("CPU memory: processes", host.processes, "a process and its data workers for each GPU", "assumption", false);
  memory("CPU memory of one machine", host.total(), "the larger of loading and offloaded, and processes", "sum", false);
}

/// What "model operations" are here; N are the parameters that a token meets.
std::string_view operations_formula(const TrainingWork& work) {
  const bool custom = std::ranges::any_of(work.models, [](const ModelWork& m) { return m.use->custom.has_value(); });
  const bool partly =
      std::ranges::any_of(work.models, [](const ModelWork& m) { return !m.backward_inputs || !m.backward_weights; });
  const bool again = std::ranges::any_of(
      work.models, [](const ModelWork& m) { return !m.use->custom && (m.use->runs() > 1 || m.passes > 1); });
  if (custom) return "operations of the samples as the job states them / (GPUs x peak x step)";
  if (partly && again)
    return "(2 N forward, 2 N for each kind of gradient) x loops x supervision steps x tokens / (GPUs x peak x step)";
  if (partly) return "(2 N forward, 2 N for each kind of gradient) x tokens / (GPUs x peak x step)";
  if (again) return "6 N x loops x supervision steps x tokens / (GPUs x peak x step)";
  return "6 N tokens / (GPUs x peak x step)";
}

void add_facts(const TrainingWork& work, const TrainingRates& r, const Strategy& s, const StepParts& step,
               std::vector<Term>& terms) {
  const auto fact = [&](Kind kind, std::string_view name, double value, std::string_view formula,
                        std::string_view source) { terms.push_back({kind, name, value, formula, source, false}); };
  fact(Kind::kCount, "parameters", work.params, "from the shape", "model shape");
  fact(Kind::kCount, "trainable parameters", work.trainable, "with gradients and optimizer state", "job");
  fact(Kind::kCount, "tokens per sequence", work.mean_tokens, "on average", "job");
  fact(Kind::kOperationRate, "peak rate", r.peak.value, "dense, 32-bit accumulation", kDataSheet);
  fact(Kind::kOperationRate, "matrix products, large",
       r.blocks.flop.value > 0 ? 1 / (r.blocks.flop.value * r.product_factor) : 0,
       "peak x share reached / factor of a training step", r.efficiency->source);
  fact(Kind::kOperationRate, "fused attention, long", r.attention.value, "peak x share reached", r.efficiency->source);
  fact(Kind::kByteRate, "memory bandwidth", r.stream.value, "data sheet x share reached", r.efficiency->source);
  fact(Kind::kShare, "framework", r.software, "factor on GPU time", r.software_row->source);
  if (s.gpus() > 1 && r.link_bus.value > 0)
    fact(Kind::kByteRate, "link of a GPU", r.link_bus.value, "bus rate inside the machine",
         "published NCCL tables, 2026");
  if (s.gpus() > r.node->gpus)
    fact(Kind::kByteRate, "network of a machine", r.network_bus.value, "0.8 of the advertised rate",
         "published NCCL tables, 2026");
  // 6 operations a parameter and token (Kaplan et al. 2020), 4 where weights are frozen; without attention.
  double flops = 0;
  for (const ModelWork& m : work.models) {
    if (m.use->custom) {
      flops += m.use->custom->flops_per_sample.value;
    } else {
      const double tokens = m.tokens > 0 ? m.tokens : work.mean_tokens;
      const double passes = 2 + (m.backward_inputs ? 2 : 0) + (m.backward_weights ? 2 : 0);
      flops += passes * m.params.active * tokens * m.passes * m.use->runs();
    }
  }
  const double sequences = static_cast<double>(s.micro_batch) * s.grad_accum * s.dp;
  const double rate = flops * sequences / s.gpus() / step.total().value;
  if (r.peak.value > 0)
    fact(Kind::kShare, "model operations over peak", rate / r.peak.value, operations_formula(work),
         "Kaplan et al. 2020, arXiv:2001.08361; Chowdhery et al. 2022, arXiv:2204.02311");
}

}  // namespace

std::vector<Term> explain_training(const TrainingWork& work, const TrainingRates& rates, const LayerCost& layer,
                                   const Strategy& strategy, int nodes) {
  const TrainingEstimate estimate = training_estimate(work, rates, layer, strategy, nodes);
  std::vector<Term> terms;
  terms.reserve(40);
  add_step(estimate.step, terms);
  add_memory(work, rates, layer, strategy, estimate.memory, terms);
  add_facts(work, rates, strategy, estimate.step, terms);
  add_rollouts(work, rates, strategy, terms);
  return terms;
}

}  // namespace gpuplan
