#include "input/text/tree.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

/// Kind, texts, keys and order; not places and quotes.
bool same(const Tree& a, const Tree& b) {
  if (a.kind != b.kind || a.text != b.text || a.key != b.key || a.children.size() != b.children.size()) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (!same(a.children[i], b.children[i])) return false;
  return true;
}

TEST(Tree, FlowTextIsPlainWhereItCanBe) {
  const auto tree = parse_tree("a: {gpu: L4, price: $1.50/h, note: 'x: y', list: [1, ~, \"\"]}", "t");
  ASSERT_TRUE(tree);
  EXPECT_EQ(flow_text(*tree), R"({a: {gpu: L4, price: $1.50/h, note: "x: y", list: [1, ~, ""]}})");
}

TEST(Tree, FlowTextOfNullLookAlikesIsQuoted) {
  for (const std::string text :
       {"null", "~", "Null", "<5%", "-1", "*x", "&x", "%x", "a#b", "yes: no", " x", "x ", "..."})
    EXPECT_EQ(flow_text(scalar_tree(text)), "\"" + text + "\"");
}

TEST(Tree, LongKeysReadBack) {
  const std::string key(3000, 'k');
  const auto tree = parse_tree("? " + key + "\n: 1\nb: 2", "t");
  ASSERT_TRUE(tree);
  const auto again = parse_tree(flow_text(*tree), "t");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->find(key)->text, "1");
}

TEST(Tree, GotTextIsPrintable) {
  EXPECT_EQ(got_text(scalar_tree("12 hous")), "'12 hous'");
  EXPECT_EQ(got_text(scalar_tree("\x1b[31m")), "'?[31m'");
  EXPECT_EQ(got_text(Tree{}), "nothing");
}

rc::Gen<std::string> any_text() {
  return rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange<char>(' ', '~'),
                     rc::gen::element('\n', '\t', ':', '#', '{', ']', '"', '\'', '\\', '&', '*', '-')));
}

Tree any_tree(int depth) {
  Tree tree;
  const int kind = *rc::gen::inRange(0, depth > 0 ? 4 : 2);
  tree.kind = static_cast<Tree::Kind>(kind);
  if (tree.is_scalar()) tree.text = *any_text();
  if (!tree.is_list() && !tree.is_map()) return tree;
  const int size = *rc::gen::inRange(0, 4);
  for (int i = 0; i < size; ++i) {
    Tree child = any_tree(depth - 1);
    if (tree.is_map()) {
      child.key = *any_text();
      if (child.key.empty() || tree.find(child.key) != nullptr) continue;
    }
    tree.children.push_back(std::move(child));
  }
  return tree;
}

TEST(Tree, FlowTextReadsBackAsTheSameTree) {
  EXPECT_TRUE(rc::check([] {
    const Tree tree = any_tree(3);
    const std::string text = flow_text(tree);
    const auto back = parse_tree(text, "t");
    if (!back) RC_FAIL(text + ": " + back.error().message);
    RC_ASSERT(same(tree, *back));
  }));
}

}  // namespace
}  // namespace gpuplan
