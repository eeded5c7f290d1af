#include "input/text/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/text/plain_text.h"
#include "input/text/yaml_problem.h"

namespace gpuplan {

namespace {

/// Leaves the parser of yaml-cpp, which has no other way out; caught in parse_tree.
struct Refused {
  Error error;
};

enum class Tag { kNone, kText, kOther, kUnknown };

Tag tag_kind(const std::string& tag) {
  static constexpr std::string_view kCore = "tag:yaml.org,2002:";
  if (tag.empty() || tag == "?") return Tag::kNone;
  if (tag == "!") return Tag::kText;  // yaml-cpp gives quoted scalars the non-specific tag
  if (!tag.starts_with(kCore)) return Tag::kUnknown;
  const std::string_view name = std::string_view(tag).substr(kCore.size());
  if (name == "str") return Tag::kText;
  for (const std::string_view known : {"int", "float", "bool", "null", "map", "seq"})
    if (name == known) return Tag::kOther;
  return Tag::kUnknown;
}

/// YAML's spellings of nothing in a plain scalar.
bool is_null_text(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const std::string& file) : file_(file) {}

  Tree take_root() { return std::move(root_); }
  /// Line of the innermost [ or { that is open, or of the value read last: what a missing end belongs to.
  int open_line() const {
    const auto flow = std::ranges::find_if(open_.rbegin(), open_.rend(), &Open::flow);
    return flow != open_.rend() ? flow->tree.line : last_line_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (finished_) refuse("more than one YAML document; check the indentation, and remove --- and ...", mark);
  }
  void OnDocumentEnd() override { finished_ = true; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(make(Tree::Kind::kNull, mark), anchor); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse("an anchor cannot contain itself", mark);
    Tree copy = found->second.tree;
    count(found->second.nodes, found->second.bytes, mark);
    check_depth(found->second.height, mark);
    // Messages about a copied value point at the place it was written, but duplicates of it at the alias.
    add_counted(std::move(copy), 0, found->second.nodes, found->second.bytes, found->second.height, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    last_line_ = mark.line + 1;
    Tree tree = make(Tree::Kind::kScalar, mark);
    const Tag kind = tag_kind(tag);
    if (kind == Tag::kUnknown) refuse_tag(tag, mark);
    if (first_bad_byte(value)) refuse("control characters are not allowed in text", mark);
    tree.quoted = kind == Tag::kText;
    if (kind == Tag::kNone && is_null_text(value)) tree.kind = Tree::Kind::kNull;
    if (tree.is_scalar()) tree.text = value;
    add(std::move(tree), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Tree::Kind::kList, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Tree::Kind::kMap, mark, tag, anchor, style == YAML::EmitterStyle::Flow);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Anchored {
    Tree tree;
    int nodes = 0;
    std::size_t bytes = 0;
    int height = 0;
  };
  /// A list or map whose end has not been seen.
  struct Open {
    Tree tree;
    YAML::anchor_t anchor = 0;
    bool flow = false;  ///< in brackets
    bool have_key = false;
    Tree key;
    std::vector<Tree> merges;                        ///< values under "<<", in order
    std::unordered_map<std::string, int> key_lines;  ///< first line of every key
    int merge_line = 0;
    int nodes = 1;  ///< of this tree so far, itself included
    std::size_t bytes = 0;
    int height = 1;
  };

  [[noreturn]] void refuse(std::string message, const YAML::Mark& mark) const {
    throw Refused{{std::move(message), {file_, mark.line + 1, mark.column + 1}}};
  }
  [[noreturn]] void refuse(std::string message, const Tree& at) const {
    throw Refused{{std::move(message), {file_, at.line, at.column}}};
  }
  [[noreturn]] void refuse_tag(const std::string& tag, const YAML::Mark& mark) const {
    refuse("the tag '" + printable(tag, 60) + "' is not supported; remove it", mark);
  }

  static Tree make(Tree::Kind kind, const YAML::Mark& mark) {
    Tree tree;
    tree.kind = kind;
    tree.line = mark.line + 1;
    tree.column = mark.column + 1;
    return tree;
  }

  void count(int nodes, std::size_t bytes, const YAML::Mark& mark) {
    nodes_ += nodes;
    bytes_ += bytes;
    if (nodes_ > kMaxNodes)
      refuse("more than " + count_text(kMaxNodes) + " values (aliases expanded); split the job", mark);
    if (bytes_ > kMaxExpandedBytes) refuse("more than 4 MB of text once aliases are expanded; split the job", mark);
  }

  void check_depth(int height, const YAML::Mark& mark) const {
    if (static_cast<int>(open_.size()) + height > kMaxDepth)
      refuse("nested deeper than " + count_text(kMaxDepth) + " levels", mark);
  }

  void open(Tree::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool flow) {
    if (tag_kind(tag) == Tag::kUnknown) refuse_tag(tag, mark);
    if (!open_.empty() && open_.back().tree.is_map() && !open_.back().have_key)
      refuse("a list or map where a key is expected; check for a missing ] or }", mark);
    count(1, 0, mark);
    check_depth(1, mark);
    Open opened;
    opened.tree = make(kind, mark);
    opened.anchor = anchor;
    opened.flow = flow;
    open_.push_back(std::move(opened));
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    const YAML::Mark mark = mark_of(closed.tree);
    if (!closed.merges.empty()) merge(closed, mark);
    add_counted(std::move(closed.tree), closed.anchor, closed.nodes, closed.bytes, closed.height, mark);
  }

  static YAML::Mark mark_of(const Tree& tree) {
    YAML::Mark mark;
    mark.line = tree.line - 1;
    mark.column = tree.column - 1;
    return mark;
  }

  /// A value that is complete as it stands: a scalar or nothing.
  void add(Tree tree, YAML::anchor_t anchor) {
    const YAML::Mark mark = mark_of(tree);
    const std::size_t bytes = tree.text.size();
    count(1, bytes, mark);
    add_counted(std::move(tree), anchor, 1, bytes, 0, mark);
  }

  void add_counted(Tree tree, YAML::anchor_t anchor, int nodes, std::size_t bytes, int height, const YAML::Mark& mark) {
    if (anchor != 0) {
      // Anchors inside anchors keep a copy at every level, so these copies have a bound of their own.
      anchored_nodes_ += nodes;
      anchored_bytes_ += bytes;
      if (anchored_nodes_ > kMaxNodes || anchored_bytes_ > kMaxExpandedBytes)
        refuse("more than " + count_text(kMaxNodes) + " values or 4 MB of text under anchors; split the job", mark);
      anchors_[anchor] = {tree, nodes, bytes, height};
    }
    if (open_.empty()) {
      root_ = std::move(tree);
      return;
    }
    Open& parent = open_.back();
    parent.nodes += nodes;
    parent.bytes += bytes;
    parent.height = std::max(parent.height, height + 1);
    if (parent.tree.is_list()) {
      tree.key.clear();
      parent.tree.children.push_back(std::move(tree));
    } else if (!parent.have_key) {
      set_key(parent, std::move(tree), mark);
    } else {
      add_entry(parent, std::move(tree), mark);
    }
  }

  void set_key(Open& parent, Tree key, const YAML::Mark& mark) {
    if (key.is_null() && !key.quoted) key.text = "";
    if (!key.is_scalar()) refuse("expected a key, got " + got_text(key), mark);
    // An alias used as key stands here, not where its anchor stands.
    key.line = mark.line + 1;
    key.column = mark.column + 1;
    const bool merge_key = key.text == "<<" && !key.quoted;
    int& first_line = merge_key ? parent.merge_line : parent.key_lines[key.text];
    if (first_line != 0)
      refuse("duplicate key '" + printable(key.text, 80) + "'; the first is on line " + std::to_string(first_line),
             mark);
    first_line = key.line;
    parent.key = std::move(key);
    parent.have_key = true;
  }

  void add_entry(Open& parent, Tree value, const YAML::Mark& mark) {
    parent.have_key = false;
    if (parent.key.text == "<<" && !parent.key.quoted) {
      const bool list_of_maps = value.is_list() && std::all_of(value.children.begin(), value.children.end(),
                                                               [](const Tree& child) { return child.is_map(); });
      if (!value.is_map() && !list_of_maps)
        refuse("<<: expected a map or a list of maps to merge, got " + got_text(value), mark);
      if (value.is_map()) {
        parent.merges.push_back(std::move(value));
      } else {
        for (Tree& child : value.children) parent.merges.push_back(std::move(child));
      }
      return;
    }
    value.key = std::move(parent.key.text);
    value.key_line = parent.key.line;
    value.key_column = parent.key.column;
    parent.tree.children.push_back(std::move(value));
  }

  /// Keys of the map itself win over merged ones, and earlier merged maps over later ones (YAML 1.1, type "merge").
  static void merge(Open& open, const YAML::Mark&) {
    for (Tree& source : open.merges) {
      for (Tree& child : source.children) {
        const bool fresh = open.key_lines.try_emplace(child.key, child.key_line).second;
        if (fresh) open.tree.children.push_back(std::move(child));
      }
    }
  }

  const std::string& file_;
  Tree root_;
  bool finished_ = false;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  int nodes_ = 0, anchored_nodes_ = 0;
  int last_line_ = 1;
  std::size_t bytes_ = 0, anchored_bytes_ = 0;
};

Error problem_at(const YAML::Exception& problem, std::string_view text, const Builder& builder,
                 const std::string& file) {
  Place place{file};
  if (!problem.mark.is_null()) place = {file, problem.mark.line + 1, problem.mark.column + 1};
  std::string message = yaml_problem(problem.msg, text, place.line);
  // Where the end is missed is of less use than where the beginning is.
  for (const std::string_view unclosed :
       {YAML::ErrorMsg::END_OF_SEQ_FLOW, YAML::ErrorMsg::END_OF_MAP_FLOW, YAML::ErrorMsg::EOF_IN_SCALAR})
    if (problem.msg == unclosed) place = {file, builder.open_line(), 0};
  return {std::move(message), std::move(place)};
}

}  // namespace

Result<Tree> parse_tree(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTextBytes)
    return failure("the file is too large (limit 1 MB); a job file is a few KB of text", {file});
  if (const auto bad = first_bad_byte(text)) return bad_byte_failure(text, *bad, file, "a job as YAML or JSON text");
  Builder builder(file);
  try {
    // A quote that is open at the end of the text goes unnoticed by yaml-cpp 0.7 when the last character is a line end.
    std::istringstream stream{std::string(text) + "\n#"};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (Refused& refused) {
    return std::unexpected(std::move(refused.error));
  } catch (const YAML::Exception& error) {
    return std::unexpected(problem_at(error, text, builder, file));
  }
  return builder.take_root();
}

}  // namespace gpuplan
