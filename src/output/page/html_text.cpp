#include "output/page/html_text.h"

#include <cstddef>
#include <cstdint>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kNoSign = "\xEF\xBF\xBD";

/// Whether a character of three bytes turns, joins or hides its neighbours: U+200B to U+200F, U+2028 to U+202E, U+2060
/// to U+206F, U+FEFF.
bool hides_in_html(std::string_view sign) {
  if (sign == "\xEF\xBB\xBF") return true;
  if (sign.size() != 3 || sign[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(sign[2]);
  if (sign[1] == '\x80') return (last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE);
  return sign[1] == '\x81' && last >= 0xA0 && last <= 0xAF;
}

bool controls_in_html(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string html;
  html.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view sign = text.substr(at, length == 0 ? 1 : length);
    at += sign.size();
    const bool c1_control = sign.size() == 2 && sign[0] == '\xC2' && static_cast<unsigned char>(sign[1]) < 0xA0;
    if (length == 0 || c1_control || hides_in_html(sign) || (sign.size() == 1 && controls_in_html(sign[0])))
      html += kNoSign;
    else if (sign == "&") html += "&amp;";
    else if (sign == "<") html += "&lt;";
    else if (sign == ">") html += "&gt;";
    else if (sign == "\"") html += "&quot;";
    else if (sign == "'") html += "&#39;";
    else html += sign;
  }
  return html;
}

std::string html_json(std::string_view json) {
  std::string html;
  html.reserve(json.size() + json.size() / 64);
  for (std::size_t at = 0; at < json.size(); ++at) {
    // All of these stand in strings alone.
    if (json[at] == '<') {
      html += "\\u003c";
    } else if (json.substr(at, 2) == "\xE2\x80" && at + 2 < json.size() &&
               (json[at + 2] == '\xA8' || json[at + 2] == '\xA9')) {
      html += json[at + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      html += json[at];
    }
  }
  return html;
}

std::string base64_text(std::string_view bytes) {
  constexpr std::string_view kSigns = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
    };
    const std::uint32_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    for (std::size_t i = 0; i < 4; ++i) text += at + i > bytes.size() ? '=' : kSigns[(three >> (18U - 6U * i)) & 63U];
  }
  return text;
}

std::string picture_html(std::string_view svg) {
  return "<img alt=\"\" src=\"data:image/svg+xml;base64," + base64_text(svg) + "\">";
}

}  // namespace gpuplan
