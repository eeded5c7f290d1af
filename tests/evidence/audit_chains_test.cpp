// Chains of figures that sentences and tables count on with: right ones are accused of nothing, of wrong ones the
// number is told.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

TEST(AuditChains, WhatASentenceCountsOnWith) {
  struct Case {
    std::string_view text, right, wrong, told;
  };
  for (const auto& [text, right, wrong, told] : {
           Case{"98 hours are {}.", "4.1 days", "5.1 days", "4.08 days"},
           Case{"A file has 15.6 GB. We keep 10 of them: {}.", "156 GB", "186 GB", "156 GB"},
           Case{"A request takes 229 MB, so 40 GB hold about {} requests.", "174", "320",
                "157.5\xE2\x80\x93"
                "183.5"},
           Case{"We need 3,750 steps, 4.4 s each: {}.", "4.6 hours", "5.6 hours", "4.58 h"},
           Case{"The run needs $5,669. Of $6,500 approved this leaves {}.", "$831", "$931", "$831.00"},
           Case{"- Average rate: 30 samples/s\n- Peak is 4 times the average: {}", "120 samples/s", "160 samples/s",
                "120 samples/s"},
           Case{"In fp16 a 7B model needs 14 GB, a 13B model 26 GB, a 34B model {}, a 70B model 140 GB.", "68 GB",
                "86 GB", "68 GB"},
           Case{"We have 840 GPU-hours at $1.40. Sums: 25 students with 40 GPU-hours each: {}.", "1,000 GPU-hours",
                "1,800 GPU-hours", "1000 GPU-hours"},
       }) {
    const auto with = [text = std::string(text)](std::string_view number) {
      return std::string(text).replace(text.find("{}"), 2, number);
    };
    EXPECT_EQ(said_of(with(right)), "") << with(right);
    EXPECT_EQ(said_of(with(wrong)), std::string(wrong) + " -> " + std::string(told) + "; ") << with(wrong);
  }
}

TEST(AuditChains, WhatIsOfSomethingElseIsLetBe) {
  for (const char* text : {
           "The work takes 5 days (40 h).",
           "8 \xC3\x97 80 GB is 600 GB usable.",
           "100 h at $2.00/h on 4x A100 80GB cost $800, spot $400.",
           "40 h at $2/h and 10 h at $3/h cost $110.",
           "A costs $100 and B costs $90, and C is 50% cheaper than both.",
           "It takes 20 h or 2 days.",
       })
    EXPECT_EQ(said_of(text), "") << text;
}

TEST(AuditChains, DataSheets) {
  EXPECT_EQ(said_of("The A100 SXM has 312 TFLOP/s of dense bf16."), "");
  EXPECT_EQ(said_of("The A100 SXM has 624 TFLOP/s of dense bf16."), "624 TFLOP/s -> 312 TFLOP/s; ");
  EXPECT_EQ(said_of("The A100 SXM has 624 TFLOP/s of sparse bf16."), "");
  EXPECT_EQ(said_of("4x A100 40GB have 160 GB of memory."), "");
  EXPECT_EQ(said_of("4x A100 40GB have 180 GB of memory."), "180 GB -> 160 GB; ");
  EXPECT_EQ(said_of("8x L40S with NVLink"), "8x L40S with NVLink -> no NVLink; ");
  EXPECT_EQ(said_of("8x A100 with NVLink"), "");
  EXPECT_EQ(said_of("LoRA needs the weights (26 GB) and little more, so it fits on one RTX 3090."),
            "RTX 3090 -> does not fit; ");
  EXPECT_EQ(said_of("LoRA needs the weights (22 GB) and little more, so it fits on one RTX 3090."), "");
}

TEST(AuditChains, TheCellIsWrongThatTwoThingsSpeakAgainst) {
  const auto table = [](const std::string& cost) {
    return "| Phase | GPU-hours | Cost |\n|---|---|---|\n| A | 288 | $803.52 |\n| B | 80 | " + cost +
           " |\n| C | 1,024 | $2,856.96 |\n| **Total** | 1,392 | $3,883.68 |\n";
  };
  EXPECT_EQ(said_of(table("$223.20")), "");
  EXPECT_EQ(said_of(table("$233.20")), "$233.20 -> $223.20; ");
  const auto terms = [](const std::string& price) {
    return "| Term | Discount | $/GPU-h |\n|---|---|---|\n| none | 0% | 2.99 |\n| a | 10% | 2.69 |\n| b | 25% | " +
           price + " |\n| c | 42% | 1.73 |\n";
  };
  EXPECT_EQ(said_of(terms("2.24")), "");
  EXPECT_EQ(said_of(terms("2.34")), "2.34 -> 2.24/h; ");
}

TEST(AuditChains, Superlatives) {
  const std::string cards =
      "| GPU | Memory | Cost |\n|---|---|---|\n| L4 | 24 GB | $40 |\n| L40S | 48 GB | $30 |\n| H100 | 80 GB | $50 "
      "|\n\n";
  EXPECT_EQ(said_of(cards + "The H100 has the most memory of the cards here."), "");
  EXPECT_EQ(said_of(cards + "The most expensive is L4 in this list."),
            "The most expensive is L4 in this list -> H100 ($50); ");
  EXPECT_EQ(said_of(cards + "The L40S has the most memory of the cards here."),
            "The L40S has the most memory of the cards here -> H100 (80 GB); ");
}

TEST(AuditChains, DigitsOfPowers) {
  EXPECT_EQ(said_of("6 \xC3\x97 1.3e9 \xC3\x97 26e9 = 2.03e20"), "");
  EXPECT_EQ(said_of("6 \xC3\x97 3.38e2 = 2.03e3"), "");
  EXPECT_EQ(said_of("2.4M \xC3\x97 250 = 0.6B tokens a month"), "");
  EXPECT_EQ(said_of("2.4M \xC3\x97 250 = 0.8B tokens a month"),
            "2.4M \xC3\x97 250 = 0.8B tokens -> 600,000,000 tokens; ");
}

}  // namespace
}  // namespace gpuplan
