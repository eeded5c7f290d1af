#include "launch/to/container.h"

#include <algorithm>

namespace gpuplan {

std::string_view image_words(const Gpu& gpu) {
  return gpu.vendor == "amd" ? "assumed; vLLM needs rocm/vllm"
                             : "assumed: the launcher's own image lacks what runs here; replace with yours";
}

Result<void> sees_all_parts(const Launch& launch, std::initializer_list<std::string_view> frameworks,
                            std::string_view why) {
  for (const LaunchPhase& laid : launch.phases) {
    const Framework* framework = laid.part->estimate->framework;
    if (laid.nodes < 2 || brings_code(*laid.phase) || framework == nullptr) continue;
    if (std::ranges::find(frameworks, framework->name) == frameworks.end()) continue;
    return failure(laid.slug + ": each machine writes a part of the model, which " + framework->name +
                   " reads together, and " + std::string(why));
  }
  return {};
}

}  // namespace gpuplan
