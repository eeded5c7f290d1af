// What SkyPilot's catalogues mean differently from cloud to cloud.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {

/// The cloud that names its machines so: "aws" for p4d.24xlarge, "azure" for Standard_ND96asr_v4; empty: could be any.
std::string_view cloud_of_instance(std::string_view instance);

/// What the memory in GpuInfo is of.
enum class GpuMemory { kOne, kSum, kUnsaid };
GpuMemory gpu_memory_of(std::string_view cloud);

/// "SXM" where a cloud has GPUs of this name in no other form; empty: it may have several.
std::string_view form_factor_of(std::string_view cloud, std::string_view gpu);

/// GPUs that a machine of Google's is made for; count 0: it is made for none.
struct GcpGpus {
  std::vector<std::string_view> names;  ///< of accelerator rows that are it, squeezed
  std::string_view gpu;                 ///< how gpuplan calls it
  double count = 0;                     ///< a part of one is possible
};
GcpGpus gcp_gpus_of(std::string_view instance);

/// General machines that take `count` GPUs of this name, the usual one first: "n1-highmem-8"; none: it goes into no
/// other machine than its own.
std::vector<std::string> gcp_hosts_of(std::string_view accelerator, int count);

/// A slice of TPUs in chips: 8 of "tpu-v6e-8", 4 of "tpu-v3-8", which counts cores. Zero: it is none, or counts in
/// another way. `gpu` becomes "TPU v6e".
int tpu_chips(std::string_view accelerator, std::string& gpu);

}  // namespace gpuplan
