// Reads zip archives from memory: what is in them, and one entry after the other in pieces. Nothing is ever written, so
// the names in an archive are names and no paths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "input/text/untidy/unpack_limits.h"

namespace gpuplan {

struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;  ///< unpacked, as the archive says

  // Where it lies.
  std::uint32_t header = 0, packed = 0, crc = 0;
  int method = 0;
  bool encrypted = false;
};

class ZipFile {
 public:
  static constexpr std::size_t kMostEntries = 10'000;
  /// Whether bytes begin as a zip does.
  static bool begins(std::string_view bytes);

  /// Reads the directory. `bytes` outlive the archive; `file` is what messages call it. Errors: cut off or damaged,
  /// zip64, parts on other disks, too many entries.
  static Result<ZipFile> open(std::string_view bytes, std::string file, const UnpackLimits& limits = {});

  /// Files only, in the order of the directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }

  /// Calls `take(std::string_view)`, which returns Result<void>, for an entry in pieces of at most 64 KiB; stops where
  /// it fails. Errors: encrypted, packed in another way than deflate, damaged, more than the limits allow of all that
  /// was read of this archive.
  template <class Take>
  Result<void> read(const ZipEntry& entry, Take&& take) {
    struct Calls final : Sink {
      explicit Calls(Take& t) : call(&t) {}
      Result<void> take(std::string_view piece) override { return (*call)(piece); }
      std::remove_reference_t<Take>* call;
    };
    Calls calls(take);
    return read_into(entry, calls);
  }

 private:
  struct Sink {
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;
    virtual Result<void> take(std::string_view piece) = 0;
  };

  ZipFile() = default;
  Result<void> read_into(const ZipEntry& entry, Sink& sink);

  std::string_view bytes_;
  std::string file_;
  UnpackLimits limits_;
  std::vector<ZipEntry> entries_;
  std::uint64_t unpacked_ = 0;  ///< of all entries so far
};

}  // namespace gpuplan
