// A file without a name: what is fetched lies there until it is read, and is gone with the program, however it ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuplan::fetch {

class TempFile {
 public:
  TempFile() = default;
  ~TempFile();
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;

  /// In the first of these folders that takes it.
  static Result<TempFile> open(std::span<const std::string> folders);

  /// Fails on a full disk, in words.
  Result<void> append(std::string_view bytes);
  Result<void> cut(std::uint64_t size);
  std::uint64_t size() const { return size_; }
  /// Bytes from a place on, at most as many as fit into `buffer`; empty at the end.
  Result<std::string_view> read(std::uint64_t at, std::span<char> buffer) const;

 private:
  int number_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace gpuplan::fetch
