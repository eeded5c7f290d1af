#include "output/text/row_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace gpuplan {
namespace {

struct Card {
  std::string name, vendor;
  double memory;
};

constexpr std::array kFields = {
    FieldName{.name = "name"}, FieldName{.name = "vendor"},
    FieldName{
        .name = "memory", .unit = "gib", .other = "vram", .kind = AmountKind::kBytes, .base_units = 1073741824.0}};

class Cards : public FilterRows {
 public:
  std::size_t count() const override { return cards_.size(); }
  bool is_figure(std::size_t field) const override { return field == 2; }
  double figure(std::size_t row, std::size_t) const override { return cards_[row].memory; }
  std::string text(std::size_t row, std::size_t field) const override {
    return field == 0 ? cards_[row].name : cards_[row].vendor;
  }
  std::string words(std::size_t row) const override { return cards_[row].name + '\n' + cards_[row].vendor; }

 private:
  std::vector<Card> cards_ = {
      {"L4", "nvidia", 24},       {"L40S", "nvidia", 48},
      {"H100 SXM", "nvidia", 80}, {"H100 PCIe", "nvidia", 80},
      {"MI300X", "amd", 192},     {"Strange", "nobody", std::numeric_limits<double>::quiet_NaN()}};
};

using Rows = std::vector<std::size_t>;

Rows rows(const std::vector<std::string>& filter) {
  const auto found = filter_rows(Cards(), kFields, filter);
  if (!found) ADD_FAILURE() << found.error().message;
  return found ? found->rows : Rows{};
}

std::string message(const std::vector<std::string>& filter) {
  const auto found = filter_rows(Cards(), kFields, filter);
  if (found) return "accepted";
  EXPECT_TRUE(found.error().usage) << "a filter is part of the command line";
  return found.error().message;
}

TEST(RowFilter, TextsOfConditionsMayBeWordsOfWhatRowsSay) {
  EXPECT_EQ(rows({"name=L4"}), (Rows{0})) << "a whole name is that one";
  EXPECT_EQ(rows({"name=H100"}), (Rows{2, 3})) << "no whole name: a word of some";
  EXPECT_EQ(rows({"name!=H100", "memory>40"}), (Rows{1, 4}));
  EXPECT_EQ(rows({"name=H100,L4"}), (Rows{0, 2, 3}));
  EXPECT_EQ(rows({"name=H10"}), Rows{}) << "half a word is none";
  EXPECT_EQ(filter_rows(Cards(), kFields, std::vector<std::string>{"nvidia", "name=H10 memory>40"})->unmet, "name=H10");
  EXPECT_EQ(filter_rows(Cards(), kFields, std::vector<std::string>{"L4", "memory>40"})->unmet, "") << "together alone";
}

TEST(RowFilter, WordsStandAloneBeforeTheyMatchInside) {
  EXPECT_EQ(rows({}), (Rows{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(rows({"L4"}), (Rows{0})) << "not the L40S";
  EXPECT_EQ(rows({"l40"}), (Rows{1})) << "no card of that name: anywhere inside";
  EXPECT_EQ(rows({"h100"}), (Rows{2, 3}));
  EXPECT_EQ(rows({"h100-sxm"}), (Rows{2}));
  EXPECT_EQ(rows({"H100", "pcie"}), (Rows{3})) << "all words";
  EXPECT_EQ(rows({"H100 PCIe"}), (Rows{3}));
  EXPECT_EQ(rows({"amd"}), (Rows{4}));
  EXPECT_EQ(rows({"b200"}), (Rows{}));
  EXPECT_EQ(rows({"–"}), (Rows{}));
}

TEST(RowFilter, NamesWithTheirMemory) {
  for (const char* name : {"L4 24GB", "L4 24 GB", "L4 (24 GB)", "L4-24GB", "L4 24GiB", "L4 24G"})
    EXPECT_EQ(rows({name}), (Rows{0})) << name;
  EXPECT_EQ(rows({"H100 80GB"}), (Rows{2, 3}));
  EXPECT_EQ(rows({"80GB"}), (Rows{2, 3})) << "whatever holds as much";
  for (const char* name : {"L4 48GB", "H100 94GB", "B300 24GB", "L4 GB", "L40GB"})
    EXPECT_EQ(rows({name}), Rows{}) << name;
}

TEST(RowFilter, Conditions) {
  EXPECT_EQ(rows({"memory>=80"}), (Rows{2, 3, 4}));
  EXPECT_EQ(rows({"memory>80"}), (Rows{4}));
  EXPECT_EQ(rows({"VRAM<=24"}), (Rows{0}));
  EXPECT_EQ(rows({"memory<48"}), (Rows{0}));
  EXPECT_EQ(rows({"memory=80"}), (Rows{2, 3}));
  EXPECT_EQ(rows({"memory==80"}), (Rows{2, 3}));
  EXPECT_EQ(rows({"memory!=80"}), (Rows{0, 1, 4})) << "what is not known satisfies nothing";
  EXPECT_EQ(rows({"memory>=80GB"}), (Rows{2, 3, 4})) << "80 GB are 74.5 GiB";
  EXPECT_EQ(rows({"memory>80000000000"}), (Rows{})) << "a bare number is in the unit of the field";
  EXPECT_EQ(rows({"vendor=AMD"}), (Rows{4}));
  EXPECT_EQ(rows({"vendor!=nvidia"}), (Rows{4, 5}));
  EXPECT_EQ(rows({"name=h100-pcie"}), (Rows{3}));
  EXPECT_EQ(rows({"h100", "memory>=80", "name!=H100 SXM"}), (Rows{3}));
}

TEST(RowFilter, SpacesDoNotMatter) {
  EXPECT_EQ(rows({"memory >= 80"}), (Rows{2, 3, 4}));
  EXPECT_EQ(rows({"memory", ">=", "80"}), (Rows{2, 3, 4}));
  EXPECT_EQ(rows({"memory>=", "80"}), (Rows{2, 3, 4}));
  EXPECT_EQ(rows({"memory>=80 vendor=nvidia"}), (Rows{2, 3})) << "two in one argument";
  EXPECT_EQ(rows({"memory >= 80 vendor = amd"}), (Rows{4}));
  EXPECT_EQ(rows({" ", ""}), (Rows{0, 1, 2, 3, 4, 5}));
}

TEST(RowFilter, ShorthandAndConditionsInOneArgument) {
  EXPECT_EQ(rows({"24GB..80GB vendor=nvidia name!=L4"}), (Rows{1, 2, 3}));
  EXPECT_EQ(rows({"H100:1..8 memory>=80"}), (Rows{2, 3})) << "cards have no number, which is passed over";
  EXPECT_EQ(rows({"memory>=80 H100:8"}), (Rows{2, 3}));
}

TEST(RowFilter, NumbersAsOthersWriteThem) {
  EXPECT_EQ(rows({"memory=48+"}), (Rows{1, 2, 3, 4}));
  EXPECT_EQ(rows({"memory==48 GiB+"}), (Rows{1, 2, 3, 4}));
  EXPECT_EQ(filter_terms(std::vector<std::string>{"8x", "H100", "memory", ">=", "40"}),
            (std::vector<std::string>{"8x H100", "memory>=40"}));
  EXPECT_EQ(filter_terms(std::vector<std::string>{"x", "H100"}), (std::vector<std::string>{"x", "H100"}));
  EXPECT_EQ(filter_terms(std::vector<std::string>{"8x", "memory>=40"}), (std::vector<std::string>{"8x", "memory>=40"}));
}

TEST(RowFilter, SaysWhatIsWrong) {
  EXPECT_EQ(message({"80GB..24GB"}), "filter '80GB..24GB': expected the smaller memory first: 24GB..80GB");
  EXPECT_EQ(message({"80GB..24GB:8"}), "filter '80GB..24GB:8': expected the smaller memory first: 24GB..80GB");
  EXPECT_EQ(message({"H100:8..1"}), "filter 'H100:8..1': expected the smaller number first: 1..8");
  EXPECT_EQ(message({"memry>=4"}), "filter 'memry>=4': unknown field 'memry'. Did you mean 'memory'?");
  EXPECT_EQ(message({"colour=red"}), "filter 'colour=red': unknown field 'colour'; fields: name, vendor, memory");
  EXPECT_EQ(message({"memory>=much"}), "filter 'memory>=much': expected a size such as 80 GiB or 200 GB, got 'much'");
  EXPECT_EQ(message({"memory>=nan"}), "filter 'memory>=nan': expected a size such as 80 GiB or 200 GB, got 'nan'");
  EXPECT_EQ(message({"memory>="}), "filter 'memory>=': missing value after '>='");
  EXPECT_EQ(message({">=4"}), "filter '>=4': missing field before '>='");
  EXPECT_EQ(message({"\x1b[31m=4"}), "filter '?[31m=4': unknown field '?[31m'; fields: name, vendor, memory");
}

}  // namespace
}  // namespace gpuplan
