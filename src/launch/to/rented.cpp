#include "launch/to/rented.h"

#include <algorithm>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/text/embedded_data.h"
#include "launch/script/phase_script.h"
#include "launch/to/versions.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestSearch = 400;  // bytes of a text shown in a comment or message

std::string array_of(std::string_view name, const std::vector<std::string>& words) {
  if (words.empty()) return std::string(name) + "=()\n";
  std::string text = std::string(name) + "=(\n";
  for (const std::string& word : words) text += "  " + bash_word(word) + "\n";
  return text + ")\n";
}

}  // namespace

std::string assignment(std::string_view name, std::string_view text) {
  return std::string(name) + "=" + bash_value(text) + "\n";
}

std::string rent_path(const Launch& launch, std::string_view kind, const LaunchGroup& group) {
  return std::string(kind) + "/rent" + (launch.groups.size() > 1 ? "-" + group.slug : "") + ".sh";
}

LaunchFile rent_script(const Launch& launch, const RentScript& script) {
  std::vector<std::string> head = banner_lines(launch);
  head.insert(head.begin() + 1,
              "Rents the machine of " + script.group.slug + ". Without an argument it only prints what it would do.");
  std::string text =
      "#!/usr/bin/env bash\n" + comments(head) +
      "# shellcheck disable=SC2016,SC2034  # lib.sh reads the variables; nothing in quotes is for a shell\n" +
      "set -euo pipefail\ncd \"$(dirname \"${BASH_SOURCE[0]}\")/..\"\n";
  text += assignment("kind", script.kind);
  text += assignment("name", object_name(launch, script.group));
  text += assignment("group", script.group.slug);
  text += "limit=" + std::to_string(whole_seconds(script.machine.limit)) + "\n";
  text += "grace=" + std::to_string(whole_seconds(script.machine.grace)) + "\n";
  std::vector<std::string> required, variables;
  for (const RequiredVariable& variable : script.needs.required) {
    required.push_back(variable.name + ": " + printable(variable.what, kLongestSearch));
    variables.push_back(variable.name);
  }
  if (script.needs.hub) variables.emplace_back("HF_TOKEN");
  text += array_of("required", required) + array_of("variables", variables);
  std::vector<std::string> searches;
  for (const auto& [what, command] : script.searches) {
    searches.push_back(printable(what, kLongestSearch));
    searches.push_back(command);
  }
  text += array_of("searches", searches);
  for (const std::string& line : script.more) text += line;
  text += "# shellcheck source=/dev/null\n. " + std::string(script.kind) + "/lib.sh\n";
  return {rent_path(launch, script.kind, script.group), std::move(text), true};
}

std::vector<LaunchFile> rent_library(std::string_view kind) {
  const std::string folder = std::string(kind) + "/";
  std::vector<LaunchFile> files = version_files(
      kind, {kind == "vast" ? LauncherProgram{"vast", "vastai", "vastai --version"}
                            : LauncherProgram{"runpod", "runpodctl", "runpodctl --version || runpodctl version"}});
  files.insert(files.end(), {{folder + "lib.sh",
                              std::string(embedded_data("templates/rented.sh")) +
                                  std::string(embedded_data("templates/" + std::string(kind) + ".sh")),
                              false},
                             {folder + "on_machine.sh", std::string(embedded_data("templates/on_machine.sh")), true}});
  return files;
}

Result<void> single_machines(const Launch& launch, std::string_view provider) {
  for (const LaunchGroup& group : launch.groups)
    if (group.lease->nodes > 1)
      return failure(std::string(provider) + " rents single machines, but " + group.slug + " needs " +
                     std::to_string(group.lease->nodes) +
                     " as one job; choose a plan on one machine (--plan), or --to skypilot, dstack or kubernetes");
  return {};
}

std::string cuda_of(std::string_view image) {
  constexpr std::string_view kLong = "-cuda";
  if (const std::size_t at = image.find(kLong); at != std::string_view::npos) {
    const std::string_view rest = image.substr(at + kLong.size());
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789.")));
  }
  const std::size_t at = image.find("-cu");
  const std::string_view digits = at == std::string_view::npos ? "" : image.substr(at + 3, 3);
  if (digits.size() < 3 || !std::ranges::all_of(digits, is_digit)) return "";
  return std::string(digits.substr(0, 2)) + "." + digits[2];
}

std::vector<std::string> rented_notes(const Launch& launch, const std::vector<CloudNeeds>& needs) {
  std::vector<std::string> notes = cloud_notes(launch, needs);
  notes.emplace_back("The scripts use ssh: add your key at the provider.");
  notes.emplace_back(
      "The machine stops the work at P90 of all phases + 10%, and shuts down at the end; "
      "its "
      "disk is kept, and billed, until you terminate the machine.");
  if (launch.groups.size() > 1)
    notes.emplace_back(
        "Each machine has its own runs: download them before you rent the next one, which gets a copy of this folder.");
  return notes;
}

}  // namespace gpuplan
