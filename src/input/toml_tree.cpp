#include "input/toml_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"

// The library builds tables by recursion; deep nesting would use up the stack.
#define TOML_MAX_NESTED_VALUES 16
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/toml.h>

namespace gpuplan {

namespace {

/// Dotted keys nest too, and the library does not bound them.
constexpr int kMostDots = 60;
constexpr int kDeepest = 64;

class TomlReader {
 public:
  explicit TomlReader(const std::string& file) : file_(file) {}

  std::optional<Tree> convert(const toml::node& node, int depth) {
    Tree tree;
    const toml::source_position at = node.source().begin;
    tree.line = static_cast<int>(at.line);
    tree.column = static_cast<int>(at.column);
    if (depth > kDeepest) return fail(tree.line, "values are nested too deeply");
    if (const toml::table* table = node.as_table()) return convert_table(*table, std::move(tree), depth);
    if (const toml::array* array = node.as_array()) {
      tree.kind = Tree::Kind::kList;
      for (const toml::node& item : *array) {
        auto child = convert(item, depth + 1);
        if (!child) return std::nullopt;
        tree.children.push_back(*std::move(child));
      }
      return tree;
    }
    tree.kind = Tree::Kind::kScalar;
    if (!scalar(node, tree)) return std::nullopt;
    return tree;
  }

  Error error;

 private:
  std::nullopt_t fail(int line, std::string message) {
    error = Error{std::move(message), {file_, line, 0}, false};
    return std::nullopt;
  }

  std::optional<Tree> convert_table(const toml::table& table, Tree tree, int depth) {
    tree.kind = Tree::Kind::kMap;
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      const int line = static_cast<int>(key.source().begin.line);
      if (name.empty() || printable(name, name.size()) != name || name.size() > 1000)
        return fail(line, "'" + printable(name, 60) + "' is no name for a key");
      auto child = convert(value, depth + 1);
      if (!child) return std::nullopt;
      child->key = name;
      child->key_line = line;
      child->key_column = static_cast<int>(key.source().begin.column);
      tree.children.push_back(*std::move(child));
    }
    // The library sorts by name; people expect the order of their file.
    std::ranges::sort(tree.children, {}, [](const Tree& child) { return std::pair(child.key_line, child.key_column); });
    return tree;
  }

  bool scalar(const toml::node& node, Tree& tree) {
    if (const auto* text = node.as_string()) {
      tree.text = text->get();
      if (printable(tree.text, tree.text.size()) == tree.text) return true;
      fail(tree.line, "expected a plain text on one line, got '" + printable(tree.text, 60) + "'");
      return false;
    }
    if (const auto* whole = node.as_integer()) {
      tree.text = std::to_string(whole->get());
    } else if (const auto* number = node.as_floating_point()) {
      if (!std::isfinite(number->get())) {
        fail(tree.line, "expected a number, got inf or nan");
        return false;
      }
      tree.text = number_text(number->get());
    } else if (const auto* flag = node.as_boolean()) {
      tree.text = flag->get() ? "true" : "false";
    } else if (const auto* date = node.as_date()) {
      const auto two = [](int part) { return (part < 10 ? "-0" : "-") + std::to_string(part); };
      tree.text = std::to_string(date->get().year) + two(date->get().month) + two(date->get().day);
    } else {
      fail(tree.line, "times of day are not expected here; write a text such as \"12 h\"");
      return false;
    }
    return true;
  }

  const std::string& file_;
};

}  // namespace

Result<Tree> parse_toml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTomlBytes)
    return failure("is larger than " + count_text(static_cast<double>(kMaxTomlBytes)) + " bytes", {file});
  int line = 1;
  int dots = 0;
  for (const char c : text) {
    if (c == '\n') ++line, dots = 0;
    else if (c == '.' && ++dots > kMostDots) return failure("a line has more than 60 points", {file, line, 0});
  }
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const toml::parse_error& error = result.error();
    std::string message = "not TOML: ";
    message += printable(error.description(), 300);
    const toml::source_position at = error.source().begin;
    return failure(std::move(message), {file, static_cast<int>(at.line), static_cast<int>(at.column)});
  }
  TomlReader reader(file);
  auto tree = reader.convert(result.table(), 0);
  if (!tree) return std::unexpected(std::move(reader.error));
  return *std::move(tree);
}

}  // namespace gpuplan
