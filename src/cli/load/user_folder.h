// Where the files of a user lie, by the XDG base directory specification.
#pragma once

#include <string>
#include <string_view>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// The folder that a variable such as XDG_DATA_HOME names, else this part of the home folder ("/.local/share"); empty:
/// there is neither. A relative one is ignored, as the specification has it.
std::string xdg_folder(System& system, const char* variable, std::string_view in_home);

/// A file of that name in gpuplan's part of the data folder, unless a variable of the environment names another (empty:
/// none); empty where there is no home folder.
std::string data_file(System& system, const char* variable, std::string_view name);

}  // namespace gpuplan::cli
