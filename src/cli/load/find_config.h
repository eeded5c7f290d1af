// gpuplan.toml: where it lies, and reading what is there.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"
#include "input/question/user_config.h"

namespace gpuplan::cli {

/// A place that is looked at, nearest first.
struct ConfigPlace {
  std::string file;  ///< as messages call it
  std::string why;   ///< "GPUPLAN_CONFIG", "nearest folder upwards", "XDG config folder"
  bool there = false;
};

/// GPUPLAN_CONFIG names the only one (empty: none). Otherwise gpuplan.toml of the nearest folder upwards that has one,
/// and gpuplan/gpuplan.toml, gpuplan/config.toml or gpuplan.toml of the XDG config folder.
std::vector<ConfigPlace> config_places(System& system);

/// What GPUPLAN_VALUE_OF_TIME and the files say, joined; nothing of the files with `no_files`. Errors name file and
/// line.
Result<UserConfig> load_config(System& system, bool no_files, const Catalogue& catalogue);

}  // namespace gpuplan::cli
