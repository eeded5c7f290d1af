// Speed of the search: each example from its text to a recommendation, and the parts that every plan passes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "input/catalogue_files.h"
#include "input/embedded_data.h"
#include "input/job_reader.h"
#include "input/model_source.h"
#include "plan/frontier.h"
#include "plan/market.h"
#include "plan/samples.h"
#include "plan/schedule.h"
#include "plan/search.h"

namespace {

using namespace gpuplan;

std::filesystem::path examples() { return std::filesystem::path(__FILE__).parent_path().parent_path() / "examples"; }

/// A benchmark that measures the wrong thing is worse than none.
template <class T>
T must(Result<T> result, const std::string& what) {
  if (result) return *std::move(result);
  std::cerr << what << ": " << result.error().message << '\n';
  std::exit(1);
}

const Catalogue& catalogue() {
  static const Catalogue kCatalogue = [] {
    std::vector<DataFile> files;
    for (const auto name : kDataFiles) files.push_back({name, std::string(name), embedded_data(name)});
    return must(parse_catalogue(files), "data");
  }();
  return kCatalogue;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (text.empty()) {
    std::cerr << file << ": cannot be read\n";
    std::exit(1);
  }
  return text;
}

Job job_of(const std::string& text, const std::string& file) {
  return must(read_job(must(parse_job(text, file), file), catalogue(), ModelFinder(catalogue())), file);
}

struct Question {
  Job job;
  std::vector<Offer> market;

  explicit Question(const std::string& file) : job(job_of(text_of(examples() / file), file)) {
    MarketFilter filter;
    market = market_for(job, catalogue(), catalogue().offers, filter);
  }
  SearchResult answer() const { return must(search(job, catalogue(), market, SearchOptions{}), job.name); }
};

void read(benchmark::State& state, const std::string& file) {
  const std::string text = text_of(examples() / file);
  for (auto _ : state) benchmark::DoNotOptimize(job_of(text, file).phases.size());
}

/// On one thread; the rate counts candidates looked at, rejected ones too.
void find(benchmark::State& state, const std::string& file) {
  const Question question(file);
  long considered = 0;
  for (auto _ : state) considered += question.answer().tally.considered;
  state.SetItemsProcessed(considered);
}

/// One benchmark of each kind for each file in examples/.
const bool kRegistered = [] {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(examples()))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().filename().string());
  std::ranges::sort(files);
  for (const std::string& file : files) {
    const std::string name = std::filesystem::path(file).stem().string();
    benchmark::RegisterBenchmark(("bm_read/" + name).c_str(), read, file)->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("bm_search/" + name).c_str(), find, file)->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

void bm_frontier(benchmark::State& state) {
  const Question question("llama-8b-lora.yaml");
  std::vector<Plan> plans = question.answer().plans;
  std::ranges::shuffle(plans, std::mt19937{1});
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<Plan> copy = plans;
    state.ResumeTiming();
    mark_frontier(copy);
    benchmark::DoNotOptimize(copy.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(plans.size()));
}
BENCHMARK(bm_frontier)->Unit(benchmark::kMicrosecond);

/// A total of three uncertain parts, and its quantiles.
void bm_samples(benchmark::State& state) {
  const Scores scores(1);
  for (auto _ : state) {
    Samples sum{};
    for (int factor = 0; factor < 3; ++factor)
      add_samples(lognormal(Seconds{100.0 + factor}, 0.2), scores.of(factor), sum);
    benchmark::DoNotOptimize(quantiles(sum));
  }
}
BENCHMARK(bm_samples)->Unit(benchmark::kMicrosecond);

/// Seven phases, some side by side, some without a GPU: what a job of several phases does for each joint sample.
void bm_timeline(benchmark::State& state) {
  std::vector<Slot> slots(7);
  const int gpus[] = {0, 8, 1, 8, 2, 2, 0};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slots[i].gpus = gpus[i];
    slots[i].on_machine = gpus[i] > 0;
    if (i > 0 && i != 5) slots[i].needs = {static_cast<int>(i) - 1};
  }
  Timeline timeline(slots, {{8, 0}});
  std::vector<double> durations = {1800, 1650, 14400, 760, 1600, 3600, 7200};
  for (auto _ : state) {
    durations[1] += 1;
    timeline.place(durations);
    benchmark::DoNotOptimize(timeline.end() + timeline.held(0).second + timeline.busy(0));
  }
}
BENCHMARK(bm_timeline)->Unit(benchmark::kMicrosecond);

}  // namespace
