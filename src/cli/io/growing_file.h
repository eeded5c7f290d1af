// A file that another program may still be writing: read in pieces, and looked at again when it has grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpuplan::cli {

class GrowingFile {
 public:
  static constexpr std::size_t kPiece = std::size_t{256} * 1024;

  /// `name`: a path, or - for standard input.
  explicit GrowingFile(std::string name) : name_(std::move(name)) {}
  ~GrowingFile();
  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;

  const std::string& name() const { return name_; }
  bool is_open() const { return number_ >= 0; }
  /// A file by itself: no pipe or device.
  bool is_regular() const { return regular_; }

  /// Fails for what is not there, for folders, and for what may not be read.
  Result<void> open();

  /// The next bytes, valid until the next call; empty at the present end. For pipes it waits for `milliseconds` at
  /// most.
  Result<std::string_view> read(int milliseconds = 0);
  /// A pipe whose writer has gone: nothing more will come.
  bool ended() const { return ended_; }

  /// True when the file was cut off or another one has taken its name, and what it held has been read; reading goes on
  /// at the beginning of what is there now.
  bool starts_anew();

 private:
  void close();

  std::string name_;
  std::string piece_;
  int number_ = -1;
  std::uint64_t read_ = 0, device_ = 0, node_ = 0;
  bool regular_ = false, ended_ = false;
};

}  // namespace gpuplan::cli
