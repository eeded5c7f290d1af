#include "cli/write_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> can_not_write(const fs::path& path, const std::error_code& why) {
  return failure("can not write " + printable(path.string()) + ": " + why.message());
}

std::error_code last_error() { return {errno, std::generic_category()}; }

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

/// The new file is there whole, or not at all.
Result<void> write_file(const fs::path& path, const LaunchFile& file) {
  const fs::path beside = path.string() + ".tmp" + std::to_string(::getpid());
  const int descriptor =
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, file.executable ? 0777 : 0666);
  if (descriptor < 0) return can_not_write(path, last_error());
  std::error_code error;
  std::string_view text = file.text;
  while (!text.empty() && !error) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR) error = last_error();
  }
  if (::close(descriptor) != 0 && !error) error = last_error();
  if (!error) fs::rename(beside, path, error);
  if (!error) return {};
  ::unlink(beside.c_str());
  return can_not_write(path, error);
}

/// Makes the folders on the way to a file. What is there must be a folder itself and no link to one.
Result<void> make_way(const fs::path& folder, const fs::path& file) {
  fs::path way = folder;
  for (const fs::path& part : file.parent_path()) {
    way /= part;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(way, error);
    if (fs::exists(status) && !fs::is_directory(status))
      return failure(printable(way.string()) + " is in the way: it is no folder; move it or choose another -o");
    if (!fs::exists(status) && !fs::create_directory(way, error)) return can_not_write(way, error);
  }
  return {};
}

Result<void> write_all(const fs::path& folder, const std::vector<LaunchFile>& files) {
  for (const LaunchFile& file : files) {
    if (auto made = make_way(folder, file.path); !made) return made;
    const fs::path path = folder / file.path;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status))
      return failure(printable(path.string()) + " is in the way: it is no file; move it or choose another -o");
    if (auto written = write_file(path, file); !written) return written;
  }
  return {};
}

}  // namespace

Result<void> write_folder(const std::string& folder, const std::vector<LaunchFile>& files, bool force) {
  for (const LaunchFile& file : files)
    if (!stays_below(file.path)) return failure("'" + printable(file.path, 80) + "' is no name for a file in a folder");
  fs::path path(folder);
  if (!path.has_filename()) path = path.parent_path();  // "out/"
  std::error_code error;
  if (fs::exists(path, error)) {
    if (!fs::is_directory(path, error))
      return wrong_use("-o " + printable(folder) + ": is there and is no folder; choose another");
    const bool empty = fs::is_empty(path, error);
    if (error) return can_not_write(path, error);
    if (!empty && !force)
      return wrong_use("-o " + printable(folder) +
                       ": holds files already and nothing is overwritten; choose another folder, or --force to replace "
                       "files of the same names");
    return write_all(path, files);
  }
  if (path.has_parent_path() && !fs::exists(path.parent_path(), error) &&
      !fs::create_directories(path.parent_path(), error))
    return can_not_write(path.parent_path(), error);
  const fs::path beside = path.string() + ".tmp" + std::to_string(::getpid());
  if (!fs::create_directory(beside, error))
    return can_not_write(beside, error ? error : std::make_error_code(std::errc::file_exists));
  auto written = write_all(beside, files);
  if (written) {
    fs::rename(beside, path, error);
    if (error) written = can_not_write(path, error);
  }
  if (!written) fs::remove_all(beside, error);
  return written;
}

}  // namespace gpuplan::cli
