// What others export: zip archives, tables with damaged rows, numbers of many countries, encodings.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "input/text/untidy/csv_rows.h"
#include "input/text/untidy/loose_number.h"
#include "input/text/untidy/utf8_text.h"
#include "input/text/untidy/zip.h"
#include "zip_fixture.h"

namespace gpuplan {
namespace {

std::string content(ZipFile& zip, const ZipEntry& entry) {
  std::string text;
  const auto read = zip.read(entry, [&](std::string_view piece) -> Result<void> {
    EXPECT_LE(piece.size(), 65'536u);
    text += piece;
    return {};
  });
  return read ? text : "error: " + read.error().message;
}

TEST(ZipFile, GivesBackWhatWasPutIn) {
  std::string large;
  for (int i = 0; i < 40'000; ++i) large += std::to_string(i * 7919 % 10'007) + ',';
  const std::string bytes = zip_of({{"a.csv", "x,y\n", true},
                                    {"dir/", "", false},
                                    {"dir/b", large, true},
                                    {"c", large, false},
                                    {"empty", "", false}});
  EXPECT_TRUE(ZipFile::begins(bytes));
  for (const std::string& archive : {bytes, bytes + "a comment that nobody announced"}) {
    auto zip = ZipFile::open(archive, "z.zip");
    ASSERT_TRUE(zip) << zip.error().message;
    ASSERT_EQ(zip->entries().size(), 4u);
    EXPECT_EQ(content(*zip, zip->entries()[0]), "x,y\n");
    EXPECT_EQ(content(*zip, zip->entries()[1]), large);
    EXPECT_EQ(content(*zip, zip->entries()[2]), large);
    EXPECT_EQ(content(*zip, zip->entries()[3]), "");
  }
}

TEST(ZipFile, RefusesWhatItCanNotRead) {
  const auto told = [](std::string bytes) {
    auto zip = ZipFile::open(bytes, "z.zip");
    return zip ? content(*zip, zip->entries().at(0)) : "error: " + zip.error().message;
  };
  EXPECT_NE(told(zip_of({{"a", "text", true, 1}})).find("encrypted"), std::string::npos);
  EXPECT_NE(told(zip_of({{"a", "text", false, 0, 12}})).find("method 12"), std::string::npos);
  std::string zip64 = zip_of({{"a", "text", true}});
  zip64.replace(zip64.size() - 6, 4, "\xFF\xFF\xFF\xFF");
  EXPECT_NE(told(zip64).find("zip64"), std::string::npos);
  std::string changed = zip_of({{"a", "text", false}});
  changed[changed.find("text")] = 'T';
  EXPECT_NE(told(changed).find("damaged"), std::string::npos);
  EXPECT_NE(told("PK\3\4").find("cut off"), std::string::npos);
}

TEST(ZipFile, DamageAnywhereIsAnErrorOrTheSameText) {
  const std::string bytes = zip_of({{"a.csv", "gpu,gpus,price\nT4,1,2\n", true}});
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      std::string broken = bytes;
      broken[at] = static_cast<char>(broken[at] ^ (1 << bit));
      auto zip = ZipFile::open(broken, "z.zip");
      if (!zip || zip->entries().empty()) continue;
      const std::string text = content(*zip, zip->entries()[0]);
      EXPECT_TRUE(text == "gpu,gpus,price\nT4,1,2\n" || text.starts_with("error: ")) << at << ' ' << text;
    }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(ZipFile::open(std::string_view(bytes).substr(0, size), "z.zip")) << size;
}

TEST(ZipFile, StopsBeforeABomb) {
  const std::string bytes = zip_of({{"a", std::string(100'000, 'a'), true}, {"b", std::string(100'000, 'a'), true}});
  UnpackLimits limits;
  limits.harmless = 120'000;
  limits.ratio = 100;
  auto zip = ZipFile::open(bytes, "z.zip", limits);
  ASSERT_TRUE(zip);
  EXPECT_EQ(content(*zip, zip->entries()[0]).size(), 100'000u);  // what counts is all together
  EXPECT_NE(content(*zip, zip->entries()[1]).find("unpacks to more"), std::string::npos);
}

/// "1:a|b" a row, "2!problem" a damaged one.
std::vector<std::string> rows_of(std::string_view text, std::size_t piece) {
  CsvRows rows;
  std::vector<std::string> told;
  const auto take = [&](const CsvRows::Row& row) {
    std::string line = std::to_string(row.line);
    if (!row.problem.empty()) line.append("!").append(row.problem);
    else
      for (std::size_t i = 0; i < row.cells.size(); ++i) line.append(i == 0 ? ":" : "|").append(row.cells[i]);
    told.push_back(line);
  };
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) rows.feed(text.substr(0, piece), take);
  rows.end(take);
  return told;
}

TEST(CsvRows, ReadsTheSameInPiecesOfAnySize) {
  using Rows = std::vector<std::string>;
  const std::vector<std::pair<std::string, Rows>> texts = {
      {"a,b\n1,2\n", {"1:a|b", "2:1|2"}},
      {"a,b\r\n\r\n 1 ,\"2\"\"\"\r\n", {"1:a|b", "3:1|2\""}},
      {"a;b\r1,5;2\r", {"1:a|b", "2:1,5|2"}},
      {"a\tb\n\"x\ny\"\tz\nlast\t", {"1:a|b", "2:x\ny|z", "4:last|"}},
      {"a,b\nx\"y,1\nok,2\n", {"1:a|b", "2!a quote that stands wrong", "3:ok|2"}},
      {"a,b\n\"x,1\nok,2\n", {"1:a|b", "2!a quote that is never closed", "3:ok|2"}},
      {"a,b\n\"x\"y,1\nok,2\n", {"1:a|b", "2!a quote that stands wrong", "3:ok|2"}},
      {"sep=|\na|b,c\n", {"2:a|b,c"}},
      {"Title\n\na;b\n1;2", {"1:Title", "3:a|b", "4:1|2"}},
      {",,\na,b,\n", {"2:a|b|"}},
      {"", {}},
      {"\n\r\n", {}}};
  for (const auto& [text, wanted] : texts)
    for (const std::size_t piece : {1u, 2u, 3u, 5u, 1000u})
      EXPECT_EQ(rows_of(text, piece), wanted) << text << " by " << piece;
}

TEST(CsvRows, ALineWithoutEndCostsItselfAlone) {
  const std::string text = "a,b\n" + std::string(200'000, 'x') + ",1\n\"" + std::string(200'000, 'y') + "\nok,2\n";
  for (const std::size_t piece : {4096u, 1u << 20})
    EXPECT_EQ(rows_of(text, piece), (std::vector<std::string>{"1:a|b", "2!a line that is too long",
                                                              "3!a quote that is never closed", "4:ok|2"}))
        << piece;
}

TEST(LooseNumbers, SignsOfManyCountries) {
  const auto read = [](std::string_view text) {
    LooseNumbers numbers;
    const auto number = numbers.read(text);
    return !number || number->length != text.size() ? "none"
           : number->two_ways                       ? "two ways"
                                                    : number_text(number->value);
  };
  for (const char* text : {"1234.5", "1,234.5", "1.234,5", "1'234.5", "1 234,5",
                           "1\xC2\xA0"
                           "234,5",
                           "1_234.50", "+1234,5"})
    EXPECT_EQ(read(text), "1234.5") << text;
  EXPECT_EQ(read("1,234,567"), "1234567");
  EXPECT_EQ(read("1.234.567,8"), "1234567.8");
  EXPECT_EQ(read("0,350"), "0.35");
  EXPECT_EQ(read(".5"), "0.5");
  EXPECT_EQ(read("1.234"), "1.234");  // as programs write it
  EXPECT_EQ(read("1,234"), "two ways");
  EXPECT_EQ(read("2.5e-05"), "0.000025");
  EXPECT_EQ(read("-3"), "-3");
  for (const char* text : {"", "x", "1.2.3", "1,23,456", "12,34.5.6", "1e999", "-", "1234,567,8"})
    EXPECT_EQ(read(text), "none") << text;
}

std::string utf8_of(std::string_view bytes, std::size_t piece) {
  ToUtf8 decoder;
  std::string out;
  const auto take = [&](std::string_view text) { out += text; };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) decoder.feed(bytes.substr(0, piece), take);
  decoder.end(take);
  return out;
}

TEST(ToUtf8, ReadsWindowsLettersWhereAsked) {
  const std::string text = "R\xE9gion;\x80 2;caf\xC3\xA9;\xE2\x82\xAC;\x81;\xE2\x82";
  const std::string wanted = "R\xC3\xA9gion;\xE2\x82\xAC 2;caf\xC3\xA9;\xE2\x82\xAC;\xEF\xBF\xBD;\xC3\xA2\xE2\x80\x9A";
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 100U}) {
    for (const bool windows : {false, true}) {
      ToUtf8 decoder(windows);
      std::string out;
      const auto take = [&](std::string_view got) { out += got; };
      for (std::size_t at = 0; at < text.size(); at += piece)
        decoder.feed(std::string_view(text).substr(at, piece), take);
      decoder.end(take);
      EXPECT_EQ(out, windows ? wanted : text) << piece;
    }
  }
}

TEST(ToUtf8, FollowsTheByteOrderMark) {
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"plain", "plain"},
      {"\xEF\xBB\xBFplain", "plain"},
      {"a", "a"},
      {"", ""},
      {"\xFF\xFE"
       "a\0\xAC\x20\x3D\xD8\x00\xDE"s,
       "a\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"\xFE\xFF\0a\x20\xAC\xD8\x3D\xDE\x00"s, "a\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"\xFF\xFE\x3D\xD8"
       "a\0b"s,
       "\xEF\xBF\xBD"
       "a\xEF\xBF\xBD"},
      {"\xFF\xFE", ""},
      {"\xFE\x41", "\xFE\x41"}};
  for (const auto& [bytes, text] : texts)
    for (const std::size_t piece : {1u, 2u, 3u, 100u}) EXPECT_EQ(utf8_of(bytes, piece), text) << piece;
}

}  // namespace
}  // namespace gpuplan
