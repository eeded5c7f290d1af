#include "cli/folder_on_disk.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gpuplan::cli {
namespace fs = std::filesystem;

FolderOnDisk::FolderOnDisk() : path_((fs::temp_directory_path() / "gpuplan-test-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) std::abort();
}

FolderOnDisk::~FolderOnDisk() {
  std::error_code error;
  fs::remove_all(path_, error);
}

void FolderOnDisk::write(const std::string& name, std::string_view text) const {
  std::ofstream(path(name), std::ios::binary) << text;
}

void FolderOnDisk::make(const std::string& name) const { fs::create_directories(path(name)); }

void FolderOnDisk::link(const std::string& name, const std::string& target) const {
  fs::create_symlink(target, path(name));
}

std::string FolderOnDisk::text(const std::string& name) const {
  std::ifstream in(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool FolderOnDisk::is_link(const std::string& name) const { return fs::is_symlink(path(name)); }

unsigned FolderOnDisk::rights(const std::string& name) const {
  return static_cast<unsigned>(fs::status(path(name)).permissions()) & 0777U;
}

std::vector<std::string> FolderOnDisk::names() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace gpuplan::cli
