// CSV for spreadsheets: texts stay texts, numbers stay numbers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "output/text/table.h"

namespace gpuplan {
namespace {

std::string cell(const std::string& text) {
  Table table(std::vector<Column>{{.title = "A", .key = "a"}});
  table.add({Cell(text)});
  const std::string csv = table.csv();
  return csv.substr(2, csv.size() - 3);
}

TEST(TableData, FormulasAreTexts) {
  EXPECT_EQ(cell("=1+1"), "'=1+1");
  EXPECT_EQ(cell("=cmd|'/c calc'!A0"), "'=cmd|'/c calc'!A0");
  EXPECT_EQ(cell("@SUM(1,1)"), "\"'@SUM(1,1)\"");
  EXPECT_EQ(cell("+1-1"), "'+1-1");
  EXPECT_EQ(cell("-cmd"), "'-cmd");
  EXPECT_EQ(cell("  =1"), "'  =1");
  EXPECT_EQ(cell("\t=1"), "'\t=1");
  EXPECT_EQ(cell("＝1+1"), "'＝1+1");
  EXPECT_EQ(cell("-"), "'-");
}

TEST(TableData, NumbersAndNamesStay) {
  for (const std::string text : {"-5", "+3%", "-1.25", "4x RTX 5090", "a=b", "me@home", "", "–", "2026-04", "<5%"})
    EXPECT_EQ(cell(text), text);
  Table table(std::vector<Column>{{.title = "A", .key = "a"}});
  table.add({Cell(-2.5)});
  EXPECT_EQ(table.csv(), "a\n-2.5\n");
}

TEST(TableData, HiddenCharactersShow) {
  EXPECT_EQ(cell("a\xE2\x80\xAE"
                 "b"),
            "a?b");
  EXPECT_EQ(cell("a\xF3\xA0\x81\x81"
                 "b"),
            "a?b");
  Table table(std::vector<Column>{{.title = "A"}, {.title = "B"}});
  table.add({Cell("a\xE2\x80\x8B"
                  "b"),
             Cell("c")});
  EXPECT_EQ(table.text(Screen{}, 0), "A    B\na?b  c\n");
}

}  // namespace
}  // namespace gpuplan
