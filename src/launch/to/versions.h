// Whether the programs of a launcher that are installed have the options that its files use, before anything is rented.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// A program of a launcher: its row of data/interfaces/index.csv, how it is called, and a command of the shell whose
/// output holds its version.
struct LauncherProgram {
  std::string_view interface;
  std::string_view shown;
  std::string_view version;
};

/// `FOLDER/versions.sh` with what it reads: ends with 78 where one of the programs is too old, says where one is newer
/// than what is known, and goes on where nobody can tell. Programs without known versions are left out.
std::vector<LaunchFile> version_files(std::string_view folder, const std::vector<LauncherProgram>& programs);

}  // namespace gpuplan
