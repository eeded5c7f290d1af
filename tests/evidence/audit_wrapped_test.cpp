// Paragraphs that are wrapped over several lines, and what stands in words between two figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "api/questions/facts.h"
#include "base/text.h"
#include "evidence/audit/audit.h"
#include "evidence/audit_said.h"
#include "input/claims/claims_file.h"

namespace gpuplan {
namespace {

/// "3: wrong" of each finding that is not about something missing.
std::string lines_of(const std::string& text) {
  static const Catalogue catalogue = *api::read_facts();
  const auto document = read_claims(text, ClaimsForm::kMarkdown, "plan.md", catalogue);
  std::string lines;
  for (const Finding& one : audit_claims(*document, catalogue).findings)
    if (one.kind != FindingKind::kMissing) lines += std::to_string(one.line) + ": " + one.said + "; ";
  return lines;
}

/// In whatever order.
std::set<std::string> findings_of(const std::string& text) {
  const std::string said = said_of(text);
  std::set<std::string> all;
  for (const std::string_view one : split(said, ';'))
    if (!trim(one).empty()) all.emplace(trim(one));
  return all;
}

TEST(AuditWrapped, AClaimOverTwoLinesIsOne) {
  EXPECT_EQ(lines_of("The run is on one machine, and what it reads is known: the 60M tokens at\n"
                     "60,000 tokens/s takes 27 min.\n"),
            "2: 27 min; ");
  EXPECT_EQ(lines_of("The run is on one machine, which is rented for as long: 10 h ×\n$2.49/h = $26.90 in all.\n"),
            "2: 10 h × $2.49/h = $26.90; ");
  // In lists and quotes, too; the line is that of the wrong figure.
  EXPECT_EQ(lines_of("# Plan\n\n- What comes out is kept for a while: 3 TB at $0.09/GB are\n  $370, for each month.\n"),
            "4: $370; ");
  EXPECT_EQ(lines_of("> What is rented for it are machines on spot: $0.99 instead of\n> $2.49 saves 80%.\n"),
            "2: 80%; ");
}

TEST(AuditWrapped, AsIfItWereNot) {
  const std::string words =
      "We rent eight cards for the whole of it. Spot at $0.99 instead of $2.49 saves 80%. The data is read once, and 3 "
      "TB at $0.09/GB are $370. Then 12 checkpoints of 56 GB are 772 GB. That is all of it, and it is not much.";
  const std::set<std::string> whole{"$370 -> $270.00", "772 GB -> 672 GB", "80% -> 60.2%"};
  EXPECT_EQ(findings_of(words + "\n"), whole);
  for (const unsigned width : {50U, 60U, 72U, 80U, 100U, 120U}) {
    std::string wrapped;
    std::size_t filled = 0;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t end = std::min(words.find(' ', at), words.size());
      const bool breaks = filled > 0 && filled + 1 + (end - at) > width;
      if (filled > 0) wrapped += breaks ? '\n' : ' ';
      filled = breaks ? end - at : filled + (filled > 0) + (end - at);
      wrapped += words.substr(at, end - at);
      at = end + 1;
    }
    EXPECT_EQ(findings_of(wrapped + "\n"), whole) << wrapped;
  }
}

TEST(AuditWrapped, LinesThatWereMeantAsLines) {
  // Labels, short lines, breaks and marks of lists begin a line of their own.
  for (const char* right : {"The budget of it all is what we were given: $100\nTotal: $90\n",
                            "We take 60M tokens at\n60,000 tokens/s takes 27 min\n",
                            "The run is on one machine, and what it reads is known: 10 h ×  \n$2.49/h = $26.90\n",
                            "The run is on one machine, and what it reads is known: 60M tokens at\n"
                            "- 60,000 tokens/s takes 27 min\n"})
    EXPECT_EQ(lines_of(right), "") << right;
}

TEST(AuditSpread, EndsOfARange) {
  EXPECT_EQ(said_of("Choices span $0.12-$0.27 (2.3x) and 18-31 min (1.7x).\n"), "");
  EXPECT_EQ(said_of("Choices span $0.12-$0.27 (3.4x) and 18-31 min (1.7x).\n"), "3.4x -> 2.26x; ");
  EXPECT_EQ(said_of("Choices span $0.12-$0.27 (2.3x) and 18-31 min (2.7x).\n"), "2.7x -> 1.72x; ");
  // How fast something is beside how long it takes.
  EXPECT_EQ(said_of("It takes 3-4 h (2.5x).\n"), "");
}

TEST(AuditSpread, APartOfAWhole) {
  for (const char* right : {"Used 10.7 of 64.3 GPU-hours paid for (17%).\n", "30 of 40 GB (75%) are in use.\n",
                            "30 of 40 GB (25%) are free.\n", "2 of 10 runs fail (30% of the time).\n",
                            "8 of 16 GPUs, more or less (40%).\n"})
    EXPECT_EQ(said_of(right), "") << right;
  EXPECT_EQ(said_of("Used 10.7 of 64.3 GPU-hours paid for (27%).\n"), "27% -> 16.6%; ");
  const std::string head = "| Plan | Needs | Used |\n| --- | --- | --- |\n| 8x A100 | 30 of 40 GB | 75% |\n";
  EXPECT_EQ(said_of(head + "| 8x H100 | 30 of 80 GB | 38% |\n"), "");
  EXPECT_EQ(said_of("| Plan | Needs | Used |\n| --- | --- | --- |\n| 8x B300 | 245 of 268 | 92% |\n"), "");
  EXPECT_EQ(said_of(head + "| 8x H100 | 30 of 80 GB | 48% |\n"), "48% -> 37.5%; ");
}

TEST(AuditSpread, AFigureInItsRange) {
  for (const char* right : {"Plan for 18 min (8 in 10 runs: 15.5-20.5 min) and $0.27 ($0.21-0.35).\n",
                            "A step takes 45 s (37.5-54).\n", "It costs $32.77/h (spot: $10-15/h).\n"})
    EXPECT_EQ(said_of(right), "") << right;
  EXPECT_EQ(said_of("Plan for 18 min (8 in 10 runs: 15.5-20.5 min) and $0.37 ($0.21-0.35).\n"),
            "$0.37 -> $0.21-0.35; ");
}

TEST(AuditSpread, AColumnInTheRangesBesideIt) {
  const std::string head = "| Plan | Time | 8 in 10 runs | Cost | 8 in 10 runs |\n| --- | --- | --- | --- | --- |\n";
  EXPECT_EQ(said_of(head + "| 4x H100 | 53 min | 48.9-58.5 min | $5.12 | $4.80-5.47 |\n"), "");
  EXPECT_EQ(said_of(head + "| 4x H100 | 53 min | 48.9-58.5 min | $6.12 | $4.80-5.47 |\n"), "$6.12 -> $4.80-5.47; ");
}

TEST(AuditSpread, WhatAGateSaves) {
  EXPECT_EQ(said_of("It saves $10.72: a mean cost of $57.78 instead of $68.50.\n"), "");
  EXPECT_EQ(said_of("It saves $12.72: a mean cost of $57.78 instead of $68.50.\n"), "$12.72 -> $10.72; ");
}

TEST(AuditColumns, PricesOfOneOfSeveral) {
  const std::string head =
      "| Offer | On demand, $ an hour | Least per GPU-hour |\n| --- | --- | --- |\n| 4x RTX 3090 | $1.40 | $0.35 |\n";
  EXPECT_EQ(said_of(head + "| 4x RTX 4090 | $2.40 | $0.60 |\n"), "");
  EXPECT_EQ(said_of(head + "| pool of 8x A100 | $4.10 | $4.10 |\n"), "");
  EXPECT_EQ(said_of(head + "| 4x RTX 4090 | $2.40 | $0.70 |\n"), "$0.70 -> $0.60; ");
}

TEST(AuditColumns, MoneyByHoursSaved) {
  const std::string head =
      "| Plan | More | Hours saved | $ an hour saved |\n| --- | --- | --- | --- |\n| 4x H100 | $10.13 | 0.33 | $30.65 "
      "|\n";
  EXPECT_EQ(said_of(head + "| 4x B200 | $4.26 | 0.38 | $11.20 |\n"), "");
  EXPECT_EQ(said_of(head + "| 4x B200 | $4.26 | 0.38 | $21.20 |\n"), "$21.20 -> $11.21; ");
}

TEST(AuditSpread, WhatIsSetAside) {
  EXPECT_EQ(said_of("It costs $98.75; set aside $118.75 with the reserve of $20.\n"), "");
  EXPECT_EQ(said_of("It costs $98.75; set aside $128.75 with the reserve of $20.\n"), "$128.75 -> $118.75; ");
  // Of what stands elsewhere.
  EXPECT_EQ(said_of("Rent: $108.75\n\nIt costs $98.75; set aside $128.75 with the reserve of $20.\n"), "");
}

TEST(AuditSpread, AnHourSaved) {
  EXPECT_EQ(said_of("It costs $114.47 more and saves 34 min, $203 per hour saved.\n"), "");
  EXPECT_EQ(said_of("It costs $114.47 more and saves 34 min, $303 per hour saved.\n"), "$303 per hour -> $202.05/h; ");
  EXPECT_EQ(said_of("It costs $114.47 more a day and $20 once, $303 per hour saved.\n"), "");
}

TEST(AuditSpread, WhatOneCostsMore) {
  const std::string table =
      "| Plan | Hours | Cost |\n| --- | --- | --- |\n| 8x B200 | 1.6 | $78.18 |\n| 4x H100 SXM | 4.3 | $67.32 |\n\n";
  for (const char* right : {"8x B200 costs $10.86 more than 4x H100 SXM.", "4x H100 SXM costs $11 less than 8x B200.",
                            "8x B200 costs $20 more than 4x H100 SXM with storage.",
                            "8x B200 costs $20 more than 4x H100 SXM spot.", "8x H200 costs $20 more than 8x B200."})
    EXPECT_EQ(said_of(table + right + "\n"), "") << right;
  EXPECT_EQ(said_of(table + "8x B200 costs $13.86 more than 4x H100 SXM.\n"), "$13.86 -> $10.86; ");
}

TEST(AuditEpochs, TimesOfAnEpoch) {
  const std::string head =
      "We train on 5000 samples for 8 epochs.\n\n| GPUs | Samples/sec | Time/Epoch | Total time |\n| --- | --- | --- | "
      "--- "
      "|\n| 1 | 2.0 | 42 min | 5.6 hours |\n| 4 | 6.0 | 14 min | 1.9 hours |\n";
  EXPECT_EQ(said_of(head + "| 2 | 3.5 | 24 min | 3.2 hours |\n"), "");
  EXPECT_EQ(said_of(head + "| 2 | 3.5 | 24 min | 4.2 hours |\n"),
            "24 min an epoch, 4.2 hours in all -> 31.5 min an epoch; ");
  // In words, too.
  const std::string spoken =
      "We train on 5000 samples.\n\n| Plan | Speed |\n| --- | --- |\n| a | 2 samples/s, 42 min an epoch |\n"
      "| b | 3.5 samples/s, 24 min an epoch |\n";
  EXPECT_EQ(said_of(spoken + "| c | 6 samples/s, 14 min an epoch |\n"), "");
  EXPECT_EQ(said_of(spoken + "| c | 6 samples/s, 24 min an epoch |\n"),
            "24 min an epoch, 6 samples/s -> 14 min an epoch; ");
}

TEST(AuditSpread, RatiosInWords) {
  for (const char* right :
       {"A takes 10 h and B takes 20 h, so A is twice as fast.", "A costs $100 and B $52, so B is half the price.",
        "A costs $500 and B $300, which saves 40%.", "A takes 10 h and B takes 13 h, so A is not twice as fast.",
        "A takes 10 h and B takes 13 h with the set-up, so A is twice as fast."})
    EXPECT_EQ(said_of(std::string(right) + "\n"), "") << right;
  EXPECT_EQ(said_of("A takes 10 h and B takes 13 h, so A is twice as fast.\n"), "twice as fast -> 1.3x; ");
  EXPECT_EQ(said_of("A costs $100 and B $80, so B is half the price.\n"), "half the price -> 1.25x; ");
  EXPECT_EQ(said_of("A costs $500 and B $300, which saves 60%.\n"), "60% -> 40%; ");
}

TEST(AuditColumns, ABufferThatIsInTheTotal) {
  const std::string head =
      "| For | From, h | To, h | Time | Cost |\n| --- | --- | --- | --- | --- |\n| a | 0 | 2 | 2 h | $60 |\n"
      "| b | 0 | 1 | 1 h | $40 |\n| In all | | | 2 h | $100 |\n";
  EXPECT_EQ(said_of(head + "| buffer of 25%, inside of the above | | | | $20 |\n"), "");
  EXPECT_EQ(said_of(head + "| buffer of 25%, inside of the above | | | | $35 |\n"), "$35 -> $20.00; ");
}

TEST(AuditRight, ALogIsNoSum) { EXPECT_EQ(said_of("It prints `epoch 001: 100 / 1101 loss=10.2, wps=65012`.\n"), ""); }

TEST(AuditEpochs, SamplesInAll) {
  const std::string head = "- Training: 5000 samples, 8 epochs, batch size 4\n";
  EXPECT_EQ(said_of(head + "- Total samples to process: 40,000\n"), "");
  EXPECT_EQ(said_of(head + "- Total samples to process: 50,000\n"), "50,000 -> 40,000 samples; ");
}

TEST(AuditRepeats, OneOfThePricesOfATableAgain) {
  const std::string prices =
      "| GPU | Spot | On demand |\n| --- | --- | --- |\n| H100 SXM | $1.89/h | $3.39/h |\n| L40S | $0.59/h | $0.99/h "
      "|\n"
      "| RTX 4090 | $0.34/h | $0.59/h |\n\n## Quick\n\n| For | GPU | Price |\n| --- | --- | --- |\n| value | L40S | "
      "$0.59/h |\n"
      "| little money | RTX 4090 | $0.34/h |\n";
  EXPECT_EQ(said_of(prices + "| speed | H100 SXM | $1.89/h |\n"), "");
  EXPECT_EQ(said_of(prices + "| speed | H100 SXM | $1.39/h |\n"), "$1.39/h -> $1.89/h; ");
}

TEST(AuditCards, MemoryBesideAPrice) {
  const std::string head = "| For | GPU | Why |\n| --- | --- | --- |\n| value | L40S | ";
  EXPECT_EQ(said_of(head + "$0.59/hr, 48GB VRAM, plenty for batch 1024 |\n"), "");
  EXPECT_EQ(said_of(head + "$0.59/hr, 12GB VRAM used, plenty for batch 1024 |\n"), "");
  EXPECT_EQ(said_of(head + "$0.59/hr, 64GB VRAM, plenty for batch 1024 |\n"), "64GB -> 48 GB; ");
}

}  // namespace
}  // namespace gpuplan
