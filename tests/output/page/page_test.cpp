#include "output/page/page.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "output/page/html_text.h"
#include "output/page/prose.h"

namespace gpuplan {
namespace {

constexpr std::string_view kShell =
    "<title>@@gpuplan:title@@</title>@@gpuplan:body@@|@@gpuplan:plan@@|@@gpuplan:question@@|@@gpuplan:engine@@|"
    "@@gpuplan:other@@";

std::string report_with(const std::string& text) {
  nlohmann::json report = {{"report", 1}, {"head", {{"title", text}}}, {"sections", nlohmann::json::array()}};
  report["sections"].push_back(
      {{"key", "answer"}, {"title", text}, {"finding", text}, {"blocks", {{{"kind", "text"}, {"text", text}}}}});
  return report.dump();
}

/// Elements that are opened are closed, the last first.
bool balanced(std::string_view html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string_view::npos) return false;
    const bool closes = html[at + 1] == '/';
    const std::size_t begin = at + (closes ? 2 : 1);
    const std::string name(html.substr(begin, html.find_first_of(" >", begin) - begin));
    if (name == "br" || name == "input") continue;
    if (!closes) {
      open.push_back(name);
    } else {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(HtmlText, IsTextBetweenTagsAndInQuotes) {
  EXPECT_EQ(html_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(html_text("\x01 \u202E \uFEFF \xFF"), "\uFFFD \uFFFD \uFFFD \uFFFD");
  EXPECT_EQ(html_text("line\n\tü – 漢"), "line\n\tü – 漢");
}

TEST(HtmlJson, ReadsBackAndEndsNoElement) {
  const nlohmann::json value = {"</script>", "<!-- <script>", "\u2028\u2029", "a<b", "\\u003c", "\\"};
  const std::string html = html_json(value.dump());
  EXPECT_EQ(nlohmann::json::parse(html), value);
  EXPECT_EQ(html.find('<'), std::string::npos);
  EXPECT_EQ(html.find("\u2028"), std::string::npos);
}

TEST(CompactJson, IsTheSameValue) {
  const nlohmann::json value = {
      {"a b", "x \\\" y"}, {"list", {1, 2.5, "\\", " : , "}}, {"none", nlohmann::json::array()}};
  EXPECT_EQ(compact_json(value.dump(2)), value.dump());
}

TEST(Base85, TakesFiveSignsForFourBytesAndEndsNoElement) {
  EXPECT_EQ(base85_text(""), "");
  EXPECT_EQ(base85_text(std::string_view("\0\0\0\0", 4)), "(((((");
  EXPECT_EQ(base85_text("\xFF\xFF\xFF\xFF"), "z?^4(");
  EXPECT_EQ(base85_text("a").size(), 2U);
  std::string all;
  for (int i = 0; i < 4096; ++i) all += static_cast<char>(i * 37 % 251);
  const std::string text = base85_text(all);
  EXPECT_EQ(text.size(), 5120U);
  EXPECT_EQ(text.find_first_of("<&\"'"), std::string::npos);
}

TEST(Picture, IsAnAddressThatReadsBack) {
  EXPECT_EQ(picture_html("<svg a=\"it's\">\n50% &lt; #1</svg>"),
            "<img alt=\"\" src=\"data:image/svg+xml,<svg a='it%26%2339;s'> 50%25 %26lt; %231</svg>\">");
}

TEST(Page, ToldInOneLineWhereItsShellIsMissing) {
  const auto page = page_of({.shell = "", .report = report_with("x"), .plan = "{}"});
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().message.find("Node.js"), std::string::npos);
  EXPECT_EQ(page.error().message.find('\n'), std::string::npos);
}

TEST(Page, RefusesWhatIsNoReport) {
  for (const char* text : {"", "{", "[]", "{}", R"({"report": "x", "sections": []})", R"({"report": 1})"})
    EXPECT_FALSE(page_of({.shell = kShell, .report = text, .plan = "{}"})) << text;
  EXPECT_TRUE(
      page_of({.shell = kShell, .report = R"({"report": 1, "sections": [1, {"blocks": 3}, null]})", .plan = "{}"}));
}

TEST(Page, FillsItsPlacesOnce) {
  const std::string report = report_with("@@gpuplan:plan@@ @@gpuplan:engine@@");
  const auto page = page_of({.shell = kShell, .report = report, .plan = "{\"a\": \"@@gpuplan:body@@\"}"});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->starts_with("<title>@@gpuplan:plan@@ @@gpuplan:engine@@</title>"));
  EXPECT_TRUE(page->ends_with("|{\"a\":\"@@gpuplan:body@@\"}|null||@@gpuplan:other@@")) << *page;
}

TEST(Page, AnswersWithAPlannerAndAQuestionAlone) {
  const std::string report = report_with("x");
  const auto page = page_of({.shell = kShell, .report = report, .plan = "{}", .question = "{}", .engine = "abcd"});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->ends_with("|{}|{}|GALf^|@@gpuplan:other@@")) << *page;
  const auto silent = page_of({.shell = kShell, .report = report, .plan = "{}", .question = "{}"});
  EXPECT_TRUE(silent->ends_with("|{}|null||@@gpuplan:other@@"));
}

TEST(Page, LeavesOutColumnsTablesAndSectionsThatSayNothing) {
  const auto body = page_body(R"({"report": 1, "head": {}, "sections": [
    {"key": "a", "title": "A?", "finding": "", "blocks": []},
    {"key": "b", "title": "B?", "finding": "Yes.", "blocks": [
      {"kind": "table", "key": "t", "caption": "", "columns": [{"key": "x", "title": "X"}, {"key": "y", "title": "Y"}],
       "rows": [{"mark": "", "cells": ["1", ""], "values": [1.5, null]}]},
      {"kind": "table", "key": "u", "caption": "gone", "columns": [{"key": "x", "title": "X"}], "rows": []}]}]})");
  ASSERT_TRUE(body);
  EXPECT_EQ(body->html.find("A?"), std::string::npos);
  EXPECT_EQ(body->html.find(">Y<"), std::string::npos);
  EXPECT_EQ(body->html.find("gone"), std::string::npos);
  EXPECT_NE(body->html.find("data-value=\"1.5\""), std::string::npos);
  EXPECT_EQ(body->contents, "<li><a href=\"#s-b\">B</a></li>");
}

TEST(Prose, TellsMarkdown) {
  EXPECT_EQ(prose_html("a *b* **c** `d<` \\*e\\* snake_case_name"),
            "<p>a <em>b</em> <strong>c</strong> <code>d&lt;</code> *e* snake_case_name</p>");
  EXPECT_EQ(prose_html("# H\ntext\nmore\n\nnext"), "<h4>H</h4><p>text\nmore</p><p>next</p>");
  EXPECT_EQ(prose_html("- a\n- b\n  - c\n\n1. d\n2. e"),
            "<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ul><ol><li>d</li><li>e</li></ol>");
  EXPECT_EQ(prose_html("> a\n> b"), "<blockquote><p>a\nb</p></blockquote>");
  EXPECT_EQ(prose_html("```sh\na <b\n```"), "<pre tabindex=\"0\"><code>a &lt;b\n</code></pre>");
  EXPECT_EQ(prose_html("[x](https://a.b/c?d=1&e)"),
            "<p><a rel=\"noopener noreferrer\" href=\"https://a.b/c?d=1&amp;e\">x</a></p>");
  EXPECT_NE(prose_html("| a | b |\n|---|---|\n| 1 | `x` |").find("<td data-label=\"b\"><code>x</code></td>"),
            std::string::npos);
}

TEST(Prose, LetsNoHtmlAndNoOtherLinkThrough) {
  for (const char* text :
       {"<b>x</b>", "<script>1</script>", "[x](javascript:1)", "[x](data:text/html,1)", "![x](https://a/b.png)",
        "[x](https://a\" onload=\"1)", "<a href=x>", "&lt;", "[a](JAVASCRIPT:1)", "[a]( javascript:1)"}) {
    const std::string html = prose_html(text);
    EXPECT_EQ(html.find("<a "), std::string::npos) << html;
    EXPECT_EQ(html.find("<b>"), std::string::npos) << html;
    EXPECT_EQ(html.find("<script"), std::string::npos) << html;
    EXPECT_EQ(html.find("<img"), std::string::npos) << html;
  }
}

// Whatever is put together of the marks of Markdown, elements close, few kinds come, and it does not take long.
TEST(Prose, ClosesWhatItOpens) {
  const std::vector<std::string> parts = {"*",  "**",   "_",          "`",     "```",  "\n", "\n\n", "- ", "1. ",
                                          "> ", "#",    "# ",         "[",     "](",   ")",  "!",    "|",  "---",
                                          "<",  ">",    "https://x ", "a b",   "&",    "  ", "\"",   "'",  "\\",
                                          "\r", "    ", "~~~",        "|-|-|", "\xFF", "ü"};
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&](std::size_t below) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<std::size_t>(state % below);
  };
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::size_t n = 1 + next(40); n > 0; --n) text += parts[next(parts.size())];
    const std::string html = prose_html(text);
    ASSERT_TRUE(balanced(html)) << text << "\n" << html;
    ASSERT_EQ(html.find("<s"), html.find("<strong>")) << html;
  }
  for (const std::string& part : parts) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += part;
    EXPECT_TRUE(balanced(prose_html(text)));
  }
}

}  // namespace
}  // namespace gpuplan
