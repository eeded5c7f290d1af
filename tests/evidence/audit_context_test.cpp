// Sums that a sentence takes from the ones before it, cells that span others, and memory of full training: right ones
// are accused of nothing, of wrong ones the number is told.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

struct Pair {
  std::string_view text, right, wrong, told;
};

TEST(AuditContext, WhatGoesOnFromASentenceBefore) {
  for (const auto& [text, right, wrong, told] : {
           Pair{"The job reads 90M tokens.\nAt 5,000 tokens/s that takes {}.", "5 hours", "2 hours", "5 h"},
           Pair{"We keep 300 GB of files.\nUploading them at 50 MB/s is done in {}.", "100 min", "20 min", "1.67 h"},
           Pair{"It runs at 20,000 tokens/s.\n\nAt the same rate 720M tokens take {}.", "10 hours", "4 hours", "10 h"},
           Pair{"One pass is 30M tokens per epoch.\nThree epochs over that make {}.", "90M tokens", "120M tokens",
                "90,000,000 tokens"},
           Pair{"That is 400 steps per epoch.\nFor three epochs we plan {}.", "1,200 steps", "1,600 steps",
                "1,200 steps"},
           Pair{"Stage 1 sees 10 billion tokens, and one step consumes 2 million tokens.\nThis corresponds to {}.",
                "5,000 steps", "9,000 steps", "5,000 steps"},
           Pair{"The node costs $30 an hour.\nKeeping it for one week is 168 hours or {}.", "$5,040", "$4,040",
                "$5,040"},
           Pair{"The farm does 10,000 tokens/s.\nPer day that is {}.", "864M tokens", "564M tokens",
                "864,000,000 tokens"},
           Pair{"We pay $2.00 per GPU-hour.\nThe 150 GPU-hours cost {}.", "$300", "$450", "$300.00"},
           Pair{"We pay $2.00 per GPU-hour.\nFour GPUs for 20 hours come to {}.", "$160", "$260", "$160.00"},
           Pair{"Warm-up takes 30 of 1,000 steps.\nThe decay runs over the remaining 97 %, i.e. {}.", "970 steps",
                "770 steps", "970 steps"},
       }) {
    const auto with = [text = std::string(text)](std::string_view number) {
      return std::string(text).replace(text.find("{}"), 2, number);
    };
    EXPECT_EQ(said_of(with(right)), "") << with(right);
    EXPECT_EQ(said_of(with(wrong)), std::string(wrong) + " -> " + std::string(told) + "; ") << with(wrong);
  }
}

TEST(AuditContext, ASentenceThatIsOfSomethingElseIsLetBe) {
  for (const char* text : {
           "The job reads 90M tokens.\nAt 5,000 tokens/s each epoch takes 2 hours.",
           "The job reads 90M tokens.\nAt 5,000 tokens/s it would not take 2 hours.",
           "The job reads 90M tokens.\nThe server starts at 5,000 tokens/s.",
           "The node costs $30 an hour.\nStorage for it over 168 hours is $12.",
           "That is 400 steps per epoch.\nWe keep the last 3 epochs of 1,600 steps.",
           "The farm does 10,000 tokens/s.\nThe corpus is 564M tokens.",
       })
    EXPECT_EQ(said_of(text), "") << text;
}

TEST(AuditContext, ClausesWithWordsBetweenTheirAmounts) {
  EXPECT_EQ(said_of("1.2 TB of raw data plus 800 GB of shards add up to 2 TB."), "");
  EXPECT_EQ(said_of("1.2 TB of raw data plus 800 GB of shards add up to 3 TB."), "3 TB -> 2000 GB; ");
  EXPECT_EQ(said_of("10 % of 600k pairs go to validation = 60k pairs"), "");
  EXPECT_EQ(said_of("10 % of 600k pairs go to validation = 6k pairs"), "10 % of 600k = 6k -> 60,000; ");
  EXPECT_EQ(said_of("One 8xH200 node costs $28 an hour, so each H200 is $3.50/h."), "");
  EXPECT_EQ(said_of("One 8xH200 node costs $28 an hour, so each H200 is $4.50/h."), "$4.50/h -> $3.50/h; ");
  EXPECT_EQ(said_of("25 files of 400 MB each need 10 GB."), "");
  EXPECT_EQ(said_of("25 files of 400 MB each need 12 GB."), "12 GB -> 10 GB; ");
  EXPECT_EQ(said_of("* 6 h \xE2\x86\x92 $45.00\n* setup \xE2\x86\x92 $14.40\n* Total $59.40\n"), "");
  EXPECT_EQ(said_of("* 6 h \xE2\x86\x92 $45.00\n* setup \xE2\x86\x92 $14.40\n* Total $69.40\n"), "$69.40 -> $59.40; ");
  EXPECT_EQ(said_of("For a year we get 30 % off, so $1.60 becomes $1.12 per hour."), "");
  EXPECT_EQ(said_of("For a year we get 30 % off, so $1.60 becomes $1.28 per hour."), "$1.28 per hour -> $1.12/h; ");
}

TEST(AuditContext, FullTrainingTakesMoreThanItsWeights) {
  EXPECT_EQ(said_of("Full fine-tuning of Llama-3.1-8B with AdamW needs about 130 GB."), "");
  EXPECT_EQ(said_of("Full fine-tuning of Llama-3.1-8B with AdamW needs about 40 GB."), "40 GB -> at least 64.2 GB; ");
  EXPECT_EQ(said_of("Full fine-tuning of Llama-3.1-8B with 8-bit AdamW and offload needs about 40 GB."), "");
  EXPECT_EQ(said_of("Full fine-tuning of Llama-3.1-8B with AdamW fits on a single RTX 4090."),
            "Llama-3.1-8B on RTX 4090 -> at least 64.2 GB; ");
  EXPECT_EQ(said_of("Full fine-tuning of Llama-3.1-8B with AdamW does not fit on a single RTX 4090."), "");
  EXPECT_EQ(said_of("The teacher is Qwen2.5-72B. In fp16 its weights alone are 145 GB."), "");
  EXPECT_EQ(said_of("The teacher is Qwen2.5-72B. In fp16 its weights alone are 72 GB."), "72 GB -> at least 145 GB; ");
}

TEST(AuditContext, CellsThatSpanOthers) {
  const std::string table =
      "<table>\n<tr><th>Phase</th><th>Node</th><th>Hours</th><th>$/h</th><th>Total</th></tr>\n"
      "<tr><td rowspan=\"2\">SFT</td><td>8xH100</td><td>10</td><td>24.00</td><td>$240</td></tr>\n"
      "<tr><td>8xH200</td><td>8</td><td>28.00</td><td>{}</td></tr>\n"
      "<tr><td colspan=\"4\">Sum of both</td><td>$464</td></tr>\n</table>\n";
  const auto with = [&](std::string_view cost) { return std::string(table).replace(table.find("{}"), 2, cost); };
  EXPECT_EQ(said_of(with("$224")), "");
  EXPECT_NE(said_of(with("$294")).find("$294 -> $224"), std::string::npos);
}

TEST(AuditContext, HeadsOfOtherLanguages) {
  EXPECT_EQ(said_of("GPUs;Stunden;Preis je GPU-Stunde (EUR);Betrag (EUR)\n8x H100;24;2,60;499,20\n"
                    "4x L40S;30;0,95;114,00\n",
                    ClaimsForm::kCsv),
            "");
  EXPECT_NE(said_of("GPUs;Stunden;Preis je GPU-Stunde (EUR);Betrag (EUR)\n8x H100;24;2,60;599,20\n"
                    "4x L40S;30;0,95;114,00\n",
                    ClaimsForm::kCsv),
            "");
  EXPECT_EQ(said_of("Co\xC3\xBBt : 1,60 \xE2\x82\xAC, 2,40 \xE2\x82\xAC et 3,20 \xE2\x82\xAC.\n\n30,000 examples / 64 "
                    "= 469 steps"),
            "");
}

TEST(AuditContext, CardsInTheMiddleOfAParagraph) {
  EXPECT_EQ(said_of("We looked at batches and models. An A100 has 40 GB. The weights need 16 GB."), "");
  EXPECT_EQ(said_of("We looked at batches and models. An A100 has 48 GB. The weights need 16 GB."),
            "48 GB -> 40 GB or 80 GB; ");
  EXPECT_EQ(said_of("* RTX A6000 = 40 GB\n"), "40 GB -> 48 GB; ");
  EXPECT_EQ(said_of("RTX 3090s go for about $0.30 per GPU-hour."), "");
  EXPECT_NE(said_of("RTX 3090s go for about $2.90 per GPU-hour."), "");
}

}  // namespace
}  // namespace gpuplan
