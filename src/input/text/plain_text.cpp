#include "input/text/plain_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;

/// Eight printable ASCII bytes: no high bit set, none below a blank and no delete.
bool eight_printable(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, 8);
  const std::uint64_t below_space = (word - kOnes * 0x20) & ~word;
  const std::uint64_t distance = word ^ (kOnes * 0x7F);
  const std::uint64_t is_delete = (distance - kOnes) & ~distance;
  return ((word | below_space | is_delete) & (kOnes * 0x80)) == 0;
}

}  // namespace

std::optional<std::size_t> first_bad_byte(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && eight_printable(text.data() + at)) {
      at += 8;
      continue;
    }
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) return at;
    const std::size_t length = utf8_length(text, at);
    if (length == 0 || (c == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0)) return at;
    at += length;
  }
  return std::nullopt;
}

Place place_of_byte(std::string_view text, std::size_t at, const std::string& file) {
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {file, static_cast<int>(line), static_cast<int>(before.size() - start + 1)};
}

std::unexpected<Error> bad_byte_failure(std::string_view text, std::size_t at, const std::string& file,
                                        std::string_view expected) {
  const bool binary = text.find('\0') != std::string_view::npos;
  std::string message = binary ? "binary file; expected " : "expected UTF-8 text without control characters";
  if (binary) message += expected;
  return failure(std::move(message), place_of_byte(text, at, file));
}

}  // namespace gpuplan
