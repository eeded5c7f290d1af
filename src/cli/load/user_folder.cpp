#include "cli/load/user_folder.h"

namespace gpuplan::cli {

std::string xdg_folder(System& system, const char* variable, std::string_view in_home) {
  std::string folder(system.environment(variable).value_or(""));
  if (folder.starts_with('/')) return folder;
  folder = system.environment("HOME").value_or("");
  return folder.empty() ? folder : folder.append(in_home);
}

std::string data_file(System& system, const char* variable, std::string_view name) {
  if (const auto named = system.environment(variable)) return std::string(*named);
  std::string folder = xdg_folder(system, "XDG_DATA_HOME", "/.local/share");
  return folder.starts_with('/') ? folder.append("/gpuplan/").append(name) : "";
}

}  // namespace gpuplan::cli
