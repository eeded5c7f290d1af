#include "evidence/audit/audit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/questions/facts.h"
#include "evidence/audit/figures/span.h"
#include "input/claims/claims_file.h"

namespace gpuplan {
namespace {

const Catalogue& facts() {
  static const Catalogue catalogue = *api::read_facts();
  return catalogue;
}

Audit audit(const std::string& text, ClaimsForm form = ClaimsForm::kMarkdown) {
  const auto document = read_claims(text, form, "plan.md", facts());
  EXPECT_TRUE(document) << document.error().message;
  return document ? audit_claims(*document, facts()) : Audit{};
}

/// "3 wrong": line and kind of each finding, but for what is missing.
std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> words;
  for (const Finding& finding : audit(text).findings)
    if (finding.kind != FindingKind::kMissing)
      words.push_back(std::to_string(finding.line) + " " + std::string(name_of(finding.kind)));
  return words;
}
using Words = std::vector<std::string>;

ClaimAmount amount(double value, double step, bool approximate = false) {
  ClaimAmount one;
  one.dimension = ClaimDimension::kMoney;
  one.low = one.high = value;
  one.low_step = one.high_step = step;
  one.approximate = approximate;
  return one;
}

TEST(AuditDigits, ARoundingOfTheComputedFits) {
  EXPECT_TRUE(fits(amount(0.29, 0.01), ends_of(0.285)));
  EXPECT_TRUE(fits(amount(278, 1), ends_of(278.545)));  // cut off
  EXPECT_FALSE(fits(amount(277, 1), ends_of(278.545)));
  EXPECT_TRUE(fits(amount(15, 1), ends_of(15.4)));
  EXPECT_FALSE(fits(amount(15, 1), ends_of(15.6)));
  EXPECT_TRUE(fits(amount(120, 1, true), ends_of(116.0)));
  EXPECT_FALSE(fits(amount(120, 1), ends_of(116.0)));
}

TEST(AuditDigits, EndsOfRangesAreComparedEachWithItsOwn) {
  ClaimAmount range = amount(17, 1);
  range.high = 33;
  EXPECT_TRUE(fits(range, ClaimEnds{{16.7, 16.7}, {33.3, 33.3}}));
  EXPECT_FALSE(fits(range, ClaimEnds{{12, 12}, {33.3, 33.3}}));
  EXPECT_TRUE(fits(range, ends_of(25.0)));
  EXPECT_FALSE(fits(range, ends_of(50.0)));
}

TEST(AuditSums, WrittenOut) {
  EXPECT_EQ(found("3 h \xC3\x97 $2.49 = $7.47\n"), Words{});
  EXPECT_EQ(found("3 h \xC3\x97 $2.49 = $8.47\n"), Words{"1 wrong"});
  EXPECT_EQ(found("16 \xC3\x97 45s = ~12 minutes\n"), Words{});
  EXPECT_EQ(found("16 \xC3\x97 45s = ~15 minutes\n"), Words{"1 wrong"});
  EXPECT_EQ(found("8 GPUs \xC3\x97 40 batch \xC3\x97 2 grad_accum = 640 effective\n"), Words{});
  EXPECT_EQ(found("8 GPUs \xC3\x97 40 batch \xC3\x97 2 grad_accum = 600 effective\n"), Words{"1 wrong"});
  EXPECT_EQ(found("6,000 samples \xC3\x97 512 tokens avg = 3,072,000 tokens\n"), Words{});
  EXPECT_EQ(found("cost is $327 ($32.77 \xC3\x97 10)\n"), Words{});
  EXPECT_EQ(found("cost is $337 ($32.77 \xC3\x97 10)\n"), Words{"1 wrong"});
  EXPECT_EQ(found("$55 / 7.75 hrs = $7/hr saved\n"), Words{});
  EXPECT_EQ(found("19/64 = 30% use\n"), Words{});
  EXPECT_EQ(found("19/64 = 40% use\n"), Words{"1 wrong"});
  EXPECT_EQ(found("4\xC3\x97 A100 40GB = 160 GB total\n"), Words{});
  EXPECT_EQ(found("4\xC3\x97 A100 40GB = 180 GB total\n"), Words{"1 wrong"});
  EXPECT_EQ(found("4\xC3\x97 RTX 3090 (24 GB each) = 96 GB\n"), Words{});
  EXPECT_EQ(found("2.5 hours (29% of 10 hours)\n"), Words{"1 wrong"});
  EXPECT_EQ(found("34.0 GB (42% of the 80 GB)\n"), Words{});
}

TEST(AuditSums, WhatIsNoSumIsLeftAlone) {
  for (const char* text : {"A = 3, B = 4\n", "lr = 3e-4, batch = 32\n", "x = 3 h\n", "step_0: 10.5 > step_1: 9.2\n",
                           "2025-01-31 = a date\n", "v1.2.3 = v1.2.4\n", "4 x H100 = fast\n",
                           "torchrun --nproc=8 --lr=0.1 = 3\n", "from 3 to 5 h\n", "12:30 - 14:30 = meeting\n"})
    EXPECT_EQ(found(text), Words{}) << text;
}

TEST(AuditSums, Lists) {
  EXPECT_EQ(found("- Weights: 14 GB\n- Cache: 2 GB\n- Activations: 3 GB\n- **Total:** 19 GB\n"), Words{});
  EXPECT_EQ(found("- Weights: 14 GB\n- Cache: 2 GB\n- Activations: 3 GB\n- **Total:** 22 GB\n"), Words{"4 wrong"});
}

TEST(AuditRows, PriceTimesHours) {
  const std::string head = "| GPU | $/hr | Hours | Cost |\n|---|---|---|---|\n";
  EXPECT_EQ(found(head + "| L4 | $0.80 | 10.00 | $8.00 |\n"), Words{});
  EXPECT_EQ(found(head + "| L4 | $0.80 | 10.00 | $9.00 |\n"), Words{"3 wrong"});
  EXPECT_EQ(found(head + "| 4x L4 | $0.80 | 10.00 | $32.00 |\n"), Words{});  // a GPU's price
  EXPECT_EQ(found(head + "| 4x L4 | $0.80 | 10.00 | $24.00 |\n"), Words{"3 wrong"});
}

TEST(AuditRows, StepsTokensAndGpuHours) {
  EXPECT_EQ(found("## Run\n- Iterations: 1000\n- Speed: 0.5 sec/step\n- Time: 8.4 minutes\n"), Words{});
  EXPECT_EQ(found("## Run\n- Iterations: 1000\n- Speed: 0.5 sec/step\n- Time: 30 minutes\n"), Words{"4 wrong"});
  const std::string tokens = "Work: 3,600,000 tokens\n\n| GPU | tokens/s | Time |\n|---|---|---|\n";
  EXPECT_EQ(found(tokens + "| L4 | 100 | 10.0 h |\n"), Words{});
  EXPECT_EQ(found(tokens + "| L4 | 100 | 30.0 h |\n"), Words{"5 wrong"});
  const std::string hours = "| Task | GPUs | Time | GPU-hours |\n|---|---|---|---|\n";
  EXPECT_EQ(found(hours + "| train | 8 | 0.33 h | 2.7 |\n"), Words{});
  EXPECT_EQ(found(hours + "| train | 8 | 0.33 h | 3.7 |\n"), Words{"3 wrong"});
}

TEST(AuditColumns, TotalsAndBuffers) {
  const std::string table = "| Phase | Time | GPU-hours |\n|---|---|---|\n| a | 0.5h | 1.0 |\n| b | 4.0h | 6.0 |\n";
  EXPECT_EQ(found(table + "| Subtotal | 4.5h | 7.0 |\n| Buffer (30%) | 1.4h | 2.1 |\n| TOTAL | 5.9h | 9.1 |\n"),
            Words{});
  EXPECT_EQ(found(table + "| Subtotal | 4.5h | 9.0 |\n"), Words{"5 wrong"});
  // Two GPUs in all rows but one, and in the total.
  EXPECT_EQ(found(table + "| c | 1.0h | 2.0 |\n| Subtotal | 5.5h | 11.0 |\n"), Words{"4 wrong"});
  EXPECT_EQ(found(table + "| Subtotal | 4.5h | 7.0 |\n| Buffer (30%) | 2.5h | 2.1 |\n"), Words{"6 wrong"});
}

TEST(AuditColumns, RelativeSpeed) {
  const std::string head =
      "| GPU | tokens/s | Relative speed |\n|---|---|---|\n| L4 | 70 | 1.0x |\n| A10 | 140 | 2.0x |\n";
  EXPECT_EQ(found(head + "| L40S | 210 | 3.0x |\n"), Words{});
  EXPECT_EQ(found(head + "| L40S | 210 | 4.0x |\n"), Words{"5 wrong"});
}

TEST(AuditOptions, DominatedAndFastest) {
  const std::string head = "| GPU | Time | Cost | Best for |\n|---|---|---|---|\n";
  EXPECT_EQ(found(head + "| L4 | 9 h | $3 | cheapest |\n| L40S | 3 h | $4 | fastest |\n"), Words{});
  EXPECT_EQ(found(head + "| L4 | 9 h | $5 | |\n| L40S | 3 h | $4 | |\n"), Words{"3 dominated"});
  EXPECT_EQ(found(head + "| L4 | 9 h | $3 | fastest |\n| L40S | 3 h | $4 | |\n"), Words{"3 wrong"});
  EXPECT_EQ(found(head + "| L4 | 9 h | $5 | |\n| L40S | 3 h | $4 | |\n\n- L4: 9 h (dominated by L40S)\n"),
            Words{});  // it says so
}

TEST(AuditFacts, MemoryModelsAndMachines) {
  EXPECT_EQ(found("Node: 8x H100 40GB\n"), Words{"1 wrong"});
  EXPECT_EQ(found("Node: 8x H100 80GB\n"), Words{});
  EXPECT_EQ(found("Model: Qwen3-7B\n"), Words{"1 unlikely"});
  EXPECT_EQ(found("Model: Qwen3-8B\n"), Words{});
  EXPECT_EQ(found("| GPU | VRAM |\n|---|---|\n| L4 | 24GB |\n| L40S | 80GB |\n"), Words{"4 wrong"});
  EXPECT_EQ(found("| GPU | $/hr |\n|---|---|\n| H100 | $0.01 |\n"), Words{"3 unlikely"});
}

TEST(AuditMemory, OneTotalDividedByGpus) {
  const std::string text = "1 GPU: 34.0 GB\n2 GPUs: 17.0 GB\n4 GPUs: 8.5 GB\n";
  EXPECT_EQ(found(text), (Words{"2 wrong", "3 wrong"}));
  EXPECT_EQ(found(text + "With FSDP.\n"), Words{});
}

TEST(AuditCounts, WhatWasReadAndChecked) {
  const Audit one = audit("3 h \xC3\x97 $2.49 = $7.47, and 17 apples\n");
  EXPECT_EQ(one.claims, 4);
  EXPECT_EQ(one.checked, 3);
  EXPECT_EQ(audit("no number\n").claims, 0);
}

}  // namespace
}  // namespace gpuplan
