#include "input/text/csv.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace gpuplan {
namespace {

enum class Colour { kRed, kGreen };

}  // namespace

template <>
struct Names<Colour> {
  static constexpr std::array entries = {Named<Colour>{Colour::kRed, "red"}, Named<Colour>{Colour::kGreen, "green"}};
};

namespace {

using namespace std::string_view_literals;

/// The message of a text that must be refused, with its line: "3: ...".
std::string refusal(std::string_view text) {
  const auto table = CsvTable::parse(text, "f.csv");
  if (table) return "accepted";
  EXPECT_EQ(table.error().place.file, "f.csv");
  EXPECT_FALSE(table.error().usage);
  return std::to_string(table.error().place.line) + ": " + table.error().message;
}

TEST(CsvTable, ReadsCellsAndUnits) {
  const auto table = CsvTable::parse("name,memory[GiB],notes\nH100,80,\nL4,24,\"a, b\"\n", "f.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->columns(), 3u);
  EXPECT_EQ(table->name(1), "memory");
  EXPECT_EQ(table->unit(1), "GiB");
  EXPECT_EQ(table->unit(0), "");
  EXPECT_EQ(table->cell(0, 1), "80");
  EXPECT_EQ(table->cell(0, 2), "");
  EXPECT_EQ(table->cell(1, 2), "a, b");
  EXPECT_EQ(table->find("MEMORY"), 1u);
  EXPECT_FALSE(table->find("price"));
  EXPECT_EQ(table->place(1).line, 3);
}

TEST(CsvTable, CellsAreViewsIntoTheText) {
  const std::string_view text = "a,b\nx,\"y\"\n";
  const auto table = CsvTable::parse(text, "f.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->cell(0, 0).data(), text.data() + 4);
  EXPECT_EQ(table->cell(0, 1).data(), text.data() + 7);
}

TEST(CsvTable, ByteOrderMarksBehindBlankLinesAreNoPartOfNames) {
  for (const std::string_view text : {"\n\xEF\xBB\xBF"
                                      "name,gib\na,1\n"sv,
                                      "\xEF\xBB\xBF\n\xEF\xBB\xBF\n"
                                      "name,gib\na,1\n"sv}) {
    const auto table = CsvTable::parse(text, "f.csv");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->name(0), "name");
    EXPECT_EQ(table->rows(), 1u);
  }
}

TEST(CsvTable, QuotesLineEndsAndByteOrderMark) {
  const auto table = CsvTable::parse(
      "\xEF\xBB\xBF"
      "a,b\r\n\"say \"\"hi\"\"\",\"two\nlines\"\r\n\r\n,x",
      "f.csv");
  ASSERT_TRUE(table);
  ASSERT_EQ(table->rows(), 2u);
  EXPECT_EQ(table->name(0), "a");
  EXPECT_EQ(table->cell(0, 0), "say \"hi\"");
  EXPECT_EQ(table->cell(0, 1), "two\nlines");
  EXPECT_EQ(table->cell(1, 0), "");
  EXPECT_EQ(table->cell(1, 1), "x");
  // Line 2 holds a cell over two lines, line 4 is blank.
  EXPECT_EQ(table->place(0).line, 2);
  EXPECT_EQ(table->place(1).line, 5);
}

TEST(CsvTable, UnquotedCopiesSurviveAMove) {
  auto table = CsvTable::parse("a\n\"\"\"\"\n\"x\"\"y\"\n", "f.csv");
  ASSERT_TRUE(table);
  const CsvTable moved = *std::move(table);
  EXPECT_EQ(moved.cell(0, 0), "\"");
  EXPECT_EQ(moved.cell(1, 0), "x\"y");
}

TEST(CsvTable, TwoColumnsMayDifferInTheirUnitOnly) {
  const auto table = CsvTable::parse("network,network[Gbit/s]\nEFA,400\n", "f.csv");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->find("network"), 0u);
  EXPECT_EQ(table->find("network", "Gbit/s"), 1u);
}

TEST(CsvTable, RefusesWhatIsNoTable) {
  EXPECT_EQ(refusal(""), "1: the file is empty; expected a header row and data rows");
  EXPECT_EQ(refusal("\n\r\n"), "3: the file is empty; expected a header row and data rows");
  EXPECT_EQ(refusal("a,b\n1,2\n1\n"), "3: this row has 1 cell, the header has 2");
  EXPECT_EQ(refusal("a,b\n1,2,3\n"), "2: this row has 3 cells, the header has 2");
  EXPECT_EQ(refusal("a,A\n"), "1: column 'A' is repeated in the header");
  EXPECT_EQ(refusal("a\nx\"y\n"), "2: quote inside an unquoted cell");
  EXPECT_EQ(refusal("a\n\"x\"y\n"), "2: text after a closing quote; double the quotes inside a quoted cell");
  EXPECT_EQ(refusal("a\nx\n\"y\n\n"), "3: missing closing quote of the cell that starts here");
  EXPECT_EQ(refusal("a\rb\n"), "1: carriage return without line feed; lines must end in LF or CRLF");
}

TEST(CsvTable, RefusesBytesThatAreNoText) {
  const std::string expected = ": expected UTF-8 text without control characters";
  EXPECT_EQ(refusal("a\nx\0y\n"sv), "2: binary file; expected a table as CSV text");
  EXPECT_EQ(refusal("a\n\x1b[31mred\n"), "2" + expected);
  EXPECT_EQ(refusal("a\nsome longer text \x7f\n"), "2" + expected);
  EXPECT_EQ(refusal("a\nab\x7f with enough text behind it\n"), "2" + expected);
  EXPECT_EQ(refusal("a\nab\x1b with enough text behind it\n"), "2" + expected);
  EXPECT_EQ(refusal("a\n\xe9t\xe9\n"), "2" + expected);         // Latin-1
  EXPECT_EQ(refusal("a\n\xc0\xaf\n"), "2" + expected);          // overlong
  EXPECT_EQ(refusal("a\n\xed\xa0\x80\n"), "2" + expected);      // surrogate
  EXPECT_EQ(refusal("a\n\xf4\x90\x80\x80\n"), "2" + expected);  // beyond U+10FFFF
  EXPECT_EQ(refusal("a\n12345678\xc3"), "2" + expected);        // cut off
  EXPECT_EQ(refusal("PK\x03\x04 some zip file"), "1" + expected);
  const auto good = CsvTable::parse(
      "a\nHafnarfjar\xc3\xb0"
      "arkaupsta\xc3\xb0ur \xe2\x80\xa6 \xf0\x9f\x9a\x80\n",
      "f.csv");
  EXPECT_TRUE(good);
}

TEST(CsvTable, RefusesWhatIsTooLarge) {
  const std::string large(CsvTable::kMaxBytes + 1, 'x');
  EXPECT_EQ(refusal(large), "0: the file is larger than 64 MiB");
  EXPECT_EQ(refusal(std::string(1001, ',')), "1: more than 1000 columns");
  std::string many = "a,b,c,d\n";
  while (many.size() < 4 * 1'000'010) many += ",,,\n";
  const std::string message = refusal(many);
  EXPECT_EQ(message, "1000002: more than 4 million cells");
}

TEST(CsvReader, ReadsTypedCells) {
  const auto table = CsvTable::parse(
      "name,size[GiB],n,flag,when,tags,colour\n"
      " x , 1.5e1 ,7,yes,2026-04,a | b,GREEN\n"
      "y,,,no,2024-02-29,,\n",
      "f.csv");
  ASSERT_TRUE(table);
  CsvReader cells(*table);
  const auto size = cells.column("size", "GiB"), n = cells.column("n"), flag = cells.column("flag"),
             when = cells.column("when"), tags = cells.column("tags"), colour = cells.column("colour"),
             none = cells.optional_column("none");
  EXPECT_EQ(cells.text(0, cells.column("name")), "x");
  EXPECT_EQ(cells.number(0, size, 0, 100), 15);
  EXPECT_EQ(cells.number(1, size, 0, 100, -1), -1);
  EXPECT_EQ(cells.whole(0, n, 0, 10), 7);
  EXPECT_EQ(cells.whole(1, n, 0, 10, 3), 3);
  EXPECT_TRUE(cells.yes_no(0, flag));
  EXPECT_FALSE(cells.yes_no(1, flag));
  EXPECT_EQ(cells.date(0, when), "2026-04");
  EXPECT_EQ(cells.date(1, when), "2024-02-29");
  EXPECT_EQ(cells.list(0, tags, '|'), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(cells.list(1, tags, '|').empty());
  EXPECT_EQ(cells.choice(0, colour, Colour::kRed), Colour::kGreen);
  EXPECT_EQ(cells.choice(1, colour, Colour::kRed), Colour::kRed);
  EXPECT_EQ(cells.text(0, none), "");
  EXPECT_TRUE(cells.ok());
}

/// The message after one read of the only cell.
template <class Read>
std::string complaint(std::string_view cell, Read read) {
  const std::string text = "value\n\"" + std::string(cell) + "\"\n";
  const auto table = CsvTable::parse(text, "f.csv");
  if (!table) return "no table";
  CsvReader cells(*table);
  read(cells, cells.column("value"));
  if (cells.ok()) return "";
  return std::to_string(cells.error()->place.line) + ": " + cells.error()->message;
}

TEST(CsvReader, SaysWhatIsWrongWithACell) {
  const auto number = [](CsvReader& cells, CsvReader::Column column) { cells.number(0, column, 0, 100); };
  const auto whole = [](CsvReader& cells, CsvReader::Column column) { cells.whole(0, column, 1, 8); };
  const auto flag = [](CsvReader& cells, CsvReader::Column column) { cells.yes_no(0, column); };
  const auto date = [](CsvReader& cells, CsvReader::Column column) { cells.date(0, column); };
  const auto colour = [](CsvReader& cells, CsvReader::Column column) { cells.choice(0, column, Colour::kRed); };
  const auto needed = [](CsvReader& cells, CsvReader::Column column) { cells.required(0, column); };
  EXPECT_EQ(complaint("12", number), "");
  EXPECT_EQ(complaint("12x", number), "2: column value: '12x' is not a number");
  EXPECT_EQ(complaint("nan", number), "2: column value: 'nan' is not a number");
  EXPECT_EQ(complaint("inf", number), "2: column value: 'inf' is not a number");
  EXPECT_EQ(complaint("1e999", number), "2: column value: '1e999' is not a number");
  EXPECT_EQ(complaint("-1", number), "2: column value: '-1' is not between 0 and 100");
  EXPECT_EQ(complaint("2.5", whole), "2: column value: '2.5' is not a whole number from 1 to 8");
  EXPECT_EQ(complaint("9", whole), "2: column value: '9' is not a whole number from 1 to 8");
  EXPECT_EQ(complaint("99999999999999999999", whole),
            "2: column value: '99999999999999999999' is not a whole number from 1 to 8");
  EXPECT_EQ(complaint("true", flag), "2: column value: 'true' is not yes or no");
  EXPECT_EQ(complaint("", date), "2: column value is empty");
  EXPECT_EQ(complaint("2026-02-29", date), "2: column value: '2026-02-29' is not a date such as 2026-04 or 2026-04-17");
  EXPECT_EQ(complaint("", needed), "2: column value is empty");
  EXPECT_NE(complaint("gren", colour).find("'gren' is not one of red, green. Did you mean 'green"), std::string::npos);
}

TEST(CsvReader, ChecksColumnsAndTheirUnits) {
  const auto table = CsvTable::parse("name,memory[GB]\nx,1\n", "f.csv");
  ASSERT_TRUE(table);
  CsvReader missing(*table);
  missing.column("nmae");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error()->message.find("missing column 'nmae'. Did you mean 'name"), std::string::npos);
  EXPECT_EQ(missing.error()->place.line, 1);
  CsvReader unit(*table);
  unit.column("memory", "GiB");
  ASSERT_FALSE(unit.ok());
  EXPECT_EQ(unit.error()->message, "column memory must be headed memory[GiB], not memory[GB]");
}

TEST(CsvReader, KeepsTheFirstError) {
  const auto table = CsvTable::parse("a,b\nx,y\n", "f.csv");
  ASSERT_TRUE(table);
  CsvReader cells(*table);
  cells.number(0, cells.column("a"), 0, 1);
  cells.number(0, cells.column("b"), 0, 1);
  cells.column("c");
  ASSERT_FALSE(cells.ok());
  EXPECT_EQ(cells.error()->message, "column a: 'x' is not a number");
}

TEST(IsoDate, KnowsTheCalendar) {
  for (const auto text : {"2026-04", "2026-12-31", "2000-02-29", "2024-02-29"}) EXPECT_TRUE(is_iso_date(text)) << text;
  for (const auto text : {"2026", "2026-13", "2026-00", "2026-4-1", "2026-04-31", "2025-02-29", "2100-01", "04-2026",
                          "2026/04", "2026-04-1x", "2026-04-00", "1989-12", "-026-04"})
    EXPECT_FALSE(is_iso_date(text)) << text;
}

}  // namespace
}  // namespace gpuplan
