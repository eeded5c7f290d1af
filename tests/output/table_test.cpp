#include "output/text/table.h"

#include <gtest/gtest.h>

namespace gpuplan {
namespace {

using Lines = std::vector<std::string>;

Table plans() {
  Table table({{.title = "#", .align = Align::kRight},
               {.title = "PLAN"},
               {.title = "HOURS", .align = Align::kRight},
               {.title = "P10 … P90", .align = Align::kRight, .drop = 1, .around = " … "},
               {.title = "MEMORY A GPU", .drop = 2, .around = " of "},
               {.title = "EVIDENCE", .drop = 3}});
  table.add({"1", "4x RTX 3090", "3.4", "2.8 … 4.1", "16.3 of 23.7 GiB", "given"});
  table.add({"2", {"4x RTX 5090", Paint::kGreen}, "1.6", "12.5 … 13.7", "16.3 of 31.8 GiB", "given !"});
  table.add({"10", "4x B200", "0.9", "", "9.3 of 179 GiB", ""});
  return table;
}

TEST(Table, AlignsColumnsAndLeavesNoTrailingBlanks) {
  EXPECT_EQ(plans().text({.columns = 120}),
            "   #  PLAN         HOURS    P10 … P90  MEMORY A GPU      EVIDENCE\n"
            "   1  4x RTX 3090    3.4   2.8 …  4.1  16.3 of 23.7 GiB  given\n"
            "   2  4x RTX 5090    1.6  12.5 … 13.7  16.3 of 31.8 GiB  given !\n"
            "  10  4x B200        0.9                9.3 of 179 GiB\n");
}

TEST(Table, DropsTheLeastImportantColumnsFirst) {
  EXPECT_EQ(plans().text({.columns = 60}, 0),
            " #  PLAN         HOURS    P10 … P90  MEMORY A GPU\n"
            " 1  4x RTX 3090    3.4   2.8 …  4.1  16.3 of 23.7 GiB\n"
            " 2  4x RTX 5090    1.6  12.5 … 13.7  16.3 of 31.8 GiB\n"
            "10  4x B200        0.9                9.3 of 179 GiB\n");
  EXPECT_EQ(plans().dropped({.columns = 60}, 0), (Lines{"EVIDENCE"}));
  EXPECT_EQ(plans().text({.columns = 10}, 0),
            " #  PLAN         HOURS\n"
            " 1  4x RTX 3090    3.4\n"
            " 2  4x RTX 5090    1.6\n"
            "10  4x B200        0.9\n")
      << "columns of number 0 stay, even on an impossible screen";
  EXPECT_TRUE(plans().dropped({.columns = 120}, 0).empty());
}

TEST(Table, PaintsTextsButNotBlanks) {
  Table table({{.title = "A"}, {.title = "B", .align = Align::kRight}});
  table.add({{"x", Paint::kGreen}, {"1", Paint::kRed}});
  table.add({"long", "100"});
  EXPECT_EQ(table.text({.columns = 80, .colour = true}, 0),
            "\x1b[1mA\x1b[0m       \x1b[1mB\x1b[0m\n"
            "\x1b[32mx\x1b[0m       \x1b[31m1\x1b[0m\n"
            "long  100\n");
  EXPECT_EQ(table.text({.columns = 80}, 0), "A       B\nx       1\nlong  100\n");
}

TEST(Table, NarrowsTextsBeforeItDropsColumns) {
  Table table(
      {{.title = "INSTANCE", .narrowest = 10}, {.title = "NOTE", .narrowest = 8, .wrap = true}, {.title = "N"}});
  table.add({"Standard_ND96isr_H100_v5", "rarely to be had", "8"});
  EXPECT_EQ(table.text({.columns = 45}, 0),
            "INSTANCE                  NOTE              N\n"
            "Standard_ND96isr_H100_v5  rarely to be had  8\n");
  EXPECT_EQ(table.text({.columns = 30}, 0),
            "INSTANCE      NOTE           N\n"
            "Standard_ND…  rarely to be   8\n"
            "              had\n");
  EXPECT_EQ(table.text({.columns = 20}, 0),
            "INSTANCE    NOTE      N\n"
            "Standard_…  rarely    8\n"
            "            to be\n"
            "            had\n");
}

TEST(Table, UnitsStandUnderTheTitles) {
  Table table({{.title = "GPU"}, {.title = "MEMORY", .align = Align::kRight, .unit = "GiB"}});
  table.add({"H100 SXM", "79.6"});
  EXPECT_EQ(table.text({}, 0),
            "GPU       MEMORY\n"
            "             GiB\n"
            "H100 SXM    79.6\n");
}

TEST(Table, LeavesEmptyColumnsOutAndHoldsWideCharacters) {
  Table table({{.title = "A"}, {.title = "EMPTY"}, {.title = "B"}});
  table.add({"表", "", "x"});
  table.add({"abc"});
  EXPECT_EQ(table.text({}, 0),
            "A    B\n"
            "表   x\n"
            "abc\n");
}

TEST(Table, KnowsHowWideItWouldBe) {
  Table table({{.title = "NAME", .narrowest = 4}, {.title = "PRICE", .align = Align::kRight, .drop = 1}});
  table.add({"a long name", "1"});
  EXPECT_EQ(table.width(2), 2 + 11 + 2 + 5);
  EXPECT_EQ(table.width(0), 18);
}

TEST(Wrap, KeepsFiguresWithTheirUnitsAndCounts) {
  EXPECT_EQ(wrapped("about 46 % of it", 9), (Lines{"about", "46 % of", "it"}));
  EXPECT_EQ(wrapped("from 23 … 68 a", 10), (Lines{"from", "23 … 68 a"}));
  EXPECT_EQ(wrapped("and 4x RTX 3090", 8), (Lines{"and", "4x RTX", "3090"}));
  EXPECT_EQ(wrapped("takes (16.3 GiB), so", 11), (Lines{"takes", "(16.3 GiB),", "so"}));
  EXPECT_EQ(wrapped("in 2 x 3", 5), (Lines{"in 2", "x 3"})) << "a word that is no unit may go on the next line";
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("unbreakable", 4), (Lines{"unbreakable"}));
  EXPECT_EQ(wrapped("a\nb c", 80), (Lines{"a", "b c"}));
  EXPECT_EQ(wrapped("", 80), (Lines{""}));
  EXPECT_EQ(wrapped("2.8 …  4.1", 80), (Lines{"2.8 …  4.1"})) << "blanks inside stay";
  EXPECT_EQ(paragraph("one two three four five six seven", {.columns = 24}, 2, 4),
            "  one two three four\n    five six seven\n");
}

TEST(Wrap, Shortens) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("ab cdefg", 4), "ab…") << "no blank before the ellipsis";
  EXPECT_EQ(shortened("äöüß", 3), "äö…");
}

}  // namespace
}  // namespace gpuplan
