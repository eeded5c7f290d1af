#include "output/page/html_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/sign_run.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr SignSet kPlainInHtml = SignSet::printable_ascii("&<>\"'", "\n\t");
constexpr SignSet kPlainInScript = SignSet::all_but("<\xE2");
constexpr SignSet kPlainInJsonText = SignSet::all_but("\"\\");
constexpr SignSet kPlainInPicture = SignSet::printable_ascii("\"'%#&");
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
    const std::size_t plain = kPlainInHtml.run(text, at);
    html += text.substr(at, plain);
    at += plain;
    if (at == text.size()) break;
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
    const std::size_t plain = kPlainInScript.run(json, at);
    html += json.substr(at, plain);
    at += plain;
    if (at == json.size()) break;
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

std::string compact_json(std::string_view json) {
  std::string compact;
  compact.reserve(json.size());
  bool in_text = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (const std::size_t plain = in_text ? kPlainInJsonText.run(json, at) : 0; plain > 0) {
      compact += json.substr(at, plain);
      at += plain - 1;
      continue;
    }
    const char sign = json[at];
    if (in_text && sign == '\\' && at + 1 < json.size()) {
      compact += json.substr(at++, 2);
      continue;
    }
    if (sign == '"') in_text = !in_text;
    if (in_text || (sign != ' ' && sign != '\n' && sign != '\r' && sign != '\t')) compact += sign;
  }
  return compact;
}

std::string base85_text(std::string_view bytes) {
  constexpr std::uint32_t kSigns = 85;
  std::string text;
  text.reserve((bytes.size() + 3) / 4 * 5);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    const std::string_view some = bytes.substr(at, 4);
    std::uint32_t four = 0;
    for (std::size_t i = 0; i < 4; ++i)
      four = four << 8U | (i < some.size() ? static_cast<unsigned char>(some[i]) : 0U);
    std::array<char, 5> signs{};
    for (auto sign = signs.rbegin(); sign != signs.rend(); ++sign, four /= kSigns) {
      const char one = static_cast<char>('(' + static_cast<char>(four % kSigns));
      *sign = one == '<' ? '}' : one;
    }
    text.append(signs.data(), some.size() + 1);
  }
  return text;
}

std::string picture_html(std::string_view svg) {
  std::string html = "<img alt=\"\" src=\"data:image/svg+xml,";
  html.reserve(svg.size() + svg.size() / 8);
  for (std::size_t at = 0; at < svg.size(); ++at) {
    const std::size_t plain = kPlainInPicture.run(svg, at);
    html += svg.substr(at, plain);
    at += plain;
    if (at == svg.size()) break;
    const char sign = svg[at];
    // Around attributes and in styles alone: in texts a drawing has it escaped (output/charts/svg/canvas.h).
    if (sign == '"') {
      html += '\'';
    } else if (sign == '\'') {
      html += "%26%2339;";
    } else if (sign == '\n' || sign == '\t') {
      html += ' ';  // an address loses them
    } else if (sign == '%' || sign == '#' || sign == '&' || controls_in_html(sign)) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      const auto byte = static_cast<unsigned char>(sign);
      html += '%';
      html += kDigits[byte >> 4U];
      html += kDigits[byte & 15U];
    } else {
      html += sign;
    }
  }
  return html + "\">";
}

}  // namespace gpuplan
