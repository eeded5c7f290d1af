// Spreadsheets as price lists.
#include "input/text/untidy/spreadsheet.h"

#include <gtest/gtest.h>

#include "input/feeds/feed_fixture.h"
#include "input/feeds/zip_fixture.h"

namespace gpuplan {
namespace {

constexpr const char* kStyles =
    "<styleSheet><numFmts count='2'><numFmt numFmtId='164' formatCode='#,##0.00\\ [$€-407];-#,##0.00\\ [$€-407]'/>"
    "<numFmt numFmtId='165' formatCode='0 &quot;GPUs&quot;'/><numFmt numFmtId='166' formatCode='&quot;$&quot;0.00'/>"
    "</numFmts><cellStyleXfs><xf numFmtId='164'/></cellStyleXfs><cellXfs><xf numFmtId='0'/><xf numFmtId='164'/>"
    "<xf numFmtId='165'/><xf numFmtId='166'/></cellXfs></styleSheet>";
constexpr const char* kTexts =
    "<?xml version='1.0'?><sst><si><t>GPU</t></si><si><t>gpus</t></si><si><r><t>price per "
    "</t></r><r><t>hour</t></r></si>"
    "<si><t>provider</t></si><si><t>H100 SXM</t><rPh><t>sound</t></rPh></si><si><t>A &amp; B, &quot;Cloud&#34;</t></si>"
    "<si><t>date</t></si></sst>";
constexpr const char* kSheet =
    "<worksheet><sheetData><row r='3'><c r='A3' t='s'><v>0</v></c><c r='B3' t='s'><v>1</v></c><c r='C3' "
    "t='s'><v>2</v></c>"
    "<c r='D3' t='s'><v>3</v></c><c r='E3' t='s'><v>6</v></c></row><row r='4'><c r='A4' t='s'><v>4</v></c><c r='B4' "
    "s='2'><v>8</v></c><c r='C4' s='1'><f>2*10.25</f><v>20.5</v></c><c r='D4' t='inlineStr'><is><t>hetzner</t></is></c>"
    "<c r='E4'><v>46346</v></c></row><row><c t='s'><v>4</v></c><c><v>4</v></c><c s='3'><v>12</v></c><c t='s'><v>5</v>"
    "</c><c><v>46346</v></c></row></sheetData></worksheet>";

std::string xlsx(const std::string& sheet = kSheet) {
  return zip_of({{"[Content_Types].xml", "<Types/>", true},
                 {"xl/workbook.xml", "<workbook/>", true},
                 {"xl/sharedStrings.xml", kTexts, true},
                 {"xl/styles.xml", kStyles, true},
                 {"xl/worksheets/sheet1.xml",
                  "<worksheet><sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Notes of "
                  "mine</t></is></c></row></sheetData></worksheet>",
                  true},
                 {"xl/worksheets/sheet2.xml", sheet, true},
                 {"xl/worksheets/_rels/sheet2.xml.rels", "<x/>", true}});
}

Result<std::vector<SheetText>> sheets_of(const std::string& bytes) {
  auto archive = ZipFile::open(bytes, "p.xlsx");
  EXPECT_TRUE(archive);
  EXPECT_TRUE(is_spreadsheet(*archive));
  return read_spreadsheet(*archive, "p.xlsx");
}

TEST(Spreadsheet, IsReadAsItsCellsShow) {
  const auto sheets = sheets_of(xlsx());
  ASSERT_TRUE(sheets) << sheets.error().message;
  ASSERT_EQ(sheets->size(), 2U);
  EXPECT_EQ((*sheets)[0].csv, "Notes of mine\n");
  EXPECT_EQ((*sheets)[1].name, "sheet2");
  EXPECT_EQ((*sheets)[1].csv,
            "\n\nGPU,gpus,price per hour,provider,date\n"
            "H100 SXM,8,20.5 €,hetzner,46346\n"
            "H100 SXM,4,12,\"A & B, \"\"Cloud\"\"\",46346\n");
}

TEST(Spreadsheet, IsAPriceListOfItsName) {
  const std::string bytes = xlsx();
  const auto feeds = read_feeds(bytes, terms_of("mine.xlsx"));
  ASSERT_TRUE(feeds) << feeds.error().message;
  ASSERT_EQ(feeds->size(), 1U);
  const Feed& feed = feeds->front();
  EXPECT_EQ(feed.file, "mine.xlsx") << "the sheet of notes is passed over";
  ASSERT_EQ(feed.offers.size(), 2U);
  EXPECT_NEAR(feed.offers[0].price->p50 / (units::dollar / units::hour), 20.5 * 1.1, 1e-9) << "euros by their format";
  EXPECT_NEAR(feed.offers[1].price->p50 / (units::dollar / units::hour), 12, 1e-9);
  EXPECT_EQ(feed.offers[0].as_of, "2026-11-20") << "as spreadsheets count days";
  FeedTerms poor = terms_of("mine.xlsx");
  poor.rates.clear();
  const auto without = read_feeds(bytes, poor);
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_EQ(without->front().kept, 1U) << "without a rate no dollars";
}

TEST(Spreadsheet, OfOpenDocument) {
  const std::string content =
      "<office:document-content xmlns:office='o' xmlns:table='t'><office:body><office:spreadsheet><table:table "
      "table:name='Prices'><table:table-row><table:table-cell office:value-type='string'><text:p>GPU</text:p>"
      "</table:table-cell><table:table-cell><text:p>gpus</text:p></table:table-cell><table:table-cell><text:p>price "
      "per "
      "hour</text:p></table:table-cell><table:table-cell/><table:table-cell><text:p>provider</text:p></"
      "table:table-cell>"
      "<table:table-cell table:number-columns-repeated='16379'/></table:table-row><table:table-row "
      "table:number-rows-repeated='2'><table:table-cell office:value-type='string'><text:p>H100 SXM</text:p><office:"
      "annotation><text:p>a note</text:p></office:annotation></table:table-cell><table:table-cell office:value-type='"
      "float' office:value='8'><text:p>8,0</text:p></table:table-cell><table:table-cell office:value-type='currency' "
      "office:currency='EUR' office:value='20.5'><text:p>20,50 €</text:p></table:table-cell><table:table-cell/><table:"
      "table-cell><text:p>mine</text:p></table:table-cell></table:table-row><table:table-row "
      "table:number-rows-repeated='1048573'><table:table-cell table:number-columns-repeated='16384'/></table:table-row>"
      "</table:table></office:spreadsheet></office:body></office:document-content>";
  const auto sheets = sheets_of(zip_of({{"mimetype", "x", false}, {"content.xml", content, true}}));
  ASSERT_TRUE(sheets) << sheets.error().message;
  ASSERT_EQ(sheets->size(), 1U);
  EXPECT_EQ((*sheets)[0].name, "Prices");
  EXPECT_EQ((*sheets)[0].csv,
            "GPU,gpus,price per hour,,provider\nH100 SXM,8,20.5 EUR,,mine\nH100 SXM,8,20.5 EUR,,mine\n");
}

TEST(Spreadsheet, WhateverItHoldsIsATableOrAnError) {
  const std::string sheet = kSheet;
  for (std::size_t at = 0; at < sheet.size(); ++at) {
    const auto cut = sheets_of(xlsx(sheet.substr(0, at)));
    EXPECT_TRUE(cut || cut.error().message.contains("damaged")) << at;
    std::string bad = sheet;
    bad[at] = '<';
    static_cast<void>(sheets_of(xlsx(bad)));
  }
  EXPECT_FALSE(read_feeds(xlsx("<worksheet/>"), terms_of("p.xlsx")));
  // Far away cells and rows make no large table.
  const auto far =
      sheets_of(xlsx("<row r='1048576'><c r='XFD1048576'><v>1</v></c><c r='ZZZZZZZZZZZZ9'><v>1</v></c>"
                     "<c r='A9' t='s'><v>99999999999999999999</v></c></row><row r='2'><c><v>3</v></c></row>"));
  ASSERT_TRUE(far);
  EXPECT_LT((*far)[1].csv.size(), 20'000U);
}

}  // namespace
}  // namespace gpuplan
