#include "evidence/conditions/conditions.h"

#include <algorithm>

#include "base/text.h"

namespace gpuplan {
namespace {

using NodeKind = ConditionNode::Kind;
using Problem = PhaseConditions::Problem;

std::string_view words_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::kPlain:
      return "a plain number";
    case Dimension::kBytes:
      return "an amount of memory (such as 70 GiB)";
    case Dimension::kTokenRate:
      return "a rate (such as 200k tokens/s)";
    case Dimension::kTime:
      return "a time (such as 45 ms)";
    case Dimension::kTruth:
      break;
  }
  return "a condition";
}

/// Gives every node its dimension; the message says why it can not have one.
class DimensionCheck {
 public:
  DimensionCheck(ConditionTree& tree) : tree_(tree), constant_(tree.nodes.size(), true) {}

  template <class DimensionOf, class Unknown>
  std::string run(DimensionOf&& dimension_of, Unknown&& unknown) {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      ConditionNode& node = tree_.nodes[i];
      for (const int part : node.parts) {
        constant_[i] = constant_[i] && constant_[static_cast<std::size_t>(part)];
        node.percent = node.percent || this->node(part).percent;
      }
      if (node.kind == NodeKind::kNumber) continue;
      if (node.kind == NodeKind::kName) {
        const std::optional<Dimension> dimension = dimension_of(node.name);
        if (!dimension) return unknown(node.name);
        node.dimension = *dimension;
        constant_[i] = false;
        continue;
      }
      if (std::string wrong = combine(node); !wrong.empty()) return wrong;
    }
    return constant_.back() ? "uses no metric of the log; expected a name such as loss" : "";
  }

 private:
  const ConditionNode& node(int index) const { return tree_.nodes[static_cast<std::size_t>(index)]; }

  std::string combine(ConditionNode& node) const {
    switch (node.kind) {
      case NodeKind::kNot:
      case NodeKind::kAnd:
      case NodeKind::kOr:
        node.dimension = Dimension::kTruth;
        for (const int part : node.parts)
          if (this->node(part).dimension != Dimension::kTruth)
            return found("a condition such as loss < 3", this->node(part));
        return "";
      case NodeKind::kProduct:
      case NodeKind::kQuotient:
        return multiply(node);
      case NodeKind::kNegative:
      case NodeKind::kFunction:
      case NodeKind::kSum:
      case NodeKind::kDifference: {
        std::string wrong = numbers(node);
        node.dimension = common(node);
        return wrong;
      }
      default:
        return claim(node);
    }
  }

  std::string claim(ConditionNode& node) const {
    std::string wrong = numbers(node);
    node.dimension = Dimension::kTruth;
    if (!wrong.empty()) return wrong;
    const bool series = node.kind == NodeKind::kDecreases || node.kind == NodeKind::kDecreasesSmoothly ||
                        node.kind == NodeKind::kIncreases || node.kind == NodeKind::kFinite;
    if (series && constant_[static_cast<std::size_t>(node.parts[0])])
      return "is about a constant; expected a name such as loss";
    if (node.kind == NodeKind::kIn) {
      const ConditionNode& low = this->node(node.parts[1]);
      const ConditionNode& high = this->node(node.parts[2]);
      if (low.kind == NodeKind::kNumber && high.kind == NodeKind::kNumber && low.number > high.number)
        return "the range is empty: its lower end is above its upper end";
    }
    return "";
  }

  /// All parts are numbers that can stand beside each other. A bare number is a rate or a time where one is asked for.
  std::string numbers(const ConditionNode& node) const {
    const Dimension dimension = common(node);
    for (const int index : node.parts) {
      const ConditionNode& part = this->node(index);
      if (part.dimension == Dimension::kTruth) return found("a number", part);
      if (part.dimension == dimension) continue;
      const bool bare = part.dimension == Dimension::kPlain && constant_[static_cast<std::size_t>(index)];
      if (bare && (dimension == Dimension::kTokenRate || dimension == Dimension::kTime)) continue;
      return "compares " + std::string(words_of(dimension)) + " with " + std::string(words_of(part.dimension)) +
             "; use the same kind on both sides";
    }
    return "";
  }

  /// Of the parts, the one that is more than a plain number.
  Dimension common(const ConditionNode& node) const {
    for (const int part : node.parts)
      if (this->node(part).dimension != Dimension::kPlain && this->node(part).dimension != Dimension::kTruth)
        return this->node(part).dimension;
    return Dimension::kPlain;
  }

  std::string multiply(ConditionNode& node) const {
    const ConditionNode& a = this->node(node.parts[0]);
    const ConditionNode& b = this->node(node.parts[1]);
    for (const ConditionNode* part : {&a, &b})
      if (part->dimension == Dimension::kTruth) return found("a number", *part);
    node.percent = false;  // a share of something is no share
    if (b.dimension == Dimension::kPlain) {
      node.dimension = a.dimension;
    } else if (node.kind == NodeKind::kProduct && a.dimension == Dimension::kPlain) {
      node.dimension = b.dimension;
    } else if (node.kind == NodeKind::kQuotient && a.dimension == b.dimension) {
      node.dimension = Dimension::kPlain;
    } else {
      return std::string(node.kind == NodeKind::kProduct ? "multiplies " : "divides ") +
             std::string(words_of(a.dimension)) + (node.kind == NodeKind::kProduct ? " with " : " by ") +
             std::string(words_of(b.dimension));
    }
    return "";
  }

  static std::string found(const std::string& expected, const ConditionNode& part) {
    return "expected " + expected + " at character " + std::to_string(part.at + 1) + ", found " +
           std::string(words_of(part.dimension));
  }

  ConditionTree& tree_;
  std::vector<bool> constant_;
};

}  // namespace

std::optional<Dimension> PhaseConditions::dimension_of(std::string_view name) const {
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    if (metrics_[i].name == name) return dimensions_[i];
  const LogQuantity* quantity = log_quantity(name);
  return quantity != nullptr ? std::optional(quantity->dimension) : std::nullopt;
}

std::string PhaseConditions::unknown_name(std::string_view name) const {
  std::vector<std::string_view> names;
  for (const MetricText& metric : metrics_) names.emplace_back(metric.name);
  for (const LogQuantity& quantity : log_quantities()) names.push_back(quantity.name);
  const std::string near = did_you_mean(name, names);
  std::string text = "'" + printable(name, 60) + "' is not a metric of this phase or of logs" + near;
  if (!near.empty()) return text;
  std::vector<std::string> known;
  for (const LogQuantity& quantity : log_quantities()) known.emplace_back(quantity.name);
  return text + "; define it in metrics, or use " + listed(known, "or");
}

std::string PhaseConditions::check(ConditionTree& tree, bool formula) const {
  std::string wrong = DimensionCheck(tree).run([&](std::string_view name) { return dimension_of(name); },
                                               [&](std::string_view name) { return unknown_name(name); });
  if (!wrong.empty()) return wrong;
  if ((tree.root().dimension == Dimension::kTruth) == formula)
    return formula ? "expected a number, found a condition"
                   : "expected a condition such as loss < 3.2, found only a number";
  return "";
}

/// Formulas after those that they need, with the dimension of each.
std::optional<Problem> PhaseConditions::order_formulas() {
  dimensions_.assign(metrics_.size(), Dimension::kPlain);
  std::vector<bool> done(metrics_.size());
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    done[i] = !metrics_[i].formula.has_value();
    const LogQuantity* same = log_quantity(metrics_[i].name);
    if (done[i] && same != nullptr && same->dimension != Dimension::kBytes) dimensions_[i] = same->dimension;
  }
  const auto waits = [&](const MetricText& metric) {
    const auto names = names_in(*metric.formula);
    return std::ranges::any_of(names, [&](std::string_view name) {
      const auto needed = std::ranges::find(metrics_, name, &MetricText::name);
      return needed != metrics_.end() && !done[static_cast<std::size_t>(needed - metrics_.begin())];
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      if (done[i] || waits(metrics_[i])) continue;
      if (const std::string wrong = check(*metrics_[i].formula, true); !wrong.empty())
        return Problem{Problem::In::kMetrics, i, "'" + printable(metrics_[i].text, 120) + "': " + wrong};
      dimensions_[i] = metrics_[i].formula->root().dimension;
      order_.push_back(i);
      done[i] = more = true;
    }
  }
  const auto left = std::ranges::find(done, false);
  if (left == done.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(left - done.begin());
  return Problem{
      Problem::In::kMetrics, index,
      "'" + printable(metrics_[index].text, 120) + "': the formula needs itself, directly or through others"};
}

std::expected<PhaseConditions, Problem> PhaseConditions::read(const Phase& phase) {
  PhaseConditions result;
  if (phase.metrics.size() > kMostMetrics)
    return std::unexpected(Problem{Problem::In::kMetrics, kMostMetrics,
                                   "more than " + std::to_string(kMostMetrics) + " metrics for one phase"});
  if (phase.succeed_when.size() > kMostConditions)
    return std::unexpected(Problem{Problem::In::kConditions, kMostConditions,
                                   "more than " + std::to_string(kMostConditions) + " conditions for one phase"});
  for (const auto& [name, text] : phase.metrics) {
    MetricText metric{name, text, std::nullopt};
    // What reads as arithmetic of names is a formula; every regular expression that finds a number has signs it lacks.
    if (auto formula = parse_formula(text); formula && !names_in(*formula).empty())
      metric.formula = *std::move(formula);
    result.metrics_.push_back(std::move(metric));
  }
  if (auto wrong = result.order_formulas()) return std::unexpected(*std::move(wrong));
  for (std::size_t i = 0; i < phase.succeed_when.size(); ++i) {
    const std::string& text = phase.succeed_when[i];
    auto tree = parse_condition(text);
    const std::string wrong = tree ? result.check(*tree, false) : tree.error().message;
    if (!wrong.empty())
      return std::unexpected(Problem{Problem::In::kConditions, i, "'" + printable(text, 120) + "': " + wrong});
    result.conditions_.push_back(*std::move(tree));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> PhaseConditions::patterns() const {
  std::vector<std::pair<std::string, std::string>> patterns;
  for (const MetricText& metric : metrics_)
    if (!metric.formula) patterns.emplace_back(metric.name, metric.text);
  return patterns;
}

}  // namespace gpuplan
