#include "cli/load/check_scripts.h"

#include <algorithm>
#include <expected>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace gpuplan::cli {
namespace {

bool ends_with_any(std::string_view path, std::initializer_list<std::string_view> ends) {
  return std::ranges::any_of(ends, [&](std::string_view end) { return path.ends_with(end); });
}

bool is_shell(const LaunchFile& file) { return ends_with_any(file.path, {".sh", ".sbatch"}); }
/// Text that the job brings: its style is the user's business, its syntax is not.
bool is_users(const LaunchFile& file) { return ends_with_any(file.path, {"/command.sh", "/setup.sh"}); }

struct Validator {
  std::string_view name;
  std::string_view program;
  bool (*takes)(const LaunchFile&);
  std::vector<std::string> (*words)(const LaunchFile& file, const std::string& path);
  std::vector<std::string> probe{};  ///< a program that must answer with 0 for the validator to be of use
};

constexpr const char* kParsePython = "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())";
constexpr const char* kParseJson = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))";
constexpr const char* kParseYaml =
    "import sys, yaml; [None for _ in yaml.safe_load_all(open(sys.argv[1], encoding='utf-8'))]";

const std::vector<Validator>& validators() {
  static const std::vector<Validator> all = {
      {"bash -n", "bash", is_shell,
       [](const LaunchFile&, const std::string& path) { return std::vector<std::string>{"bash", "-n", path}; }},
      {"shellcheck", "shellcheck", is_shell,
       [](const LaunchFile& file, const std::string& path) {
         return std::vector<std::string>{"shellcheck", "--shell=bash", "--format=gcc",
                                         is_users(file) ? "--severity=error" : "--severity=style", path};
       }},
      {"sbatch --test-only",
       "sbatch",
       [](const LaunchFile& file) { return file.path.ends_with(".sbatch"); },
       [](const LaunchFile&, const std::string& path) {
         return std::vector<std::string>{"sbatch", "--test-only", path};
       },
       {"sinfo", "--noheader"}},
      {"Python", "python3", [](const LaunchFile& file) { return file.path.ends_with(".py"); },
       [](const LaunchFile&, const std::string& path) {
         return std::vector<std::string>{"python3", "-c", kParsePython, path};
       }},
      {"JSON", "python3", [](const LaunchFile& file) { return file.path.ends_with(".json"); },
       [](const LaunchFile&, const std::string& path) {
         return std::vector<std::string>{"python3", "-c", kParseJson, path};
       }},
      {"YAML",
       "python3",
       [](const LaunchFile& file) { return ends_with_any(file.path, {".yaml", ".yml"}); },
       [](const LaunchFile&, const std::string& path) {
         return std::vector<std::string>{"python3", "-c", kParseYaml, path};
       },
       {"python3", "-c", "import yaml"}},
      {"kubeconform", "kubeconform",
       [](const LaunchFile& file) { return file.path.starts_with("kubernetes/") && file.path.ends_with(".yaml"); },
       [](const LaunchFile&, const std::string& path) {
         return std::vector<std::string>{"kubeconform", "-strict", "-ignore-missing-schemas", path};
       }},
  };
  return all;
}

using Ended = std::expected<EndedProgram, std::error_code>;

bool is_missing(const Ended& ended) {
  return !ended &&
         (ended.error() == std::errc::no_such_file_or_directory || ended.error() == std::errc::permission_denied);
}

bool answers(System& system, const std::vector<std::string>& probe) {
  if (probe.empty()) return true;
  const Ended ended = system.run_program(probe);
  return ended && ended->code == 0;
}

/// The last line says most in Python, the first in all other programs.
std::string message_of(const Validator& validator, const std::string& output) {
  const std::vector<std::string_view> lines = split(output, '\n');
  std::string_view said;
  for (const std::string_view line : lines) {
    if (line.empty()) continue;
    said = line;
    if (validator.program != "python3") break;
  }
  return printable(said, 300);
}

}  // namespace

std::vector<ScriptCheck> check_scripts(System& system, const std::string& folder,
                                       const std::vector<LaunchFile>& files) {
  std::vector<ScriptCheck> checks;
  for (const Validator& validator : validators()) {
    const std::string name(validator.name);
    if (std::ranges::none_of(files, validator.takes)) continue;
    const bool of_use = answers(system, validator.probe);
    for (const LaunchFile& file : files) {
      if (of_use && !validator.takes(file)) continue;
      const Ended ended = of_use ? system.run_program(validator.words(file, folder + '/' + file.path)) : Ended();
      if (!of_use || is_missing(ended)) {
        checks.push_back({name, "", ScriptCheck::Result::kMissing, ""});
        break;
      }
      const bool passed = ended && ended->code == 0;
      checks.push_back({name, file.path, passed ? ScriptCheck::Result::kPassed : ScriptCheck::Result::kFailed,
                        passed  ? ""
                        : ended ? message_of(validator, ended->output)
                                : "cannot be started"});
    }
  }
  return checks;
}

}  // namespace gpuplan::cli
