// Speed of the training model: the search calls layer_cost for every cut and training_estimate for every candidate.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#include "built_in.h"
#include "llama_70b.h"
#include "model/training/training.h"
#include "plan/strategy/layer_table.h"

namespace {

using namespace gpuplan;

/// Llama-3.1-70B, the way a search meets it.
struct Question {
  Gpu gpu = bench::h100();
  NodeShape node;
  Framework framework;
  Catalogue catalogue = bench::built_in();
  TrainPhase phase;
  TrainingWork work;
  TrainingRates rates;
  std::vector<Strategy> strategies;

  Question() {
    node.gpu = &gpu;
    node.gpus = 8;
    node.link = gpu.link;
    node.link_kind = LinkKind::kNvswitch;
    node.network = BytesPerSecond{400e9};
    framework.name = "torch";
    phase.models.push_back(bench::llama_70b());
    phase.sequence = 4096;
    phase.data.samples = 10000;
    work = *training_work(phase);
    rates = training_rates(catalogue, node, framework, Precision::kBf16, false, work);
    for (int tp = 1; tp <= 8; tp *= 2)
      for (int pp = 1; pp <= 8; pp *= 2)
        for (int micro = 1; micro <= 8; ++micro)
          for (int stage = 0; stage < 4; ++stage) {
            Strategy t;
            t.tp = tp;
            t.pp = pp;
            t.dp = 256 / tp / pp;
            t.micro_batch = micro;
            t.grad_accum = 16;
            t.sharding = static_cast<Sharding>(stage);
            strategies.push_back(t);
          }
  }
};

LayerCut cut_of(const Strategy& s) { return {s.tp, s.cp, s.ep, s.micro_batch, s.recompute, s.attention}; }

void bm_layer_and_estimate(benchmark::State& state) {
  const Question q;
  std::size_t i = 0;
  for (auto _ : state) {
    const Strategy& s = q.strategies[i++ % q.strategies.size()];
    const LayerCost layer = layer_cost(q.work, q.rates, cut_of(s));
    benchmark::DoNotOptimize(training_estimate(q.work, q.rates, layer, s, 32));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bm_layer_and_estimate);

/// As the search does it: the layer's cost from the table, then memory and time.
void bm_estimate(benchmark::State& state) {
  const Question q;
  LayerTable table(q.work, 8, {8, 1, 1});
  table.use(q.rates);
  const auto layer = [&](const Strategy& s) -> const LayerCost& {
    return table.at(cut_of(s), static_cast<std::size_t>(s.micro_batch - 1));
  };
  for (const Strategy& s : q.strategies) benchmark::DoNotOptimize(layer(s));
  std::size_t i = 0;
  for (auto _ : state) {
    const Strategy& s = q.strategies[i];
    benchmark::DoNotOptimize(training_estimate(q.work, q.rates, layer(s), s, 32));
    if (++i == q.strategies.size()) i = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bm_estimate);

void bm_spread(benchmark::State& state) {
  const Question q;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(training_spread(q.work, q.rates, q.strategies[i], 32));
    if (++i == q.strategies.size()) i = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(bm_spread);

}  // namespace
