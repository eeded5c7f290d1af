// All charts of an example, as data and as SVG.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "api/questions/facts.h"
#include "api/questions/plan_answer.h"
#include "output/charts/charts.h"
#include "output/charts/svg/svg.h"

namespace {

using namespace gpuplan;

const Catalogue& catalogue() {
  static const Catalogue kCatalogue = [] {
    auto facts = api::read_facts();
    if (!facts) std::exit(1);
    return *std::move(facts);
  }();
  return kCatalogue;
}

api::PlanAnswer answer_to(const std::string& name) {
  const std::string file = std::string(GPUPLAN_SOURCE_DIR) + "/examples/" + name + ".yaml";
  std::ifstream stream(file, std::ios::binary);
  api::Request request;
  request.job =
      api::NamedText{file, std::string{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}};
  request.today = "2026-11-22";
  auto answer = api::ask_plan(request, catalogue());
  if (answer) return *std::move(answer);
  std::cerr << file << ": " << answer.error().message << '\n';
  std::exit(1);
}

void charts_as_data(benchmark::State& state, const char* name) {
  const api::PlanAnswer answer = answer_to(name);
  for (auto _ : state) benchmark::DoNotOptimize(charts_of(answer.report()));
}

void charts_as_svg(benchmark::State& state, const char* name) {
  const api::PlanAnswer answer = answer_to(name);
  const std::vector<Chart> charts = charts_of(answer.report());
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (const Chart& chart : charts) bytes += svg_of(chart).size();
    benchmark::DoNotOptimize(bytes);
  }
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["charts"] = static_cast<double>(charts.size());
}

BENCHMARK_CAPTURE(charts_as_data, trm_nanochat, "trm-nanochat")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(charts_as_data, sft_node, "sft-node")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(charts_as_data, llama_8b_lora, "llama-8b-lora")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(charts_as_svg, trm_nanochat, "trm-nanochat")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(charts_as_svg, sft_node, "sft-node")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(charts_as_svg, llama_8b_lora, "llama-8b-lora")->Unit(benchmark::kMicrosecond);

}  // namespace
