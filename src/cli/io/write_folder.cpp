#include "cli/io/write_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "cli/io/exit_code.h"
#include "cli/io/files.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHidden = ".gpuplan";  ///< what is written into a folder that is there starts in here

using Written = std::expected<void, FolderRefusal>;

std::unexpected<FolderRefusal> refused(std::string message, int code) {
  return std::unexpected(FolderRefusal{std::move(message), code});
}

std::unexpected<FolderRefusal> can_not_write(const fs::path& path, const std::error_code& why) {
  if (why == std::errc::operation_canceled) return refused("", kInterrupted);  // the signal ends us, and says so
  return refused("cannot write " + printable(path.string()) + ": " + why.message(), kInternal);
}

std::unexpected<FolderRefusal> in_the_way(const fs::path& path, const std::string& what) {
  return refused(printable(path.string()) + " exists and is not a " + what + "; move it or use another -o", kBadInput);
}

/// Paths that stay below the folder whatever they are made from.
bool stays_below(std::string_view path) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./").find(c) != std::string_view::npos;
  };
  return !path.empty() && path.front() != '/' && path.front() != '.' && std::ranges::all_of(path, plain) &&
         path.find("..") == std::string_view::npos && path.find("//") == std::string_view::npos &&
         path.find("/.") == std::string_view::npos && path.back() != '/';
}

/// One gpuplan at a time writes in a folder.
Written lock(OpenFile& held, const fs::path& folder) {
  const std::error_code error = lock_folder(held, folder.string());
  if (error == std::errc::timed_out)
    return refused("cannot write " + printable(folder.string()) + ": locked by another program for 10 s", kInternal);
  return error ? Written(can_not_write(folder, error)) : Written();
}

std::error_code write_file(const fs::path& path, const LaunchFile& file) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return error;
  OpenFile open(path.string(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, file.executable ? 0777 : 0666);
  error = open ? write_all(open.number(), file.text) : last_error();
  if (const std::error_code closed = open.close(); !error) error = closed;
  return error;
}

/// All files, in a folder of which nobody knows yet. `shown` is what messages call it.
Written write_new(const fs::path& folder, const fs::path& shown, const std::vector<LaunchFile>& files) {
  for (const LaunchFile& file : files)
    if (const std::error_code error = write_file(folder / file.path, file))
      return can_not_write(shown / file.path, error);
  return {};
}

/// A folder that is taken away again unless it got its name.
class Unfinished {
 public:
  explicit Unfinished(fs::path path) : path_(std::move(path)) {}
  ~Unfinished() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const fs::path& path() const { return path_; }
  void done() { path_.clear(); }

 private:
  fs::path path_;
};

/// What is on the way to a file must be a folder itself and no link to one, and in its place a file.
Written may_replace(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  fs::path way = folder;
  for (const fs::path& part : file.parent_path()) {
    way /= part;
    const fs::file_status status = fs::symlink_status(way, error);
    if (fs::exists(status) && !fs::is_directory(status)) return in_the_way(way, "folder");
  }
  const fs::file_status status = fs::symlink_status(folder / file, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return in_the_way(folder / file, "file");
  return {};
}

/// Into a folder that is there: all files are written first, so that only moving them is left, which a full disk can
/// not stop.
Written write_into(const fs::path& folder, const std::vector<LaunchFile>& files) {
  for (const LaunchFile& file : files)
    if (auto may = may_replace(folder, file.path); !may) return may;
  const Unfinished beside(unfinished_name((folder / kHidden).string()));
  std::error_code error;
  if (!fs::create_directory(beside.path(), error)) return can_not_write(folder, error);
  const OpenFile mark(beside.path().string(), O_RDONLY | O_DIRECTORY);
  ::flock(mark.number(), LOCK_EX | LOCK_NB);
  if (auto written = write_new(beside.path(), folder, files); !written) return written;
  for (const LaunchFile& file : files) {
    const fs::path path = folder / file.path;
    fs::create_directories(path.parent_path(), error);
    if (!error) fs::rename(beside.path() / file.path, path, error);
    if (error) return can_not_write(path, error);
  }
  return {};
}

/// A folder that is not there appears with everything in it.
Written write_beside(const fs::path& path, const std::vector<LaunchFile>& files) {
  Unfinished beside(unfinished_name(path.string()));
  std::error_code error;
  if (!fs::create_directory(beside.path(), error)) return can_not_write(path, error);
  const OpenFile mark(beside.path().string(), O_RDONLY | O_DIRECTORY);
  ::flock(mark.number(), LOCK_EX | LOCK_NB);
  if (auto written = write_new(beside.path(), path, files); !written) return written;
  fs::rename(beside.path(), path, error);
  if (error) return can_not_write(path, error);
  beside.done();
  return {};
}

/// The folders above that have to be made; taken away again, while they are empty, when nothing comes of it.
class Parents {
 public:
  Written make(const fs::path& folder) {
    std::error_code error;
    for (fs::path way = folder; !way.empty() && !fs::exists(way, error); way = way.parent_path()) made_.push_back(way);
    if (!made_.empty() && !fs::create_directories(folder, error) && error) return can_not_write(folder, error);
    return {};
  }
  ~Parents() {
    std::error_code error;
    for (const fs::path& folder : made_) fs::remove(folder, error);  // fails where something is in it
  }

 private:
  std::vector<fs::path> made_;  ///< the deepest first
};

}  // namespace

std::expected<void, FolderRefusal> write_folder_to_disk(const std::string& folder, const std::vector<LaunchFile>& files,
                                                        bool force) {
  for (const LaunchFile& file : files)
    if (!stays_below(file.path))
      return refused("'" + printable(file.path, 80) + "' is not a valid file name inside a folder", kBadInput);
  fs::path path(folder);
  if (!path.has_filename()) path = path.parent_path();  // "out/"
  Parents parents;
  const SignalHold hold;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (auto made = parents.make(parent); !made) return made;
  std::error_code error;
  OpenFile parent_lock, folder_lock;
  // One lock for the name, so that only one makes the folder, and one for the folder, which may have other names.
  if (auto locked = lock(parent_lock, parent); !locked) return locked;
  remove_unfinished(path.string());
  if (!fs::exists(path, error)) {
    if (fs::is_symlink(fs::symlink_status(path, error))) return in_the_way(path, "folder");
    return write_beside(path, files);
  }
  if (!fs::is_directory(path, error))
    return refused("-o " + printable(folder) + ": exists and is not a folder; use another -o", kUsage);
  const bool same = fs::equivalent(path, parent, error);  // "."
  if (auto locked = same ? Written() : lock(folder_lock, path); !locked) return locked;
  remove_unfinished((path / kHidden).string());
  const bool empty = fs::is_empty(path, error);
  if (error) return can_not_write(path, error);
  if (!empty && !force)
    return refused("-o " + printable(folder) +
                       " is not empty; use another folder, or --force to overwrite files of the same names",
                   kUsage);
  return write_into(path, files);
}

}  // namespace gpuplan::cli
