// Any bytes as gpuplan.toml: values that a job can take, or one clear line. What was read is what is shown.
// seeds: fuzz/seeds/*.toml
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "input/question/user_config.h"
#include "input/text/toml_tree.h"
#include "one_line.h"

namespace {

gpuplan::Catalogue small_catalogue() {
  gpuplan::Catalogue catalogue;
  for (const char* name : {"H100 SXM", "A100 SXM 80GB", "RTX 4090"}) {
    catalogue.gpu_names.add(name, static_cast<int>(catalogue.gpus.size()));
    catalogue.gpus.emplace_back().name = name;
  }
  return catalogue;
}

/// No model is looked up on disk.
class Names final : public gpuplan::ModelResolver {
 public:
  gpuplan::Result<gpuplan::ModelShape> resolve(std::string_view, std::string_view) const override {
    gpuplan::ModelShape shape;
    shape.layers = 2;
    shape.hidden = 128;
    gpuplan::complete(shape);
    return shape;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = small_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto tree = gpuplan::parse_toml(text, "gpuplan.toml");
  if (!tree) {
    check_error(tree.error());
    return 0;
  }
  const auto config = gpuplan::read_config({{"gpuplan.toml", *tree}, {"other/gpuplan.toml", *tree}}, catalogue);
  if (!config) {
    check_error(config.error());
    return 0;
  }
  for (const gpuplan::ConfigValue& value : config->values)
    if (value.file != "gpuplan.toml" || value.address.empty()) __builtin_trap();
  // Values that were taken are values that a job takes.
  auto job = gpuplan::parse_job("phases: {name: a, train: {model: m, data: {samples: 9}, sequence: 8}}", "job.yaml");
  if (!job) __builtin_trap();
  gpuplan::apply_config(*job, *config);
  if (!gpuplan::read_job(*job, catalogue, Names())) __builtin_trap();
  return 0;
}
