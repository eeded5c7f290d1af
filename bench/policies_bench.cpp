// Speed of policies on spot machines: replays of a trace and made-up histories of a job of 48 hours.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "base/random.h"
#include "spot/policies.h"

namespace {

using namespace gpuplan;

/// 48 h of work, 60 h of time, restarts of 12 min: the job of Wu et al. (NSDI 2024).
SpotTask paper_task() {
  SpotTask task;
  task.pieces = {{.work = units::hour * 48}};
  task.deadline = units::hour * 60;
  task.restart = task.first_start = units::minute * 12;
  return task;
}

/// Four weeks of ticks of ten minutes; machines stay for two hours and are away for one, on average.
const TraceRuns& made_up_trace() {
  static const TraceRuns kRuns = [] {
    Trace trace{Seconds{600}, {}};
    Random random(1);
    for (bool up = true; trace.machines.size() < 4032; up = !up)
      trace.machines.insert(trace.machines.end(), 1 + static_cast<std::size_t>(random.exponential(up ? 12 : 6)),
                            up ? 1 : 0);
    return runs_of(trace);
  }();
  return kRuns;
}

void replays(benchmark::State& state) {
  const auto policy = static_cast<SpotPolicy>(state.range(0));
  const SpotTask task = paper_task();
  const TraceRuns& runs = made_up_trace();
  int start = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(replay(task, policy, runs, start));
    start = (start + 7) % 3600;
  }
  state.SetLabel(std::string(name_of(policy)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(replays)->DenseRange(0, static_cast<int>(SpotPolicy::kUniformProgressIdle));

/// Interruptions at 5 %/h, checkpoints of a minute every half hour.
void histories(benchmark::State& state) {
  const auto policy = static_cast<SpotPolicy>(state.range(0));
  SpotTask task = paper_task();
  task.pieces = {{units::hour * 48, units::minute * 30, units::minute, false}};
  const Lifetimes lives = Lifetimes::exponential(PerSecond{0.05 / 3600});
  std::uint64_t history = 0;
  for (auto _ : state) {
    Random random(1, history++);
    benchmark::DoNotOptimize(simulate(task, policy, {lives, units::minute * 30}, random));
  }
  state.SetLabel(std::string(name_of(policy)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(histories)->DenseRange(0, static_cast<int>(SpotPolicy::kUniformProgress));

}  // namespace
