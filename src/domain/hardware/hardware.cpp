#include "domain/hardware/hardware.h"

namespace gpuplan {

FlopsPerSecond peak(const Gpu& gpu, Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return gpu.fp32;
    case Precision::kTf32:
      return gpu.tf32;
    case Precision::kFp16:
      return gpu.fp16;
    case Precision::kBf16:
      return gpu.bf16;
    case Precision::kFp8:
      return gpu.fp8;
    // Block scales of 8-bit products came into the hardware together with 4-bit products: NVIDIA Blackwell, CDNA4.
    case Precision::kMxfp8:
      return gpu.fp4.value > 0 ? gpu.fp8 : FlopsPerSecond{};
    // NVFP4 (blocks of 16 with an e4m3 scale) is NVIDIA's own; others have MXFP4.
    case Precision::kNvfp4:
      return gpu.vendor == "nvidia" ? gpu.fp4 : FlopsPerSecond{};
  }
  return {};
}

}  // namespace gpuplan
