// Tables whose options are columns, and lists: a sum is of one unit, and a price of one GPU is that of all of them.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

constexpr int kOfEach = 40;

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}
std::string money(double value) { return "$" + fixed_text(value, 2); }

/// The one amount that is called wrong; empty: none, or several.
std::string found_in(const std::string& text) {
  const std::string said = said_of(text);
  const std::size_t end = said.find(" -> ");
  return end == std::string::npos || said.find("; ") + 2 != said.size() ? "" : said.substr(0, end);
}

/// Options side by side: hours, GPU-hours, prices of an hour and amounts of a bill among each other.
struct Sheet {
  struct Option {
    int gpus = 0, hours = 0;
    double price = 0, storage = 0, more = 0, compute = 0, total = 0;
  };
  std::vector<Option> options;
  std::string price_label;

  explicit Sheet(Random& random) {
    constexpr std::array<std::string_view, 3> kLabels = {"Price per GPU-hour", "$/GPU-h", "Rate ($/GPU-hour)"};
    price_label = kLabels[random.below(kLabels.size())];
    for (int i = between(random, 2, 4); i > 0; --i) {
      Option one;
      one.gpus = between(random, 1, 4) * 4;
      one.hours = between(random, 3, 90);
      one.price = between(random, 80, 600) / 100.0;
      one.storage = between(random, 100, 9000) / 100.0;
      one.more = between(random, 100, 9000) / 100.0;
      one.compute = one.price * one.gpus * one.hours;
      one.total = one.compute + one.storage + one.more;
      options.push_back(one);
    }
  }
  std::string text() const {
    std::string heads = "| |", rule = "|---|", gpus = "| GPUs |", price = "| " + price_label + " |", hours = "| Time |",
                gpu_hours = "| GPU-hours |", compute = "| Cost of GPUs |", storage = "| Storage |", more = "| Egress |",
                total = "| Total |";
    for (std::size_t i = 0; i < options.size(); ++i) {
      const Option& one = options[i];
      heads += " Plan " + std::string(1, static_cast<char>('A' + i)) + " |";
      rule += "---|";
      gpus += " " + std::to_string(one.gpus) + " |";
      price += " " + money(one.price) + " |";
      hours += " " + std::to_string(one.hours) + " h |";
      gpu_hours += " " + std::to_string(one.gpus * one.hours) + " |";
      compute += " " + money(one.compute) + " |";
      storage += " " + money(one.storage) + " |";
      more += " " + money(one.more) + " |";
      total += " " + money(one.total) + " |";
    }
    std::string all = "Set-up of 20 min and a buffer of 10% come on top.\n\n";
    for (const std::string* line :
         {&heads, &rule, &gpus, &price, &hours, &gpu_hours, &compute, &storage, &more, &total})
      all += *line + "\n";
    return all;
  }
};

TEST(AuditAcross, RightOptionsSideBySideAreNotAccused) {
  Random random(3);
  for (int i = 0; i < kOfEach; ++i) {
    const Sheet sheet(random);
    EXPECT_EQ(said_of(sheet.text()), "") << sheet.text();
  }
}

TEST(AuditAcross, WrongTotalsAndCostsAreFound) {
  Random random(5);
  for (int i = 0; i < kOfEach; ++i) {
    Sheet sheet(random);
    Sheet::Option& one = sheet.options[random.below(sheet.options.size())];
    const double right = one.total;
    one.total += between(random, 2, 9) * 10;
    EXPECT_EQ(found_in(sheet.text()), money(one.total)) << sheet.text();
    // Of a sum and a part that do not go together either may be the wrong one.
    one.total = right;
    one.compute *= 1.25;
    EXPECT_NE(found_in(sheet.text()), "") << sheet.text();
  }
}

TEST(AuditAcross, NothingIsAddedToAnotherUnit) {
  EXPECT_EQ(said_of("| | A | B |\n|---|---|---|\n| Time | 5 h | 10 h |\n| Compute | $100 | $200 |\n"
                    "| Storage | $10 | $20 |\n| Total | $110 | $220 |\n"),
            "");
  EXPECT_EQ(said_of("| | A | B |\n|---|---|---|\n| Time | 5 h | 10 h |\n| Compute | $100 | $200 |\n"
                    "| Storage | $10 | $20 |\n| Total | $130 | $220 |\n"),
            "$130 -> $110.00; ");
  // Rows are options: nothing changes for them.
  EXPECT_EQ(said_of("| Item | Time | Cost |\n|---|---|---|\n| Train | 5 h | $100 |\n| Test | 1 h | $20 |\n"
                    "| Total | 6 h | $130 |\n"),
            "$130 -> $120.00; ");
}

TEST(AuditAcross, BatchesOfModelsSideBySide) {
  const std::string head =
      "| | Qwen2.5-7B | Qwen2.5-14B |\n|---|---|---|\n| Parameters | 7.6B | 14.8B |\n| Micro-batch | 8 | 4 |\n"
      "| Accumulation | 4 | 8 |\n| GPUs | 2 | 2 |\n";
  const std::string tail = "| Hours | 1.0 | 2.0 |\n| $/h | 5.98 | 5.98 |\n";
  EXPECT_EQ(said_of(head + "| Global batch | 64 | 64 |\n" + tail + "| Cost | $5.98 | $11.96 |\n"), "");
  EXPECT_EQ(said_of(head + "| Global batch | 64 | 48 |\n" + tail + "| Cost | $5.98 | $11.96 |\n"),
            "batch of 48 -> 64; ");
  EXPECT_EQ(said_of(head + "| Global batch | 64 | 64 |\n" + tail + "| Cost | $5.98 | $17.96 |\n"),
            "$17.96 -> $11.96; ");
}

TEST(AuditAcross, ListsCountTheirGpus) {
  Random random(7);
  for (int i = 0; i < kOfEach; ++i) {
    const int gpus = between(random, 1, 8) * 8, hours = between(random, 3, 90);
    const double price = between(random, 80, 600) / 100.0, cost = price * gpus * hours;
    const std::string count = "- GPUs: " + std::to_string(gpus) + "\n",
                      time = "- Time: " + std::to_string(hours) + " h\n",
                      rate = "- Price: " + money(price) + " per GPU-hour\n",
                      spent = "- GPU-hours: " + std::to_string(gpus * hours) + "\n";
    for (const std::string& list : {count + time + rate, time + count + rate, time + count + spent + rate}) {
      EXPECT_EQ(said_of("# Run\n" + list + "- Cost: " + money(cost) + "\n"), "") << list;
      const std::string wrong = money(cost * 1.5);
      EXPECT_EQ(found_in("# Run\n" + list + "- Cost: " + wrong + "\n"), wrong) << list;
    }
    // Nobody says how many: any whole number of them may be.
    EXPECT_EQ(said_of("# Run\n" + time + rate + "- Cost: " + money(cost) + "\n"), "");
  }
}

TEST(AuditAcross, ResultsMayBeOfAMillion) {
  EXPECT_EQ(said_of("Cost per 1M tokens: $14,582 / 200B tokens = $0.073\n"), "");
  EXPECT_EQ(said_of("$14,582 / 200B tokens = $0.073 per 1M tokens\n"), "");
  EXPECT_NE(said_of("Cost per 1M tokens: $14,582 / 200B tokens = $0.091\n"), "");
}

TEST(AuditAcross, ThePriceUnderRateMayBeThatOfAGpu) {
  const std::string head =
      "| Week | GPUs | Hours | GPU-h | Rate | Cost |\n|---|---|---|---|---|---|\n"
      "| 1 | 8 | 40 | 320 | $2.50 | $800 |\n| 2 | 8 | 60 | 480 | $2.50 | $1,200 |\n";
  EXPECT_EQ(said_of(head + "| 4 | 16 | 10 | 160 | $2.40 | $384 |\n"), "");
  EXPECT_EQ(said_of(head + "| 4 | 16 | 10 | 160 | $2.40 | $394 |\n"), "$394 -> $384.00; ");
}

}  // namespace
}  // namespace gpuplan
