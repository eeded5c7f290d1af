// Shapes of networks from files of this machine: config.json, safetensors, GGUF, or a folder that holds one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "input/models/model_source.h"

namespace gpuplan {

/// Relative paths start at `base_folder` ("" for the working directory), "~/" at the home folder.
bool model_file_exists(std::string_view path, const std::string& base_folder);

/// Errors have the place of the file that is wrong.
Result<FoundModel> read_model_file(std::string_view path, const std::string& base_folder);

}  // namespace gpuplan
