#include "cli/load/check_scripts.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "cli/io/terminal.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace gpuplan::cli {
namespace {

struct Ended {
  int code = 0;
  std::string output;
};

constexpr std::size_t kMostOutput = std::size_t{64} << 10U;

/// Reads until the other end is closed or `until`; false when it was not closed by then.
bool read_until(int descriptor, std::chrono::steady_clock::time_point until, std::string& output) {
  std::array<char, 4096> piece{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{descriptor, POLLIN, 0};
    const int ready = ::poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (output.size() < kMostOutput) output.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// Runs a program with these arguments, its output and messages together. nullopt: it is not installed.
std::optional<Ended> run(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int spawned = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (spawned != 0) {
    ::close(ends[0]);
    return std::nullopt;
  }
  constexpr std::chrono::seconds kPatience{30};
  Ended ended;
  const bool closed = read_until(ends[0], std::chrono::steady_clock::now() + kPatience, ended.output);
  ::close(ends[0]);
  if (!closed) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.code = closed && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  if (!closed) ended.output = "no answer within 30 s";
  return ended;
}

/// True when a folder of PATH holds a program of this name.
bool installed(std::string_view program) {
  const std::string path(environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
  return std::ranges::any_of(split(path, ':'), [&](std::string_view folder) {
    return ::access((std::string(folder) + '/' + std::string(program)).c_str(), X_OK) == 0;
  });
}

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

bool answers(const std::vector<std::string>& probe) {
  if (probe.empty()) return true;
  const auto ended = run(probe);
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

std::vector<ScriptCheck> check_scripts(const std::string& folder, const std::vector<LaunchFile>& files) {
  std::vector<ScriptCheck> checks;
  for (const Validator& validator : validators()) {
    const std::string name(validator.name);
    if (std::ranges::none_of(files, validator.takes)) continue;
    if (!installed(validator.program) || !answers(validator.probe)) {
      checks.push_back({name, "", ScriptCheck::Result::kMissing, ""});
      continue;
    }
    for (const LaunchFile& file : files) {
      if (!validator.takes(file)) continue;
      const auto ended = run(validator.words(file, folder + '/' + file.path));
      const bool passed = ended && ended->code == 0;
      checks.push_back({name, file.path, passed ? ScriptCheck::Result::kPassed : ScriptCheck::Result::kFailed,
                        passed  ? ""
                        : ended ? message_of(validator, ended->output)
                                : "can not be started"});
    }
  }
  return checks;
}

}  // namespace gpuplan::cli
