// In place of src/input/models/model_files.cpp: a module has no files, and whoever asks it names models.
#include "input/models/model_files.h"

namespace gpuplan {

bool model_file_exists(std::string_view /*path*/, const std::string& /*base_folder*/) { return false; }

Result<FoundModel> read_model_file(std::string_view /*path*/, const std::string& /*base_folder*/) {
  return failure("no file is read in WebAssembly; give a name, or {layers, hidden, heads, vocab}");
}

}  // namespace gpuplan
