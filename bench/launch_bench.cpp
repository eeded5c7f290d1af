// Speed of launch scripts beyond the search: a plan as all files of a folder, by launcher.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "api/questions/question.h"
#include "built_in.h"
#include "launch/launch_folder.h"
#include "launch/work/work.h"

namespace {

using namespace gpuplan;

/// Seven phases on several machines: the example that takes longest to write.
constexpr const char* kExample = "examples/sft-node.yaml";

template <class T>
T must(Result<T> result, const std::string& what) {
  if (result) return *std::move(result);
  std::cerr << what << ": " << result.error().message << '\n';
  std::exit(1);
}

struct Picked {
  api::Question question;
  api::Searched searched;
};

const Picked& picked() {
  static const Picked kPicked = [] {
    const std::string path = std::string(GPUPLAN_SOURCE_DIR) + "/" + kExample;
    api::Request request;
    std::ifstream stream(path, std::ios::binary);
    request.job = api::NamedText{kExample, std::string(std::istreambuf_iterator<char>(stream), {})};
    auto question = must(api::read_question(request, bench::built_in()), kExample);
    auto searched =
        must(api::search_job(question.loaded.job, question.known, bench::built_in(), question.terms), kExample);
    return Picked{std::move(question), std::move(searched)};
  }();
  return kPicked;
}

void bm_launch(benchmark::State& state, const Launcher& launcher) {
  const api::Searched& searched = picked().searched;
  const Plan& plan = searched.found.plans[static_cast<std::size_t>(*searched.found.recommendations.pick)];
  std::size_t bytes = 0;
  for (auto _ : state) {
    auto launch = must(lay_out(searched.job, plan, bench::built_in(), "plan", "gpuplan launch"), kExample);
    const auto folder = launch_folder(launch, launcher, "{}");
    if (!folder) {
      state.SkipWithError(folder.error().message.c_str());
      return;
    }
    bytes = folder->files.size();
    benchmark::DoNotOptimize(bytes);
  }
}

const bool kRegistered = [] {
  for (const Launcher& launcher : launchers())
    benchmark::RegisterBenchmark(("bm_launch/" + std::string(launcher.name)).c_str(), bm_launch, launcher)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
