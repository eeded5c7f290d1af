// Any bytes as a job file, with settings behind a line "===": a job whose figures are finite and in order, or one clear
// line. What could be read can be read again from its own text.
// seeds: examples/*.yaml fuzz/seeds/*.job.yaml
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "input/job/job_reader.h"
#include "input/job/settings.h"
#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"
#include "one_line.h"

namespace {

using gpuplan::Catalogue;
using gpuplan::Job;
using gpuplan::ModelShape;
using gpuplan::Result;

const Catalogue& known() {
  static const Catalogue catalogue = [] {
    std::vector<gpuplan::DataFile> files;
    for (const std::string_view name : gpuplan::kDataFiles)
      files.push_back({name, std::string(name), gpuplan::embedded_data(name)});
    auto parsed = gpuplan::parse_catalogue(files);
    if (!parsed) std::abort();
    return *parsed;
  }();
  return catalogue;
}

/// Names only: a fuzzer must not open files.
class Names final : public gpuplan::ModelResolver {
 public:
  Result<ModelShape> resolve(std::string_view name, std::string_view) const override {
    const ModelShape* shape = known().find_model(name);
    if (shape == nullptr) return gpuplan::failure("model is not known");
    return *shape;
  }
};

template <class T>
void check(const gpuplan::Interval<T>& range) {
  const bool good = std::isfinite(range.p10.value) && std::isfinite(range.p90.value) &&
                    range.p10.value <= range.p50.value && range.p50.value <= range.p90.value;
  if (!good) __builtin_trap();
}

void check(const Job& job) {
  if (job.phases.empty() || job.name.empty()) __builtin_trap();
  for (const auto& offer : job.market.offers)
    if (offer.price) check(*offer.price);
  for (const auto& phase : job.phases) {
    check(phase.overhead.time.range);
    for (const auto& given : phase.given)
      if (given.tokens_per_second) check(*given.tokens_per_second);
    const auto* train = std::get_if<gpuplan::TrainPhase>(&phase.work);
    if (train == nullptr) continue;
    for (const auto& model : train->models)
      if (!std::isfinite(model.params()) || model.params() < 0) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find("\n===\n");
  auto source = gpuplan::parse_job(text.substr(0, end), "fuzz.yaml");
  if (!source) {
    check_error(source.error());
    return 0;
  }
  std::string_view rest = end == std::string_view::npos ? std::string_view() : text.substr(end + 5);
  while (!rest.empty()) {
    const std::size_t line = rest.find('\n');
    const auto done = gpuplan::set_value(source->tree, rest.substr(0, line));
    if (!done) check_error(done.error());
    if (line == std::string_view::npos) break;
    rest.remove_prefix(line + 1);
  }
  const Names names;
  const auto job = gpuplan::read_job(*source, known(), names);
  if (!job) {
    check_error(job.error(), 2000);
    return 0;
  }
  check(*job);
  for (const gpuplan::Variant& variant : job->variants) {
    const auto changed = gpuplan::with_variant(*source, variant);
    if (!changed || !gpuplan::read_job(*changed, known(), names)) __builtin_trap();
  }
  const std::string flow = gpuplan::flow_text(source->tree);
  const auto again = gpuplan::parse_job(flow, "fuzz.yaml");
  if (!again ? flow.size() <= 1'000'000 : !gpuplan::read_job(*again, known(), names)) __builtin_trap();
  return 0;
}
