#include "web/instead/plain_yaml.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "input/text/plain_text.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestKey = 1000;  // YAML takes a text for a key by itself only up to 1024 characters

bool is_null_text(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Goes through the text once. Every reader leaves the position behind what it read, or says what is wrong.
class PlainReader {
 public:
  /// The end is where yaml-cpp sees it, for places.
  PlainReader(std::string_view text, const std::string& file) : text_(std::string(text) + "\n"), file_(file) {
    if (text.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
  }

  std::optional<Tree> document() {
    Tree root;
    if (!next_block()) return std::nullopt;
    if (at_end()) return root;
    if (!block(root, -1)) return std::nullopt;
    if (!at_end()) return refuse("this fits no list or map above; check the indentation, and quotes around texts");
    return root;
  }

  Error error;

 private:
  // ---- places ----

  struct Mark {
    int line = 0, column = 0;
  };
  Mark mark() const { return {line_, column() + 1}; }
  int column() const { return static_cast<int>(at_ - line_start_); }
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool blank_at(std::size_t ahead) const { return at_ + ahead >= text_.size() || one_of(peek(ahead), " \t\r\n"); }

  std::nullopt_t refuse(std::string message, Mark place) {
    error = Error{std::move(message), {file_, place.line, place.column}};
    return std::nullopt;
  }
  std::nullopt_t refuse(std::string message) { return refuse(std::move(message), mark()); }
  std::nullopt_t unknown(std::string_view what, Mark place) {
    return refuse(std::string(what) + " not read in WebAssembly; send the job as an object", place);
  }

  static Tree make(Tree::Kind kind, Mark place) {
    Tree tree;
    tree.kind = kind;
    tree.line = place.line;
    tree.column = place.column;
    return tree;
  }

  // ---- between values ----

  void next_line() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }
  void skip_blanks() {
    const bool indentation = at_ == line_start_;
    for (; one_of(peek(), " \t") && !at_end(); ++at_) indented_by_tab_ |= indentation && peek() == '\t';
  }
  /// True at the end of a line, where a comment may stand. The line feed is left.
  bool rest_is_empty() {
    const std::size_t begun = at_;
    skip_blanks();
    if (peek() == '#' && (at_ > begun || at_ == line_start_)) at_ = std::min(text_.find('\n', at_), text_.size());
    if (peek() == '\r' && peek(1) == '\n') ++at_;
    return at_end() || peek() == '\n';
  }
  /// To the next value, over empty lines and comments.
  void next_token() {
    while (rest_is_empty() && !at_end()) next_line();
  }
  /// The same between blocks, where a tab is no indentation.
  bool next_block() {
    indented_by_tab_ = false;
    next_token();
    if (indented_by_tab_) refuse("a tab in the indentation; expected blanks");
    return !indented_by_tab_;
  }

  // ---- bounds ----

  bool counted(std::size_t bytes, Mark place) {
    bytes_ += bytes;
    if (++nodes_ <= kMaxNodes && bytes_ <= kMaxExpandedBytes) return true;
    refuse("more than " + count_text(kMaxNodes) + " values or 4 MB of text; split the job", place);
    return false;
  }
  bool opened(Mark place) {
    if (depth_ >= kMaxDepth) {
      refuse("nested deeper than " + count_text(kMaxDepth) + " levels", place);
      return false;
    }
    ++depth_;
    return counted(0, place);
  }

  // ---- texts ----

  bool escape(std::string& out) {
    static constexpr std::string_view kNames = "nrt\"'\\/ ", kValues = "\n\r\t\"'\\/ ";
    const char name = peek();
    ++at_;
    if (const std::size_t found = kNames.find(name); found != std::string_view::npos) {
      out += kValues[found];
      return true;
    }
    const std::size_t digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    for (std::size_t i = 0; i < digits; ++i, ++at_) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(to_lower(text_.substr(at_, 1)));
      if (digit == std::string_view::npos || at_end()) return false;
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    if (digits == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    append_utf8(out, code);
    return true;
  }

  std::optional<Tree> quoted() {
    const Mark place = mark();
    const char quote = peek();
    Tree tree = make(Tree::Kind::kScalar, place);
    tree.quoted = true;
    for (++at_; !at_end(); ++at_) {
      const char c = peek();
      if (c == '\n' || c == '\r') return unknown("a text in quotes over several lines is", place);
      if (c == quote && quote == '\'' && peek(1) == '\'') ++at_;
      else if (c == quote) break;
      if (c == '\\' && quote == '"') {
        ++at_;
        if (!escape(tree.text))
          return refuse(
              "an escape in double quotes that is not known; write \\\\ for a backslash, or use single quotes");
        --at_;
      } else {
        tree.text += c;
      }
    }
    if (at_end()) return refuse("a quote opens and is not closed", place);
    ++at_;
    if (first_bad_byte(tree.text)) return refuse("control characters are not allowed in text", place);
    return tree;
  }

  /// A text without quotes ends at what could be YAML's own mark.
  std::optional<Tree> plain(bool flow) {
    const Mark place = mark();
    if (one_of(peek(), "|>")) return unknown("a text over several lines (| or >) is", place);
    if (one_of(peek(), "&*")) return unknown("an anchor or alias (& or *) is", place);
    if (one_of(peek(), "!%@`,[]{}?#"))
      return refuse("a text that begins with one of ! % @ ` , [ ] { } ? # needs quotes");
    if (one_of(peek(), "-:") && blank_at(1)) return refuse("a value is expected here; quotes may be missing");
    if (column() == 0 && (text_.compare(at_, 3, "---") == 0 || text_.compare(at_, 3, "...") == 0) && blank_at(3))
      return unknown("a text of several documents (--- or ...) is", place);
    const std::size_t begun = at_;
    for (; !at_end() && !one_of(peek(), "\r\n"); ++at_) {
      const char c = peek();
      if (c == ':' && (blank_at(1) || (flow && one_of(peek(1), ",]}")))) break;
      if (c == '#' && one_of(text_[at_ - 1], " \t")) break;
      if (flow && c == '?') return refuse("a text with ? needs quotes between brackets");
      if (flow && one_of(c, ",[]{}")) break;
    }
    std::string_view written(text_.data() + begun, at_ - begun);
    while (!written.empty() && one_of(written.back(), " \t")) written.remove_suffix(1);
    at_ = begun + written.size();
    Tree tree = make(is_null_text(written) ? Tree::Kind::kNull : Tree::Kind::kScalar, place);
    if (tree.is_scalar()) tree.text = written;
    return tree;
  }

  std::optional<Tree> scalar(bool flow) {
    const Mark place = mark();
    auto tree = one_of(peek(), "\"'") ? quoted() : plain(flow);
    if (!tree || !counted(tree->text.size(), place)) return std::nullopt;
    return tree;
  }

  // ---- lists and maps ----

  /// Whether the scalar read last, from `begun` on, is a key: a colon stands behind it. Takes the colon.
  bool key_ends(const Tree& key, std::size_t begun, bool flow) {
    const std::size_t end = at_;
    skip_blanks();
    const bool json = flow && key.quoted;
    const bool colon = peek() == ':' && !at_end() && (json || blank_at(1) || (flow && one_of(peek(1), ",]}")));
    if (colon && at_ - begun <= kLongestKey) {
      ++at_;
      return true;
    }
    at_ = end;
    return false;
  }

  using Lines = std::unordered_map<std::string, int>;
  bool add_entry(Tree& map, const Tree& key, std::optional<Tree> value) {
    if (!value) return false;
    value->key = key.text;
    value->key_line = key.line;
    value->key_column = key.column;
    map.children.push_back(*std::move(value));
    return true;
  }
  bool new_key(Lines& lines, const Tree& key) {
    if (!key.is_scalar()) {
      refuse("expected a name as key, got " + got_text(key), {key.line, key.column});
      return false;
    }
    if (key.text == "<<" && !key.quoted) {
      unknown("a merge (<<) is", {key.line, key.column});
      return false;
    }
    int& first = lines[key.text];
    if (first != 0) {
      refuse("duplicate key '" + printable(key.text, 80) + "'; it stands on line " + std::to_string(first) + " already",
             {key.line, key.column});
      return false;
    }
    first = key.line;
    return true;
  }

  /// A list or map in brackets.
  std::optional<Tree> brackets() {
    const Mark place = mark();
    const bool map = peek() == '{';
    const char close = map ? '}' : ']';
    Tree tree = make(map ? Tree::Kind::kMap : Tree::Kind::kList, place);
    if (!opened(place)) return std::nullopt;
    Lines lines;
    ++at_;
    for (next_token(); peek() != close; next_token()) {
      if (at_end()) return refuse(map ? "a { is not closed" : "a [ is not closed", {place.line, 0});
      if (map ? !pair(tree, lines) : !item(tree)) return std::nullopt;
      next_token();
      if (peek() == ',') ++at_;
      else if (peek() != close)
        return refuse(map ? "a { is not closed, or a comma is missing behind it"
                          : "a [ is not closed, or a comma is missing behind it",
                      {place.line, 0});
    }
    ++at_;
    --depth_;
    return tree;
  }
  std::optional<Tree> in_brackets() { return one_of(peek(), "[{") ? brackets() : scalar(true); }
  bool item(Tree& list) {
    auto value = in_brackets();
    if (!value) return false;
    list.children.push_back(*std::move(value));
    return true;
  }
  bool pair(Tree& map, Lines& lines) {
    const std::size_t begun = at_;
    auto key = scalar(true);
    if (!key) return false;
    if (!key_ends(*key, begun, true)) {
      refuse("expected a key and its value between { and }");
      return false;
    }
    if (!new_key(lines, *key)) return false;
    next_token();
    return add_entry(map, *key, in_brackets());
  }

  /// What stands on the rest of a line, or what is indented more than `indent` below: the value of a key or item. A
  /// list may stand right below its key.
  bool value_of(Tree& out, int indent, bool of_key) {
    if (!rest_is_empty()) {
      skip_blanks();
      return of_key ? on_line(out, indent) : block(out, indent);
    }
    if (!next_block()) return false;
    const bool list_below = of_key && column() == indent && peek() == '-' && blank_at(1);
    if (!at_end() && (column() > indent || list_below)) return block(out, list_below ? indent - 1 : indent);
    Mark place = mark();  // of what comes next, and at the end of the text as yaml-cpp has it
    if (at_end() && indent > (of_key ? 1 : 0)) ++place.column;
    out = make(Tree::Kind::kNull, place);
    return counted(0, place);
  }

  /// A value that ends with its line.
  bool on_line(Tree& out, int indent) {
    auto value = one_of(peek(), "[{") ? brackets() : scalar(false);
    return value && ends_line(indent) && (out = *std::move(value), true);
  }
  bool ends_line(int indent) {
    if (!rest_is_empty()) {
      refuse("expected the end of the line; a text that holds ': ' or begins with a bracket needs quotes");
      return false;
    }
    if (!next_block()) return false;
    if (at_end() || column() <= indent) return true;
    refuse("this is indented more than what stands above; a text over several lines is not read in WebAssembly");
    return false;
  }

  /// A value whose first line is indented more than `indent`.
  bool block(Tree& out, int indent) {
    if (text_.find('\t', line_start_) < at_) {
      refuse("a tab in the indentation; expected blanks");
      return false;
    }
    const int own = column();
    if (peek() == '-' && blank_at(1)) return block_list(out, own);
    if (one_of(peek(), "[{")) return on_line(out, indent);
    const std::size_t begun = at_;
    auto first = scalar(false);
    if (!first) return false;
    if (key_ends(*first, begun, false)) return block_map(out, own, *std::move(first));
    return ends_line(indent) && (out = *std::move(first), true);
  }

  bool block_list(Tree& out, int own) {
    out = make(Tree::Kind::kList, mark());
    if (!opened(mark())) return false;
    while (!at_end() && column() == own && peek() == '-' && blank_at(1)) {
      ++at_;
      Tree value;
      if (!value_of(value, own, false)) return false;
      out.children.push_back(std::move(value));
      if (!next_block()) return false;
    }
    --depth_;
    return fits(own + 1);  // the next key may stand right below the items of the last one
  }

  bool block_map(Tree& out, int own, Tree key) {
    const Mark place{key.line, key.column};
    out = make(Tree::Kind::kMap, place);
    if (!opened(place)) return false;
    Lines lines;
    while (true) {
      Tree value;
      if (!new_key(lines, key) || !value_of(value, own, true) || !add_entry(out, key, std::move(value))) return false;
      if (!next_block()) return false;
      if (at_end() || column() != own) break;
      const std::size_t begun = at_;
      auto next = scalar(false);
      if (!next) return false;
      if (!key_ends(*next, begun, false)) {
        refuse("expected a key and a colon with a blank behind it");
        return false;
      }
      key = *std::move(next);
    }
    --depth_;
    return fits(own);
  }

  /// What follows stands to the left of this column.
  bool fits(int column_behind) {
    if (at_end() || column() < column_behind) return true;
    refuse("this fits no list or map above; check the indentation, and quotes around texts");
    return false;
  }

  const std::string text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0, bytes_ = 0;
  int line_ = 1, nodes_ = 0, depth_ = 0;
  bool indented_by_tab_ = false;
};

}  // namespace

Result<Tree> parse_plain_yaml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTextBytes)
    return failure("the file is larger than 1 MB; a job file is text of a few KB", {file});
  if (const auto bad = first_bad_byte(text)) return bad_byte_failure(text, *bad, file, "a job as YAML or JSON text");
  PlainReader reader(text, file);
  auto tree = reader.document();
  if (!tree) return std::unexpected(std::move(reader.error));
  return *std::move(tree);
}

}  // namespace gpuplan
