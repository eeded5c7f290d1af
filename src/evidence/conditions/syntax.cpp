#include "evidence/conditions/syntax.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "evidence/conditions/tokens.h"

namespace gpuplan {
namespace {

using NodeKind = ConditionNode::Kind;

/// Recursive descent; every function leaves the index of its node, or -1 after a problem.
class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { tree_.text = text; }

  std::expected<ConditionTree, ConditionProblem> run(bool formula) {
    if (tree_.text.size() > kMaxConditionBytes)
      return std::unexpected(ConditionProblem{"longer than " + std::to_string(kMaxConditionBytes) + " characters"});
    if (!shift() || !shift()) return broken();  // two tokens ahead
    if (formula ? sum() < 0 : either() < 0) return broken();
    if (token_.kind != ConditionToken::Kind::kEnd) {
      expect(formula ? "an operator or the end" : "a comparison, and, or or the end");
      return broken();
    }
    if (tree_.nodes.size() > kMaxConditionParts)
      return std::unexpected(ConditionProblem{"more than " + std::to_string(kMaxConditionParts) + " parts"});
    return std::move(tree_);
  }

 private:
  std::unexpected<ConditionProblem> broken() const {
    return std::unexpected(ConditionProblem{lexer_.problem().empty() ? problem_ : lexer_.problem()});
  }

  bool shift() {
    token_ = ahead_;
    const auto next = lexer_.next();
    if (!next) return false;
    ahead_ = *next;
    return true;
  }

  int expect(std::string_view what) {
    if (!problem_.empty()) return -1;
    const std::string found =
        token_.kind == ConditionToken::Kind::kEnd ? "the end" : "'" + printable(token_.text, 40) + "'";
    problem_ = "expected " + std::string(what) + " at character " + std::to_string(token_.at + 1) + ", found " + found;
    return -1;
  }

  bool is_sign(std::string_view sign) const {
    return token_.kind == ConditionToken::Kind::kSign && token_.text == sign;
  }
  bool is_word(std::string_view word) const {
    return token_.kind == ConditionToken::Kind::kWord && token_.text == word;
  }

  int add(ConditionNode node) {
    tree_.nodes.push_back(std::move(node));
    return static_cast<int>(tree_.nodes.size()) - 1;
  }
  int add(NodeKind kind, std::vector<int> parts, std::size_t at) {
    ConditionNode node;
    node.kind = kind;
    node.parts = std::move(parts);
    node.at = at;
    return add(std::move(node));
  }
  const ConditionNode& node(int index) const { return tree_.nodes[static_cast<std::size_t>(index)]; }

  int either() { return joined("or", NodeKind::kOr, &Parser::both); }
  int both() { return joined("and", NodeKind::kAnd, &Parser::negation); }

  int joined(std::string_view word, NodeKind kind, int (Parser::*part)()) {
    const std::size_t at = token_.at;
    std::vector<int> parts = {(this->*part)()};
    while (parts.back() >= 0 && is_word(word)) {
      if (!shift()) return -1;
      parts.push_back((this->*part)());
    }
    if (parts.back() < 0 || parts.size() == 1) return parts.back();
    return add(kind, std::move(parts), at);
  }

  int negation() {
    if (!is_word("not")) return claim();
    const std::size_t at = token_.at;
    if (!deeper() || !shift()) return -1;
    const int inner = negation();
    --depth_;
    return inner < 0 ? -1 : add(NodeKind::kNot, {inner}, at);
  }

  int claim() {
    const std::size_t at = token_.at;
    const int left = sum();
    if (left < 0) return -1;
    if (comparison()) return chain(left, at);
    if (is_word("in")) return shift() ? range(left, at) : -1;
    if (is_word("not") && ahead_.text == "in") {
      if (!shift() || !shift()) return -1;
      const int inside = range(left, at);
      return inside < 0 ? -1 : add(NodeKind::kNot, {inside}, at);
    }
    if (is_word("decreases") || is_word("increases")) return falls(left, at);
    if (is_word("is")) return finite(left, at);
    if (is_word("reaches")) {
      if (!shift()) return -1;
      const int goal = sum();
      return goal < 0 ? -1 : add(NodeKind::kReaches, {left, goal}, at);
    }
    return left;  // whether a truth or a number is wanted, the dimensions tell
  }

  std::optional<ComparisonSign> comparison() const {
    return token_.kind == ConditionToken::Kind::kSign ? from_name<ComparisonSign>(token_.text) : std::nullopt;
  }

  int chain(int left, std::size_t at) {
    ConditionNode all;
    all.kind = NodeKind::kChain;
    all.at = at;
    all.parts = {left};
    while (const auto one = comparison()) {
      if (!shift()) return -1;
      all.comparisons.push_back(*one);
      all.parts.push_back(sum());
      if (all.parts.back() < 0) return -1;
    }
    return add(std::move(all));
  }

  int falls(int series, std::size_t at) {
    NodeKind kind = is_word("increases") ? NodeKind::kIncreases : NodeKind::kDecreases;
    if (!shift()) return -1;
    if (is_word("smoothly")) {
      if (kind == NodeKind::kIncreases) return expect("the end: only falling is called smooth");
      kind = NodeKind::kDecreasesSmoothly;
      if (!shift()) return -1;
    }
    return add(kind, {series}, at);
  }

  int finite(int series, std::size_t at) {
    if (!shift()) return -1;
    const bool negative = is_word("not");
    if (negative && !shift()) return -1;
    if (!is_word("finite")) return expect("finite");
    if (!shift()) return -1;
    const int claim = add(NodeKind::kFinite, {series}, at);
    return negative ? add(NodeKind::kNot, {claim}, at) : claim;
  }

  /// After `in`: 15%..25%, low..high of any numbers, or 15-25%.
  int range(int value, std::size_t at) {
    int low = -1, high = -1;
    if (token_.kind == ConditionToken::Kind::kNumber && ahead_.kind == ConditionToken::Kind::kSign &&
        ahead_.text == "-") {
      low = number();
      if (low < 0 || !shift()) return -1;
      if (token_.kind != ConditionToken::Kind::kNumber) return expect("a number, as in 15-25%");
      high = number();
    } else {
      low = sum();
      if (low < 0) return -1;
      if (!is_sign("..")) return expect("a range such as 15%..25%: ..");
      if (!shift()) return -1;
      high = sum();
    }
    if (high < 0) return -1;
    share_unit(low, high);
    return add(NodeKind::kIn, {value, low, high}, at);
  }

  /// "15..25%", "10..20 GiB": the unit is that of both.
  void share_unit(int low, int high) {
    ConditionNode& from = tree_.nodes[static_cast<std::size_t>(low)];
    const ConditionNode& to = node(high);
    if (from.kind != NodeKind::kNumber || to.kind != NodeKind::kNumber || from.has_unit || !to.has_unit) return;
    from.number *= unit_;
    from.dimension = to.dimension;
    from.has_unit = true;
    from.percent = to.percent;
  }

  int sum() {
    const std::size_t at = token_.at;
    int left = product();
    while (left >= 0 && (is_sign("+") || is_sign("-"))) {
      const NodeKind kind = is_sign("+") ? NodeKind::kSum : NodeKind::kDifference;
      const int right = shift() ? product() : -1;
      left = right < 0 ? -1 : add(kind, {left, right}, at);
    }
    return left;
  }

  int product() {
    const std::size_t at = token_.at;
    int left = negative();
    while (left >= 0 && (is_sign("*") || is_sign("/"))) {
      const NodeKind kind = is_sign("*") ? NodeKind::kProduct : NodeKind::kQuotient;
      const int right = shift() ? negative() : -1;
      left = right < 0 ? -1 : add(kind, {left, right}, at);
    }
    return left;
  }

  int negative() {
    if (!is_sign("-")) return primary();
    const std::size_t at = token_.at;
    if (!deeper() || !shift()) return -1;
    const int inner = negative();
    --depth_;
    return inner < 0 ? -1 : add(NodeKind::kNegative, {inner}, at);
  }

  int primary() {
    if (token_.kind == ConditionToken::Kind::kNumber) return number();
    if (token_.kind == ConditionToken::Kind::kName) return ahead_.text == "(" ? function() : name();
    if (!is_sign("(")) return expect("a number, a name or (");
    return in_brackets();
  }

  int in_brackets() {
    if (!deeper() || !shift()) return -1;
    const int inner = either();
    if (inner < 0) return -1;
    if (!is_sign(")")) return expect(")");
    --depth_;
    return shift() ? inner : -1;
  }

  int number() {
    ConditionNode one;
    one.number = token_.number;
    one.dimension = token_.dimension;
    one.has_unit = token_.has_unit;
    one.percent = token_.percent;
    one.at = token_.at;
    unit_ = token_.unit;
    if (!shift()) return -1;
    return add(std::move(one));
  }

  int name() {
    ConditionNode one;
    one.kind = NodeKind::kName;
    one.name = token_.text;
    one.at = token_.at;
    if (!shift()) return -1;
    return add(std::move(one));
  }

  int function() {
    const auto which = from_name<SeriesFunction>(token_.text);
    if (!which) {
      std::vector<std::string> names;
      for (const std::string_view one : all_names<SeriesFunction>()) names.emplace_back(one);
      return expect("one of " + listed(names, "or") + " before (");
    }
    ConditionNode call;
    call.kind = NodeKind::kFunction;
    call.function = *which;
    call.at = token_.at;
    if (!shift()) return -1;
    const int inner = in_brackets();
    if (inner < 0) return -1;
    call.parts = {inner};
    return add(std::move(call));
  }

  bool deeper() {
    if (++depth_ <= kMaxConditionDepth) return true;
    problem_ = "nested deeper than " + std::to_string(kMaxConditionDepth) + " levels";
    return false;
  }

  ConditionLexer lexer_;
  ConditionToken token_, ahead_;
  ConditionTree tree_;
  double unit_ = 1;  ///< of the number met last
  std::string problem_;
  int depth_ = 0;
};

}  // namespace

std::expected<ConditionTree, ConditionProblem> parse_condition(std::string_view text) {
  return Parser(text).run(false);
}

std::expected<ConditionTree, ConditionProblem> parse_formula(std::string_view text) { return Parser(text).run(true); }

std::vector<std::string_view> names_in(const ConditionTree& tree) {
  std::vector<std::string_view> names;
  for (const ConditionNode& node : tree.nodes)
    if (node.kind == NodeKind::kName && std::ranges::find(names, node.name) == names.end())
      names.emplace_back(node.name);
  return names;
}

}  // namespace gpuplan
