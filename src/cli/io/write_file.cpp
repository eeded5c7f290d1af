#include "cli/io/write_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <expected>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/io/files.h"
#include "cli/io/read_file.h"

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

/// Devices and pipes (/dev/stderr, /dev/null, >(jq)) can not be replaced, only written to.
std::error_code write_to_device(const std::string& file, std::string_view text) {
  OpenFile device(file, O_WRONLY);
  std::error_code error = device ? write_all(device.number(), text) : last_error();
  if (const std::error_code closed = device.close(); !error) error = closed;
  return error;
}

/// Where the links of `file` lead to, whether that is there or not.
std::expected<fs::path, std::error_code> behind_links(fs::path file) {
  constexpr int kMost = 40;  // what Linux follows
  for (int i = 0; i < kMost; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(file, error))) return file;
    const fs::path link = fs::read_symlink(file, error);
    if (error) return std::unexpected(error);
    file = file.parent_path() / link;  // an absolute link takes the place of all
  }
  return std::unexpected(std::make_error_code(std::errc::too_many_symbolic_link_levels));
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

constexpr mode_t kOwnFolder = 0700, kOwnFile = 0600;

/// The folder and those above it, each for its owner alone where it has to be made.
std::error_code make_folder(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path way = folder; !way.empty() && !fs::exists(way, error); way = way.parent_path()) missing.push_back(way);
  for (auto way = missing.rbegin(); way != missing.rend(); ++way)
    if (::mkdir(way->c_str(), kOwnFolder) != 0 && errno != EEXIST) return last_error();
  return {};
}

}  // namespace

std::error_code write_to_disk(const std::string& file, std::string_view text, mode_t rights) {
  const auto found = behind_links(file);
  if (!found) return found.error();
  const fs::path& target = *found;
  struct stat old{};
  const bool there = ::stat(target.c_str(), &old) == 0;
  if (there && !S_ISREG(old.st_mode)) return write_to_device(file, text);
  // Renaming would replace a file that its owner made read-only.
  if (there && ::access(target.c_str(), W_OK) != 0) return last_error();

  remove_unfinished(target.string());
  const SignalHold hold;
  const std::string beside = unfinished_name(target.string());
  // What is private stays so while it is written.
  const OpenFile descriptor(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, there ? 0600 : rights);
  if (!descriptor) return last_error();
  ::flock(descriptor.number(), LOCK_EX | LOCK_NB);
  std::error_code error = there ? keep_rights(descriptor.number(), old) : std::error_code();
  if (!error) error = write_all(descriptor.number(), text);
  // The new name must not survive a power cut that the bytes do not.
  if (!error && ::fsync(descriptor.number()) != 0 && errno != EINVAL && errno != ENOTSUP) error = last_error();
  if (!error && ::rename(beside.c_str(), target.c_str()) != 0) error = last_error();
  if (error) ::unlink(beside.c_str());
  return error;
}

std::error_code change_on_disk(const std::string& file, std::size_t limit, const FileChange& change) {
  const fs::path path(file);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const SignalHold hold;
  if (const std::error_code error = make_folder(folder)) return error;
  OpenFile held;
  if (const std::error_code error = lock_folder(held, folder.string())) return error;
  std::string before;
  if (auto text = read_from_disk(file, limit)) before = *std::move(text);
  else if (text.error() != std::errc::no_such_file_or_directory) return text.error();
  const std::optional<std::string> after = change.after(before);
  return after ? write_to_disk(file, *after, kOwnFile) : std::error_code();
}

}  // namespace gpuplan::cli
