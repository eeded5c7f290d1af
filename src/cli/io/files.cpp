#include "cli/io/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

int holding = 0;  ///< SignalHolds that live; only one thread writes

constexpr std::array kHeld = {SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kMark = ".tmp";

/// What unfinished names begin with. Names of files have at most 255 bytes.
std::string unfinished_stem(const fs::path& target) {
  constexpr std::size_t kLongest = 200;
  return target.filename().string().substr(0, kLongest) + std::string(kMark);
}

/// The process in "job.yaml.tmp1234" or "job.yaml.tmp1234-2"; 0 for other names.
pid_t process_of(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem)) return 0;
  name.remove_prefix(stem.size());
  pid_t process = 0;
  const auto end = std::from_chars(name.data(), name.data() + name.size(), process);
  const bool whole = end.ptr == name.data() + name.size() || *end.ptr == '-';
  return end.ec == std::errc() && whole && process > 0 ? process : 0;
}

/// Another machine or container may have begun it: there its process lives, and holds a lock that is seen here.
bool abandoned(const std::string& path, pid_t process) {
  if (process == ::getpid() || ::kill(process, 0) == 0 || errno != ESRCH) return false;
  const OpenFile file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

std::error_code last_error() { return {errno, std::generic_category()}; }

std::error_code write_all(int descriptor, std::string_view text) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // a signal waits no longer than one of these
  while (!text.empty()) {
    if (SignalHold::came()) return std::make_error_code(std::errc::operation_canceled);
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kPiece));
    if (written >= 0) text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR) return last_error();
  }
  return {};
}

OpenFile::OpenFile(const std::string& path, int flags, mode_t mode)
    : number_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

OpenFile::OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

std::error_code OpenFile::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) != 0 ? last_error() : std::error_code();
}

std::error_code lock_folder(OpenFile& held, const std::string& folder) {
  held = OpenFile(folder, O_RDONLY | O_DIRECTORY);
  if (!held) return last_error();
  constexpr int kTries = 200;
  constexpr useconds_t kPause = 50'000;
  for (int i = 0; i < kTries; ++i) {
    if (SignalHold::came()) return std::make_error_code(std::errc::operation_canceled);
    if (::flock(held.number(), LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) return {};
    ::usleep(kPause);
  }
  return std::make_error_code(std::errc::timed_out);
}

std::string unfinished_name(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  const std::string name = unfinished_stem(target) + std::to_string(::getpid());
  fs::path path = folder / name;
  // Another container may have a process of the same number.
  constexpr int kMost = 100;
  std::error_code error;
  for (int i = 2; i < kMost && fs::exists(fs::symlink_status(path, error)); ++i)
    path = folder / (name + "-" + std::to_string(i));
  return path.string();
}

void remove_unfinished(const std::string& target) {
  const std::string stem = unfinished_stem(target);
  const fs::path above = fs::path(target).parent_path();
  const fs::path folder = above.empty() ? fs::path(".") : above;
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const pid_t process = process_of(entry->path().filename().string(), stem);
    if (process > 0 && abandoned(entry->path().string(), process)) left.push_back(entry->path());
  }
  for (const fs::path& path : left) fs::remove_all(path, error);
}

SignalHold::SignalHold() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int one : kHeld) ::sigaddset(&held, one);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  ++holding;
}

SignalHold::~SignalHold() {
  --holding;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalHold::came() {
  sigset_t waiting;
  if (holding == 0 || ::sigpending(&waiting) != 0) return false;
  return std::ranges::any_of(kHeld, [&](int one) { return ::sigismember(&waiting, one) == 1; });
}

void prepare_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free is this one. What is read there has an end, what is written there is an error.
    if (::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // the write fails instead: "File too large"
}

}  // namespace gpuplan::cli
