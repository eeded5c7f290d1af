#include "input/job/network_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gpuplan {
namespace {

double gbit(const std::string& text) {
  const auto rate = parse_network(text);
  EXPECT_TRUE(rate) << text << ": " << (rate ? "" : rate.error().message);
  return rate ? rate->value * 8 / 1e9 : 0;
}

TEST(NetworkText, AllWaysToWriteOneNetworkAreOneRate) {
  for (const char* text :
       {"8x 400 Gbit/s InfiniBand", "8x400 Gbit/s InfiniBand", "InfiniBand 8x 400 Gbit/s", "8x NDR", "8 x NDR",
        "8x NDR InfiniBand", "IB NDR 8x400", "3200 Gbit/s", "400 GB/s", "8x 400GbE", "8× 400 Gbit/s RoCE"})
    EXPECT_DOUBLE_EQ(gbit(text), 3200) << text;
}

TEST(NetworkText, AdaptersMultiplyWhatOneDoes) {
  for (const char* one : {"EDR", "HDR", "NDR", "XDR", "25GbE", "100 Gbit/s", "Slingshot 11", "Omni-Path"})
    EXPECT_DOUBLE_EQ(gbit("4x " + std::string(one)), 4 * gbit(one)) << one;
}

TEST(NetworkText, ARateThatIsWrittenCountsBeforeThatOfAName) { EXPECT_DOUBLE_EQ(gbit("200 Gbit/s NDR"), 200); }

TEST(NetworkText, WhatSaysNoRateIsAskedBack) {
  for (const char* text : {"", "8x", "InfiniBand", "fast", "400", "0 Gbit/s", "400 apples", "8x 8x NDR",
                           "400 Gbit/s 100 Gbit/s", "1e9 Gbit/s", "-8x NDR", "99999x NDR"})
    EXPECT_FALSE(parse_network(text)) << text;
  EXPECT_EQ(parse_network("InfiniBand").error().message,
            "'InfiniBand' says no rate; write it as 8x 400 Gbit/s InfiniBand");
}

}  // namespace
}  // namespace gpuplan
