#include "laws/mutate.h"

namespace gpuplan::laws {
namespace {

void collect(Tree& tree, std::vector<Tree*>& out) {
  out.push_back(&tree);
  for (Tree& child : tree.children) collect(child, out);
}

std::string with_number(std::string_view text, std::string_view number) {
  std::size_t from = text.find_first_of("0123456789");
  if (from == std::string_view::npos) return std::string(number);
  std::size_t to = from;
  while (to < text.size() && (text[to] == '.' || (text[to] >= '0' && text[to] <= '9'))) ++to;
  return std::string(text.substr(0, from)) + std::string(number) + std::string(text.substr(to));
}

std::string_view extreme(Random& random) {
  return one_of(random, {"0",
                         "-1",
                         "1",
                         "1e18",
                         "1e-300",
                         "9223372036854775807",
                         "2147483648",
                         "1e308",
                         "0.5",
                         "5T",
                         "1e9",
                         "100000",
                         "999999999999",
                         "1e-9",
                         "nan",
                         "inf",
                         "65536",
                         "3000000",
                         "1e12",
                         "1e15"});
}

void mutate_characters(Random& random, std::string& text) {
  if (text.empty()) return;
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0:
      text.erase(at, 1 + random.below(8));
      break;
    case 1:
      text.insert(
          at, one_of(random, {"\n", "  ", "\t", "\"", "{", "}", "[", "&a ", "*a", "#", ":", "-", "%", "\xC3", "e9"}));
      break;
    case 2:
      text[at] = static_cast<char>(random.below(256));
      break;
    default: {  // a line once more
      const std::size_t start = text.rfind('\n', at) + 1;
      text.insert(start, text.substr(start, text.find('\n', start) - start) + '\n');
    }
  }
}

}  // namespace

void mutate_tree(Random& random, Tree& job) {
  std::vector<Tree*> all;
  collect(job, all);
  Tree& tree = *all[random.below(all.size())];
  const std::uint64_t kind = random.below(10);
  if (kind < 5) {  // numbers matter most
    for (int tries = 0; tries < 8; ++tries) {
      Tree& scalar = *all[random.below(all.size())];
      if (!scalar.is_scalar()) continue;
      scalar.text = with_number(scalar.text, extreme(random));
      return;
    }
  } else if (kind == 5 && tree.is_scalar()) {
    tree.text = one_of(random, {"", " ", "~", "auto", "x", "\"", "true", "- a", "{a: 1}", "\xE2\x80\xAE", "100%"});
  } else if (kind == 6 && tree.is_map()) {
    put(tree, one_of(random, {"unknown", "x y", "gpus", "price", "steps", "batch", "<<"}), extreme(random));
  } else if (kind == 7) {
    Tree copy = *all[random.below(all.size())];
    if (copy.children.size() > 20) return;
    copy.key = tree.key;
    tree = copy;
  } else if (kind == 8 && tree.is_list() && !tree.children.empty()) {
    Tree copy = tree.children[random.below(tree.children.size())];
    for (std::uint64_t i = random.below(4); i-- > 0;) tree.children.push_back(copy);
  } else if (kind == 9) {
    Tree nested = tree;
    for (std::uint64_t depth = random.below(70); depth-- > 0;) {
      Tree list = list_tree();
      list.children.push_back(std::move(nested));
      nested = std::move(list);
    }
    nested.key = tree.key;
    tree = std::move(nested);
  }
}

std::string mutated_text(Random& random, Case& one) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) mutate_tree(random, one.job);
  if (!one.prices.empty() && chance(random, 0.2)) {
    PriceRow& row = one.prices[random.below(one.prices.size())];
    std::string& text = row[random.below(row.size())].second;
    text = with_number(text, extreme(random));
  }
  std::string text = job_text(one.job);
  if (chance(random, 0.15)) mutate_characters(random, text);
  return text;
}

}  // namespace gpuplan::laws
