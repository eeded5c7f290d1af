#include "input/feeds/formats/skypilot_clouds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace gpuplan {
namespace {

/// Digits at `at`, which moves behind them.
std::optional<int> whole_at(std::string_view text, std::size_t& at) {
  int value = 0;
  const auto end = std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), value);
  if (end.ec != std::errc() || value < 0) return std::nullopt;
  at = static_cast<std::size_t>(end.ptr - text.data());
  return value;
}

std::optional<int> number_behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  std::size_t at = prefix.size();
  return whole_at(text, at);
}

/// Google's machines by the beginning of their names. The number behind it counts GPUs, or vCPUs of which one GPU has
/// so many.
struct GcpFamily {
  std::string_view begins;
  std::string_view names;  ///< between bars
  std::string_view gpu;
  int vcpus = 0;
};

constexpr std::array kGcpFamilies = {
    GcpFamily{"a2-highgpu-", "a100|a10040gb", "A100 SXM 40GB"},
    GcpFamily{"a2-megagpu-", "a100|a10040gb", "A100 SXM 40GB"},
    GcpFamily{"a2-ultragpu-", "a10080gb", "A100 SXM 80GB"},
    GcpFamily{"a3-highgpu-", "h100|h10080gb", "H100 SXM"},
    GcpFamily{"a3-edgegpu-", "h100|h10080gb", "H100 SXM"},
    GcpFamily{"a3-megagpu-", "h100mega80gb|h100mega", "H100 SXM"},
    GcpFamily{"a3-ultragpu-", "h200|h200141gb", "H200 SXM"},
    GcpFamily{"a4-highgpu-", "b200", "B200"},
    GcpFamily{"a4x-highgpu-", "gb200", "GB200"},
    GcpFamily{"a4x-maxgpu-", "gb300", "GB300"},
    GcpFamily{"g4-standard-", "rtxpro6000|rtxpro6000blackwell", "RTX PRO 6000 Server", 48},
    GcpFamily{"g2-standard-", "l4", "L4", 0},
};

/// g2-standard-N does not grow with its GPUs.
double l4s_of(int vcpus) {
  if (vcpus == 24) return 2;
  if (vcpus == 48) return 4;
  if (vcpus == 96) return 8;
  return vcpus >= 4 && vcpus <= 32 ? 1 : 0;
}

bool is_aws_name(std::string_view instance) {
  const std::size_t point = instance.find('.');
  if (point == std::string_view::npos || instance.find('.', point + 1) != std::string_view::npos) return false;
  const std::string_view family = instance.substr(0, point), size = instance.substr(point + 1);
  if (family.empty() || family[0] < 'a' || family[0] > 'z') return false;
  return size.ends_with("large") || size == "medium" || size == "small" || size == "micro" || size == "nano" ||
         size.starts_with("metal");
}

bool is_gcp_name(std::string_view instance) {
  constexpr std::array<std::string_view, 16> kFamilies = {"a2-", "a3-", "a4-",  "a4x-", "g2-",  "g4-", "n1-",  "n2-",
                                                          "n4-", "e2-", "n2d-", "c2-",  "c2d-", "c3-", "t2d-", "m1-"};
  return std::ranges::any_of(kFamilies, [&](std::string_view family) { return instance.starts_with(family); });
}

/// "8H100.80S.176V": ends in vCPUs.
bool is_verda_name(std::string_view instance) {
  const std::size_t point = instance.rfind('.');
  return !instance.empty() && is_digit(instance[0]) && point != std::string_view::npos && instance.ends_with('V') &&
         point + 2 < instance.size() && is_digit(instance[point + 1]);
}

/// "1x-H100_SXM-32-65536".
bool is_vast_name(std::string_view instance) {
  std::size_t at = 0;
  return whole_at(instance, at) && instance.substr(at).starts_with("x-");
}

}  // namespace

std::string_view cloud_of_instance(std::string_view instance) {
  if (instance.starts_with("Standard_") || instance.starts_with("Basic_")) return "azure";
  if (instance.ends_with("_SECURE") || instance.ends_with("_COMMUNITY")) return "runpod";
  if (instance.starts_with("VM.") || instance.starts_with("BM.")) return "oci";
  if (number_behind(instance, "gpu_")) return "lambda";
  if (instance.starts_with("gpu-") && instance.find("vcpu-") != std::string_view::npos) return "nebius";
  if (is_vast_name(instance)) return "vast";
  if (is_verda_name(instance)) return "verda";
  if (is_aws_name(instance)) return "aws";
  if (is_gcp_name(instance)) return "gcp";
  return "";
}

GpuMemory gpu_memory_of(std::string_view cloud) {
  constexpr std::array<std::string_view, 6> kOne = {"aws", "azure", "gcp", "lambda", "nebius", "runpod"};
  constexpr std::array<std::string_view, 5> kSum = {"vast", "verda", "primeintellect", "shadeform", "seeweb"};
  if (std::ranges::find(kOne, cloud) != kOne.end()) return GpuMemory::kOne;
  return std::ranges::find(kSum, cloud) != kSum.end() ? GpuMemory::kSum : GpuMemory::kUnsaid;
}

std::string_view form_factor_of(std::string_view cloud, std::string_view gpu) {
  constexpr std::array<std::string_view, 4> kBoardsOnly = {"gcp", "verda", "nebius", "digitalocean"};
  constexpr std::array<std::string_view, 5> kOnBoards = {"A100", "H100", "H200", "V100", "Tesla-V100"};
  const bool boards = std::ranges::find(kBoardsOnly, cloud) != kBoardsOnly.end() &&
                      std::ranges::any_of(kOnBoards, [&](std::string_view name) { return gpu.starts_with(name); });
  return boards ? "SXM" : "";
}

GcpGpus gcp_gpus_of(std::string_view instance) {
  for (const GcpFamily& family : kGcpFamilies) {
    const auto number = number_behind(instance, family.begins);
    if (!number) continue;
    double count = *number;
    if (family.gpu == "L4") count = l4s_of(*number);
    else if (family.vcpus > 0) count = static_cast<double>(*number) / family.vcpus;
    return {split(family.names, '|'), family.gpu, count};
  }
  return {};
}

std::vector<std::string> gcp_hosts_of(std::string_view accelerator, int count) {
  constexpr std::array<std::string_view, 5> kCards = {"T4", "V100", "P100", "K80", "P4"};
  constexpr int kVcpusEach = 8, kVcpusOfP4 = 4;
  if (std::ranges::none_of(kCards, [&](std::string_view card) { return iequals(card, accelerator); })) return {};
  std::vector<std::string> hosts;
  if (iequals(accelerator, "P4")) hosts.push_back("n1-highmem-" + std::to_string(kVcpusOfP4 * count));
  hosts.push_back("n1-highmem-" + std::to_string(kVcpusEach * count));
  hosts.push_back("n1-standard-" + std::to_string(kVcpusEach * count));
  return hosts;
}

int tpu_chips(std::string_view accelerator, std::string& gpu) {
  constexpr std::string_view kTpu = "tpu-";
  if (!accelerator.starts_with(kTpu)) return 0;
  const std::size_t dash = accelerator.find('-', kTpu.size());
  if (dash == std::string_view::npos) return 0;
  const std::string_view generation = accelerator.substr(kTpu.size(), dash - kTpu.size());
  std::size_t at = dash + 1;
  const auto number = whole_at(accelerator, at);
  if (!number || at != accelerator.size()) return 0;
  constexpr std::array<std::string_view, 4> kInCores = {"v2", "v3", "v4", "v5p"};
  constexpr std::array<std::string_view, 3> kInChips = {"v5e", "v5litepod", "v6e"};
  const bool cores = std::ranges::find(kInCores, generation) != kInCores.end();
  if (!cores && std::ranges::find(kInChips, generation) == kInChips.end()) return 0;
  gpu = "TPU " + std::string(generation == "v5litepod" ? "v5e" : generation);
  return cores ? (*number + 1) / 2 : *number;
}

}  // namespace gpuplan
