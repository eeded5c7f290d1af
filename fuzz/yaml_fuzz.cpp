// Any bytes: a tree within the bounds that reads back from its own text, or one clear line.
// seeds: examples/*.yaml
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "input/text/tree.h"
#include "input/text/yaml_tree.h"
#include "one_line.h"

namespace {

int count(const gpuplan::Tree& tree, int depth) {
  if (depth > gpuplan::kMaxDepth) __builtin_trap();
  int nodes = 1;
  for (const gpuplan::Tree& child : tree.children) nodes += count(child, depth + 1);
  return nodes;
}

bool same(const gpuplan::Tree& a, const gpuplan::Tree& b) {
  if (a.kind != b.kind || a.text != b.text || a.key != b.key || a.children.size() != b.children.size()) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i)
    if (!same(a.children[i], b.children[i])) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tree = gpuplan::parse_tree(text, "fuzz.yaml");
  if (!tree) {
    check_error(tree.error());
    return 0;
  }
  if (count(*tree, 0) > gpuplan::kMaxNodes + 1) __builtin_trap();
  const std::string flow = gpuplan::flow_text(*tree);
  const auto again = gpuplan::parse_tree(flow, "flow.yaml");
  // Quotes make texts near the limit longer; what is refused then must be the size.
  if (!again ? flow.size() <= gpuplan::kMaxTextBytes : !same(*tree, *again)) __builtin_trap();
  return 0;
}
