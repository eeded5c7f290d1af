#include "input/claims/claims_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/units.h"
#include "input/claims/markdown.h"
#include "input/claims/quantities.h"

namespace gpuplan {
namespace {

Catalogue few_gpus() {
  Catalogue catalogue;
  for (const auto& [name, alias] : {std::pair{"H100 SXM", "H100"},
                                    {"A100 SXM 80GB", "A100"},
                                    {"RTX 4090", "4090"},
                                    {"L4", "L4"},
                                    {"B200", "B200"}}) {
    Gpu& gpu = catalogue.gpus.emplace_back();
    gpu.name = name;
    gpu.aliases = {alias};
    gpu.memory = 80 * units::GiB;
  }
  return catalogue;
}

struct Claims : testing::Test {
  ClaimText read(const std::string& text, char decimal = '.') { return QuantityReader(catalogue, decimal).read(text); }
  ClaimAmount one(const std::string& text, char decimal = '.') {
    const ClaimText said = read(text, decimal);
    EXPECT_EQ(said.quantities.size(), 1U) << text;
    return said.quantities.empty() ? ClaimAmount{} : said.quantities.front();
  }
  ClaimDocument markdown(const std::string& text) {
    QuantityReader reader(catalogue, decimal_sign_of(text));
    return read_markdown(text, reader);
  }
  const Catalogue catalogue = few_gpus();
};

TEST_F(Claims, UnitsGiveBaseUnits) {
  struct Case {
    const char* text;
    ClaimDimension dimension;
    double low, high;
  };
  for (const auto& [text, dimension, low, high] :
       std::vector<Case>{{"45 min", ClaimDimension::kTime, 2700, 2700},
                         {"1.5 h", ClaimDimension::kTime, 5400, 5400},
                         {"20-40 minutes", ClaimDimension::kTime, 1200, 2400},
                         {"2\xE2\x80\x93"
                          "3.5 hrs",
                          ClaimDimension::kTime, 7200, 12600},
                         {"30 s - 2 min", ClaimDimension::kTime, 30, 120},
                         {"$7.47", ClaimDimension::kMoney, 7.47, 7.47},
                         {"$1,234", ClaimDimension::kMoney, 1234, 1234},
                         {"$17-33", ClaimDimension::kMoney, 17, 33},
                         {"12.50 EUR", ClaimDimension::kMoney, 12.5, 12.5},
                         {"$2.49/hr", ClaimDimension::kPrice, 2.49, 2.49},
                         {"$48/day", ClaimDimension::kPrice, 2, 2},
                         {"$2 per hour", ClaimDimension::kPrice, 2, 2},
                         {"80GB", ClaimDimension::kBytes, 80e9, 80e9},
                         {"42%", ClaimDimension::kShare, 0.42, 0.42},
                         {"3.2x", ClaimDimension::kTimes, 3.2, 3.2},
                         {"3.2\xC3\x97", ClaimDimension::kTimes, 3.2, 3.2},
                         {"14.7 GPU-hours", ClaimDimension::kGpuTime, 14.7 * 3600, 14.7 * 3600},
                         {"0.3-0.5 sec/step", ClaimDimension::kStepTime, 0.3, 0.5},
                         {"250 tokens/s", ClaimDimension::kTokenRate, 250, 250},
                         {"3,072,000 tokens", ClaimDimension::kTokens, 3072000, 3072000},
                         {"18k samples", ClaimDimension::kSamples, 18000, 18000},
                         {"7B parameters", ClaimDimension::kParameters, 7e9, 7e9},
                         {"8 GPUs", ClaimDimension::kGpus, 8, 8},
                         {"0.7 kW", ClaimDimension::kPower, 700, 700},
                         {"56 kWh", ClaimDimension::kEnergy, 56 * 3.6e6, 56 * 3.6e6},
                         {"16 bit", ClaimDimension::kWidth, 2, 2},
                         {"10 Gbit/s", ClaimDimension::kByteRate, 1.25e9, 1.25e9},
                         {"1.5e9 tokens", ClaimDimension::kTokens, 1.5e9, 1.5e9}}) {
    const ClaimAmount amount = one(text);
    EXPECT_EQ(amount.dimension, dimension) << text;
    EXPECT_NEAR(amount.low, low, 1e-9 * low) << text;
    EXPECT_NEAR(amount.high, high, 1e-9 * high) << text;
  }
}

TEST_F(Claims, DigitsShownAreTheStep) {
  EXPECT_DOUBLE_EQ(one("$0.29").low_step, 0.01);
  EXPECT_DOUBLE_EQ(one("$12").low_step, 1);
  EXPECT_DOUBLE_EQ(one("1.5 h").low_step, 360);
  EXPECT_DOUBLE_EQ(one("18k samples").low_step, 1000);
  EXPECT_TRUE(one("~20 min").approximate);
  EXPECT_TRUE(one("about 20 min").approximate);
  EXPECT_TRUE(one("< 2 h").at_most);
  EXPECT_TRUE(one("at least 24 GB").at_least);
  EXPECT_TRUE(one("+$20").added);
  EXPECT_TRUE(one("$2/GPU-hour").per_gpu);
}

TEST_F(Claims, NamesAreNoAmounts) {
  for (const char* text :
       {"p5.48xlarge", "Qwen2.5-Coder", "step_0", "H100", "8x H100 80GB", "RTX 4090", "a100-40", "x4", "torch2.4"})
    EXPECT_TRUE(read(text).quantities.empty()) << text;
}

TEST_F(Claims, GpusWithCountAndMemory) {
  const auto gpu = [&](const std::string& text) {
    const ClaimText said = read(text);
    EXPECT_EQ(said.gpus.size(), 1U) << text;
    return said.gpus.empty() ? GpuMention{} : said.gpus.front();
  };
  EXPECT_EQ(gpu("8x H100 40GB").count, 8);
  EXPECT_EQ(gpu("8x H100 40GB").gigabytes, 40);
  EXPECT_EQ(gpu("4\xC3\x97 RTX 4090").count, 4);
  EXPECT_EQ(gpu("4\xC3\x97 RTX 4090").key, "rtx4090");
  EXPECT_EQ(gpu("8\xC3\x97 Nvidia B200 (fast)").count, 8);
  EXPECT_EQ(gpu("a single A100 80 GB").count, 1);
  EXPECT_EQ(gpu("H100 SXM5").key, "h100sxm");
  EXPECT_EQ(gpu("8xH100").count, 8);
  EXPECT_TRUE(read("with a 100 GB disk").gpus.empty());  // no A100
}

TEST_F(Claims, UnitsThatAreNotKnownAreTold) {
  for (const char* text :
       {"12 months", "$100/GPU", "$0.50 per 1M tokens", "$2/M tokens", "4e14x2", "20 GB/day", "5 Hz"}) {
    const ClaimText said = read(text);
    ASSERT_FALSE(said.quantities.empty()) << text;
    EXPECT_TRUE(said.quantities.front().odd) << text;
  }
  for (const char* text : {"4 micro", "8 GPUs", "$3", "$3/h", "16 bit", "5 of 8", "2 seeds", "700 W"})
    EXPECT_FALSE(read(text).quantities.front().odd) << text;
}

TEST_F(Claims, TimesInTwoUnitsAreOne) {
  EXPECT_DOUBLE_EQ(one("2 h 30 min").low, 9000);
  EXPECT_DOUBLE_EQ(one("1 day 6 h").low, 30 * 3600.0);
  EXPECT_EQ(read("2 h, 30 min").quantities.size(), 2U);
  EXPECT_EQ(read("30 min 2 h").quantities.size(), 2U);
}

TEST_F(Claims, PercentagesAreNoEndsOfRanges) {
  EXPECT_EQ(read("$10 - 15% = $8.50").quantities.size(), 3U);
  EXPECT_EQ(read("10 h - 20% = 8 h").quantities.size(), 3U);
  EXPECT_EQ(read("$100 + 7% - 29%").quantities.size(), 3U);
  EXPECT_EQ(read("10% - 15%").quantities.size(), 1U);
}

TEST_F(Claims, HeadsOfColumnsSayUnits) {
  const auto hints = hints_of(std::vector<std::string>{"GPU", "gpus", "price per gpu hour", "hours", "total"});
  EXPECT_EQ(hints[1].dimension, ClaimDimension::kGpus);
  EXPECT_EQ(hints[2].dimension, ClaimDimension::kPrice);
  EXPECT_TRUE(hints[2].per_gpu);
  EXPECT_EQ(hints[3].dimension, ClaimDimension::kTime);
  EXPECT_EQ(hints[4].dimension, ClaimDimension::kMoney);
  // Of what a total is only prices tell.
  EXPECT_EQ(hints_of(std::vector<std::string>{"GPU", "total"})[1].dimension, ClaimDimension::kBare);
}

TEST_F(Claims, PricesOfNodesAndOfLongerTimesThanAnHour) {
  const auto hint = [](const char* head) { return hints_of(std::vector<std::string>{head}).front(); };
  for (const char* head : {"$/node-h", "Price per node-hour", "Rate ($/node/h)", "Cost per instance hour"}) {
    EXPECT_EQ(hint(head).dimension, ClaimDimension::kPrice) << head;
    EXPECT_TRUE(hint(head).per_node) << head;
  }
  for (const char* head : {"Price per month", "Unit price / month", "$/month", "Monthly rate", "Price/mo"}) {
    EXPECT_EQ(hint(head).dimension, ClaimDimension::kPrice) << head;
    EXPECT_DOUBLE_EQ(hint(head).unit, 1.0 / 730) << head;
  }
  EXPECT_DOUBLE_EQ(hint("Price per day").unit, 1.0 / 24);
  // What a month costs, and what is no price.
  for (const char* head :
       {"Cost per month", "Total per month", "Generated per day", "Price/model", "Price per 1M tokens"})
    EXPECT_NE(hint(head).dimension, ClaimDimension::kPrice) << head;
  EXPECT_DOUBLE_EQ(one("$1,460 per month").low, 2);
  EXPECT_DOUBLE_EQ(one("$1,460/mo").low, 2);
  EXPECT_TRUE(one("$24 per node-hour").per_node);
}

TEST_F(Claims, AmountsThatAreTakenOff) {
  for (const char* text : {"-$20", "\xE2\x88\x92$20", "-20 USD", "($20)", "Discount: -$20", "(20.00)"})
    EXPECT_TRUE(one(text).taken) << text;
  for (const char* text : {"$20", "5-$20", "- $20", "costs ($20) more", "T-20"})
    for (const ClaimAmount& amount : read(text).quantities) EXPECT_FALSE(amount.taken) << text;
}

TEST_F(Claims, CommentsAreNotRead) {
  const ClaimDocument document =
      markdown("<!-- 3 h -->\n# A\n<!--\n5 h\n| 1 |\n--> 6 h\n```\n<!-- 7 h\n```\n<!-- 8 h\n");
  ASSERT_EQ(document.lines.size(), 3U);
  EXPECT_EQ(document.lines[0].line, 6);   // behind the end of one
  EXPECT_EQ(document.lines[1].line, 8);   // code
  EXPECT_EQ(document.lines[2].line, 10);  // never closed
  EXPECT_TRUE(markdown("<!-- " + std::string(5000, 'x') + " -->\n").unread.empty());
}

TEST_F(Claims, TheDocumentSaysWhichSignIsTheDecimalOne) {
  EXPECT_EQ(decimal_sign_of("1.234,50 und 3,5 h"), ',');
  EXPECT_EQ(decimal_sign_of("1,234.50 and 3.5 h"), '.');
  EXPECT_EQ(decimal_sign_of("no number"), '.');
  EXPECT_DOUBLE_EQ(one("1.234 h", ',').low, 1234 * 3600.0);
  EXPECT_DOUBLE_EQ(one("1.234 h", '.').low, 1.234 * 3600.0);
  EXPECT_DOUBLE_EQ(one("2,49 \xE2\x82\xAC/h", ',').low, 2.49);
}

TEST_F(Claims, TablesWithEscapedBarsAndMergedCells) {
  const ClaimDocument document =
      markdown("| GPU | Cost |\n|:--|--:|\n| a \\| b | $3 |\n| only one |\n| 1 | 2 | 3 |\n\nafter 5 h\n");
  ASSERT_EQ(document.tables.size(), 1U);
  const ClaimTable& table = document.tables.front();
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].cells[0].text, "a | b");
  EXPECT_EQ(table.rows[1].cells[1].text, "");
  ASSERT_EQ(document.unread.size(), 1U);
  EXPECT_EQ(document.unread.front().line, 5);
  ASSERT_EQ(document.lines.size(), 1U);
  EXPECT_EQ(document.lines.front().line, 7);
}

TEST_F(Claims, SectionsAndLabels) {
  const ClaimDocument document =
      markdown("# A\n\n## B 8x H100\n- **Cost:** $50/hour\n```\nx = 3  # Total: 2 h\n```\n### C\ntext\n");
  ASSERT_EQ(document.sections.size(), 4U);
  EXPECT_EQ(document.sections[2].parent, 1);
  EXPECT_EQ(document.sections[3].parent, 2);
  EXPECT_EQ(document.sections[2].title.gpus.size(), 1U);
  ASSERT_EQ(document.lines.size(), 3U);
  EXPECT_EQ(document.lines[0].label, "Cost");
  EXPECT_TRUE(document.lines[0].item);
  EXPECT_TRUE(document.lines[1].code);
  EXPECT_EQ(document.lines[1].label, "Total");
  // A colon in brackets ends no label.
  EXPECT_EQ(markdown("It costs $3 (8 in 10 runs: $2-4) in all.\n").lines.front().label, "");
  EXPECT_EQ(markdown("Cost (8 GPUs): $3\n").lines.front().label, "Cost (8 GPUs)");
}

TEST_F(Claims, EmphasisGoesProductsStay) {
  EXPECT_EQ(plain_markdown("**3** * `4` = *12*"), "3 * 4 = 12");
  EXPECT_EQ(plain_markdown("[text](http://x) &times; a<br>b"), "text \xC3\x97 a b");
}

TEST_F(Claims, FilesOfEveryForm) {
  const auto read_as = [&](const std::string& bytes, const char* name) {
    return read_claims(bytes, claims_form(name), name, catalogue);
  };
  const auto csv = read_as("\xEF\xBB\xBFGPU;Hours;Cost\r\nH100;3,5;8,72\r\n", "q.csv");
  ASSERT_TRUE(csv);
  ASSERT_EQ(csv->tables.size(), 1U);
  EXPECT_DOUBLE_EQ(csv->tables[0].rows[0].cells[1].quantities[0].low, 3.5 * 3600);
  const auto yaml = read_as("claims:\n- say: 4x A100 fits batch 32\n- 3 h x $2 = $6\n- {other: x}\n", "c.yaml");
  ASSERT_TRUE(yaml);
  EXPECT_EQ(yaml->lines.size(), 2U);
  EXPECT_EQ(yaml->lines[0].line, 2);
  EXPECT_EQ(yaml->unread.size(), 1U);
  EXPECT_FALSE(read_as("phases: 3\n", "c.yaml"));
  EXPECT_FALSE(read_as(std::string(1000, '\x01'), "c.md"));
  const auto hostile = read_as("cost \x1b[31m $3 \x1b]0;x\x07\n", "c.md");
  ASSERT_TRUE(hostile);
  EXPECT_EQ(hostile->lines[0].said.text.find('\x1b'), std::string::npos);
  const auto empty = read_as("", "c.md");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->quantities, 0);
}

}  // namespace
}  // namespace gpuplan
