#include "base/shell/shell_text.h"

#include <algorithm>

#include "base/text.h"

namespace gpuplan {
namespace {

/// The character of `length` bytes at `at`.
unsigned code_point(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[at + i])); };
  if (length <= 1) return byte(0);
  unsigned code = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = (code << 6U) | (byte(i) & 0x3fU);
  return code;
}

/// Whether a string may hold the character as it is: not what could move or hide what stands beside it, and not what
/// YAML refuses (which `printable` refuses too).
bool stands_for_itself(std::string_view character) { return printable(character) == character; }

constexpr std::string_view kHex = "0123456789abcdef";

void add_hex(std::string& text, std::string_view sign, unsigned code, int digits) {
  text += sign;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += kHex[(code >> static_cast<unsigned>(shift)) & 15U];
}

/// Languages differ in how they write a character beyond U+FFFF by its number.
enum class Language { kJson, kOthers };

void add_code(std::string& text, unsigned code, Language language) {
  if (code <= 0xffff) {
    add_hex(text, "\\u", code, 4);
  } else if (language == Language::kOthers) {
    add_hex(text, "\\U", code, 8);
  } else {
    add_hex(text, "\\u", 0xd800U + ((code - 0x10000U) >> 10U), 4);
    add_hex(text, "\\u", 0xdc00U + ((code - 0x10000U) & 0x3ffU), 4);
  }
}

/// In double quotes, with every character that does not stand for itself as an escape.
std::string literal(std::string_view text, Language language) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c >= ' ' && c <= '~') {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text, at);
    const unsigned code = code_point(text, at, length);
    if (length == 0) add_code(result, 0xfffd, language);
    else if (c == '\n' && language == Language::kJson) result += "\\n";
    else if (c == '\t' && language == Language::kJson) result += "\\t";
    else if (!stands_for_itself(text.substr(at, length))) add_code(result, code, language);
    else result += text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return result + '"';
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += "'\\''";
    else result += c == '\0' ? '?' : c;
  }
  return result + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./:=,+@%-";
  const auto plain = [&](char c) { return is_letter(c) || is_digit(c) || kPlain.find(c) != std::string_view::npos; };
  const std::string shown = printable(text, text.size());
  return !shown.empty() && std::ranges::all_of(shown, plain) ? shown : shell_quoted(shown);
}

std::string bash_word(std::string_view text) {
  if (printable(text, text.size()) == text) return shell_word(text);
  std::string result = "$'";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    const std::string_view character = text.substr(at, length);
    at += length;
    if (character == "'" || character == "\\") {
      (result += '\\') += character;
    } else if (printable(character) == character) {
      result += character;
    } else if (character.front() != '\0') {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        ((result += "\\x") += kHex[byte >> 4U]) += kHex[byte & 15U];
      }
    }
  }
  return result + "'";
}

std::string bash_value(std::string_view text) {
  return printable(text, text.size()) == text ? shell_quoted(text) : bash_word(text);
}

std::string string_literal(std::string_view text) { return literal(text, Language::kOthers); }

std::string json_literal(std::string_view text) { return literal(text, Language::kJson); }

std::string slug_of(std::string_view text, std::size_t limit, std::string_view otherwise) {
  std::string result;
  for (const char c : to_lower(text)) {
    if (result.size() >= limit) break;
    if ((c >= 'a' && c <= 'z') || is_digit(c)) result += c;
    else if (!result.empty() && result.back() != '-') result += '-';
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.empty() ? std::string(otherwise) : result;
}

}  // namespace gpuplan
