#include "web/instead/plain_yaml.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

bool same(const Tree& a, const Tree& b) {
  if (a.kind != b.kind || a.quoted != b.quoted || a.text != b.text || a.line != b.line || a.column != b.column ||
      a.key != b.key || a.key_line != b.key_line || a.key_column != b.key_column ||
      a.children.size() != b.children.size())
    return false;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (!same(a.children[i], b.children[i])) return false;
  return true;
}

/// True when the text is read; then yaml-cpp reads the same.
bool reads(const std::string& text) {
  const auto plain = parse_plain_yaml(text, "f.yaml");
  if (!plain) {
    EXPECT_FALSE(plain.error().message.empty());
    EXPECT_EQ(plain.error().message.find('\n'), std::string::npos);
    return false;
  }
  const auto yaml = parse_tree(text, "f.yaml");
  EXPECT_TRUE(yaml) << "yaml-cpp refuses: " << text << "\n" << (yaml ? "" : yaml.error().message);
  EXPECT_TRUE(yaml && same(*plain, *yaml)) << text;
  return true;
}

std::string refusal(const std::string& text) {
  const auto tree = parse_plain_yaml(text, "f.yaml");
  if (tree) return "read";
  return std::to_string(tree.error().place.line) + ":" + std::to_string(tree.error().place.column) + " " +
         tree.error().message;
}

std::vector<std::string> examples() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(GPUPLAN_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

TEST(PlainYaml, ReadsWhatYamlCppReads) {
  for (const char* text :
       {"", "# nothing\n", "a", "a: b", "a: 1\nb:\n  - x\n  -\n  - y: 2\n    z: [1, {q: \"w\"}, ~]\n",
        "a:\n- 1\n- 2\nb: c", "- - 1\n  - 2\n- 3", "a: 'it''s'", R"(a: "\u00e4 \x41 \t\\")",
        R"({"a":1,"b":[true,null,"x: y"]})", "{a: b,\n c: [1,\n2,]}\n", "a: http://x/y#z # comment", "a:   \nb: ~",
        "key with blanks : value", "a: b\r\nc: d\r\n",
        "\xEF\xBB\xBF"
        "a: b",
        "a: -1\nb: :x\nc: x:y", "\"q\": 1\n'r': 2", "a: [x y, z w]"})
    EXPECT_TRUE(reads(text)) << text << "\n" << refusal(text);
}

TEST(PlainYaml, RefusesTheRestWithItsPlace) {
  EXPECT_EQ(refusal("a: &x b"),
            "1:4 an anchor or alias (& or *) is not read in WebAssembly; send the job as an object");
  EXPECT_EQ(refusal("a:\n  - |\n    b"),
            "2:5 a text over several lines (| or >) is not read in WebAssembly; send the job as an object");
  EXPECT_EQ(refusal("a: {<<: b}"), "1:5 a merge (<<) is not read in WebAssembly; send the job as an object");
  EXPECT_EQ(refusal("a: 1\na: 2"), "2:1 duplicate key 'a'; it stands on line 1 already");
  EXPECT_EQ(refusal("a: [1, 2"), "1:0 a [ is not closed, or a comma is missing behind it");
  EXPECT_EQ(refusal("a: \"b"),
            "1:4 a text in quotes over several lines is not read in WebAssembly; send the job as an object");
  for (const char* text : {"a: b\n  c", "a: b: c", "a: 1\n b: 2", "- a\nb: c", "a:\n\tb: c", "--- \na: b", "? a\n: b",
                           "!!str a", "a: \"\\q\"", "a: \"\\u0007\"", "[a: b]", "{a}", "a: ]", "null: 1", "{", "\"a"})
    EXPECT_FALSE(reads(text)) << text;
}

TEST(PlainYaml, KeepsTheBounds) {
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  EXPECT_TRUE(reads(repeated("[", kMaxDepth) + repeated("]", kMaxDepth)));
  EXPECT_FALSE(reads(repeated("[", kMaxDepth + 1) + repeated("]", kMaxDepth + 1)));
  EXPECT_FALSE(reads(repeated("[", 500'000)));
  EXPECT_FALSE(reads(repeated("- ", 400'000)));
  EXPECT_FALSE(reads("[" + repeated("1,", kMaxNodes + 1) + "]"));
  EXPECT_FALSE(reads(std::string(kMaxTextBytes + 1, ' ')));
}

TEST(PlainYaml, MostExamplesAndAllFlowTexts) {
  int read = 0;
  for (const std::string& text : examples()) {
    read += reads(text);
    EXPECT_TRUE(reads(flow_text(parse_tree(text, "f.yaml").value())));
  }
  EXPECT_GE(read, 9);  // prose in blocks of several lines is for the YAML library
}

// What is cut out of the examples and changed here and there: whatever is read is read alike.
TEST(PlainYaml, ReadsChangedTextsAlike) {
  std::vector<std::string> texts = examples();
  for (std::size_t i = texts.size(); i-- > 0;) texts.push_back(flow_text(parse_tree(texts[i], "f.yaml").value()));
  const std::string marks = "{}[]:,-#\"'\n\n  \t\\?&*!|>%@~ax1";
  const std::vector<std::string> parts = {": ",     ":\n",   "- ",   "\n- ", "\n  ",    "\n    ", "{a: b}",
                                          "[1, 2]", "\"x\"", "'y'",  "a:",   "# c\n",   "\r\n",   "null",
                                          "~",      ", ",    "<<: ", "--- ", "\\u0041", "...\n",  "\"a\": 1"};
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&](std::size_t below) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return static_cast<std::size_t>(state % below);
  };
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string& whole = texts[next(texts.size())];
    std::string text = next(4) == 0 ? "" : whole.substr(next(whole.size()), 20 + next(400));
    if (next(2) == 0) text.erase(0, text.find('\n') + 1);
    for (std::size_t changes = next(6) + (text.empty() ? 4 : 0); changes > 0; --changes) {
      const std::size_t at = next(text.size() + 1);
      switch (next(4)) {
        case 0:
          text.insert(at, 1, marks[next(marks.size())]);
          break;
        case 1:
          text.insert(at, parts[next(parts.size())]);
          break;
        case 2:
          text.erase(at, 1 + next(4));
          break;
        default:
          text += parts[next(parts.size())];
      }
    }
    read += reads(text);
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace gpuplan
