#include "input/text/plain_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

using namespace std::string_view_literals;

TEST(PlainText, FindsTheFirstByteThatIsNoText) {
  for (const std::string_view good :
       {""sv, "a\tb\r\nc"sv, "0123456789 and more"sv, "caf\xC3\xA9 \xE2\x80\xA6 \xF0\x9F\x9A\x80"sv, "\xC2\xA0"sv})
    EXPECT_EQ(first_bad_byte(good), std::nullopt) << good;
  EXPECT_EQ(first_bad_byte("ab\0c"sv), 2U);
  EXPECT_EQ(first_bad_byte("eight or more \x1b[31m"), 14U);
  EXPECT_EQ(first_bad_byte("eight or more \x7f and on"), 14U);
  EXPECT_EQ(first_bad_byte("a\xC2\x9B"
                           "31m"),
            1U)
      << "the one-byte form of an escape sequence";
  for (const std::string_view bad :
       {"\xc2"sv, "\xc0\xaf"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xe2\x82"sv, "\xff"sv})
    EXPECT_EQ(first_bad_byte(bad), 0U);
}

// Every byte at every place of a word of eight: the fast way and the slow way agree.
TEST(PlainText, WordsOfEightBytesHideNothing) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool good = (byte >= 0x20 && byte < 0x7F) || c == '\t' || c == '\n' || c == '\r';
    for (std::size_t at = 0; at < 16; ++at) {
      std::string text(24, 'x');
      text[at] = c;
      EXPECT_EQ(first_bad_byte(text), good ? std::nullopt : std::optional(at)) << byte << " at " << at;
    }
  }
}

TEST(PlainText, PlacesCountFromOne) {
  const Place start = place_of_byte("ab\ncd", 0, "f");
  EXPECT_EQ(start.file, "f");
  EXPECT_EQ(start.line, 1);
  EXPECT_EQ(start.column, 1);
  EXPECT_EQ(place_of_byte("ab\ncd", 4, "f").line, 2);
  EXPECT_EQ(place_of_byte("ab\ncd", 4, "f").column, 2);
  EXPECT_EQ(place_of_byte("ab\n", 99, "f").line, 2);
}

TEST(PlainText, RefusalsTellBinaryFromWrongText) {
  const auto binary = bad_byte_failure("PK\x03\x04\0"sv, 2, "f", "a table as CSV text").error();
  EXPECT_EQ(binary.message, "binary file; expected a table as CSV text");
  EXPECT_EQ(binary.place.line, 1);
  EXPECT_EQ(bad_byte_failure("a\n\xe9", 2, "f", "a table").error().message,
            "expected UTF-8 text without control characters");
}

}  // namespace
}  // namespace gpuplan
