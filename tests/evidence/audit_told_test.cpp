// What a document says of its own tables: right words are accused of nothing, and of wrong ones the right is told.
#include <gtest/gtest.h>

#include <string>

#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

constexpr const char* kOptions =
    "| Option | Hours | Cost |\n| --- | --- | --- |\n| 8x H100 | 10 | $200 |\n| 8x A100 | 20 | $180 |\n"
    "| 4x L40S | 60 | $170 |\n\n";

TEST(AuditTold, TheBestInProse) {
  for (const char* right :
       {"4x L40S is the cheapest.", "The cheapest option is 4x L40S.", "8x H100 is by far the fastest option.",
        "8x H100 is the fastest of all.", "Is 8x A100 the cheapest?", "8x A100 is not the cheapest.",
        "8x A100 is the cheapest that ends within a day.", "If spot is left out, 8x A100 is the cheapest.",
        "8x A100 is the cheapest with NVLink.", "Among those with 80 GB 8x A100 is the cheapest.",
        "8x B200 is the fastest.", "A100 is the cheapest.", "8x A100 is one of the cheapest.",
        "8x A100 is the second cheapest."})
    EXPECT_EQ(said_of(std::string(kOptions) + right + "\n"), "") << right;
  const std::string text(kOptions);
  EXPECT_EQ(said_of(text + "8x A100 is the cheapest.\n"), "cheapest -> 4x L40S ($170); ");
  EXPECT_EQ(said_of(text + "The fastest option is 8x A100.\n"), "fastest -> 8x H100 (10); ");
  EXPECT_EQ(said_of(text + "So 4x L40S is cheap. 8x H100 is the cheapest choice.\n"), "cheapest -> 4x L40S ($170); ");
}

TEST(AuditTold, TheBestOfTwoTablesMayBeEither) {
  const std::string twice =
      std::string(kOptions) + "## With checkpoints\n\n" +
      "| Option | Hours | Cost |\n| --- | --- | --- |\n| 8x H100 | 11 | $160 |\n| 8x A100 | 22 | $198 |\n\n";
  EXPECT_EQ(said_of(twice + "8x H100 is the cheapest.\n").find("cheapest"), std::string::npos);
}

TEST(AuditTold, ALowPriceIsNotTheBest) {
  EXPECT_EQ(
      said_of("| GPU | tokens/s | $/h |\n| --- | --- | --- |\n| H100 | 12,000 | $2.50 |\n| A100 | 6,000 | $1.50 |\n\n"
              "H100 is the cheapest.\n"),
      "");
}

TEST(AuditTold, FitsOnACard) {
  const std::string head = "| Model | Weights | Fits on one H100 |\n| --- | --- | --- |\n| small | 16 GB | yes |\n";
  EXPECT_EQ(said_of(head + "| large | 70 GB | yes |\n| huge | 140 GB | no |\n"), "");
  EXPECT_EQ(said_of(head + "| large | 140 GB | yes |\n"), "Fits on one H100: yes -> no; ");
  EXPECT_EQ(said_of("| Model | Weights | Fits 2x H100 |\n| --- | --- | --- |\n| large | 140 GB | yes |\n"), "");
  EXPECT_EQ(said_of("| Model | Weights | Fits in 48 GB |\n| --- | --- | --- |\n| large | 140 GB | yes |\n"),
            "Fits in 48 GB: yes -> no; ");
  EXPECT_EQ(said_of("| Model | Weights | Fits on H100 |\n| --- | --- | --- |\n| large | 140 GB | yes |\n"), "");
  // Other words in the head, or in the row, change what has to fit.
  EXPECT_EQ(said_of("| Model | Weights | Fits on one H100 in 4 bit |\n| --- | --- | --- |\n| large | 140 GB | yes |\n"),
            "");
  EXPECT_EQ(said_of(head + "| large, with CPU offload | 140 GB | yes |\n"), "");
}

TEST(AuditTold, HoursForTokens) {
  const std::string head =
      "| GPU | tokens/s | Hours for 10B tokens |\n| --- | --- | --- |\n| H100 | 12,000 | 231 |\n"
      "| A100 | 6,000 | 463 |\n";
  EXPECT_EQ(said_of(head + "| L40S | 3,000 | 926 |\n"), "");
  EXPECT_EQ(said_of(head + "| L40S | 3,000 | 950 |\n"), "");  // with what stands beside the work
  EXPECT_EQ(said_of(head + "| L40S | 3,000 | 826 |\n"), "826 -> 926 h; ");
  EXPECT_EQ(said_of(head + "| L40S | 3,000 | 1,926 |\n"), "1,926 -> 926 h; ");
}

TEST(AuditTold, CostOfTokens) {
  const std::string head =
      "| GPU | tokens/s | $/h | Cost per 1M tokens |\n| --- | --- | --- | --- |\n| H100 | 12,000 | $2.50 | $0.058 |\n"
      "| A100 | 6,000 | $1.50 | $0.069 |\n";
  EXPECT_EQ(said_of(head + "| L40S | 3,000 | $0.80 | $0.074 |\n"), "");
  EXPECT_EQ(said_of(head + "| L40S | 3,000 | $0.80 | $0.174 |\n"), "$0.174 -> $0.07; ");
  // At half of the speed, in all rows: more is counted than the columns say.
  EXPECT_EQ(said_of("| GPU | tokens/s | $/h | Cost per 1M tokens |\n| --- | --- | --- | --- |\n"
                    "| H100 | 12,000 | $2.50 | $0.116 |\n| A100 | 6,000 | $1.50 | $0.139 |\n"),
            "");
}

TEST(AuditTold, WhatElseIsSaidOfTwoIsNotAccused) {
  for (const char* text : {
           "H100 costs $2.50/h and A100 $1.50/h; per token H100 is 20% cheaper than A100.",
           "A costs $100 and B costs $90, but with storage B is 30% cheaper than A.",
           "A costs $100 and B costs $90. Spot is 60% cheaper.",
           "A costs $100 and B costs $90, and C is 50% cheaper than both.",
           "With twice the batch A takes 10 h and B takes 20 h: A is 4x faster.",
           "Week 1 costs $300 and week 2 costs $200. Spot saves $120.",
           "Set-up costs $100 and the run $90; the next run is 50% cheaper.",
           "A takes 10 h and B takes 20 h; a step of A is 3x faster than a step of B.",
           "Of the budget of $2,000 we spend $1,500 for the run, and after taxes it leaves $200.",
           "The budget of $2,000 and the $1,500 of the run leave $300 with a 10% buffer.",
           "Each run costs $500 of the budget of $2,000, and three runs leave $500.",
           "8x H100 at 700 W for 100 hours at 80% load use 448 kWh.",
           "8x H100 at 700 W for 100 hours with a PUE of 1.2 use 672 kWh.",
           "The KV cache takes 128 KiB per token, so 8,192 tokens of 4 requests take 4 GiB.",
           "The KV cache takes 128 KiB per token, so 8,192 tokens take 1.07 GB.",
       })
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
}

}  // namespace
}  // namespace gpuplan
