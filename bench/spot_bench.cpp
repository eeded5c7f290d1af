// Speed of spot/: histories a second, and the search for the interval between checkpoints.
#include <benchmark/benchmark.h>

#include <vector>

#include "plan/billing/interruptions.h"
#include "spot/checkpointing.h"
#include "spot/histories.h"

namespace {

using namespace gpuplan;

constexpr PerSecond kRate = 0.05 / units::hour;

/// Two days of work that writes a checkpoint of a minute.
Recoverable two_days() {
  Recoverable how;
  how.work = 48 * units::hour;
  how.checkpoint = 60 * units::second;
  how.restart = 5 * units::minute;
  how.interval = best_interval(Lifetimes::exponential(kRate), how);
  return how;
}

void simulate(benchmark::State& state, const Lifetimes& lives) {
  const std::vector<Lifetimes> all{lives};
  const Recoverable how = two_days();
  std::vector<History> runs(4096);
  std::uint64_t seed = 0;
  for (auto _ : state) {
    simulate_histories(all, how, ++seed, 1, runs);
    benchmark::DoNotOptimize(runs.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(runs.size()));
}

void bm_histories_exponential(benchmark::State& state) { simulate(state, Lifetimes::exponential(kRate)); }
void bm_histories_bathtub(benchmark::State& state) { simulate(state, Lifetimes::bathtub({})); }

void bm_best_interval(benchmark::State& state) {
  const Recoverable how = two_days();
  const Lifetimes lives = Lifetimes::exponential(kRate);
  for (auto _ : state) benchmark::DoNotOptimize(best_interval(lives, how));
}

/// As a plan asks: the interval and the expectation for a band of the Spot Advisor (17 rates).
void bm_expected_of_a_range(benchmark::State& state) {
  SpotTerms terms;
  terms.rate = {0.1 * kRate, kRate, 10 * kRate};
  terms.checkpoint = 60 * units::second;
  terms.restart = 5 * units::minute;
  for (auto _ : state) benchmark::DoNotOptimize(with_interruptions(terms, 48 * units::hour));
}

void bm_expected_of_a_bathtub(benchmark::State& state) {
  SpotTerms terms;
  terms.bathtub = Bathtub{};
  terms.checkpoint = 60 * units::second;
  terms.restart = 5 * units::minute;
  for (auto _ : state) benchmark::DoNotOptimize(with_interruptions(terms, 48 * units::hour));
}

BENCHMARK(bm_histories_exponential);
BENCHMARK(bm_histories_bathtub);
BENCHMARK(bm_best_interval);
BENCHMARK(bm_expected_of_a_range);
BENCHMARK(bm_expected_of_a_bathtub);

}  // namespace
