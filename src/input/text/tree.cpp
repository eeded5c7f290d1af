#include "input/text/tree.h"

#include <algorithm>

#include "base/shell/shell_text.h"
#include "base/text.h"

namespace gpuplan {

namespace {

/// Plain scalars may hold only what can not be taken for YAML's own marks, at a place inside a flow collection.
bool plain_is_safe(const Tree& tree) {
  const std::string& text = tree.text;
  if (tree.quoted || text.empty() || text == "~" || iequals(text, "null")) return false;
  const auto letter_or_digit = [](char c) { return is_letter(c) || is_digit(c); };
  const char first = text.front();
  if (!letter_or_digit(first) && first != '$' && first != '/' && first != '.') return false;
  if (text.back() == ' ') return false;
  for (const char c : text) {
    const bool allowed = letter_or_digit(c) || std::string_view("$_./%- ").find(c) != std::string_view::npos;
    if (!allowed) return false;
  }
  return text != "..." && text.find("  ") == std::string::npos;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text, at), 1);
    const std::string_view character = text.substr(at, length);
    at += length;
    if (character == "\n") {
      out += "\\n";
    } else if (character == "\t") {
      out += "\\t";
    } else {
      const std::string literal = string_literal(character);
      out.append(literal, 1, literal.size() - 2);
    }
  }
  out += '"';
}

void append_scalar(std::string& out, const Tree& tree) {
  if (plain_is_safe(tree)) {
    out += tree.text;
  } else {
    append_quoted(out, tree.text);
  }
}

void append_flow(std::string& out, const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::kNull:
      out += '~';
      return;
    case Tree::Kind::kScalar:
      append_scalar(out, tree);
      return;
    case Tree::Kind::kList:
    case Tree::Kind::kMap:
      break;
  }
  const bool map = tree.is_map();
  out += map ? '{' : '[';
  bool first = true;
  for (const Tree& child : tree.children) {
    if (!first) out += ", ";
    first = false;
    if (map) {
      std::string name;
      append_scalar(name, scalar_tree(child.key));
      // YAML takes a text for a key by itself only up to 1024 characters.
      if (name.size() > 1000) out += "? ";
      out += name;
      out += ": ";
    }
    append_flow(out, child);
  }
  out += map ? '}' : ']';
}

}  // namespace

const Tree* Tree::find(std::string_view name) const {
  if (!is_map()) return nullptr;
  for (const Tree& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

Tree* Tree::find(std::string_view name) {
  if (!is_map()) return nullptr;
  for (Tree& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

Tree scalar_tree(std::string_view text) {
  Tree tree;
  tree.kind = Tree::Kind::kScalar;
  tree.text = text;
  return tree;
}

std::string flow_text(const Tree& tree) {
  std::string out;
  append_flow(out, tree);
  return out;
}

std::string got_text(const Tree& tree) {
  switch (tree.kind) {
    case Tree::Kind::kNull:
      return "nothing";
    case Tree::Kind::kList:
      return tree.children.empty() ? "an empty list" : "a list";
    case Tree::Kind::kMap:
      return tree.children.empty() ? "an empty map" : "a map";
    case Tree::Kind::kScalar:
      break;
  }
  std::string out = "'";
  out += printable(tree.text, 80);
  out += '\'';
  return out;
}

}  // namespace gpuplan
