// A folder of a test's own, on the real disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuplan::cli {

class FolderOnDisk {
 public:
  FolderOnDisk();
  ~FolderOnDisk();
  FolderOnDisk(const FolderOnDisk&) = delete;
  FolderOnDisk& operator=(const FolderOnDisk&) = delete;

  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + '/' + name; }
  void write(const std::string& name, std::string_view text) const;
  void make(const std::string& name) const;
  void link(const std::string& name, const std::string& target) const;

  std::string text(const std::string& name) const;
  bool is_link(const std::string& name) const;
  /// The last nine bits.
  unsigned rights(const std::string& name) const;
  /// What is directly in it, sorted.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

}  // namespace gpuplan::cli
