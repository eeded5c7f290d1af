#include "cli/io/change_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/io/files.h"
#include "cli/io/read_file.h"
#include "cli/io/write_file.h"

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

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
  const std::optional<std::string> after = change(before);
  return after ? write_to_disk(file, *after, kOwnFile) : std::error_code();
}

}  // namespace gpuplan::cli
