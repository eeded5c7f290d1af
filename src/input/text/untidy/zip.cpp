#include "input/text/untidy/zip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kLocal{"PK\3\4", 4}, kCentral{"PK\1\2", 4}, kEnd{"PK\5\6", 4};
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kLongestComment = 65'535;
constexpr std::uint32_t kElsewhere32 = 0xFFFFFFFF, kElsewhere16 = 0xFFFF;  // what zip64 puts in place of a figure
constexpr int kStored = 0, kDeflated = 8;

/// Little-endian figures. REQUIRES: they lie within.
std::uint32_t figure(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}
std::uint32_t two(std::string_view bytes, std::size_t at) { return figure(bytes, at, 2); }
std::uint32_t four(std::string_view bytes, std::size_t at) { return figure(bytes, at, 4); }

/// Where the end of the directory stands: before a comment of any length.
std::optional<std::size_t> end_of_directory(std::string_view bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const std::size_t last = bytes.size() - kEndSize;
  const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (std::size_t at = last + 1; at-- > first;)
    if (bytes.substr(at, kEnd.size()) == kEnd && at + kEndSize + two(bytes, at + 20) <= bytes.size()) return at;
  return std::nullopt;
}

/// Raw deflate.
class Inflation {
 public:
  Inflation() { open_ = inflateInit2(&zlib_, -MAX_WBITS) == Z_OK; }
  Inflation(const Inflation&) = delete;
  Inflation& operator=(const Inflation&) = delete;
  ~Inflation() {
    if (open_) inflateEnd(&zlib_);
  }
  /// Fills `out` from `in`, which is taken off; the state of zlib.
  int step(std::string_view& in, std::array<char, std::size_t{1} << 16U>& out, std::size_t& produced) {
    if (!open_) return Z_MEM_ERROR;
    const std::size_t size = std::min(in.size(), std::size_t{1} << 20U);
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // zlib 1.2 has no const
    zlib_.avail_in = static_cast<uInt>(size);
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib_.avail_out = static_cast<uInt>(out.size());
    const int done = inflate(&zlib_, Z_NO_FLUSH);
    in.remove_prefix(size - zlib_.avail_in);
    produced = out.size() - zlib_.avail_out;
    return done;
  }

 private:
  z_stream zlib_{};
  bool open_ = false;
};

std::uint32_t crc_of(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

}  // namespace

bool ZipFile::begins(std::string_view bytes) { return bytes.starts_with(kLocal) || bytes.starts_with(kEnd); }

Result<ZipFile> ZipFile::open(std::string_view bytes, std::string file, const UnpackLimits& limits) {
  ZipFile zip;
  zip.bytes_ = bytes;
  zip.file_ = std::move(file);
  zip.limits_ = limits;
  const auto refuse = [&](std::string message) { return failure(std::move(message), {zip.file_, 0, 0}); };
  const auto end = end_of_directory(bytes);
  if (!end) return refuse("the zip archive is cut off: its directory is missing");
  if (two(bytes, *end + 10) == kElsewhere16 || four(bytes, *end + 12) == kElsewhere32 ||
      four(bytes, *end + 16) == kElsewhere32)
    return refuse("a zip archive of the kind zip64, which gpuplan does not read; unpack it first");
  if (two(bytes, *end + 4) != 0 || two(bytes, *end + 6) != 0)
    return refuse("a part of a zip archive that was split; put it together first");
  const std::size_t count = two(bytes, *end + 10);
  if (count > kMostEntries) return refuse("a zip archive of more than 10,000 files");

  constexpr std::string_view kDamaged = "the zip archive is damaged: its directory cannot be read";
  std::size_t at = four(bytes, *end + 16);
  for (std::size_t i = 0; i < count; ++i) {
    if (at > *end || *end - at < kCentralSize || bytes.substr(at, kCentral.size()) != kCentral)
      return refuse(std::string(kDamaged));
    const std::size_t name = two(bytes, at + 28), extra = two(bytes, at + 30), comment = two(bytes, at + 32);
    if (*end - at - kCentralSize < name + extra + comment) return refuse(std::string(kDamaged));
    ZipEntry entry;
    entry.encrypted = (two(bytes, at + 8) & 1U) != 0;
    entry.method = static_cast<int>(two(bytes, at + 10));
    entry.crc = four(bytes, at + 16);
    entry.packed = four(bytes, at + 20);
    entry.size = four(bytes, at + 24);
    entry.header = four(bytes, at + 42);
    entry.name = bytes.substr(at + kCentralSize, name);
    if (entry.packed == kElsewhere32 || entry.size == kElsewhere32 || entry.header == kElsewhere32)
      return refuse("a zip archive of the kind zip64, which gpuplan does not read; unpack it first");
    if (!entry.name.ends_with('/')) zip.entries_.push_back(std::move(entry));
    at += kCentralSize + name + extra + comment;
  }
  return zip;
}

Result<void> ZipFile::read_into(const ZipEntry& entry, Sink& sink) {
  const auto refuse = [&](const std::string& message) {
    return failure(printable(entry.name, 80) + ": " + message, {file_, 0, 0});
  };
  if (entry.encrypted) return refuse("it is encrypted; unpack the zip archive first");
  if (entry.method != kStored && entry.method != kDeflated)
    return refuse("it is packed by method " + std::to_string(entry.method) +
                  ", which gpuplan does not read; unpack the zip archive first");
  constexpr const char* kDamaged = "damaged in the zip archive";
  if (entry.header > bytes_.size() || bytes_.size() - entry.header < kLocalSize ||
      bytes_.substr(entry.header, kLocal.size()) != kLocal)
    return refuse(kDamaged);
  const std::size_t begin = entry.header + kLocalSize + two(bytes_, entry.header + 26) + two(bytes_, entry.header + 28);
  if (begin > bytes_.size() || bytes_.size() - begin < entry.packed) return refuse(kDamaged);
  std::string_view in = bytes_.substr(begin, entry.packed);

  std::uint32_t crc = crc_of(0, "");
  std::uint64_t size = 0;
  const auto hand_on = [&](std::string_view piece) -> Result<void> {
    size += piece.size();
    unpacked_ += piece.size();
    if (size > entry.size) return refuse(kDamaged);
    // Entries may lie on each other: what counts is all that came out of the whole.
    if (limits_.exceeded(bytes_.size(), unpacked_))
      return refuse("the zip archive unpacks to more than any list of prices has");
    crc = crc_of(crc, piece);
    return sink.take(piece);
  };

  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  if (entry.method == kStored) {
    while (!in.empty()) {
      if (auto taken = hand_on(in.substr(0, kPiece)); !taken) return taken;
      in.remove_prefix(std::min(in.size(), kPiece));
    }
  } else {
    Inflation inflation;
    std::array<char, kPiece> out;
    for (int done = Z_OK; done != Z_STREAM_END;) {
      std::size_t produced = 0;
      done = inflation.step(in, out, produced);
      if (done != Z_OK && done != Z_STREAM_END) return refuse(kDamaged);
      if (produced > 0)
        if (auto taken = hand_on({out.data(), produced}); !taken) return taken;
      if (produced == 0 && in.empty() && done != Z_STREAM_END) return refuse(kDamaged);
    }
  }
  if (size != entry.size || crc != entry.crc) return refuse(kDamaged);
  return {};
}

}  // namespace gpuplan
