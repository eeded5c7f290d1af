// Speed of the choice of machines: a job of twelve phases over 150 offers, as a chain and with phases side by side.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random.h"
#include "plan/machines/machine_choice.h"

namespace {

using namespace gpuplan;

/// Dear machines are faster, by a factor that differs from phase to phase: every phase has a frontier of its own.
ChoiceProblem twelve_phases(bool forks, const Billing& billing) {
  constexpr int kMachines = 150;
  constexpr int kPhases = 12;
  Random random(7);
  ChoiceProblem problem;
  for (int m = 0; m < kMachines; ++m) {
    MachineTerms terms;
    terms.price = (1 + random.uniform01() * 40) * units::dollar / units::hour;
    terms.gpus = 8;
    terms.billing = billing;
    problem.machines.push_back(terms);
  }
  for (int i = 0; i < kPhases; ++i) {
    Stage stage;
    if (i > 0) stage.needs = {i - 1};
    if (forks && i == 3) stage.needs = {0};
    if (forks && i == 5) stage.needs = {2, 4};
    if (forks && i == 8) stage.needs = {5};
    if (forks && i == 10) stage.needs = {7, 9};
    for (int m = 0; m < kMachines; ++m) {
      const double hourly = problem.machines[static_cast<std::size_t>(m)].price * units::hour / units::dollar;
      const double speed = hourly * (0.5 + random.uniform01());
      stage.times.push_back(Seconds{(1 + i % 4) * 20'000 / (1 + speed)});
      stage.gpus.push_back(8);
    }
    problem.stages.push_back(stage);
  }
  return problem;
}

void run(benchmark::State& state, bool forks, const Billing& billing) {
  const ChoiceProblem problem = twelve_phases(forks, billing);
  std::vector<std::vector<int>> needs;
  for (const Stage& stage : problem.stages) needs.push_back(stage.needs);
  for (auto _ : state) {
    const auto order = series_parallel(needs);
    const MachineChoice choice(problem, *order);
    benchmark::DoNotOptimize(choice.frontier().size());
    state.counters["schedules on the frontier"] = static_cast<double>(choice.frontier().size());
    state.counters["largest share left out, %"] = 100 * choice.thinned();
  }
}

constexpr Billing kByTheSecond{.minimum = Seconds{60}};
constexpr Billing kWithStart{.minimum = Seconds{60}, .startup = Seconds{180}};
constexpr Billing kByTheHour{.increment = Seconds{3600}, .startup = Seconds{180}};

void bm_chain(benchmark::State& state) { run(state, false, kByTheSecond); }
void bm_chain_with_start(benchmark::State& state) { run(state, false, kWithStart); }
void bm_chain_by_the_hour(benchmark::State& state) { run(state, false, kByTheHour); }
void bm_diamonds(benchmark::State& state) { run(state, true, kByTheSecond); }
void bm_diamonds_with_start(benchmark::State& state) { run(state, true, kWithStart); }
BENCHMARK(bm_chain)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_chain_with_start)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_chain_by_the_hour)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_diamonds)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_diamonds_with_start)->Unit(benchmark::kMillisecond);

}  // namespace
