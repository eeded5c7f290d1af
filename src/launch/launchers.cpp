#include "launch/launchers.h"

#include <array>

namespace gpuplan {

std::span<const Launcher> launchers() {
  static constexpr std::array all = {
      Launcher{"bash", "scripts for machines you have, or rent by hand", bash_launcher},
  };
  return all;
}

}  // namespace gpuplan
