#include "base/safe_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace gpuplan {
namespace {

TEST(SafeText, KeepsLinesColoursAndLetters) {
  for (const std::string text : {"a\tb\nc", "\x1b[1;32mgreen\x1b[0m", "é 日本語 😀 ✔ …", ""}) {
    EXPECT_TRUE(is_safe_text(text)) << text;
    EXPECT_EQ(safe_text(text), text);
  }
}

TEST(SafeText, ReplacesWhatMovesOrHides) {
  const std::pair<std::string, std::string> cases[] = {{"a\x1b[2J"
                                                        "b",
                                                        "a?[2Jb"},
                                                       {"a\x1b]0;t\x07", "a?]0;t?"},
                                                       {"a\rb\x7f", "a?b?"},
                                                       {"\xE2\x80\xAEtxt", "?txt"},
                                                       {"a\xE2\x80\x8B"
                                                        "b",
                                                        "a?b"},
                                                       {"\xF3\xA0\x81\x81", "?"},
                                                       {"\xC2\x9B", "?"},
                                                       {"\xff\xfe", "??"},
                                                       {"\x1b[", "?["}};
  for (const auto& [text, shown] : cases) {
    EXPECT_FALSE(is_safe_text(text)) << text;
    EXPECT_EQ(safe_text(text), shown);
  }
}

/// Every code point: what `printable` refuses goes, everything else stays.
TEST(SafeText, AgreesWithPrintable) {
  int refused = 0;
  for (char32_t code = 1; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    if (code < 0x80) text = {static_cast<char>(code)};
    else if (code < 0x800) text = {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
    else if (code < 0x10000)
      text = {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
              static_cast<char>(0x80 | (code & 63))};
    else
      text = {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 63)),
              static_cast<char>(0x80 | (code >> 6 & 63)), static_cast<char>(0x80 | (code & 63))};
    const bool same = printable(text) == text;
    refused += same ? 0 : 1;
    if (code == '\n' || code == '\t') continue;
    ASSERT_EQ(is_safe_text(text), same) << std::hex << static_cast<unsigned>(code);
  }
  EXPECT_GT(refused, 4096);
}

}  // namespace
}  // namespace gpuplan
