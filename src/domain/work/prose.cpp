#include "domain/work/prose.h"

namespace gpuplan {

const OptionProse* option_of(const std::vector<OptionProse>& options, const std::string& gpu, int gpus) {
  const OptionProse* best = nullptr;
  int closest = -1;
  for (const OptionProse& option : options) {
    if (!option.gpu.empty() && option.gpu != gpu) continue;
    if (option.gpus != 0 && option.gpus != gpus) continue;
    const int close = (option.gpu.empty() ? 0 : 2) + (option.gpus == 0 ? 0 : 1);
    if (close <= closest) continue;
    closest = close;
    best = &option;
  }
  return best;
}

}  // namespace gpuplan
