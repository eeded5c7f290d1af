#include "cli/io/pager.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "cli/io/on_signal.h"
#include "cli/io/terminal.h"

namespace gpuplan::cli {
namespace {

/// -F leaves at once when all fits, -R shows colours, -X keeps the text on the screen afterwards, -I searches without
/// regard to case.
constexpr const char* kLess = "less -FIRX";

std::string pager_command(System& system) {
  for (const char* name : {"GPUPLAN_PAGER", "PAGER"})
    if (const auto value = system.environment(name)) return *value == "cat" ? "" : std::string(*value);
  return kLess;
}

void write_to_reader(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // the reader has seen enough
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// In the new process: the pager with the pipe as its input.
[[noreturn]] void become_pager(const std::string& command, int input) {
  ::dup2(input, STDIN_FILENO);
  std::signal(SIGXFSZ, SIG_DFL);  // what files.cpp does to it is for gpuplan alone
  // PAGER=less alone would show colours as codes and ask for a key even when all fits.
  ::setenv("LESS", "FIRX", 0);  // NOLINT(concurrency-mt-unsafe): this process has one thread
  ::setenv("LV", "-c", 0);      // NOLINT(concurrency-mt-unsafe)
  ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  ::_exit(127);
}

}  // namespace

bool show_in_pager(System& system, std::string_view text) {
  const auto lines = screen_lines(system);
  // The prompt needs a line, too.
  if (!lines || std::ranges::count(text, '\n') < *lines) return false;
  const std::string command = pager_command(system);
  return command.find_first_not_of(" \t") != std::string::npos && system.page(command, text);
}

bool run_pager(const std::string& command, std::string_view text) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  // They would end gpuplan while the pager still has the terminal.
  const OnSignal patience({SIGINT, SIGQUIT, SIGPIPE}, SIG_IGN);
  const pid_t child = ::fork();
  if (child == 0) {
    patience.restore();
    become_pager(command, ends[0]);
  }
  ::close(ends[0]);
  if (child > 0) write_to_reader(ends[1], text);
  ::close(ends[1]);
  if (child < 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // What a shell says when there is no such program, or none that may be started.
  return !WIFEXITED(status) || (WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127);
}

}  // namespace gpuplan::cli
