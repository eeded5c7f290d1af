#include "launch/to/launchers.h"

#include <array>

namespace gpuplan {

std::span<const Launcher> launchers() {
  static constexpr std::array all = {
      Launcher{"bash", "scripts for machines you have, or rent by hand", bash_launcher},
      Launcher{"slurm", "batch jobs for a cluster with Slurm, and a script that hands them in", slurm_launcher},
      Launcher{"skypilot", "a managed job of SkyPilot for each machine, or a pipeline of them", skypilot_launcher},
      Launcher{"dstack", "a task of dstack for each machine", dstack_launcher},
      Launcher{"kubernetes", "a Job or JobSet for each machine, with Kueue", kubernetes_launcher},
      Launcher{"vast", "searches of Vast.ai in order of preference, and a script that rents", vast_launcher},
      Launcher{"runpod", "a script that rents a pod of RunPod", runpod_launcher},
  };
  return all;
}

}  // namespace gpuplan
