// Sums told in sentences: right ones are accused of nothing, and of wrong ones the number is told.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

/// A sentence whose number in braces follows from the others.
struct Told {
  std::string before, number, behind;
};

Told told_in(std::string_view text) {
  const std::size_t open = text.find('{'), close = text.find('}');
  return {std::string(text.substr(0, open)), std::string(text.substr(open + 1, close - open - 1)),
          std::string(text.substr(close + 1))};
}

/// The number with another first digit, as a slip makes it.
std::string slipped(std::string number, int by) {
  char& first = number[number.find_first_of("123456789")];
  first = static_cast<char>('1' + (first - '1' + by) % 9);
  return number;
}

TEST(AuditSentences, RightIsLetBeAndASlipIsFound) {
  for (const std::string_view text : {
           "10M tokens at $0.60 per million cost ${6}.",
           "2M tokens at $0.60/M = ${1.20}",
           "2M tokens at $0.60/M is ${1.20}.",
           "400M input tokens at $0.15 per 1M tokens are ${60}.",
           "50M tokens at $0.60 per million tokens cost ${30}",
           "3 TB at $0.09/GB are ${270}.",
           "3 TB at $0.09/GB egress are ${270}.",
           "500 GB at $0.08 per GB cost ${40}.",
           "230 kWh at $0.20/kWh cost ${46}.",
           "8x H100 at $2.99/GPU-h for 10 h cost ${239.20}.",
           "An L40S at $0.89/h for 30 h costs ${26.70}.",
           "8 GPUs for 12 hours are {96} GPU-hours.",
           "8x H100 for 3 days: {576} GPU-hours.",
           "A 35% discount on $1,000 is ${350}.",
           "A 40% discount on $1,000 is $400, so we pay ${600}.",
           "A 19% VAT on $1,000 is ${190}.",
           "A 15% buffer on $440 is ${66}.",
           "Net $100, 19% VAT, gross ${119}.",
           "Net $100, 19% VAT ${19}, gross $119.",
           "It is $500 net, 19% VAT $95, total ${595}.",
           "$1,000 plus 19% VAT is ${1,190}.",
           "$1,000 less 12% comes to ${880}.",
           "20% off $50 = ${40}",
           "20% off $50 is ${40}.",
           "Spot at $0.99 instead of $2.49 saves {60}%.",
           "At $1.20/h instead of $2.40/h spot saves {50}%.",
           "From $2.99 to $2.39 per GPU-hour is {20}% less.",
           "From $2.99 to $2.39 is {20}% less.",
           "Option A costs $1,100 and option B $530: B saves ${570}.",
           "Global batch {768} on 24 GPUs with micro-batch 8 and accumulation 4.",
           "Global batch {256} on 8 GPUs: micro-batch 4, accumulation 8.",
           "Global batch {256} on 8x H100 with micro-batch 4 and accumulation 8.",
           "The batch is {60} on 4 GPUs: 3 per GPU with 5 accumulation steps.",
           "Global batch {768} = 24 GPUs x 8 x 4",
           "${60} = 3 x $20",
           "Training takes 40 h on 8x H100 at $2.49/GPU-h: ${796.80}.",
           "8x H100 for 40 h at $2.49 per GPU-hour cost ${796.80}.",
           "10 h \xC3\x97 $2.49/h is ${24.90}.",
           "40 h on 8 GPUs are {320} GPU-hours.",
           "At $0.60 per million tokens, 50M tokens cost ${30}.",
           "The API costs $0.60 per 1M tokens: 50M tokens are ${30}.",
           "12 checkpoints of 56 GB are {672} GB.",
           "12 checkpoints of 56 GB = {672} GB",
           "20,000 samples at batch 64 are {313} steps.",
           "3 epochs of 20,000 samples at batch 64 are {938} steps.",
           "$100 a month is ${1,200} a year.",
           "$50 with 20% off is ${40}.",
           "$100 with 19% VAT is ${119}.",
           "We get {20}% off: $40 instead of $50.",
           "The L4's memory is {24} GB.",
           "8x H100 at $23.92/h are ${2.99} per GPU-hour.",
           "8x H100 at $23.92/h, that is ${2.99} per GPU-hour.",
           "$23.92/h for 8x H100 is ${2.99} per GPU-hour.",
           "$23.92/h for 8 GPUs is ${2.99} per GPU-hour.",
           "Machine A costs $100 and machine B costs $90, so machine B is {10}% cheaper than machine A.",
           "Lambda asks $4.00/h and vultr asks $3.00/h: vultr is {25}% cheaper.",
           "The first costs $100 and the second costs $150, so the second is {50}% more expensive than the first.",
           "H100 takes 10 h and A100 takes 20 h: H100 is {2}x faster than A100.",
           "The old one makes 1,000 tokens/s and the new one 4,000 tokens/s, so the new one is {4}x faster.",
           "The run costs $1,500 of a budget of $2,000, which leaves ${500}.",
           "The budget is $2,000. The run costs $1,500, so ${500} is left.",
           "Option A costs $3,000 and option B costs $2,500. Option B saves ${500}.",
           "8x H100 at 700 W for 100 hours use {560} kWh.",
           "5.6 kW for 100 h is {560} kWh.",
           "The KV cache takes 128 KiB per token, so 8,192 tokens take {1} GiB.",
       }) {
    const Told told = told_in(text);
    EXPECT_EQ(said_of(told.before + told.number + told.behind + "\n"), "") << text;
    EXPECT_EQ(said_of("- " + told.before + told.number + told.behind + "\n"), "") << text;
    for (const int by : {1, 2, 4}) {
      const std::string wrong = told.before + slipped(told.number, by) + told.behind;
      EXPECT_NE(said_of(wrong + "\n"), "") << wrong;
    }
  }
}

TEST(AuditSentences, TimesOfSteps) {
  for (const char* step : {"2.5 s a step", "2.5 s/step", "2,500 ms per step", "2.5 seconds per iteration"}) {
    const std::string text = "1,000 steps at " + std::string(step) + " take ";
    for (const char* right : {"42 min.", "45 min with checkpoints.", "50 min."})
      EXPECT_EQ(said_of(text + right + "\n"), "") << step;
    for (const char* wrong : {"12 min.", "82 min.", "4.2 h."}) EXPECT_NE(said_of(text + wrong + "\n"), "") << step;
  }
}

// What else is counted, paid or meant in a sentence makes other numbers right.
TEST(AuditSentences, WhatElseIsInThemIsNotAccused) {
  for (const char* text : {
           "1M input tokens at $3 per million and 0.2M output at $15 per million cost $6.",
           "3 runs of 10M tokens at $0.60 per million cost $18.",
           "3 TB at $0.09/GB are $276.48.",
           "500 GB at $0.08 per GB-month for 3 months cost $120.",
           "2 TB at $0.02/GB-month cost $40 a month.",
           "1 TB-month at $0.02 per GB-month is $20.",
           "40 h at $2/h and 10 h at $3/h cost $110.",
           "40 GPU-hours at $2 and 10 GPU-hours at $3 cost $110.",
           "8 h a day for 10 days at $2/h cost $160.",
           "Set-up of 30 min and 10 h at $2/h cost $21.",
           "8x H100 at $23.92/h for 10 h cost $239.20.",
           "8x H100 at $2.99/h for 10 h cost $239.20.",
           "Two nodes at $23.92/h each for 10 h cost $478.40.",
           "4 nodes of 8x H100 at $2.99/GPU-h for 10 h cost $956.80.",
           "8x H100 at $23.92/h for 10 h cost $263.12 with a 10% buffer.",
           "An H100 at $2.50/h for two days costs $120.",
           "We pay $2.49/h for 10 h, in total $30, storage included.",
           "10 h at $2.49/h, in total $30, with a fee of $5.10.",
           "8 GPUs for 12 hours are 96 GPU-hours, of which 80 are used.",
           "Two runs on 8 GPUs for 12 hours are 192 GPU-hours.",
           "On 8 GPUs for 12 hours at 85% are 82 GPU-hours.",
           "1,000 steps at 2.5 s a step take 45 min with checkpoints.",
           "500 samples at 4 s each on 4 workers take 8.3 min.",
           "A 40% discount on $1,000 is $600.",
           "A 10% fee on $500 comes to $50, so we pay $550.",
           "Of the $1,190, 19% VAT is $190.",
           "Compute is $500 and storage $40; with 19% VAT $642.60.",
           "$500 plus $40 plus 19% VAT is $642.60.",
           "$460 instead of $900 saves 49%, and $30 of storage.",
           "Paying $500 instead of $700 saves 40% of the hours.",
           "On demand it is $10 per hour and reserved $6: 40% less.",
           "Global batch 64 on 16 GPUs with micro-batch 4 and accumulation 4, tensor parallel over 4.",
           "Batch 64 = 1 GPU x micro-batch 8 x 8 accumulation steps.",
           "A batch of 512 with accumulation 4 runs on 8 GPUs.",
           "2 nodes = 2 x 8 GPUs",
           "1 week = 5 x 8 h",
           "1 epoch = 1,000 x 32 samples",
           "24 GB = 2 x 12 GB",
           "12 h = 8 x 90 min",
           "Total $1,250 = 10 x $100 + $250",
           "200 GB = 4 x 40 GB + cache",
           "Monthly $100, yearly $1,200.",
           "At $5 per hour for your time the H100 wins over the L4.",
           "We count $40 an hour for an engineer.",
       }) {
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
    EXPECT_EQ(said_of("- " + std::string(text) + "\n"), "") << text;
  }
}

TEST(AuditSentences, CardsThatAreCountedInWords) {
  for (const char* right : {"Four L4 have 96 GB.", "Four L4 have 24 GB each.", "Two A100 have 80 GB or 160 GB."})
    EXPECT_EQ(said_of(std::string(right) + "\n"), "") << right;
  for (const char* wrong : {"Four L4 have 128 GB.", "Two H100 have 40 GB each.", "Eight H200 have 640 GB."})
    EXPECT_NE(said_of(std::string(wrong) + "\n"), "") << wrong;
}

TEST(AuditSentences, TaxesInLists) {
  const auto list = [](const std::string& tax, const std::string& gross) {
    return "- Compute: $80\n- Disk: $20\n- Net: $100\n- VAT 19%: " + tax + "\n- Gross: " + gross + "\n";
  };
  EXPECT_EQ(said_of(list("$19", "$119")), "");
  // A tax that says itself of what it is.
  EXPECT_EQ(said_of("- Compute: $4,000\n- Sales tax 8% on storage ($500): $40\n- Total: $4,040\n"), "");
  EXPECT_NE(said_of(list("$29", "$129")), "");
  EXPECT_NE(said_of(list("$19", "$131")), "");
}

TEST(AuditSentences, WeightsInWordsAndTables) {
  for (const char* wrong : {"Qwen2.5-32B needs 32 GB in bf16.", "In bf16 a 70B needs 70 GB.",
                            "The weights of a 70B are 70 GB in bf16.", "In bf16, Llama-3.1-70B takes 70 GB of memory."})
    EXPECT_NE(said_of(std::string(wrong) + "\n"), "") << wrong;
  const auto table = [](const std::string& rows) { return "| Model | Format | Weights |\n|---|---|---|\n" + rows; };
  EXPECT_EQ(said_of(table("| Llama-3.3-70B | bf16 | 141 GB |\n| Llama-3.3-70B | int4 | 37 GB |\n| Mistral-7B | bf16 | "
                          "14.5 GB |\n")),
            "");
  EXPECT_EQ(said_of(table("| Llama-3.3-70B | bf16 | 70.6 GB |\n| Llama-3.3-70B | int4 | 37 GB |\n")),
            "70.6 GB -> at least 140 GB; ");
}

TEST(AuditSentences, BatchesInTablesSheetsAndLists) {
  const auto sheet = [](const std::string& rest) {
    return "| Setting | Value |\n|---|---|\n| GPUs | 24 |\n| Micro-batch | 8 |\n| Gradient accumulation | 4 |\n" + rest;
  };
  EXPECT_EQ(said_of(sheet("| Global batch | 768 |\n")), "");
  EXPECT_NE(said_of(sheet("| Global batch | 512 |\n")), "");
  EXPECT_EQ(said_of(sheet("| Global batch | 192 |\n| TP | 4 |\n")), "");
  EXPECT_EQ(said_of(sheet("| Global batch | 384 |\n| GPUs a copy | 2 |\n")), "");
  EXPECT_EQ(said_of(sheet("| Global batch | 3145728 |\n| Sequence length | 4096 |\n")), "");
  const std::string list = "- GPUs: 24\n- Micro-batch: 8\n- Gradient accumulation: 4\n- Global batch: ";
  EXPECT_EQ(said_of(list + "768\n"), "");
  EXPECT_NE(said_of(list + "512\n"), "");
  EXPECT_EQ(said_of("Option,GPUs,Global batch,Micro-batch,Accumulation\nA,8,256,4,8\nB,6,264,4,11\n", ClaimsForm::kCsv),
            "");
  EXPECT_EQ(said_of("Option,GPUs,Global batch,Micro-batch,Accumulation\nA,8,256,4,8\nC,8,250,4,8\n", ClaimsForm::kCsv),
            "batch of 250 -> 256; ");
}

TEST(AuditSentences, CostsByTheMonthAndByTheYear) {
  const std::string head =
      "Provider,Monthly cost,Yearly cost\nAlpha,\"$17,461.60\",\"$209,539.20\"\n"
      "Beta,\"$10,453.60\",\"$125,443.20\"\nDelta,\"$2,044.00\",";
  EXPECT_EQ(said_of(head + "\"$24,528.00\"\n", ClaimsForm::kCsv), "");
  EXPECT_EQ(said_of(head + "\"$25,528.00\"\n", ClaimsForm::kCsv), "$25,528.00 -> $24,528.00; ");
  // A year that costs less than twelve months, a first year alone, and months of 30 days.
  EXPECT_EQ(
      said_of("Plan,Per month,Per year\nA,$100,\"$1,000\"\nB,$200,\"$2,000\"\nC,$300,\"$3,600\"\n", ClaimsForm::kCsv),
      "");
  EXPECT_EQ(
      said_of("Plan,Per month,First year\nA,$100,\"$1,200\"\nB,$200,\"$2,400\"\nC,$300,\"$3,000\"\n", ClaimsForm::kCsv),
      "");
  // What is paid once is in a total.
  EXPECT_EQ(said_of("Item,Monthly,Annual\nGPUs,\"$1,000\",\"$12,000\"\nDisk,$50,$600\nStart,$0,$500\n"
                    "Total,\"$1,050\",\"$13,100\"\n",
                    ClaimsForm::kCsv),
            "");
  EXPECT_EQ(said_of("Plan,Per day,Per month\nA,$10,$300\nB,$20,$600\n", ClaimsForm::kCsv), "");
}

// What such rows hold besides hours and price, and times besides the work.
TEST(AuditSentences, WhatIsInEveryRow) {
  const auto table = [](const std::string& rows) {
    return "| Plan | $ an hour | Hours | Cost |\n|---|---|---|---|\n" + rows;
  };
  // The same work by hand in each.
  EXPECT_EQ(said_of(table("| 1x H100 SXM | $2.25 | 1.7 | $125.08 |\n| 1x A100 80GB | $1.28 | 2.9 | $124.96 |\n"
                          "| 1x L40S | $0.55 | 5.2 | $124.11 |\n")),
            "");
  EXPECT_NE(said_of(table("| 1x H100 SXM | $2.25 | 1.7 | $125.08 |\n| 1x A100 80GB | $1.28 | 2.9 | $164.96 |\n"
                          "| 1x L40S | $0.55 | 5.2 | $124.11 |\n")),
            "");
  EXPECT_EQ(said_of(table("| 8x H100 SXM | $16.00 | 6.3 | $11,520 |\n")), "");  // a month that is paid whole
  EXPECT_NE(said_of(table("| 8x H100 SXM | $16.00 | 6.3 | $12,520 |\n")), "");
  EXPECT_EQ(said_of(table("| 1x H100 SXM, 2 at a time | $1.30 | 0.34 | $0.63 |\n")), "");
  EXPECT_NE(said_of(table("| 1x H100 SXM | $1.30 | 0.34 | $0.63 |\n")), "");

  // 50M tokens with about 16 min of set-up, which differ from machine to machine.
  const auto speeds = [](const std::string& rows) {
    return "Speed by GPU: 50M tokens\n\n| GPUs | Tokens/s | Hours |\n|---|---|---|\n" + rows +
           "| 8x A100 SXM 80GB | 11,400 | 1.5 |\n| 8x H100 SXM | 6,850 | 2.3 |\n| 8x L40S | 2,880 | 5.1 |\n";
  };
  EXPECT_EQ(said_of(speeds("| 16x B200 | 38,200 | 0.62 |\n| 16x H200 SXM | 27,800 | 0.75 |\n")), "");
  EXPECT_NE(said_of(speeds("| 16x B200 | 38,200 | 1.62 |\n| 16x H200 SXM | 27,800 | 0.75 |\n")), "");
  // A speed of three digits that count.
  EXPECT_EQ(said_of("100 samples\n\n| Phase | Samples/s | An epoch |\n|---|---|---|\n| t | 1,090 | 91.4 ms |\n"), "");
  EXPECT_NE(said_of("100 samples\n\n| Phase | Samples/s | An epoch |\n|---|---|---|\n| t | 1,090 | 81.4 ms |\n"), "");
}

}  // namespace
}  // namespace gpuplan
