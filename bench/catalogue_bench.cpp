// Reading the data files, which the build does, and taking what it read, which every start does.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "api/questions/facts.h"
#include "input/tables/catalogue_files.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace {

using namespace gpuplan;

void csv_of_the_offers(benchmark::State& state) {
  const std::string_view text = embedded_data("offers.csv");
  for (auto _ : state) {
    const auto table = CsvTable::parse(text, "offers.csv");
    benchmark::DoNotOptimize(table->rows());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(csv_of_the_offers)->Unit(benchmark::kMicrosecond);

void whole_catalogue(benchmark::State& state) {
  std::vector<DataFile> files;
  for (const auto name : kDataFiles) files.push_back({name, std::string(name), embedded_data(name)});
  for (auto _ : state) {
    const auto catalogue = parse_catalogue(files);
    benchmark::DoNotOptimize(catalogue->offers.size());
  }
}
BENCHMARK(whole_catalogue)->Unit(benchmark::kMicrosecond);

void built_in_facts(benchmark::State& state) {
  for (auto _ : state) {
    const auto catalogue = api::read_facts();
    benchmark::DoNotOptimize(catalogue->offers.size());
  }
}
BENCHMARK(built_in_facts)->Unit(benchmark::kMicrosecond);

}  // namespace
