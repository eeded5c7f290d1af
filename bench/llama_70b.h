// What the benchmarks of the model ask about: Llama-3.1-70B on H100.
#pragma once

#include "domain/hardware/hardware.h"
#include "domain/work/model_use.h"

namespace gpuplan::bench {

inline Gpu h100() {
  Gpu gpu;
  gpu.vendor = "nvidia";
  gpu.architecture = "Hopper";
  gpu.compute_capability = 9.0;
  gpu.year = 2022;
  gpu.usable = 79.6 * units::GiB;
  gpu.memory_type = "HBM3";
  gpu.bandwidth = BytesPerSecond{3.35e12};
  gpu.fp32 = FlopsPerSecond{67e12};
  gpu.bf16 = gpu.fp16 = FlopsPerSecond{989e12};
  gpu.fp8 = FlopsPerSecond{1979e12};
  gpu.link = BytesPerSecond{900e9};
  gpu.pcie_gen = 5;
  gpu.pcie_lanes = 16;
  gpu.tdp_watts = 700;
  gpu.sms = 132;
  return gpu;
}

inline ModelUse llama_70b() {
  ModelUse use;
  ModelShape& shape = use.shape;
  shape.layers = 80;
  shape.hidden = 8192;
  shape.heads = 64;
  shape.kv_heads = 8;
  shape.head_dim = 128;
  shape.ffn = 28672;
  shape.vocab = 128256;
  return use;
}

}  // namespace gpuplan::bench
