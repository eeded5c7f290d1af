// What stands beside the prices of a list of one's own: notes, terms, availability, memories.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "feed_fixture.h"
#include "input/feeds/rows/price_notes.h"
#include "input/feeds/rows/stock_words.h"

namespace gpuplan {
namespace {

TEST(OwnNotes, WordsThatLeaveNoDoubtAct) {
  for (const char* note :
       {"min. term 1 month, reserved", "3-year reservation required", "reserved", "1-year commitment", "committed use",
        "minimum 3 months", "contract of 12 months", "Mindestlaufzeit 6 Monate", "prepaid", "NVLink, reserved only",
        "engagement 1 an", "available now, min. term 1 month"})
    EXPECT_EQ(kind_in_note(note), PriceKind::kCommitted) << note;
  for (const char* note :
       {"spot / preemptible", "Spot", "interruptible", "spot instance; NVLink", "preemptible (24 h)",
        "containers; may be interrupted", "can be preempted at any time", "kann unterbrochen werden"})
    EXPECT_EQ(kind_in_note(note), PriceKind::kSpot) << note;
  for (const char* note : {"",
                           "NVLink",
                           "no commitment",
                           "reserved also available",
                           "spot available",
                           "without contract",
                           "minimum 1 h",
                           "non-preemptible",
                           "ohne Mindestlaufzeit",
                           "cheaper with 1-year commitment",
                           "on demand, 10% discount with a 1-year contract",
                           "no minimum term",
                           "billed per minute",
                           "2 years old",
                           "terms of service apply",
                           "not spot",
                           "month-end maintenance",
                           "will not be interrupted",
                           "never interrupted",
                           "interrupted last week"})
    EXPECT_EQ(kind_in_note(note), PriceKind::kUnsaid) << note;
}

TEST(OwnNotes, WordsOfStock) {
  for (const char* text : {"no capacity", "waitlist", "Waiting list", "sold out", "SOLD OUT until Q1", "Unavailable",
                           "none", "out-of-stock", "not available", "no", "0", "ausverkauft", "Nicht verf\xC3\xBCgbar",
                           "\xC3\xA9puis\xC3\xA9", "agotado", "insufficient capacity", "pre-order"})
    EXPECT_EQ(stock_said(text), Stock::kSoldOut) << text;
  EXPECT_EQ(stock_said("high"), Stock::kHigh);
  EXPECT_EQ(stock_said("Limited"), Stock::kLow);
  for (const char* text : {"", "available", "yes", "in stock", "often sold out", "no waitlist", "never sold out", "12",
                           "often short", "capacity on request"})
    EXPECT_EQ(stock_said(text), Stock::kUnsaid) << text;
}

TEST(OwnNotes, RowsAreWhatTheirNotesSay) {
  const Feed feed = read_feed(
      "Provider,GPU,GPUs,Price (USD/hr),Notes\nA,H100 SXM,8,24.00,\"min. term 1 month, reserved\"\n"
      "B,H100 SXM,8,18.00,3-year reservation required\nC,H100 SXM,8,12.00,spot / preemptible\n"
      "D,H100 SXM,8,22.00,sold out until Q1\nE,H100 SXM,8,25.00,no commitment\nF,H100 SXM,8,26.00,NVLink and 3.2 "
      "TB/s\n",
      terms_of("notes.csv"));
  ASSERT_EQ(told(feed), (Strings{"8x H100 SXM spot $12", "8x H100 SXM $22", "8x H100 SXM $25", "8x H100 SXM $26"}));
  EXPECT_EQ(feed.offers[1].stock, Stock::kSoldOut);
  EXPECT_EQ(feed.offers[2].stock, Stock::kUnsaid);
  EXPECT_EQ(feed.rejections.at("a price under a commitment, as its note says"), 2U);
  EXPECT_EQ(feed.corrections.at("a spot price, as its note says"), 1U);
  EXPECT_EQ(feed.corrections.at("sold out, as its note says"), 1U);
}

TEST(OwnNotes, AvailabilityMaySayThatMachinesAreTakenAway) {
  const auto read = [](const std::string& availability) {
    return told(
        read_feed("Provider,GPU,GPUs,Price,Availability\nA,H100 SXM,8,24," + availability + "\n", terms_of("l.csv")));
  };
  for (const char* words : {"may be interrupted", "containers; may be interrupted", "interruptible", "preemptible"})
    EXPECT_EQ(read(words), Strings{"8x H100 SXM spot $24"}) << words;
  for (const char* words : {"high", "never interrupted", "on demand: high; interruptible: low"})
    EXPECT_EQ(read(words), Strings{"8x H100 SXM $24"}) << words;
}

TEST(OwnNotes, LeastTermsAreCommitments) {
  for (const char* head :
       {"Minimum term (months)", "Min. term months", "minimum_term", "Contract", "Mindestlaufzeit"}) {
    const Feed feed =
        read_feed(std::string("provider,gpu,gpus,price_per_hour,") + head + "\nA,H100 SXM,8,24,0\nB,H100 SXM,8,16,36\n",
                  terms_of("term.csv"));
    EXPECT_EQ(told(feed), Strings{"8x H100 SXM $24"}) << head;
    EXPECT_EQ(feed.rejections.count("a price under a commitment"), 1U) << head;
  }
}

/// The GPUs that are kept of rows "GPU,number,memory" under a head.
Strings kept_under(const std::string& head, const Strings& rows) {
  std::string text = "provider,gpu,gpus," + head + ",price_per_hour\n";
  for (const std::string& row : rows) text += "a," + row + ",1.6\n";
  return told(read_feed(text, terms_of("m.csv")));
}

TEST(OwnNotes, MemoriesOfGpusUnderAnyHead) {
  for (const char* head : {"gpu_mem_gib", "mem", "Speicher", "memory", "Memory (GB)", "memory_gb", "VRAM"}) {
    EXPECT_EQ(kept_under(head, {"A100,1,80"}), Strings{"1x A100 PCIe 80GB $1.6"}) << head;
    EXPECT_EQ(kept_under(head, {"A100,1,40"}), Strings{"1x A100 PCIe 40GB $1.6"}) << head;
    EXPECT_EQ(kept_under(head, {"A100,8,640"}), Strings{"8x A100 SXM 80GB $1.6"}) << head;
    // One that the GPU never had is rejected.
    EXPECT_EQ(kept_under(head, {"A100,1,80", "A100,1,40", "RTX 3090,1,48"}),
              (Strings{"1x A100 PCIe 80GB $1.6", "1x A100 PCIe 40GB $1.6"}))
        << head;
  }
  // Memories of machines.
  for (const char* head : {"memory", "Memory (GB)", "memory_gb", "RAM"}) {
    const Feed feed = read_feed(std::string("provider,gpu,gpus,") + head +
                                    ",price_per_hour\na,H100 SXM,8,2048,20\na,L4,1,48,0.7\na,A100 SXM 80GB,8,1024,12\n",
                                terms_of("m.csv"));
    ASSERT_EQ(feed.kept, 3U) << head;
    EXPECT_EQ(feed.offers[0].ram, 2048 * units::GiB) << head;
  }
}

}  // namespace
}  // namespace gpuplan
