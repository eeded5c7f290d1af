#include "base/shell/shell_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

TEST(ShellText, QuotedIsOneWord) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$(rm -rf /) `x` \"\\"), "'$(rm -rf /) `x` \"\\'");
  EXPECT_EQ(shell_quoted(std::string("a\0b", 3)), "'a?b'");
}

TEST(ShellText, WordsAreQuotedWhereTheyHaveTo) {
  EXPECT_EQ(shell_word("examples/a.yaml"), "examples/a.yaml");
  EXPECT_EQ(shell_word("a;b"), "'a;b'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a\nb"), "'a?b'");
}

TEST(ShellText, WordsForBashHoldEveryByte) {
  EXPECT_EQ(bash_word("plain"), "plain");
  EXPECT_EQ(bash_word("it's"), "'it'\\''s'");
  EXPECT_EQ(bash_word("a\tb"), "$'a\\x09b'");
  EXPECT_EQ(bash_word("it's\\\x1b[31m"), "$'it\\'s\\\\\\x1b[31m'");
  EXPECT_EQ(bash_word("\xE2\x80\xAEx"), "$'\\xe2\\x80\\xaex'");
  EXPECT_EQ(bash_word("\xff"), "$'\\xff'");
  EXPECT_EQ(bash_word(""), "''");
}

TEST(ShellText, StringLiterals) {
  EXPECT_EQ(string_literal("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(string_literal("a\nb\tc\x7f"), "\"a\\u000ab\\u0009c\\u007f\"");
  EXPECT_EQ(string_literal("é 😀"), "\"é 😀\"");
  EXPECT_EQ(string_literal("a\xE2\x80\xAEz"), "\"a\\u202ez\"");     // right-to-left override
  EXPECT_EQ(string_literal("a\xE2\x80\xA8z"), "\"a\\u2028z\"");     // line separator
  EXPECT_EQ(string_literal("\xEF\xBB\xBFz"), "\"\\ufeffz\"");       // byte order mark
  EXPECT_EQ(string_literal("a\xff\xc3z"), "\"a\\ufffd\\ufffdz\"");  // no UTF-8
  EXPECT_EQ(string_literal("\xC2\x85"), "\"\\u0085\"");             // next line
}

TEST(ShellText, CharactersBeyondSixteenBits) {
  const std::string tag = "a\xF3\xA0\x81\x81z";  // U+E0041
  EXPECT_EQ(string_literal(tag), "\"a\\U000e0041z\"");
  EXPECT_EQ(json_literal(tag), "\"a\\udb40\\udc41z\"");
  EXPECT_EQ(json_literal("é 😀\n\t\x1b\xE2\x80\x8B"), "\"é 😀\\n\\t\\u001b\\u200b\"");
  EXPECT_EQ(bash_word(tag), "$'a\\xf3\\xa0\\x81\\x81z'");
}

TEST(ShellText, SlugsAreNamesEverywhere) {
  EXPECT_EQ(slug_of("TRM nanochat!", 40, "job"), "trm-nanochat");
  EXPECT_EQ(slug_of("../../etc/passwd", 40, "job"), "etc-passwd");
  EXPECT_EQ(slug_of("--- ---", 40, "job"), "job");
  EXPECT_EQ(slug_of("", 40, "job"), "job");
  EXPECT_EQ(slug_of("abcdef", 3, "job"), "abc");
  EXPECT_EQ(slug_of("ab-cdef", 3, "job"), "ab");
  EXPECT_EQ(slug_of("Größe", 40, "job"), "gr-e");
}

}  // namespace
}  // namespace gpuplan
