// Speed of the generation model: the search calls generation_estimate for every candidate.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "built_in.h"
#include "llama_70b.h"
#include "model/generation/generation.h"

namespace {

using namespace gpuplan;

ModelUse experts() {
  ModelUse use = bench::llama_70b();
  use.shape.layers = 94;
  use.shape.hidden = 4096;
  use.shape.kv_heads = 4;
  use.shape.experts = 128;
  use.shape.experts_per_token = 8;
  use.shape.expert_ffn = 1536;
  return use;
}

void run(benchmark::State& state, const ModelUse& use, int models, Situation situation) {
  const Gpu gpu = bench::h100();
  NodeShape node;
  node.gpu = &gpu;
  node.gpus = 8;
  node.link = gpu.link;
  node.link_kind = LinkKind::kNvswitch;
  Framework engine;
  engine.name = "vllm";
  GeneratePhase phase;
  phase.models.assign(static_cast<std::size_t>(models), use);
  phase.data = {Prompts{"prompts", 100000, {500, 1000}, {300, 600}}};
  phase.situation = situation;
  const GenerationWork work = generation_work(phase).value();
  const GenerationRates rates = generation_rates(bench::built_in(), node, engine, Format::kFp8, Format::kFp8).value();
  std::vector<Strategy> strategies;
  for (int tp = 1; tp <= 8; tp *= 2)
    for (int pp = 1; pp * tp <= 8; pp *= 2)
      for (const int batch : {0, 1, 32}) {
        Strategy strategy;
        strategy.tp = tp;
        strategy.pp = pp;
        strategy.dp = 8 / (tp * pp);
        strategy.micro_batch = batch;
        strategies.push_back(strategy);
      }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(generation_estimate(work, rates, strategies[i++ % strategies.size()]));
  state.SetItemsProcessed(static_cast<long>(i));
}

void bm_generation_dense(benchmark::State& state) { run(state, bench::llama_70b(), 1, Situation::kSaturated); }
void bm_generation_single(benchmark::State& state) { run(state, bench::llama_70b(), 1, Situation::kSingle); }
void bm_generation_experts(benchmark::State& state) { run(state, experts(), 1, Situation::kSaturated); }
void bm_generation_four_models(benchmark::State& state) { run(state, bench::llama_70b(), 4, Situation::kSingle); }
BENCHMARK(bm_generation_dense);
BENCHMARK(bm_generation_single);
BENCHMARK(bm_generation_experts);
BENCHMARK(bm_generation_four_models);

}  // namespace
