// Costs, savings, weights and speeds told in sentences.
#include <gtest/gtest.h>

#include <string>

#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

TEST(AuditProse, GpuHoursAndTheirPrice) {
  for (const char* price : {"$2.25 per GPU-hour", "$2.25/GPU-h", "$2.25"})
    for (const char* leads : {", so it costs ", " costs ", " is ", ": ", " = ", ", which comes to "}) {
      const std::string text = std::string("Training takes 400 GPU-hours at ") + price + leads;
      EXPECT_EQ(said_of(text + "$900.\n"), "") << text;
      EXPECT_NE(said_of(text + "$950.\n"), "") << text;
      EXPECT_NE(said_of(text + "$90.\n"), "") << text;
    }
  for (const char* right :
       {"3 runs of 40 GPU-hours at $2 per GPU-hour cost $240.",
        "With 10% off 100 GPU-hours at $2 per GPU-hour cost $180.",
        "A run of 100 GPU-hours at $2.25 per GPU-hour, $50 for storage, is planned.",
        "100 GPU-hours at $2.25 per GPU-hour and $50 for storage.", "8 GPUs for 10 h at $2.50/h cost $200.",
        "2 nodes for 10 h at $20/h is $400, and with a 10% buffer $440.", "40 h at $2/h cost $80.",
        "40 h at $2/GPU-h cost $640 on 8 GPUs.", "On 16 GPUs that is 400 GPU-hours; at $2.25 per GPU-hour $900."})
    EXPECT_EQ(said_of(std::string(right) + "\n"), "") << right;
}

TEST(AuditProse, BuffersOfACostBeforeThem) {
  for (const char* text :
       {"The run costs $936, and with a 15% buffer ", "The run costs $936; with a 15% contingency it is ",
        "It is $936 without, with a 15% reserve: "}) {
    EXPECT_EQ(said_of(std::string(text) + "$1,076.40.\n"), "") << text;
    EXPECT_EQ(said_of(std::string(text) + "$1,076.\n"), "") << text;
    EXPECT_NE(said_of(std::string(text) + "$1,176.40.\n"), "") << text;
  }
  for (const char* right :
       {"Set-up is $36 and the run $900; with a 15% buffer $1,076.40.",  // of both
        "The run costs $936, and with a 15% buffer of $140.40 it is done.", "With a 15% buffer $1,176.40.",
        "Compute is $936 and the team asks for $2,000 with a 15% margin."})
    EXPECT_EQ(said_of(std::string(right) + "\n"), "") << right;
}

TEST(AuditProse, Savings) {
  EXPECT_EQ(said_of("Option A costs $1,100.32 and option B $530.00: B saves $570.32.\n"), "");
  EXPECT_NE(said_of("Option A costs $1,100.32 and option B $530.00: B saves $670.32.\n"), "");
  EXPECT_NE(said_of("At $530 instead of $1,100 spot saves $750.\n"), "");
  const auto two = [](const std::string& words) {
    const auto table = [](const char* rest) { return "| Phase | Cost |\n|---|---|\n" + std::string(rest) + "\n"; };
    return "## A: on demand\n\n" + table("| train | $956.80 |\n| eval | $143.52 |\n| Total | $1,100.32 |\n") +
           "## B: spot\n\n" + table("| train | $460.00 |\n| eval | $70.00 |\n| Total | $530.00 |\n") + words + "\n";
  };
  EXPECT_EQ(said_of(two("Spot saves $570.32 (52%).")), "");
  EXPECT_NE(said_of(two("Spot saves $670.32 (61%).")), "");
  EXPECT_NE(said_of(two("Spot saves $670.32 (61%) and takes 7 h longer (15%). Set-up is 20 min.")), "");
  for (const char* right :
       {"Turning off idle nodes saves $400.", "Spot saves $496.80 in training.", "Spot saves $5,703 over ten runs.",
        "Spot saves $300 per run.", "Spot saves $900 over 3 runs.", "Spot saves $300 a month.",
        "A costs $100 with a $20 credit and saves $50.", "For 3 runs at $100 and $50 the second saves $150."})
    EXPECT_EQ(said_of(two(right)), "") << right;
}

TEST(AuditProse, WeightsAreTheLeastThatAModelNeeds) {
  for (const char* text :
       {"70B in bf16 needs 100 GB", "70B parameters in bf16 needs 100 GB of memory", "A 13B model in fp16 takes 20 GB",
        "7B in fp32 needs 14 GB", "70B in fp8 requires 50 GB", "70B at 4-bit needs 20 GB"})
    EXPECT_NE(said_of(std::string(text) + "\n"), "") << text;
  for (const char* text :
       {"70B in bf16 needs 140 GB", "70B in bf16 needs 131 GB", "70B in bf16 needs 160 GB with its cache",
        "70B in bf16 needs 18 GB per GPU", "70B in bf16 needs 70 GB sharded over two", "70B in 4-bit needs 35 GB",
        "QLoRA of 70B in bf16 needs 48 GB", "70B in bf16 does not need 100 GB", "An 8x7B MoE in bf16 needs 26 GB",
        "70B in bf16 needs 140 GB, in 4-bit 35 GB", "A 7B draft for 70B in bf16 needs 14 GB more",
        "70B tokens in bf16 take 140 GB", "8B in bf16 takes 16 GB"})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
}

TEST(AuditProse, MemoryOfSeveralCards) {
  for (const char* text : {"8x H100 SXM have 512 GB of memory", "4x RTX 4090 have 128 GB", "2x L40S (80 GB)",
                           "8x H100 have 64 GB each", "8x H200 with 1,000 GB in total"})
    EXPECT_NE(said_of(std::string(text) + "\n"), "") << text;
  for (const char* text : {"8x H100 SXM have 640 GB of memory", "8x H100 have 80 GB each",
                           "4x RTX 4090 with 96 GB in total", "8x MI300X have 1.5 TB of memory", "8x H200 (1,128 GB)",
                           "8x H100 SXM have 2 TB of host memory", "8x H100 have 600 GB free", "2x A100 have 160 GB",
                           "2x A100 have 80 GB", "Two H100 with 160 GB of memory", "All eight H100 have 640 GB",
                           // As B200 are sold and as they report: 180 GiB are 193 GB.
                           "A B200 has 180 GB of memory", "A B200 has 192 GB of memory"})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
}

TEST(AuditProse, OptionsByOneLetter) {
  const std::string table =
      "| Option | Machine | Hours | Cost |\n|---|---|---|---|\n| A | 1x A100 80GB | 20 | $32.00 |\n"
      "| C | 8x H100 SXM | 1.5 | $36.00 |\n\n";
  for (const char* right : {"Option C is 13x faster than A.", "Option C is 13x faster than option A.",
                            "Option A is 11% cheaper than C.", "Option C is 18x faster than a CPU."})
    EXPECT_EQ(said_of(table + right + "\n"), "") << right;
  for (const char* wrong :
       {"Option C is 18x faster than A.", "Option C is 18x faster than option A.", "Option A is 31% cheaper than C."})
    EXPECT_NE(said_of(table + wrong + "\n"), "") << wrong;
}

// What a document says of its options in one place need not be said in the others.
TEST(AuditProse, MarkedAsBeaten) {
  const std::string head =
      "| Plan | Hours | Cost | Remark |\n|---|---|---|---|\n| 4x H100 SXM | 2.0 | $20.00 | best |\n";
  EXPECT_NE(said_of(head + "| 8x L4 | 4.0 | $30.00 | |\n"), "");
  EXPECT_EQ(said_of(head + "| 8x L4 | 4.0 | $30.00 | beaten by 4x H100 SXM |\n"), "");
  const std::string twice =
      head + "| 8x L4 | 4.0 | $30.00 | beaten by 4x H100 SXM |\n\n## Order\n\n" +
      "| Plan | Hours | Cost |\n|---|---|---|\n| 4x H100 SXM | 2.0 | $20.00 |\n| 8x L4 | 4.0 | $30.00 |\n";
  EXPECT_EQ(said_of(twice), "");
  // What may be interrupted is another thing to rent; and of two that are told as equal one may be the faster.
  EXPECT_EQ(said_of("| Plan | Hours | Cost |\n|---|---|---|\n| 1x H100 SXM spot | 20 | $30.00 |\n| 1x H100 SXM | 20 | "
                    "$50.00 |\n"),
            "");
  EXPECT_EQ(
      said_of("| Plan | Hours | Cost |\n|---|---|---|\n| 1x H100 SXM | 0.3 | $0.70 |\n| 1x H200 SXM | 0.3 | $0.90 |\n"),
      "");
}

}  // namespace
}  // namespace gpuplan
