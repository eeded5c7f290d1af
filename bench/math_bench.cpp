// Speed of base/math.h: the model calls these in its inner loop.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>

#include "base/math.h"
#include "base/random.h"

namespace {

using gpuplan::Random;

/// Arguments that change from call to call, so that nothing is folded away.
std::array<double, 1024> arguments(double from, double to) {
  Random random(1);
  std::array<double, 1024> values{};
  for (double& value : values) value = from + (to - from) * random.uniform01();
  return values;
}

template <class Function>
void over(benchmark::State& state, double from, double to, Function function) {
  const auto values = arguments(from, to);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(function(values[i++ % values.size()]));
}

void bm_exp(benchmark::State& state) {
  over(state, -20, 20, [](double x) { return gpuplan::math::exp(x); });
}
void bm_log(benchmark::State& state) {
  over(state, 1e-3, 1e9, [](double x) { return gpuplan::math::log(x); });
}
void bm_pow(benchmark::State& state) {
  over(state, 1, 1e6, [](double x) { return gpuplan::math::pow(x, 0.7); });
}
void bm_normal_quantile(benchmark::State& state) {
  over(state, 0.001, 0.999, [](double x) { return gpuplan::math::normal_quantile(x); });
}
void bm_normal_cdf(benchmark::State& state) {
  over(state, -5, 5, [](double x) { return gpuplan::math::normal_cdf(x); });
}
void bm_random_exponential(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.exponential(1.0));
}

BENCHMARK(bm_exp);
BENCHMARK(bm_log);
BENCHMARK(bm_pow);
BENCHMARK(bm_normal_quantile);
BENCHMARK(bm_normal_cdf);
BENCHMARK(bm_random_exponential);

}  // namespace
