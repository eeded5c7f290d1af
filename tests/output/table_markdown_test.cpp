#include <gtest/gtest.h>

#include "output/text/table.h"

namespace gpuplan {
namespace {

constexpr Screen kMarkdown{.markup = Markup::kMarkdown};

TEST(Markdown, TablesHaveBarsAndAlignment) {
  Table table({{.title = "PLAN", .narrowest = 4},
               {.title = "HOURS", .align = Align::kRight},
               {.title = "NEEDS", .align = Align::kRight, .drop = 1, .around = " of ", .unit = "GiB a GPU"},
               {.title = "NEVER"},
               {.title = "", .key = "for_csv_only"}});
  table.add({{"4x A100", Paint::kPick}, {3.4, "3.4", Paint::kPick}, {"16.2 of 23.6"}, {}, Cell(1.0)});
  table.add({"8x H100", {12, "12"}, {"9 of 179"}});
  EXPECT_EQ(table.text(kMarkdown),
            "\n"
            "| PLAN        |   HOURS | NEEDS (GiB a GPU) |\n"
            "| :---------- | ------: | ----------------: |\n"
            "| **4x A100** | **3.4** |      16.2 of 23.6 |\n"
            "| 8x H100     |      12 |          9 of 179 |\n"
            "\n");
  EXPECT_TRUE(table.dropped(kMarkdown).empty()) << "no column is left out for want of room";
}

TEST(Markdown, ATableWithoutRowsHasItsHeads) {
  const Table table({{.title = "A"}, {.title = "LONGER", .align = Align::kRight}});
  EXPECT_EQ(table.text(kMarkdown), "\n| A   | LONGER |\n| :-- | -----: |\n\n");
}

TEST(Markdown, ItsOwnSignsAreEscaped) {
  EXPECT_EQ(markdown_text("a|b *c* `d` [e] f\\g"), "a\\|b \\*c\\* \\`d\\` \\[e\\] f\\\\g");
  EXPECT_EQ(markdown_text("kv_cache of _private_"), "kv_cache of \\_private\\_");
  EXPECT_EQ(markdown_text("<script> but 1 < 2 and ~ 3"), "\\<script> but 1 < 2 and ~ 3");
  EXPECT_EQ(markdown_text("# no heading"), "\\# no heading");
  EXPECT_EQ(markdown_text("> 99 %"), "\\> 99 %");
  EXPECT_EQ(markdown_text("two\nlines   set in columns"), "two  \nlines set in columns");
  EXPECT_EQ(markdown_text(""), "");
  Table table({{.title = "#"}, {.title = "A|B"}});
  table.add({"> 99 %", "x|y"});
  EXPECT_EQ(table.text(kMarkdown), "\n| #      | A\\|B |\n| :----- | :--- |\n| > 99 % | x\\|y |\n\n")
      << "what begins no line needs no backslash";
}

TEST(Markdown, ParagraphsAreOneLineAndNotPainted) {
  const std::string words = "A sentence that would not stay on one line of a terminal that is forty columns wide.";
  EXPECT_EQ(paragraph(words, kMarkdown, 4, 6, Paint::kDim), words + "\n\n");
  EXPECT_EQ(heading("Title", kMarkdown), "### Title\n\n");
  EXPECT_EQ(labelled("layers", "32", kMarkdown, 14), "- layers: 32\n");
  EXPECT_EQ(labelled("layers", "32", {.columns = 80}, 14), "  layers        32\n");
}

TEST(Markdown, TidyingKeepsListsTogetherAndApart) {
  EXPECT_EQ(tidy_markdown("\n\nA\n\n\n\nB\n- one\n\n- two\nC\n\n\n"), "A\n\nB\n- one\n- two\n\nC\n");
  EXPECT_EQ(tidy_markdown("```\na\n\n\nb\n```\n\n\nc\n"), "```\na\n\n\nb\n```\n\nc\n") << "code stays as it is";
  EXPECT_EQ(tidy_markdown(""), "");
}

}  // namespace
}  // namespace gpuplan
