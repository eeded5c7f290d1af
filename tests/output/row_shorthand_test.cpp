// What people type elsewhere, and what only looks like it.
#include "output/text/row_shorthand.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

std::string read(std::string_view term) {
  const auto found = read_shorthand(term);
  if (!found) return found.error().usage ? "refused" : "no usage error";
  if (!*found) return "word";
  const auto range = [](const std::optional<WrittenRange>& bounds) {
    return bounds ? "[" + bounds->least + "," + bounds->most + "]" : std::string("-");
  };
  return (*found)->word + " " + range((*found)->gpus) + " " + range((*found)->memory);
}

TEST(RowShorthand, Counts) {
  EXPECT_EQ(read("H100:8"), "H100 [8,8] -");
  EXPECT_EQ(read("H100:1..8"), "H100 [1,8] -");
  EXPECT_EQ(read("A100-80GB:2.."), "A100-80GB [2,] -");
  EXPECT_EQ(read("8x H100"), "H100 [8,8] -");
  EXPECT_EQ(read("4xRTX_4090"), "RTX_4090 [4,4] -");
}

TEST(RowShorthand, Memory) {
  EXPECT_EQ(read("24GB..80GB"), " - [24GB,80GB]");
  EXPECT_EQ(read("40GB.."), " - [40GB,]");
  EXPECT_EQ(read("..24GiB"), " - [,24GiB]");
  EXPECT_EQ(read("24GB..:8"), " [8,8] [24GB,]");
  EXPECT_EQ(read("80GB:1..4"), " [1,4] [80GB,80GB]");
}

TEST(RowShorthand, WordsStayWords) {
  for (const char* word : {"H100", "us-east-1", "eu:west", "4090", "2xl", "RTX 4090", "p5.48xlarge", "x8", ""})
    EXPECT_EQ(read(word), "word") << word;
}

TEST(RowShorthand, WhatBeginsLikeOneIsRefused) {
  for (const char* term : {"H100:", "H100:8..many", "H100:0", "H100:..", "..", "24GB..x", "24..80"})
    EXPECT_EQ(read(term), "refused") << term;
}

}  // namespace
}  // namespace gpuplan
