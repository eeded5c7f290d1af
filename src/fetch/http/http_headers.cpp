#include "fetch/http/http_headers.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace gpuplan::fetch {
namespace {

/// What is sent back or shown one day must not be able to end a line.
std::string plain_value(std::string_view value) {
  constexpr std::size_t kLongest = 256;
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f'; };
  return value.size() <= kLongest && std::ranges::all_of(value, plain) ? std::string(value) : std::string();
}

std::optional<std::uint64_t> whole_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ContentRange> read_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const std::size_t dash = text.find('-'), slash = text.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return std::nullopt;
  const auto first = whole_of(text.substr(0, dash)), last = whole_of(text.substr(dash + 1, slash - dash - 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return ContentRange{*first, *last, whole_of(text.substr(slash + 1))};
}

bool HttpHeaders::take(std::string_view line) {
  if (line.starts_with("HTTP/")) {  // of the next answer: what was before is a "100 Continue"
    const std::size_t bytes = bytes_;
    *this = {};
    bytes_ = bytes;
    const std::size_t blank = line.find(' ');
    constexpr std::size_t kDigits = 3;
    if (blank != std::string_view::npos)
      status = static_cast<int>(whole_of(line.substr(blank + 1, kDigits)).value_or(0));
  }
  bytes_ += line.size();
  if (bytes_ > kMostBytes) return false;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string name = to_lower(line.substr(0, colon));
  const std::string value = plain_value(trim(line.substr(colon + 1)));
  if (name == "etag") etag = value;
  else if (name == "last-modified") last_modified = value;
  else if (name == "content-type") content_type = value;
  else if (name == "content-encoding") encoding = to_lower(value);
  else if (name == "content-length") length = whole_of(value);
  else if (name == "content-range") range = read_content_range(value);
  return true;
}

}  // namespace gpuplan::fetch
