#include "laws/case.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace gpuplan::laws {
namespace {

Tree of_kind(Tree::Kind kind) {
  Tree tree;
  tree.kind = kind;
  return tree;
}

/// Blocks where a line would become long.
void append_block(std::string& out, const Tree& tree, std::size_t indent) {
  constexpr std::size_t kLine = 100;
  for (const Tree& child : tree.children) {
    out.append(indent, ' ');
    if (tree.is_map()) out += child.key + ":";
    else out += '-';
    const std::string flow = flow_text(child);
    const bool deep = !child.children.empty() && (flow.size() + indent > kLine || indent == 0);
    if (!deep) {
      out += ' ' + flow + '\n';
      continue;
    }
    if (tree.is_map()) {
      out += '\n';
      append_block(out, child, indent + 2);
    } else {  // the first line of an entry stands behind its dash
      std::string inner;
      append_block(inner, child, indent + 2);
      out += inner.substr(indent + 1);
    }
  }
}

std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

Tree map_tree() { return of_kind(Tree::Kind::kMap); }
Tree list_tree() { return of_kind(Tree::Kind::kList); }
Tree number_tree(double value, std::string_view unit) { return scalar_tree(number_text(value) + std::string(unit)); }

Tree& put(Tree& map, std::string_view key, Tree value) {
  value.key = key;
  if (Tree* there = map.find(key)) return *there = std::move(value);
  map.kind = Tree::Kind::kMap;
  return map.children.emplace_back(std::move(value));
}
Tree& put(Tree& map, std::string_view key, std::string_view text) { return put(map, key, scalar_tree(text)); }

void drop(Tree& map, std::string_view key) {
  std::erase_if(map.children, [&](const Tree& child) { return child.key == key; });
}

std::vector<Tree*> offer_lists(Tree& job) {
  std::vector<Tree*> lists;
  if (Tree* market = job.find("market"))
    for (const std::string_view name : {"offers", "pools", "own"})
      if (Tree* list = market->find(name)) lists.push_back(list);
  return lists;
}

std::vector<Tree>& phases_of(Tree& job) {
  Tree* phases = job.find("phases");
  return (phases != nullptr ? *phases : put(job, "phases", list_tree())).children;
}
const std::vector<Tree>& phases_of(const Tree& job) {
  static const std::vector<Tree> kNone;
  const Tree* phases = job.find("phases");
  return phases != nullptr ? phases->children : kNone;
}

std::string phase_name(const Tree& phase) {
  const Tree* name = phase.find("name");
  return name != nullptr ? name->text : "";
}

Tree* work_of(Tree& phase) {
  for (const std::string_view kind : {"train", "generate", "collect", "work", "fixed", "cpu"})
    if (Tree* work = phase.find(kind)) return work;
  return nullptr;
}

std::size_t offers_of(const Case& one) {
  if (!one.prices.empty()) return one.prices.size();
  std::size_t count = 0;
  Tree job = one.job;
  for (const Tree* list : offer_lists(job)) count += list->children.size();
  return count;
}

void drop_offer(Case& one, std::size_t position) {
  if (!one.prices.empty()) {
    one.prices.erase(one.prices.begin() + static_cast<std::ptrdiff_t>(position));
    return;
  }
  for (Tree* list : offer_lists(one.job)) {
    if (position < list->children.size()) {
      list->children.erase(list->children.begin() + static_cast<std::ptrdiff_t>(position));
      return;
    }
    position -= list->children.size();
  }
}

std::string job_text(const Tree& job) {
  std::string out;
  append_block(out, job, 0);
  return out;
}

std::string price_text(const std::vector<PriceRow>& rows) {
  std::vector<std::string> columns;
  for (const PriceRow& row : rows)
    for (const auto& [column, text] : row)
      if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  std::string out = join(columns, ",") + '\n';
  for (const PriceRow& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto there = std::ranges::find(row, columns[i], [](const auto& pair) { return pair.first; });
      out += (i > 0 ? "," : "") + (there == row.end() ? std::string() : cell(there->second));
    }
    out += '\n';
  }
  return out;
}

std::string scaled(std::string_view amount, double factor) {
  std::string out;
  for (std::size_t at = 0; at < amount.size();) {
    if (std::isdigit(static_cast<unsigned char>(amount[at])) == 0) {
      out += amount[at++];
      continue;
    }
    double value = 0;
    const auto [end, error] =
        std::from_chars(amount.data() + at, amount.data() + amount.size(), value, std::chars_format::fixed);
    if (error != std::errc()) return std::string(amount);
    out += significant_text(value * factor, 6);
    at = static_cast<std::size_t>(end - amount.data());
  }
  return out;
}

double between(Random& random, double low, double high) {
  const double value = low * math::exp(random.uniform01() * math::log(high / low));
  // Three digits: cases are read by people.
  const double size = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::clamp(std::round(value / size) * size, low, high);
}

bool chance(Random& random, double probability) { return random.uniform01() < probability; }

std::string_view one_of(Random& random, std::initializer_list<std::string_view> choices) {
  return choices.begin()[random.below(choices.size())];
}

}  // namespace gpuplan::laws
