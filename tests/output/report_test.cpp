// Reports as Markdown and JSON: texts stay texts, tables read well as they are, nothing is empty.
#include <gtest/gtest.h>

#include "output/report/document.h"
#include "output/report/guide.h"
#include "output/report/prose_markdown.h"
#include "output/report/report_words.h"
#include "output/report/table_block.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

ReportDocument of(std::vector<ReportBlock> blocks) {
  return {{.title = "t", .goal = "", .made = "", .version = "1", .prices = "", .command = ""},
          {{"one", "What?", "", std::move(blocks)}}};
}

std::string body(ReportBlock block) {
  const std::string text = guide_markdown(of({std::move(block)}));
  const std::size_t from = text.find("## What?\n\n") + 10;
  return text.substr(from, text.find("<!-- own text") - from);
}

TEST(Report, TextIsNoMarkdown) {
  EXPECT_EQ(guide_text("a|b"), "a\\|b");
  EXPECT_EQ(guide_text("`x` *y* [z](w)"), "\\`x\\` \\*y\\* \\[z\\](w)");
  EXPECT_EQ(guide_text("<b>"), "\\<b>");
  EXPECT_EQ(guide_text("a < b & c"), "a < b & c");
  EXPECT_EQ(guide_text("&lt; &#60;"), "\\&lt; \\&#60;");
  EXPECT_EQ(guide_text("snake_case _it_"), "snake_case \\_it\\_");
  EXPECT_EQ(guide_text("two\nlines\tand  blanks "), "two lines and blanks");
}

TEST(Report, TextBeginsNothing) {
  EXPECT_EQ(guide_text("# head"), "\\# head");
  EXPECT_EQ(guide_text("- entry"), "\\- entry");
  EXPECT_EQ(guide_text("+ entry"), "\\+ entry");
  EXPECT_EQ(guide_text("> quote"), "\\> quote");
  EXPECT_EQ(guide_text("12. entry"), "12\\. entry");
  EXPECT_EQ(guide_text("3) entry"), "3\\) entry");
  EXPECT_EQ(guide_text("---"), "\\---");
  EXPECT_EQ(guide_text("==="), "\\===");
  EXPECT_EQ(guide_text("12.5 GiB"), "12.5 GiB");
  EXPECT_EQ(guide_text("a - b"), "a - b");
  EXPECT_EQ(guide_text("-5 and +3"), "-5 and +3");
}

TEST(Report, ControlCharactersAreGone) {
  const std::string text = guide_text("a\x1b[31mb\x07\xff");
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ') << text;
}

TEST(Report, TablesArePaddedAndFiguresStandRight) {
  TableBlock table{"k", "Caption", {{"name", "Name", false}, {"usd", "Cost", true}}, {}};
  table.rows.push_back({RowMark::kPick, false, {"long name", "$1"}, {std::nullopt, 1}});
  table.rows.push_back({RowMark::kNone, true, {"sum", "$12.34"}, {}});
  EXPECT_EQ(body(table),
            "**Caption**\n\n"
            "| Name          |       Cost |\n"
            "| ------------- | ---------: |\n"
            "| **long name** |         $1 |\n"
            "| **sum**       | **$12.34** |\n\n");
}

TEST(Report, ACellEndsNoTable) {
  TableBlock table{"k", "", {{"a", "A", false}, {"b", "B", false}}, {}};
  table.rows.push_back({RowMark::kNone, false, {"x | y\n| z", "-5"}, {}});
  const std::string text = body(table);
  EXPECT_NE(text.find("x \\| y \\| z"), std::string::npos) << text;
  EXPECT_NE(text.find("| -5 "), std::string::npos) << text;
}

TEST(Report, CodeStaysInItsFence) {
  EXPECT_EQ(body(CodeBlock{"sh", "echo '```'\nls"}), "````sh\necho '```'\nls\n````\n\n");
}

TEST(Report, ProseHasNoHtmlAndNoMarks) {
  const std::string text = body(ProseBlock{"*mine* <script>x</script>\n<!-- own text: z -->"});
  EXPECT_NE(text.find("*mine* &lt;script>"), std::string::npos) << text;
  EXPECT_EQ(text.find("<!--"), std::string::npos) << text;
}

TEST(Report, CodeInProseStaysAsItIs) {
  EXPECT_EQ(prose_markdown("so, `a < b && c` and <https://y.org/?a=1>"), "so, `a < b && c` and <https://y.org/?a=1>\n");
  EXPECT_EQ(prose_markdown("```sh\nx < in && echo '<done>'\n```\n<b>"),
            "```sh\nx < in && echo '<done>'\n```\n&lt;b>\n");
  EXPECT_EQ(prose_markdown("a\n\n    x < y"), "a\n\n    x < y\n");
  EXPECT_EQ(prose_markdown("- a\n  ```\n  x < y\n  ```"), "- a\n  ```\n  x < y\n  ```\n");
  // What some reader takes for text is none.
  EXPECT_EQ(prose_markdown("a ` b\nc ` <i> ` d"), "a ` b\nc ` &lt;i> ` d\n") << "a span over two lines";
  EXPECT_EQ(prose_markdown("\\`<i>`"), "\\`&lt;i>`\n") << "an escaped mark begins nothing";
  EXPECT_EQ(prose_markdown("| ` | <i> ` |\n|---|---|"), "| ` | &lt;i> ` |\n|---|---|\n") << "bars split code";
  EXPECT_EQ(prose_markdown("- ```\n<i>"), "- ```\n&lt;i>\n  ```\n") << "the list ends, and its code";
  EXPECT_EQ(prose_markdown("a\n     ```\n<i>").find("<i>"), std::string::npos) << "text of a paragraph";
  EXPECT_EQ(prose_markdown("> ```\n<i>").find("<i>"), std::string::npos) << "the quote ends";
  EXPECT_EQ(prose_markdown("<https://x y> <javascript:a>"), "&lt;https://x y> &lt;javascript:a>\n");
  // No line of code is a mark.
  EXPECT_EQ(prose_markdown("```\n<!-- own text: a -->\n```"), "```\n <!-- own text: a -->\n```\n");
}

TEST(Report, CodeHasNoMarks) {
  const std::string text =
      guide_markdown(of({CodeBlock{"sh", "cat <<E\n<!-- own text: bill -->\n<!-- end of own text -->\n  x\nE"}}));
  EXPECT_NE(text.find("```sh\ncat <<E\n <!-- own text: bill -->\n <!-- end of own text -->\n  x\nE\n```\n"),
            std::string::npos)
      << text;
}

TEST(Report, ProseStaysInItsPlace) {
  EXPECT_EQ(prose_markdown("x\n```sh\nls"), "x\n```sh\nls\n```\n") << "a fence that nobody closed";
  EXPECT_EQ(prose_markdown("- a\n  ~~~\n  # b"), "- a\n  ~~~\n  # b\n  ~~~\n");
  EXPECT_EQ(prose_markdown("````\n```\n# c\n````\n# d"), "````\n```\n# c\n````\n### d\n");
  EXPECT_EQ(prose_markdown("Our notes\n=====\nx"), "### Our notes\nx\n");
  EXPECT_EQ(prose_markdown("two\nlines\n---"), "### two lines\n");
  EXPECT_EQ(prose_markdown("- a\n  ==="), "- ### a\n");
  EXPECT_EQ(prose_markdown("> a\n> ---"), "> ### a\n");
  EXPECT_EQ(prose_markdown("- a\n- b\n---"), "- a\n- b\n---\n") << "a line across";
  EXPECT_EQ(prose_markdown("a\n\n---\n| b |\n|---|"), "a\n\n---\n| b |\n|---|\n");
  EXPECT_EQ(prose_markdown("  # a\n- # b\n1. ## c\n#### d\n#e"), "  ### a\n- ### b\n1. ### c\n#### d\n#e\n");
  EXPECT_EQ(prose_markdown("    # code"), "    # code\n");
}

TEST(Report, FoldTitlesAreText) {
  const std::string text = body(FoldBlock{"a <b> & c", {TextBlock{"in"}}});
  EXPECT_NE(text.find("<summary>a &lt;b&gt; &amp; c</summary>\n\nin\n\n</details>"), std::string::npos) << text;
}

TEST(Report, WhatSaysNothingVanishes) {
  TableBlock table{"k", "", {{"a", "A", false}, {"b", "B", true}}, {}};
  table.rows.push_back({RowMark::kNone, false, {"x", ""}, {std::nullopt, std::nullopt}});
  ReportDocument document = of({TextBlock{""}, ListBlock{false, {""}}, FoldBlock{"f", {NoteBlock{""}}}, table});
  document.sections.push_back({"two", "Nothing?", "", {CodeBlock{"sh", ""}}});
  tidy(document);
  ASSERT_EQ(document.sections.size(), 1U);
  ASSERT_EQ(document.sections[0].blocks.size(), 1U);
  const auto& left = std::get<TableBlock>(document.sections[0].blocks[0]);
  EXPECT_EQ(left.columns.size(), 1U);
  EXPECT_EQ(left.rows[0].cells.size(), 1U);
}

TEST(Report, OwnTextGoesWhereItWas) {
  ReportDocument document = of({TextBlock{"x"}});
  const std::string text = guide_markdown(document, {{"one", "Mine.\n"}, {"gone", "Kept.\n"}});
  EXPECT_NE(text.find("<!-- own text: one -->\nMine.\n<!-- end of own text -->"), std::string::npos) << text;
  EXPECT_NE(text.find("## Own text\n\n<!-- own text: gone -->\nKept.\n<!-- end of own text -->"), std::string::npos)
      << text;
}

TEST(Report, WhatIsExactHasNoRange) {
  const auto exact = [](double hours) {
    return Outcome<Seconds>{hours * units::hour, hours * units::hour, hours * units::hour, hours * units::hour};
  };
  EXPECT_EQ(with_range("14.8 h", time_range(exact(14.8))), "14.8 h");
  const Dollars cost{330.15};
  EXPECT_EQ(with_range("$330.15", cost_range({cost, cost, cost, cost})), "$330.15");
  EXPECT_EQ(with_range("$2.00", cost_range({Dollars{1}, Dollars{2}, Dollars{3}, Dollars{2}})),
            "$2.00 (8 in 10 runs: $1.00–3.00)");
}

TEST(Report, ColumnsOfViewsArePicked) {
  Table view({{.title = ""},
              {.title = "PLAN", .key = "plan"},
              {.title = "HOURS", .key = "hours"},
              {.title = "P10–P90"},
              {.title = "", .key = "hours_p10"}});
  view.add({{"✔"}, {"A"}, {1.5, "1.5"}, {"1–2"}, Cell(1.0)});
  const TableBlock table =
      table_block(view, "k", "", {{"hours", "Time"}, {"hours~", "Range"}, {"none", "No"}, {"plan", "Plan"}});
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[1].key, "hours_range");
  EXPECT_EQ(table.rows[0].cells, (std::vector<std::string>{"1.5", "1–2", "A"}));
  EXPECT_EQ(table.rows[0].values[0], 1.5);
  EXPECT_EQ(table.rows[0].mark, RowMark::kPick);
}

TEST(Report, JsonHasTheFormThatPagesRead) {
  TableBlock table{"k", "c", {{"usd", "Cost", true}}, {}};
  table.rows.push_back({RowMark::kPick, false, {"$1"}, {1.0}});
  JsonWriter json(JsonWriter::Layout::kCompact);
  write_report(json, of({TextBlock{"x"}, NoteBlock{"n"}, table, FoldBlock{"f", {ChecksBlock{{"d"}}}}}));
  const std::string text = json.take();
  EXPECT_NE(text.find(R"("report":1)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"kind":"text","text":"x"})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"mark":"pick","cells":["$1"],"values":[1]})"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"kind":"fold","title":"f","blocks":[{"kind":"checks","items":["d"]}]})"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace gpuplan
