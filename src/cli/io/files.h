// What writing a file and writing a folder share: all bytes or an error, names of what is not finished yet, locks, and
// signals that wait until nothing is half done.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <string_view>
#include <system_error>

namespace gpuplan::cli {

/// The error of the last call of the system.
std::error_code last_error();

/// Every byte, or the error that stopped it. A signal that waits (SignalHold) stops it too: operation_canceled.
std::error_code write_all(int descriptor, std::string_view text);

/// An open file or folder; closed at the end of its scope. A lock that it holds goes with it.
class OpenFile {
 public:
  OpenFile() = default;
  OpenFile(const std::string& path, int flags, mode_t mode = 0);
  ~OpenFile() { [[maybe_unused]] const std::error_code untold = close(); }
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  std::error_code close();

 private:
  int number_ = -1;
};

/// Locks a folder for one gpuplan at a time, as long as `held` lives. Where locks are not known (some network disks)
/// there is none. errc::timed_out after 10 s; operation_canceled when a signal waits (SignalHold).
std::error_code lock_folder(OpenFile& held, const std::string& folder);

/// The name of what will be `target` once it is whole: beside it, with the number of this process, and new.
std::string unfinished_name(const std::string& target);

/// Removes what processes that are gone left unfinished for `target`: neither do they live nor is it locked.
void remove_unfinished(const std::string& target);

/// SIGINT, SIGTERM and SIGHUP wait while this lives, and come when it goes: what was begun is finished or taken back by
/// then. Who works for long asks `came` in between, and stops.
class SignalHold {
 public:
  SignalHold();
  ~SignalHold();
  SignalHold(const SignalHold&) = delete;
  SignalHold& operator=(const SignalHold&) = delete;
  /// Whether one of them waits.
  static bool came();

 private:
  sigset_t before_{};
};

/// Makes sure that 0, 1 and 2 are open, so that no file of ours gets the number of a closed stdout and messages never
/// go into a result; and that a file that grows too large is an error to be told, not the end without a word.
void prepare_descriptors();

}  // namespace gpuplan::cli
