// The objects that the launcher for Kubernetes writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "launch/parts/launch_plan.h"
#include "launch/parts/yaml_text.h"
#include "launch/to/cloud.h"

namespace gpuplan {

/// Of an object: a JobSet adds "-workers-0-15" and its pods five signs, and all must stay within 63.
inline constexpr std::size_t kKubernetesName = 40;

/// What all groups share.
struct KubernetesNames {
  std::string scripts;   ///< ConfigMap of the folder's files
  std::string marks;     ///< ConfigMap of what was done elsewhere
  std::string runs;      ///< claim of the volume for runs
  std::string settings;  ///< Secret with the variables of the phases
};

/// What is asked for one group.
struct KubernetesGroup {
  const LaunchGroup& group;
  const CloudMachine& machine;
  const CloudNeeds& needs;
  std::string name;
  std::string queue;  ///< of Kueue
};

/// Nodes say by it what cards they have: set by NVIDIA's GPU feature discovery, which its operator brings.
inline constexpr std::string_view kProductLabel = "nvidia.com/gpu.product";
/// Its value, "NVIDIA-H100-80GB-HBM3": the driver's name with '-' for blanks. Empty: not known.
std::string product_label(const Gpu& gpu);

/// A Job on one machine, a JobSet on several. `paths`: files of the folder that its pods see.
Yaml kubernetes_object(const Launch& launch, const KubernetesGroup& asked, const KubernetesNames& names,
                       const std::vector<std::string>& paths);

LaunchFile runs_claim(const Launch& launch, const KubernetesNames& names, Bytes size);

/// For kubectl apply -k: the ConfigMap from the files, and the claim.
LaunchFile kustomization(const KubernetesNames& names, const std::vector<std::string>& paths);

}  // namespace gpuplan
