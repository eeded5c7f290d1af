// Values that are packed come back bit for bit.
#include "input/image/archive.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gpuplan {
namespace {

template <class T>
T there_and_back(const T& value) {
  Packer packer;
  packer(value);
  const std::string bytes = std::move(packer).bytes();
  T back{};
  Unpacker unpacker(bytes);
  unpacker(back);
  return back;
}

TEST(ImageArchive, WholeNumbersOfAnySize) {
  for (const int value :
       {0, 1, -1, 63, 64, -64, -65, 127, 128, 8192, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    EXPECT_EQ(there_and_back(value), value);
  EXPECT_EQ(there_and_back(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(there_and_back(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(there_and_back(true), true);
}

TEST(ImageArchive, AmountsOfAnyValue) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, 1.0, 0.1, 80e9, -3.5, 1e300, Limits::min(), Limits::denorm_min(), Limits::max(),
                             Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(there_and_back(value)), std::bit_cast<std::uint64_t>(value)) << value;
  EXPECT_EQ(there_and_back(DollarsPerSecond{2.99 / 3600}), DollarsPerSecond{2.99 / 3600});
}

TEST(ImageArchive, TextsThatRepeat) {
  const std::vector<std::string> texts = {"",
                                          "ab",
                                          "ab",
                                          std::string(300, 'x'),
                                          "H100",
                                          "H100",
                                          std::string("\0\x80", 2),
                                          "",
                                          "H100",
                                          std::string(300, 'x')};
  EXPECT_EQ(there_and_back(texts), texts);
  Packer once, often;
  once(std::string("a page that many rows are from"));
  for (int i = 0; i < 50; ++i) often(std::string("a page that many rows are from"));
  EXPECT_LT(std::move(often).bytes().size(), std::move(once).bytes().size() + 50) << "a byte each";
}

TEST(ImageArchive, WhatMayBeMissing) {
  EXPECT_EQ(there_and_back(std::optional<int>{}), std::nullopt);
  EXPECT_EQ(there_and_back(std::optional<int>{-7}), -7);
  EXPECT_EQ(there_and_back(std::vector<int>{}), std::vector<int>{});
}

}  // namespace
}  // namespace gpuplan
