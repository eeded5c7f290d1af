#include "input/text/untidy/xml_tags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

std::string_view without_prefix(std::string_view name) { return name.substr(name.find(':') + 1); }

void add_letter(std::uint32_t code, std::string& text) {
  constexpr std::uint32_t kMost = 0x10FFFF;
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code == 0 || code > kMost || (code >= 0xD800 && code < 0xE000)) return;
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}

/// What does not stand for a letter stays as it is.
std::string with_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  constexpr std::size_t kLongest = 12;
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
    if (end == std::string_view::npos || end - at > kLongest) {
      result += text[at];
      continue;
    }
    std::string_view name = text.substr(at + 1, end - at - 1);
    bool known = false;
    for (const auto& [word, letter] : kNamed)
      if (name == word) result += letter, known = true;
    if (!known && name.starts_with('#')) {
      name.remove_prefix(1);
      const bool hex = name.starts_with('x') || name.starts_with('X');
      if (hex) name.remove_prefix(1);
      std::uint32_t code = 0;
      const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
      known = error == std::errc{} && stop == name.data() + name.size();
      if (known) add_letter(code, result);
    }
    if (known) at = end;
    else result += '&';
  }
  return result;
}

}  // namespace

XmlTags::Kind XmlTags::next() {
  if (std::exchange(closes_, false)) return Kind::kClose;
  const auto skip_to = [&](std::string_view end) {
    const std::size_t at = rest_.find(end);
    cut_off_ = cut_off_ || at == std::string_view::npos;
    const std::string_view before = rest_.substr(0, at);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
    return before;
  };
  while (!rest_.empty()) {
    literal_ = false;
    if (!rest_.starts_with('<')) {
      const std::size_t at = std::min(rest_.find('<'), rest_.size());
      inside_ = rest_.substr(0, at);
      rest_.remove_prefix(at);
      return Kind::kText;
    }
    if (rest_.starts_with("<!--")) {
      skip_to("-->");
    } else if (constexpr std::string_view kLiteral = "<![CDATA["; rest_.starts_with(kLiteral)) {
      rest_.remove_prefix(kLiteral.size());
      inside_ = skip_to("]]>");
      literal_ = true;
      return Kind::kText;
    } else if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
      skip_to(">");
    } else {
      // A ">" may stand in quotes.
      std::size_t at = 1;
      for (char quote = 0; at < rest_.size() && (quote != 0 || rest_[at] != '>'); ++at) {
        if (quote == 0 && (rest_[at] == '"' || rest_[at] == '\'')) quote = rest_[at];
        else if (rest_[at] == quote) quote = 0;
      }
      cut_off_ = cut_off_ || at == rest_.size();
      std::string_view tag = rest_.substr(1, at - 1);
      rest_.remove_prefix(std::min(at + 1, rest_.size()));
      const bool close = tag.starts_with('/');
      if (close) tag.remove_prefix(1);
      closes_ = !close && tag.ends_with('/');
      if (closes_) tag.remove_suffix(1);
      const std::size_t end = std::min(tag.find_first_of(" \t\r\n"), tag.size());
      name_ = without_prefix(tag.substr(0, end));
      inside_ = tag.substr(end);
      return close ? Kind::kClose : Kind::kOpen;
    }
  }
  return Kind::kEnd;
}

std::string XmlTags::text() const { return literal_ ? std::string(inside_) : with_entities(inside_); }

std::string XmlTags::attribute(std::string_view name) const {
  std::string_view rest = inside_;
  while (!rest.empty()) {
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return "";
    const std::string_view key = without_prefix(trim(rest.substr(0, equals)));
    rest = trim(rest.substr(equals + 1));
    if (rest.empty()) return "";
    const std::size_t end = std::min(rest.find(rest.front(), 1), rest.size());
    if (key == name) return with_entities(rest.substr(1, end - 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

}  // namespace gpuplan
