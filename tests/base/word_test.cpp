#include "base/word.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads/parallel.h"

namespace gpuplan {
namespace {

const std::vector<std::string> kTexts = {
    "", "aws", "AWS", "aw", "aws ", "us-east-1", "a name that is longer than what a string holds itself"};

TEST(Word, IsEqualToWhatSaysTheSame) {
  for (const std::string& one : kTexts)
    for (const std::string& other : kTexts) {
      const std::string copy = other;
      EXPECT_EQ(Word(one) == Word(copy), one == other) << one << "|" << other;
      EXPECT_EQ(Word(one) == other, one == other);
      EXPECT_EQ(one == Word(other), one == other);
      EXPECT_EQ(Word(one) == std::string_view(other), one == other);
      EXPECT_EQ(Word(one) != other.c_str(), one != other);
    }
}

TEST(Word, ManyStayWhatTheyAre) {
  constexpr int kWords = 50'000;
  const auto text = [](int i) {
    return (i % 2 == 0 ? "region-" : "a much longer name of a machine, number ") + std::to_string(i);
  };
  std::vector<Word> words;
  words.reserve(kWords);
  for (int i = 0; i < kWords; ++i) words.emplace_back(text(i));
  for (int i = 0; i < kWords; ++i) {
    ASSERT_EQ(words[static_cast<std::size_t>(i)].str(), text(i));
    ASSERT_EQ(&Word(text(i)).str(), &words[static_cast<std::size_t>(i)].str()) << "equal ones are kept once";
  }
}

TEST(Word, ComesInTheOrderOfItsText) {
  std::vector<std::string> texts = kTexts;
  std::vector<Word> words(texts.begin(), texts.end());
  std::ranges::sort(texts);
  std::ranges::sort(words);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(words[i].str(), texts[i]);
  EXPECT_LT(Word("aws"), std::string("azure"));
  EXPECT_GT(Word("lambda"), "aws");
}

TEST(Word, ReadsAsAText) {
  const Word word = "us-east-1";
  const std::string text = word;
  EXPECT_EQ(text, "us-east-1");
  EXPECT_EQ("in " + word, "in us-east-1");
  EXPECT_EQ(word + ", " + Word("aws"), "us-east-1, aws");
  EXPECT_EQ(word + '!', "us-east-1!");
  EXPECT_EQ(Word("a") + Word("b"), "ab");
  EXPECT_TRUE(word.starts_with("us-"));
  EXPECT_TRUE(word.ends_with("-1"));
  EXPECT_TRUE(word.contains("east"));
  EXPECT_EQ(word.find('-'), 2u);
  EXPECT_EQ(word.find("none"), std::string::npos);
  EXPECT_EQ(word.substr(3, 4), "east");
  EXPECT_TRUE(Word().empty());
  EXPECT_TRUE(Word("").empty());
  EXPECT_EQ(Word().size(), 0u);
  EXPECT_EQ(Word(), Word(""));
}

TEST(Word, IsMadeByThreadsAtOnce) {
  constexpr int kTasks = 64, kWords = 200;
  std::vector<std::vector<Word>> made(kTasks);
  auto task = [&](int index) {
    for (int i = 0; i < kWords; ++i)
      made[static_cast<std::size_t>(index)].emplace_back("thread word " + std::to_string(i));
  };
  parallel_for(kTasks, 4, task);
  for (const std::vector<Word>& words : made) EXPECT_EQ(words, made.front());
}

}  // namespace
}  // namespace gpuplan
