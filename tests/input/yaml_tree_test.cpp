#include "input/yaml_tree.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(parse_error("a: 1\nb: 2\na: 3\n"), "f.yaml:3: duplicate key 'a'; it stands on line 1 already");
  EXPECT_EQ(parse_error("a: 1\n'a': 3\n"), "f.yaml:2: duplicate key 'a'; it stands on line 1 already");
  EXPECT_EQ(parse_error("a: 1\n---\nb: 2\n"),
            "f.yaml:2: a second document starts here; expected one document in the file");
  EXPECT_EQ(parse_error("a: !python/object x\n"),
            "f.yaml:1: the tag '!python/object' has no meaning here; leave it out");
  EXPECT_EQ(parse_error("a: !foo {b: 1}\n"), "f.yaml:1: the tag '!foo' has no meaning here; leave it out");
  EXPECT_EQ(parse_error("? [a, b]\n: 1\n"),
            "f.yaml:1: a list or map stands where the name of a key is expected; is a ] or } missing?");
  EXPECT_EQ(parse_error("~: 1\n"), "f.yaml:1: expected a name as key, got nothing");
  EXPECT_EQ(parse_error("a: {<<: 3}\n"), "f.yaml:1: <<: expected a map or a list of maps to merge, got '3'");
  EXPECT_EQ(parse_error("a: &x [1, *x]\n"), "f.yaml:1: an anchor can not hold itself");
  EXPECT_EQ(parse_error("a: {b: 1\nc: 2\n"), "f.yaml:2: this can not be read as YAML: end of map flow not found");
  EXPECT_EQ(parse_error("a: *nowhere\n"),
            "f.yaml:1: this can not be read as YAML: the referenced anchor is not defined");
  EXPECT_EQ(parse_error("a: b: c\n"), "f.yaml:1: this can not be read as YAML: illegal map value");
}

TEST(YamlTree, RefusesWhatIsNoText) {
  EXPECT_EQ(parse_error(std::string("a: 1\nb: \0\n", 10)),
            "f.yaml:2: this is a binary file; expected a job as YAML or JSON text");
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
            "f.yaml: the file is larger than 1 MB; a job file is text of a few KB");
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
