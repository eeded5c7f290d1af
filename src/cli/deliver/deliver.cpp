#include "cli/deliver/deliver.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/safe_text.h"
#include "base/text.h"
#include "cli/io/exit_code.h"
#include "cli/io/files.h"
#include "cli/io/pager.h"

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

int fail(const std::string& what, const std::error_code& error) {
  say("gpuplan: can not write " + printable(what) + ": " + error.message());
  return kInternal;
}

bool nobody_reads(const std::error_code& error) { return error == std::errc::broken_pipe; }

int to_stdout(std::string_view text, int code) {
  const std::error_code error = write_all(STDOUT_FILENO, text);
  return !error || nobody_reads(error) ? code : fail("to standard output", error);
}

/// Devices and pipes (/dev/stderr, /dev/null, >(jq)) can not be replaced, only written to.
int to_device(std::string_view text, const std::string& file, int code) {
  OpenFile device(file, O_WRONLY);
  std::error_code error = device ? write_all(device.number(), text) : last_error();
  if (const std::error_code closed = device.close(); !error) error = closed;
  return !error || nobody_reads(error) ? code : fail(file, error);
}

/// Where the links of `file` lead to, whether that is there or not.
Result<fs::path> behind_links(fs::path file) {
  constexpr int kMost = 40;  // what Linux follows
  for (int i = 0; i < kMost; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
    const fs::path link = fs::read_symlink(file, error);
    if (error) return failure(error.message());
    file = file.parent_path() / link;  // an absolute link takes the place of all
  }
  return failure(std::make_error_code(std::errc::too_many_symbolic_link_levels).message());
}

/// Rights, group and owner of the file that is replaced. Only root may give a file away: what another owns, and we may
/// write, is ours afterwards.
std::error_code keep_rights(int descriptor, const struct stat& old) {
  struct stat now{};
  if (::fstat(descriptor, &now) != 0) return last_error();
  const auto unkept = [](int result) { return result != 0 && errno != EPERM; };
  if (now.st_gid != old.st_gid && unkept(::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid))) return last_error();
  if (now.st_uid != old.st_uid && unkept(::fchown(descriptor, old.st_uid, static_cast<gid_t>(-1)))) return last_error();
  constexpr mode_t kRights = 0777;
  return ::fchmod(descriptor, old.st_mode & kRights) == 0 ? std::error_code() : last_error();
}

/// Others see the old file or the new one, never half of it: written beside it, then renamed over it. Its rights and
/// owner stay, and a link to it stays a link.
int to_file(std::string_view text, const std::string& file, int code) {
  const auto found = behind_links(file);
  if (!found) {
    say("gpuplan: can not write " + printable(file) + ": " + found.error().message);
    return kInternal;
  }
  const fs::path& target = *found;
  struct stat old{};
  const bool there = ::stat(target.c_str(), &old) == 0;
  if (there && !S_ISREG(old.st_mode)) return to_device(text, file, code);
  // Renaming would replace a file that its owner made read-only.
  if (there && ::access(target.c_str(), W_OK) != 0) return fail(file, last_error());

  remove_unfinished(target.string());
  const SignalHold hold;
  const std::string beside = unfinished_name(target.string());
  // What is private stays so while it is written.
  const OpenFile descriptor(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, there ? 0600 : 0666);
  if (!descriptor) return fail(file, last_error());
  ::flock(descriptor.number(), LOCK_EX | LOCK_NB);
  std::error_code error = there ? keep_rights(descriptor.number(), old) : std::error_code();
  if (!error) error = write_all(descriptor.number(), text);
  // The new name must not survive a power cut that the bytes do not.
  if (!error && ::fsync(descriptor.number()) != 0 && errno != EINVAL && errno != ENOTSUP) error = last_error();
  if (!error && ::rename(beside.c_str(), target.c_str()) != 0) error = last_error();
  if (!error) return code;
  ::unlink(beside.c_str());
  return error == std::errc::operation_canceled ? kInterrupted : fail(file, error);
}

}  // namespace

int deliver(std::string_view result, const std::string& file, int code, bool paged) {
  const std::string safe = is_safe_text(result) ? std::string() : safe_text(result);
  const std::string_view text = safe.empty() ? result : safe;
  if (!file.empty() && file != "-") return to_file(text, file, code);
  return paged && show_in_pager(text) ? code : to_stdout(text, code);
}

void say(std::string_view line) {
  std::string text = safe_text(line);
  text += '\n';
  [[maybe_unused]] const std::error_code untold = write_all(STDERR_FILENO, text);  // nobody is left to be told
}

int complain(const Error& error) {
  std::string line = error.place.file.empty() ? "gpuplan: " : "";
  if (!error.place.file.empty()) {
    line += printable(error.place.file);
    if (error.place.line > 0) line += ':' + std::to_string(error.place.line);
    line += ": ";
  }
  line += printable(error.message, 600);
  say(line);
  return error.usage ? kUsage : kBadInput;
}

}  // namespace gpuplan::cli
