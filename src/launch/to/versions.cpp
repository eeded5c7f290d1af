#include "launch/to/versions.h"

#include "base/shell/shell_text.h"
#include "input/text/embedded_data.h"
#include "launch/parts/interfaces.h"

namespace gpuplan {

std::vector<LaunchFile> version_files(std::string_view folder, const std::vector<LauncherProgram>& programs) {
  std::string text =
      "#!/usr/bin/env bash\n"
      "# Whether the installed programs have the options that these files use, before anything is rented or started.\n"
      "# Exit codes: 0 they have, or it cannot be told; 78 one is too old.\n"
      "set -u\nhere=$(dirname \"${BASH_SOURCE[0]}\")\ncode=0\n"
      "look() { # PROGRAM FROM BEFORE WORDS: what it says of its version\n"
      "  local version\n"
      "  version=$(grep -Eo '[0-9]+(\\.[0-9]+)+' <<<\"$4\" | head -n 1)\n"
      "  bash \"$here/version.sh\" \"$1\" \"$version\" \"$2\" \"$3\" || code=$?\n"
      "}\n";
  for (const LauncherProgram& program : programs) {
    const Interface* known = interface_of(program.interface);
    if (known == nullptr || known->before.empty()) continue;
    text += "look " + bash_value(program.shown) + " " + bash_value(known->from) + " " + bash_value(known->before) +
            " \"$(" + std::string(program.version) + " 2>/dev/null)\"\n";
  }
  const std::string place = std::string(folder) + "/";
  return {{place + "versions.sh", text + "exit \"$code\"\n", true},
          {place + "version.sh", std::string(embedded_data("templates/version.sh")), false}};
}

}  // namespace gpuplan
