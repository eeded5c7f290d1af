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

#include "input/job/job_reader.h"
#include "input/models/model_source.h"
#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"
#include "plan/answer/market.h"
#include "plan/billing/samples.h"
#include "plan/billing/timeline.h"
#include "plan/ranking/frontier.h"
#include "plan/search.h"

namespace {

using namespace gpuplan;

std::filesystem::path examples() { return std::filesystem::path(GPUPLAN_SOURCE_DIR) / "examples"; }

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
  Timeline timeline(slots, {{8, {}}});
  std::vector<Seconds> durations;
  for (const double time : {1800, 1650, 14400, 760, 1600, 3600, 7200}) durations.emplace_back(time);
  for (auto _ : state) {
    durations[1] += Seconds{1};
    timeline.place(durations);
    benchmark::DoNotOptimize((timeline.end() + timeline.held(0).second + timeline.busy(0)).value);
  }
}
BENCHMARK(bm_timeline)->Unit(benchmark::kMicrosecond);

/// A list of so many offers, a third of them on spot: the search and the frontier.
void bm_offers(benchmark::State& state) {
  Question question("llama-8b-lora.yaml");
  std::mt19937 random(1);
  std::vector<Offer> list;
  for (int i = 0; i < state.range(0); ++i) {
    Offer& offer = list.emplace_back();
    offer.gpu = catalogue().gpus[random() % catalogue().gpus.size()].name;
    offer.gpus = 1 << random() % 4;
    offer.provider = "p" + std::to_string(random() % 40);
    offer.region = "r" + std::to_string(random() % 200);
    const double dollars = offer.gpus * (0.2 + static_cast<double>(random() % 5800) / 1000);
    const bool spot = random() % 3 == 0;
    (spot ? offer.spot_price : offer.price) = exactly(DollarsPerSecond{dollars / 3600});
    if (spot) offer.interruptions = exactly(PerSecond{static_cast<double>(1 + random() % 20) / 100 / 3600});
  }
  MarketFilter filter;
  question.market = market_for(question.job, catalogue(), list, filter);
  for (auto _ : state) benchmark::DoNotOptimize(question.answer().plans.size());
  state.SetComplexityN(state.range(0));
}
BENCHMARK(bm_offers)->Unit(benchmark::kMillisecond)->RangeMultiplier(4)->Range(1000, 64000)->Complexity();

/// A job of so many phases on the built-in market, each after the one before it or all side by side.
void bm_phases(benchmark::State& state) {
  std::string text = "phases:\n";
  for (int i = 0; i < state.range(0); ++i) {
    text += "  - {name: p" + std::to_string(i) + ", fixed: {gpus: 1, time: 1 min}";
    if (state.range(1) != 0 && i > 0) text += ", needs: [p" + std::to_string(i - 1) + "]";
    text += "}\n";
  }
  const Job job = job_of(text, "phases.yaml");
  MarketFilter filter;
  const std::vector<Offer> market = market_for(job, catalogue(), catalogue().offers, filter);
  for (auto _ : state)
    benchmark::DoNotOptimize(must(search(job, catalogue(), market, SearchOptions{}), "phases").plans.size());
}
BENCHMARK(bm_phases)->Unit(benchmark::kMillisecond)->ArgsProduct({{100, 1000}, {0, 1}})->ArgNames({"phases", "chain"});

}  // namespace
