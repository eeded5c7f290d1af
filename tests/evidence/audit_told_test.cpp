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

// One kind of sum each: what is wrong is told, and its right variants are not.
TEST(AuditTold, SumsToldInFewWords) {
  const auto is = [](const char* text, const char* said) {
    EXPECT_EQ(said_of(std::string(text) + "\n"), said) << text;
  };
  is("We use 32 GPUs for 10 days, 9,600 GPU-hours.", "9,600 GPU-hours -> 7680 GPU-hours; ");
  is("We use 32 GPUs for 10 days, 7,680 GPU-hours.", "");
  is("20 checkpoints of 182 GB, 2.64 TB.", "2.64 TB -> 3640 GB; ");
  is("20 checkpoints of 182 GB, 3.64 TB.", "");
  is("20 checkpoints of 182 GB, 500 GB, and logs.", "");
  is("The run takes 5 days (100 h).", "5 days (100 h) -> 120 h; ");
  is("The run takes 5 days (120 h).", "");
  is("The work takes 5 days (40 h).", "");
  is("The run takes 2 days (30 h).", "");
  is("36 runs of 25 min each take 12 h.", "12 h -> 15 h; ");
  is("36 runs of 25 min each take 15 h.", "");
  is("36 runs of 25 min each take 7.5 h.", "");  // two at a time
  is("We train 12B tokens at 165,000 tokens/s, which takes 30 h.", "30 h -> 20.2 h; ");
  is("We train 12B tokens at 165,000 tokens/s, which takes 20.2 h.", "");
  is("We train on 12B tokens. At 165,000 tokens/s that takes 30.2 h.", "30.2 h -> 20.2 h; ");
  is("We train on 12B tokens. At 165,000 tokens/s that takes 20.2 h.", "");
  is("16x H100 at $2.50 per GPU-hour cost $60 an hour.", "$60 an hour -> $40.00/h; ");
  is("16x H100 at $2.50 per GPU-hour cost $40 an hour.", "");
  is("On demand costs $31.92/h. The reservation costs $21.00/h, which is 44 % cheaper.", "44 % cheaper -> 34.2%; ");
  is("On demand costs $31.92/h. The reservation costs $21.00/h, which is 34 % cheaper.", "");
  is("$31.92 -> $21.00, 44% cheaper.", "44% cheaper -> 34.2%; ");
  is("$31.92 -> $21.00, 34% cheaper.", "");
}

TEST(AuditTold, OneRowSavesAgainstAnother) {
  const std::string table =
      "| Option | Hours | Cost |\n| --- | --- | --- |\n| A | 20 | $400 |\n| B | 38 | $364.80 |\n\n";
  EXPECT_EQ(said_of(table + "Option B is the cheapest and saves $53.20 against A.\n"), "saves $53.20 -> $35.20; ");
  EXPECT_EQ(said_of(table + "Option B is the cheapest and saves $35.20 against A.\n"), "");
  EXPECT_EQ(said_of(table + "Option B saves $53.20 against a run at home.\n"), "");
}

TEST(AuditTold, ExpertsFitOnACard) {
  EXPECT_EQ(said_of("Mixtral-8x7B in bf16 fits on one H100 80GB.\n"),
            "Mixtral-8x7B on H100 80GB -> weights of 93.4 GB; ");
  EXPECT_NE(said_of("A Mixtral 8x7B fits on one H100 80GB in bf16.\n"), "");
  EXPECT_NE(said_of("Qwen3-30B-A3B fits on one RTX 4090 24GB in bf16.\n"), "");
  EXPECT_EQ(said_of("Mixtral-8x7B in int4 fits on one H100 80GB.\n"), "");
  EXPECT_EQ(said_of("Qwen3-30B-A3B fits on one H100 80GB in bf16.\n"), "");
  EXPECT_EQ(said_of("Mixtral-8x7B in bf16 does not fit on one H100 80GB.\n"), "");
}

TEST(AuditTold, CachesOfTheModelOfAHeading) {
  const std::string head =
      "# Serving Llama-3.1-8B\n\nWeights in bf16 need 16.1 GB. The KV cache of one sequence of 8,192 tokens takes ";
  EXPECT_EQ(said_of(head + "4.3 GB in bf16, so on one H100 80GB about 14 sequences fit.\n"), "4.3 GB -> 1.07 GB; ");
  EXPECT_EQ(said_of(head + "1.07 GB in bf16, so on one H100 80GB about 58 sequences fit.\n"), "");
}

TEST(AuditTold, EpochsRunsAndPeopleAreFactors) {
  for (const char* right :
       {"| Run | Tokens | Epochs | Tokens seen | tokens/s | Hours |\n|---|---|---|---|---|---|\n"
        "| a | 500M | 3 | 1.5B | 100,000 | 4.2 |\n| b | 500M | 2 | 1B | 100,000 | 2.8 |\n",
        "- Tokens: 500M\n- Epochs: 3\n- Speed: 100,000 tokens/s\n- Time: 4.2 h\n",
        "| Run | Samples | Epochs | samples/s | Hours |\n|---|---|---|---|---|\n| a | 500k | 3 | 100 | 4.2 |\n"
        "| b | 500k | 2 | 100 | 2.8 |\n",
        "| Job | Steps | s/step | Runs | Hours |\n|---|---|---|---|---|\n| sweep | 1,000 | 3.6 | 8 | 8 |\n"
        "| final | 10,000 | 3.6 | 1 | 10 |\n",
        "| Tier | $/h | Hours | Team members | Cost |\n|---|---|---|---|---|\n| Small | 0.80 | 100 | 6 | $480 |\n"
        "| Tiny | 0.35 | 100 | 10 | $350 |\n"})
    EXPECT_EQ(said_of(right), "") << right;
  EXPECT_EQ(said_of("- Tokens: 500M\n- Epochs: 3\n- Speed: 100,000 tokens/s\n- Time: 9 h\n"), "9 h -> 4.17 h; ");
  EXPECT_EQ(
      said_of("| Job | Steps | s/step | Runs | Hours |\n|---|---|---|---|---|\n| sweep | 1,000 | 3.6 | 8 | 6 |\n"),
      "6 -> 8 h; ");
}

TEST(AuditTold, StepsOfSamplesEpochsAndBatch) {
  const std::string list = "- Samples: 96,000\n- Epochs: 2\n- Global batch: 64\n- Steps: ",
                    table = "| Samples | Epochs | Batch | Steps |\n|---|---|---|---|\n| 96,000 | 2 | 64 | ";
  EXPECT_EQ(said_of(list + "3,000\n"), "");
  EXPECT_EQ(said_of(list + "2,000\n"), "2,000 steps -> 3,000; ");
  EXPECT_EQ(said_of(list + "1,500\n"), "1,500 steps -> 3,000; ");
  EXPECT_EQ(said_of("- Samples: 96,000\n- Batch size: 64\n- Steps: 4,000\n"), "");  // epochs are not told
  EXPECT_EQ(said_of(table + "3,000 |\n"), "");
  EXPECT_EQ(said_of(table + "2,000 |\n"), "2,000 steps -> 3,000; ");
  // Of each of 4 GPUs, and with samples packed.
  EXPECT_EQ(said_of("- GPUs: 4\n- Samples: 96,000\n- Epochs: 2\n- Batch size: 16\n- Steps: 3,000\n"), "");
  EXPECT_EQ(said_of(list + "2,000\n- Packing: on\n"), "");
}

TEST(AuditTold, NodeHoursAtThePriceOfASentence) {
  const std::string rows =
      "| Phase | Node-hours | Cost |\n|---|---|---|\n| a | 3 | $72 |\n| b | 80 | $1,920 |\n| c | 12 | $";
  for (const char* price : {"A node-hour costs $24.\n\n", "We rent at $24.00 per node-hour.\n\n"}) {
    EXPECT_EQ(said_of(price + rows + "144 |\n"), "$144 -> $288.00; ") << price;
    EXPECT_EQ(said_of(price + rows + "288 |\n"), "") << price;
  }
  // Two prices, and costs with more in them.
  EXPECT_EQ(said_of("We rent at $24.00 per node-hour, later at $20.00 per node-hour.\n\n" + rows + "144 |\n"), "");
  EXPECT_EQ(said_of("A node-hour costs $40.\n\n" + rows + "288 |\n"), "");
}

TEST(AuditTold, OptionsWithEmptyCells) {
  const std::string table =
      "| | own | cloud |\n|---|---|---|\n| GPUs | 16 | 16 |\n| Power per GPU | 700 W | |\n| Hours a year | 8,000 | "
      "8,000 |\n"
      "| Energy | 89,600 kWh | |\n| Price of energy | $0.15/kWh | |\n| Energy cost a year | $13,440 | |\n"
      "| Price per GPU-hour | | $2.40 |\n| Rent a year | | $";
  EXPECT_EQ(said_of(table + "307,200 |\n"), "");
  EXPECT_EQ(said_of(table + "370,200 |\n"), "$370,200 -> $307,200; ");
}

TEST(AuditTold, AFactorOfFewDigitsIsExact) {
  EXPECT_EQ(said_of("- $1,000 x 0.4 = $440.00\n"), "$1,000 × 0.4 = $440.00 -> $400.00; ");
  EXPECT_EQ(said_of("- $1,196 x 0.4 = $487.40\n"), "$1,196 × 0.4 = $487.40 -> $478.40; ");
  EXPECT_EQ(said_of("- $1,000 x 0.4 = $400\n- $440 x 1.15 = $506\n"), "");
  // It may be a third, or twice something.
  EXPECT_EQ(said_of("- $100 x 0.33 = $33.33\n- $100 x 0.67 = $66.67\n- 10 h x 0.4 = 4.2 h\n"), "");
}

TEST(AuditTold, WholeHoursAddUpAsTheyStand) {
  const std::string head = "| Phase | Hours |\n|---|---|\n| a | 10 |\n| b | 20 |\n| c | 31 |\n| d | 2 |\n";
  EXPECT_EQ(said_of(head + "| Total | 63 |\n"), "");
  EXPECT_EQ(said_of(head + "| Total | 64 |\n"), "64 -> 63 h; ");
  // Rounded ones may be off by one or two, and not by as many as they are.
  const std::string dollars =
      "| Part | Cost |\n|---|---|\n| a | $11 |\n| b | $23 |\n| c | $31 |\n| d | $42 |\n| e | $57 |\n| f | $61 |\n";
  EXPECT_EQ(said_of(dollars + "| Total | $226 |\n"), "");
  EXPECT_EQ(said_of(dollars + "| Total | $229 |\n"), "$229 -> $225.00; ");
}

TEST(AuditTold, WhatFollowsAWrongLineIsHeldAgainstTheRightOneToo) {
  EXPECT_EQ(said_of("| Item | Amount |\n|---|---|\n| Machines | $2,988.00 |\n| Storage | $500.00 |\n"
                    "| Subtotal | $3,488.00 |\n| Discount 10% | -$384.80 |\n| VAT 19% | $596.45 |\n"
                    "| Amount due | $3,735.65 |\n"),
            "$384.80 -> $348.80; ");
}

TEST(AuditTold, TotalsUnderTheHeadPrice) {
  EXPECT_EQ(said_of("| Option | Hours | Price |\n|---|---|---|\n| 8x H100 SXM | 10 | $240 |\n"
                    "| 8x A100 80GB | 16 | $192 |\n"),
            "");
}

TEST(AuditTold, MergedCellsAreOfTheirOwnCount) {
  EXPECT_EQ(said_of("| GPU | Count | Hours | $/GPU-h | Total |\n|---|---|---|---|---|\n"
                    "| H100 SXM | 8 | 10 | $3.00 | $240.00 |\n| | 8 | 20 | $3.00 | $480.00 |\n"
                    "| | 4 | 10 | $3.00 | $130.00 |\n"),
            "$130.00 -> $120.00; ");
}

TEST(AuditTold, HeadsOfOtherCurrenciesAndOfNetPrices) {
  EXPECT_EQ(
      said_of("| Position | Stunden | CHF/h | CHF |\n|---|---:|---:|---:|\n| 8x H100 SXM | 100 | 22.50 | 2'250.00 |\n"
              "| 8x A100 80GB | 200 | 13.00 | 2'650.00 |\n"),
      "2'650.00 -> 2,600.00; 8x A100 80GB (200, 2'650.00) -> 8x H100 SXM (100, 2'250.00); ");
  EXPECT_EQ(said_of("| Machine | Price | Hours | Net |\n|---|---|---|---|\n| 8x H100 SXM | $24/h | 10 | $260 |\n"),
            "$260 -> $240.00; ");
}

TEST(AuditTold, TablesOfHtml) {
  EXPECT_EQ(said_of("<table>\n<tr><th>GPU</th><th>Count</th><th>Hours</th><th>$/GPU-h</th><th>Total</th></tr>\n"
                    "<tr><td>H100 SXM</td><td>8</td><td>10</td><td>$3.00</td><td>$240.00</td></tr>\n"
                    "<tr><td>A100 80GB</td><td>8</td><td>20</td><td>$1.50</td><td>$260.00</td></tr>\n</table>\n"),
            "$260.00 -> $240.00; A100 80GB (20, $260.00) -> H100 SXM (10, $240.00); ");
}

TEST(AuditTold, MoreWaysToSayIt) {
  EXPECT_EQ(said_of("- 100k samples at batch 64 for 2 epochs are 3,125 steps\n"), "");
  EXPECT_EQ(said_of("- 100k samples at batch 64 for 2 epochs are 3,521 steps\n"), "3,521 steps -> 3,125 steps; ");
  EXPECT_EQ(said_of("It costs $260. Set-up is in it, and a 20% buffer brings it to $312.\n"), "");
  EXPECT_EQ(said_of("It costs $260. Set-up is in it, and a 20% buffer brings it to $302.\n"), "$302 -> $312.00; ");
  EXPECT_EQ(said_of("Storage: 2 TB at $0.10/GB per month costs $200 a month.\n"), "");
  EXPECT_EQ(said_of("36 GB plus 4 GB = 46 GB\n"), "36 GB + 4 GB = 46 GB -> 40 GB; ");
  EXPECT_EQ(said_of("The H100 is 2x faster than the A100: 5 h instead of 10 h.\n"), "");
  EXPECT_EQ(said_of("The H100 is 4x faster than the A100: 5 h instead of 10 h.\n"), "4x faster -> 2x; ");
  EXPECT_EQ(said_of("| Machine | Per month | Per year |\n|---|---|---|\n| A | $14,600 | $175,200 |\n"
                    "| B | $8,760 | $115,120 |\n"),
            "$115,120 -> $105,120; ");
  const std::string text(kOptions);
  EXPECT_EQ(said_of(text + "The 8x H100 option is the cheapest and the fastest one.\n"),
            "cheapest -> 4x L40S ($170); ");
}

TEST(AuditTold, ContingencyOfWhatStandsAbove) {
  const std::string head = "| Item | Cost |\n|---|---|\n| Compute | $1,200 |\n| Storage | $150 |\n| Egress | $90 |\n";
  for (const char* right : {"$144 |\n| Total | $1,584", "$120 |\n| Total | $1,560", "$135 |\n| Total | $1,575"})
    EXPECT_EQ(said_of(head + "| Contingency (10%) | " + right + " |\n"), "") << right;
  EXPECT_EQ(said_of(head + "| Contingency (10%) | $124 |\n| Total | $1,584 |\n"), "$124 -> $144.00; ");
}

}  // namespace
}  // namespace gpuplan
