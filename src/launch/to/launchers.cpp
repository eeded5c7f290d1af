#include "launch/to/launchers.h"

#include <array>

namespace gpuplan {

std::span<const Launcher> launchers() {
  static constexpr std::array all = {
      Launcher{"bash", "scripts for machines you have, or rent by hand", bash_launcher, true},
      Launcher{"slurm", "Slurm batch jobs, and a script that submits them", slurm_launcher},
      Launcher{"skypilot", "a SkyPilot managed job per machine, or a pipeline of them", skypilot_launcher},
      Launcher{"dstack", "a dstack task per machine", dstack_launcher},
      Launcher{"kubernetes", "a Job or JobSet per machine, with Kueue", kubernetes_launcher},
      Launcher{"vast", "Vast.ai searches in order of preference, and a script that rents", vast_launcher},
      Launcher{"runpod", "a script that rents a RunPod pod", runpod_launcher},
  };
  return all;
}

}  // namespace gpuplan
