// A file that another program may still be writing: read in pieces, and looked at again when it has grown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace gpuplan::cli {

class GrowingFile {
 public:
  /// `name`: a path, or - for standard input.
  explicit GrowingFile(std::string name) : name_(std::move(name)) {}
  virtual ~GrowingFile() = default;
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  const std::string& name() const { return name_; }
  virtual bool is_open() const = 0;
  /// A file by itself: no pipe or device.
  virtual bool is_regular() const = 0;

  /// Fails for what is not there, for folders, and for what may not be read.
  virtual Result<void> open() = 0;

  /// The next bytes, valid until the next call; empty at the present end. For pipes it waits for `milliseconds` at
  /// most.
  virtual Result<std::string_view> read(int milliseconds = 0) = 0;
  /// Bytes from a place of a regular file on, valid until the next call; fewer at its end. read() goes on where it was.
  virtual Result<std::string_view> read_at(std::uint64_t offset, std::size_t size) = 0;
  /// A pipe whose writer has gone: nothing more will come.
  virtual bool ended() const = 0;

  /// True when the file was cut off or another one has taken its name, and what it held has been read; reading goes on
  /// at the beginning of what is there now.
  virtual bool starts_anew() = 0;

 private:
  std::string name_;
};

/// What System::growing_file is on a disk.
std::unique_ptr<GrowingFile> growing_disk_file(const std::string& name);

}  // namespace gpuplan::cli
