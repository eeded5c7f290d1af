#include "input/logs/simple_pattern.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>
#include <random>
#include <string>
#include <string_view>

namespace gpuplan {
namespace {

/// "yes GROUP", "no" or "undecided".
std::string found_by(const SimplePattern& pattern, std::string_view text) {
  std::string_view group;
  switch (pattern.match(text, group)) {
    case SimplePattern::Found::kYes:
      return "yes " + std::string(group);
    case SimplePattern::Found::kNo:
      return "no";
    case SimplePattern::Found::kUndecided:
      return "undecided";
  }
  return "";
}

std::string found_by_re2(const std::string& pattern, std::string_view text) {
  const RE2 expression(pattern);
  std::array<re2::StringPiece, 2> groups;
  const bool found =
      expression.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), RE2::ANCHOR_START, groups.data(), 2);
  return found ? "yes " + std::string(groups[1].data(), groups[1].size()) : "no";
}

/// What RE2 finds, of every pattern that is read, in texts that lie near it.
TEST(SimplePattern, FindsWhatRe2Finds) {
  constexpr std::array<const char*, 14> kParts = {"a",  "b+", "[0-9.]+", "[^0-9]*", R"(\d*)", R"(\s+)",   ".",
                                                  ".*", "a?", "[a-c]",   "[]a]",    R"(\.)",  "[^\\s,]+", "(a*b)"};
  constexpr std::string_view kLetters = "aabbc01.9 ,]";
  std::mt19937 draw(7);  // NOLINT: the same at every run
  int read = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string pattern;
    const auto group = draw() % 4;
    for (unsigned i = 0; i < 4; ++i)
      pattern += std::string(i == group ? "(" : "") + kParts[draw() % (kParts.size() - 1)] + (i == group ? ")" : "");
    const auto simple = SimplePattern::read(pattern);
    ASSERT_TRUE(simple) << pattern;
    ++read;
    for (int texts = 0; texts < 8; ++texts) {
      std::string text;
      for (auto size = draw() % 14; size > 0; --size) text += kLetters[draw() % kLetters.size()];
      ASSERT_EQ(found_by(*simple, text), found_by_re2(pattern, text)) << pattern << " in " << text;
    }
  }
  EXPECT_EQ(read, 4000);
}

TEST(SimplePattern, LeavesToRe2WhatItDoesNotKnow) {
  for (const char* pattern :
       {"a|(b)",          "(a(b))",     "(a)+",           "(?i)(a)",   "a{2}(b)",  "a+?(b)", "^(a)",
        "(a)$",           R"(\b(a))",   R"(\x41(b))",     "(a)(b)",    "a",        "(a",     "a)",
        "[[:alpha:]](a)", "(\xc3\xa9)", "[a\xc3\xa9](b)", R"(\pL(a))", "(?:a)(b)", "a**(b)"})
    EXPECT_FALSE(SimplePattern::read(pattern)) << pattern;
}

TEST(SimplePattern, LeavesToRe2MoreThanAsciiAndWhatTakesLong) {
  const auto pattern = SimplePattern::read("a([^0-9]*)1");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(found_by(*pattern,
                     "a\xc3\xa9"
                     "1"),
            "undecided");
  EXPECT_EQ(found_by(*pattern, "abc1\xc3\xa9"), "yes bc") << "behind the match nobody looks";
  const auto slow = SimplePattern::read("a*a*a*a*a*a*a*(b)");
  ASSERT_TRUE(slow);
  EXPECT_EQ(found_by(*slow, std::string(200, 'a')), "undecided");
}

}  // namespace
}  // namespace gpuplan
