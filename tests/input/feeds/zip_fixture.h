// Archives made for tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {

/// Packed by deflate; with 16 more in `window` as gzip, with a negative one bare.
inline std::string deflated(std::string_view text, int window) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzip(std::string_view text) { return deflated(text, 16 + MAX_WBITS); }

struct ZipInput {
  std::string name, text;
  bool packed = true;
  int flags = 0, method = -1;  ///< -1: as packed
};

inline std::string zip_of(const std::vector<ZipInput>& files) {
  std::string body, directory;
  const auto put = [](std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  for (const ZipInput& file : files) {
    const std::string data = file.packed ? deflated(file.text, -MAX_WBITS) : file.text;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(file.text.data()), static_cast<uInt>(file.text.size()));
    const std::size_t at = body.size();
    std::string common;
    put(common, 20, 2);
    put(common, static_cast<std::uint64_t>(file.flags), 2);
    put(common, static_cast<std::uint64_t>(file.method >= 0 ? file.method : (file.packed ? 8 : 0)), 2);
    put(common, 0, 4);
    put(common, crc, 4);
    put(common, data.size(), 4);
    put(common, file.text.size(), 4);
    put(common, file.name.size(), 2);
    put(common, 0, 2);
    body.append("PK\3\4", 4).append(common).append(file.name).append(data);
    directory.append("PK\1\2\24\0", 6).append(common);
    directory.append(2 + 2 + 2 + 4, char{0});  // comment, disk, attributes
    put(directory, at, 4);
    directory += file.name;
  }
  std::string end("PK\5\6\0\0\0\0", 8);
  put(end, files.size(), 2);
  put(end, files.size(), 2);
  put(end, directory.size(), 4);
  put(end, body.size(), 4);
  put(end, 0, 2);
  return body + directory + end;
}

}  // namespace gpuplan
