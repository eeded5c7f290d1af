#include "input/text/gunzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpuplan {

struct Gunzip::Stream {
  z_stream zlib{};
  bool open = false;
  bool full = false;  ///< the last piece filled the buffer: more may come without more input
  std::array<char, std::size_t{1} << 16U> out;

  ~Stream() {
    if (open) inflateEnd(&zlib);
  }
};

Gunzip::Gunzip() : stream_(std::make_unique_for_overwrite<Stream>()) {}  // 64 KiB that nobody reads unwritten
Gunzip::Gunzip(Gunzip&&) noexcept = default;
Gunzip& Gunzip::operator=(Gunzip&&) noexcept = default;
Gunzip::~Gunzip() = default;

std::string_view Gunzip::next(std::string_view& bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  Stream& s = *stream_;
  while (state_ != State::kDamaged && (!bytes.empty() || s.full)) {
    if (state_ == State::kBetween) {
      // Members may follow each other; zeros behind the last one are padding of tapes and blocks.
      while (!bytes.empty() && bytes.front() == '\0' && s.open) bytes.remove_prefix(1);
      if (bytes.empty()) break;
      const int begun = s.open ? inflateReset(&s.zlib) : inflateInit2(&s.zlib, kGzip);
      if (begun != Z_OK) {
        state_ = State::kDamaged;
        break;
      }
      s.open = true;
      state_ = State::kMember;
    }
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    const std::size_t size = std::min(bytes.size(), kMost);
    s.zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib 1.2 has no const
    s.zlib.avail_in = static_cast<uInt>(size);
    s.zlib.next_out = reinterpret_cast<Bytef*>(s.out.data());
    s.zlib.avail_out = static_cast<uInt>(s.out.size());
    const int done = inflate(&s.zlib, Z_NO_FLUSH);
    bytes.remove_prefix(size - s.zlib.avail_in);
    const std::size_t produced = s.out.size() - s.zlib.avail_out;
    s.full = s.zlib.avail_out == 0 && done == Z_OK;
    if (done == Z_STREAM_END) state_ = State::kBetween;
    else if (done != Z_OK && done != Z_BUF_ERROR) state_ = State::kDamaged;
    if (produced > 0) {
      any_ = true;
      return {s.out.data(), produced};
    }
    if (done == Z_BUF_ERROR) {
      s.full = false;
      if (bytes.empty()) break;
    }
  }
  bytes = {};
  return {};
}

}  // namespace gpuplan
