// TensorBoard's event files in pieces of any size: records of a length, a checksum of it, a protobuf message and its
// checksum (tensorflow/tensorboard, compat/proto/event.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input/logs/book/book.h"

namespace gpuplan {

class LogTensorBoard {
 public:
  /// Bytes that decide whether a file is one: a length and its checksum.
  static constexpr std::size_t kHead = 12;
  static bool begins(std::string_view head);
  /// The checksum that stands behind `bytes` in such a file.
  static std::uint32_t masked_crc(std::string_view bytes);

  void feed(LogBook& book, std::string_view bytes);
  /// Nothing is left open, and all checksums were right.
  bool complete() const { return !damaged_ && have_.empty() && skip_ == 0; }

 private:
  void record(LogBook& book, std::string_view message);

  std::string have_;        ///< of the record being read
  std::uint64_t skip_ = 0;  ///< bytes of a record too large to be of numbers
  std::uint32_t records_ = 0;
  bool damaged_ = false;
};

}  // namespace gpuplan
