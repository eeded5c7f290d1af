#include "input/text/yaml_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

std::string parse_error(const std::string& text) { return line_of(parse_tree(text, "f.yaml")); }
std::string parsed(const std::string& text) {
  const auto tree = parse_tree(text, "f.yaml");
  return tree ? flow_text(*tree) : line_of(tree);
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(YamlTree, KeepsKindsTextsAndPlaces) {
  const auto tree = parse_tree("job: x\nlimits:\n  deadline: '12 h'\n  budget:\nlist: [1, 2]\n", "f.yaml");
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->children.size(), 3U);
  const Tree& limits = *tree->find("limits");
  EXPECT_EQ(limits.key_line, 2);
  EXPECT_EQ(limits.find("deadline")->text, "12 h");
  EXPECT_TRUE(limits.find("deadline")->quoted);
  EXPECT_EQ(limits.find("deadline")->line, 3);
  EXPECT_EQ(limits.find("deadline")->column, 13);
  EXPECT_TRUE(limits.find("budget")->is_null());
  EXPECT_EQ(tree->find("list")->children[1].text, "2");
  EXPECT_EQ(tree->find("nothing"), nullptr);
}

TEST(YamlTree, ReadsJson) {
  EXPECT_EQ(parsed(R"({"a": "x\n", "b": [1, true, null], "c": {"d": "\u20ac"}})"),
            "{a: \"x\\n\", b: [1, true, ~], c: {d: \"\xE2\x82\xAC\"}}");
}

TEST(YamlTree, EmptyTextsAreNothing) {
  for (const std::string text : {"", "# only a comment\n", "---\n", "~"}) EXPECT_EQ(parsed(text), "~") << text;
}

TEST(YamlTree, AByteOrderMarkIsNoPart) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF"
                   "a: 1"),
            "{a: 1}");
}

TEST(YamlTree, ExpandsAliasesAndMerges) {
  EXPECT_EQ(parsed("a: &x {p: 1, q: 2}\nb: *x\nc: {<<: *x, q: 3}\nd: {q: 4, <<: [{q: 5, r: 6}, *x]}\n"),
            "{a: {p: 1, q: 2}, b: {p: 1, q: 2}, c: {q: 3, p: 1}, d: {q: 4, r: 6, p: 1}}");
}

TEST(YamlTree, QuotedMergeIsAKey) { EXPECT_EQ(parsed("\"<<\": 1"), "{\"<<\": 1}"); }

TEST(YamlTree, CoreTagsMeanNothingNew) {
  EXPECT_EQ(parsed("a: !!str 12\nb: !!int 3\nc: ! x"), "{a: \"12\", b: 3, c: \"x\"}");
}

TEST(YamlTree, RefusesWithOneLineEach) {
  EXPECT_EQ(parse_error("a: 1\nb: 2\na: 3\n"), "f.yaml:3: duplicate key 'a'; the first is on line 1");
  EXPECT_EQ(parse_error("a: 1\n'a': 3\n"), "f.yaml:2: duplicate key 'a'; the first is on line 1");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"),
            "f.yaml:2: more than one YAML document; check the indentation, and remove --- and ...");
  EXPECT_EQ(parse_error("a: !python/object x\n"), "f.yaml:1: the tag '!python/object' is not supported; remove it");
  EXPECT_EQ(parse_error("a: !foo {b: 1}\n"), "f.yaml:1: the tag '!foo' is not supported; remove it");
  EXPECT_EQ(parse_error("? [a, b]\n: 1\n"),
            "f.yaml:1: a list or map where a key is expected; check for a missing ] or }");
  EXPECT_EQ(parse_error("~: 1\n"), "f.yaml:1: expected a key, got nothing");
  EXPECT_EQ(parse_error("a: {<<: 3}\n"), "f.yaml:1: <<: expected a map or a list of maps to merge, got '3'");
  EXPECT_EQ(parse_error("a: &x [1, *x]\n"), "f.yaml:1: an anchor cannot contain itself");
}

TEST(YamlTree, SaysWhatIsNotValidYaml) {
  const auto problem = [](const std::string& text, int line) {
    const std::string error = parse_error(text);
    const std::string start = "f.yaml:" + std::to_string(line) + ": not valid YAML: ";
    EXPECT_EQ(error.substr(0, start.size()), start) << text;
    return error.substr(std::min(error.size(), start.size()));
  };
  EXPECT_EQ(problem("x: 1\na: {b: 1\nc: 2\n", 2), "missing } or comma");
  EXPECT_EQ(problem("a: 1\nb: [1, 2\nc: 3\nd: 4\n", 2), "missing ] or comma");
  EXPECT_EQ(problem("a: {b: 1 c: 2}\n", 1), "missing } or comma");
  EXPECT_EQ(problem("a: [1, {b: 2]\n", 1), "] or } without its [ or {; check the brackets before it");
  EXPECT_EQ(problem("a: *nowhere\n", 1), "alias (*name) without an anchor (&name) above it; quote it if it is text");
  for (const std::string text : {"a: b: c\n", "a: 1\n b: 2\n"})
    EXPECT_EQ(problem(text, text == "a: b: c\n" ? 1 : 2),
              "unexpected colon; check the indentation, and quote text that contains ': '");
  EXPECT_EQ(
      problem("a:\n  b: 1\n c: 2\n", 3),
      "indentation does not match the list or map above; check the spaces, and quote text with special characters");
  EXPECT_EQ(problem("a: - b\n", 1), "a list cannot start here; put its first '- ' on a line of its own");
  for (const std::string text : {"a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n", "\ta: 1\n"})
    EXPECT_EQ(problem(text, static_cast<int>(std::ranges::count(text.substr(0, text.find('\t')), '\n')) + 1),
              "tab in the indentation; use spaces");
  for (const std::string text : {"a: @x", "a: `x", "a: %x", "a: * x", "a: & x", "a: !<x"})
    EXPECT_EQ(problem(text, 1), "text that starts with one of * & ! % @ ` needs quotes") << text;
  for (const std::string text : {R"(a: "C:\dir")", R"(a: "\xzz")"})
    EXPECT_EQ(problem(text, 1), "unknown escape in double quotes; write \\\\ for a backslash, or use single quotes");
  EXPECT_EQ(problem("a: |x\n b\n", 1), "text after | or >; start it on the next line, indented");
  EXPECT_EQ(problem("%YAML 9.9\n---\na: 1\n", 1),
            "YAML directives (lines that start with %) are not supported; remove them");
}

// yaml-cpp 0.7 takes all the rest of a file for the text of a quote that is never closed.
TEST(YamlTree, QuotesMustBeClosed) {
  const std::string expected = "not valid YAML: missing closing quote";
  for (const std::string quote : {"\"", "'"}) {
    EXPECT_EQ(parse_error("a: 1\nb: " + quote + "x\nc: 3\n"), "f.yaml:2: " + expected);
    EXPECT_EQ(parse_error("a: 1\nb: " + quote + "x"), "f.yaml:2: " + expected);
    EXPECT_EQ(parse_error("a: " + quote), "f.yaml:1: " + expected);
    EXPECT_EQ(parse_error("a: [1, " + quote + "x]\nb: 2\n"), "f.yaml:1: " + expected);
  }
  EXPECT_EQ(parsed("a: \"x\n  y\"\n# the end"), "{a: \"x y\"}");
  EXPECT_EQ(parsed("a: |\n  x\n"), "{a: \"x\\n\"}");
}

TEST(YamlTree, WindowsLineEnds) {
  EXPECT_EQ(parsed("a: 1\r\nb:\r\n  - x\r\n  - \"y\"\r\n"), "{a: 1, b: [x, \"y\"]}");
  EXPECT_EQ(parse_error("a: 1\r\nb: 2\r\na: 3\r\n"), "f.yaml:3: duplicate key 'a'; the first is on line 1");
}

TEST(YamlTree, RefusesWhatIsNoText) {
  EXPECT_EQ(parse_error(std::string("a: 1\nb: \0\n", 10)),
            "f.yaml:2: binary file; expected a job as YAML or JSON text");
  EXPECT_EQ(parse_error("a: 1\nb: \xff\xfe\n"), "f.yaml:2: expected UTF-8 text without control characters");
  EXPECT_EQ(parse_error("a: \x1b[31mred\x1b[0m\n"), "f.yaml:1: expected UTF-8 text without control characters");
  EXPECT_EQ(parse_error("a: \"\\e[31mred\"\n"), "f.yaml:1: control characters are not allowed in text");
  EXPECT_EQ(parse_error("\"\\x1b]0;x\\a\": 1\n"), "f.yaml:1: control characters are not allowed in text");
  for (const std::string bad : {"\xc2\x85", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\x7f"})
    EXPECT_EQ(parse_error("a: " + bad), "f.yaml:1: expected UTF-8 text without control characters");
  EXPECT_EQ(parsed("a: \xF0\x9F\x9A\x80"), "{a: \"\xF0\x9F\x9A\x80\"}");
}

TEST(YamlTree, BoundsSize) {
  EXPECT_EQ(parse_error(std::string(kMaxTextBytes + 1, 'a')),
            "f.yaml: the file is too large (limit 1 MB); a job file is a few KB of text");
  EXPECT_TRUE(parse_tree(std::string(kMaxTextBytes, 'a'), "f.yaml"));
}

TEST(YamlTree, BoundsDepth) {
  EXPECT_EQ(parse_error(repeated("- ", 400'000)), "f.yaml:1: nested deeper than 64 levels");
  EXPECT_EQ(parse_error(repeated("[", 400'000) + repeated("]", 400'000)), "f.yaml:1: nested deeper than 64 levels");
  // Brackets that are never closed are no YAML at any depth.
  for (const std::string open : {"[", "{a: ", "? ", "{", "!t ", "&a ", "- ["}) {
    const std::string error = parse_error(repeated(open, 400'000 / static_cast<int>(open.size())));
    EXPECT_EQ(error.substr(0, 8), "f.yaml:1") << open;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(parse_tree(repeated("[", kMaxDepth) + repeated("]", kMaxDepth), "f.yaml"));
  EXPECT_FALSE(parse_tree(repeated("[", kMaxDepth + 1) + repeated("]", kMaxDepth + 1), "f.yaml"));
}

TEST(YamlTree, BoundsDepthThroughAliases) {
  // Every line nests the one before ten levels deeper.
  std::string text = "a0: &a0 x\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = "a" + std::to_string(i);
    text += name + ": &" + name + " " + repeated("[", 10) + "*a" + std::to_string(i - 1) + repeated("]", 10) + "\n";
  }
  EXPECT_EQ(parse_error(text), "f.yaml:8: nested deeper than 64 levels");
}

TEST(YamlTree, BoundsValues) {
  EXPECT_EQ(parse_error("[" + repeated("1,", 200'000) + "]"),
            "f.yaml:1: more than 100,000 values (aliases expanded); split the job");
}

TEST(YamlTree, DefusesAliasBombs) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  std::string merges = "m0: &m0 {k: x}\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(alias + ", ", 9) + alias + "]\n";
  }
  EXPECT_EQ(parse_error(laughs), "f.yaml:5: more than 100,000 values (aliases expanded); split the job");
  const std::string long_text = "a: &a " + std::string(500'000, 'x') + "\nb: [" + repeated("*a, ", 1000) + "1]\n";
  EXPECT_EQ(parse_error(long_text), "f.yaml:2: more than 4 MB of text once aliases are expanded; split the job");
  // Anchors inside anchors keep copies of what they hold.
  std::string nested;
  for (int i = 0; i < 60; ++i) nested += "&b" + std::to_string(i) + " [";
  nested += repeated("1,", 20'000) + repeated("]", 60);
  EXPECT_EQ(parse_error(nested), "f.yaml:1: more than 100,000 values or 4 MB of text under anchors; split the job");
}

}  // namespace
}  // namespace gpuplan
