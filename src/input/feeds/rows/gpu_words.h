// What price lists write in the place of a GPU's name: "8x H100 (80 GB SXM5)", "A100-80G-PCIe-NVLink", "nvidia_l40s".
#pragma once

#include <string>
#include <string_view>

#include "domain/facts/catalogue.h"

namespace gpuplan {

struct GpuWords {
  std::string gpu;  ///< a name that the catalogue knows where one could be made out, else the words as they came
  double gpus = 0;  ///< "8x" in front; 0: not said
  double gib = 0;   ///< "80 GB" of one GPU; 0: not said
};

GpuWords gpu_words(const Catalogue& catalogue, std::string_view text);

}  // namespace gpuplan
