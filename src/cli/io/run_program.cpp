#include "cli/io/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "cli/io/files.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace gpuplan::cli {
namespace {

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

}  // namespace

std::expected<EndedProgram, std::error_code> start_and_wait(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(last_error());
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
    return std::unexpected(std::error_code(spawned, std::generic_category()));
  }
  constexpr std::chrono::seconds kPatience{30};
  EndedProgram ended;
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

}  // namespace gpuplan::cli
