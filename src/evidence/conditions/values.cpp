// The numbers in a condition, by the values of a log.
#include <algorithm>
#include <cmath>
#include <limits>

#include "evidence/conditions/judge.h"

namespace gpuplan {
namespace {

using NodeKind = ConditionNode::Kind;

double computed(NodeKind kind, double a, double b) {
  if (kind == NodeKind::kSum) return a + b;
  if (kind == NodeKind::kDifference) return a - b;
  return kind == NodeKind::kProduct ? a * b : a / b;
}

/// Values of two series where both have one: at the same step, or one by one where no step is known.
Points matched(const Points& a, const Points& b, NodeKind kind) {
  Points both;
  const auto no_step = [](const Series::Point& point) { return std::isnan(point.step); };
  if (a.size() == b.size() && std::ranges::all_of(a, no_step) && std::ranges::all_of(b, no_step)) {
    for (std::size_t i = 0; i < a.size(); ++i)
      both.push_back({a[i].step, computed(kind, a[i].value, b[i].value), a[i].line});
    return both;
  }
  std::size_t j = 0;
  for (const Series::Point& one : a) {
    while (j < b.size() && b[j].step < one.step) ++j;
    if (j < b.size() && b[j].step == one.step)
      both.push_back({one.step, computed(kind, one.value, b[j].value), one.line});
  }
  return both;
}

}  // namespace

LogValue ConditionJudge::named(const std::string& name) const {
  const LogQuantity* quantity = log_quantity(name);
  for (std::size_t i = 0; i < asked_.metrics_.size(); ++i) {
    if (asked_.metrics_[i].name != name) continue;
    LogValue value = metrics_[i];
    if (quantity != nullptr && quantity->steady && !value.points.empty())
      value.end = median_of(after_warm_up(value.points));
    return value;
  }
  return quantity->read(view_);
}

LogValue ConditionJudge::function(SeriesFunction which, const LogValue& of) {
  if (!of.known() || of.points.empty()) return of;  // a single number is its own first, last, mean ...
  LogValue value;
  const auto by_value = [](const Series::Point& a, const Series::Point& b) { return a.value < b.value; };
  switch (which) {
    case SeriesFunction::kFirst:
      value.end = of.points.front().value;
      break;
    case SeriesFunction::kLast:
      value.end = of.points.back().value;
      break;
    case SeriesFunction::kMin:
      value.end = of.least ? of.least : std::ranges::min_element(of.points, by_value)->value;
      break;
    case SeriesFunction::kMax:
      value.end = of.most ? of.most : std::ranges::max_element(of.points, by_value)->value;
      break;
    case SeriesFunction::kMean:
      value.end = mean_of(after_warm_up(of.points));
      break;
    case SeriesFunction::kMedian:
      value.end = median_of(after_warm_up(of.points));
      break;
  }
  if (!value.end) value.end = std::numeric_limits<double>::quiet_NaN();  // none of its values is finite
  return value;
}

LogValue ConditionJudge::arithmetic(NodeKind kind, const LogValue& a, const LogValue& b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  LogValue value;
  value.end = computed(kind, *a.end, *b.end);
  if (!a.points.empty() && !b.points.empty()) {
    value.points = matched(a.points, b.points, kind);
    if (const auto end = end_of(value.points)) value.end = end;
    return value;
  }
  value.points = a.points.empty() ? b.points : a.points;
  for (Series::Point& point : value.points)
    point.value = a.points.empty() ? computed(kind, *a.end, point.value) : computed(kind, point.value, *b.end);
  return value;
}

LogValue ConditionJudge::number(const ConditionTree& tree, int index) const {
  const ConditionNode& node = at(tree, index);
  if (node.kind == NodeKind::kNumber) return {.end = node.number};
  if (node.kind == NodeKind::kName) return named(node.name);
  const LogValue first = number(tree, node.parts[0]);
  if (node.kind == NodeKind::kFunction) return function(node.function, first);
  if (node.kind == NodeKind::kNegative) return arithmetic(NodeKind::kDifference, {.end = 0.0}, first);
  return arithmetic(node.kind, first, number(tree, node.parts[1]));
}

}  // namespace gpuplan
