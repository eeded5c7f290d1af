// Conditions held against a log: claims about numbers, and how they hang together.
#include "evidence/conditions/judge.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"

namespace gpuplan {
namespace {

using NodeKind = ConditionNode::Kind;

/// Share of the values of what should stay in a range that must lie in it.
constexpr double kShareNeeded = 0.9;
/// Numbers nearer than this are equal: logs round.
constexpr double kEqual = 1e-9;

std::string text_of(double value, Dimension dimension, bool percent) {
  constexpr int kDigits = 4;
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  if (percent) return significant_text(value * 100, 3) + "%";
  if (dimension == Dimension::kBytes) return to_text(Bytes{value});
  if (dimension == Dimension::kTime) return to_text(Seconds{value});
  const double size = std::abs(value);
  const std::string number = size >= 9999.5 ? count_text(value) : significant_text(value, kDigits);
  return dimension == Dimension::kTokenRate ? number + " tokens/s" : number;
}

bool compares(ComparisonSign how, double a, double b) {
  const bool close =
      std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b));
  const bool equal = a == b || close;  // of infinity, nothing else is near
  switch (how) {
    case ComparisonSign::kLess:
      return a < b && !equal;
    case ComparisonSign::kLessEqual:
      return a < b || equal;
    case ComparisonSign::kGreater:
      return a > b && !equal;
    case ComparisonSign::kGreaterEqual:
      return a > b || equal;
    case ComparisonSign::kEqual:
      return equal;
    case ComparisonSign::kUnequal:
      break;
  }
  return !equal && !std::isnan(a) && !std::isnan(b);
}

Judgement undecided(const LogValue& value) { return {.holds = Holds::kUndecided, .words = value.missing}; }

Holds either_way(bool holds) { return holds ? Holds::kYes : Holds::kNo; }

/// "at step 412 (line 1,033)".
std::string place_of(const Series::Point& point) {
  std::string text = std::isnan(point.step) ? "" : "at step " + count_text(point.step);
  if (point.line > 0)
    text += (text.empty() ? "in line " : " (line ") + count_text(point.line) + (text.empty() ? "" : ")");
  return text;
}

}  // namespace

bool ConditionJudge::loses_numbers(const ConditionNode& node) const {
  return node.kind == NodeKind::kName && node.name == "loss" &&
         view_.log.event_counts[static_cast<std::size_t>(LogEvent::Kind::kNotFinite)] > view_.log.lost_norms;
}

Judgement ConditionJudge::judge(const ConditionTree& tree, int index) const {
  const ConditionNode& node = at(tree, index);
  switch (node.kind) {
    case NodeKind::kChain:
      return chain(tree, node);
    case NodeKind::kIn:
      return in_range(tree, node);
    case NodeKind::kDecreases:
    case NodeKind::kDecreasesSmoothly:
    case NodeKind::kIncreases:
      return falls(tree, node);
    case NodeKind::kFinite:
      return finite(tree, node);
    case NodeKind::kReaches:
      return reaches(tree, node);
    case NodeKind::kNot: {
      Judgement inner = judge(tree, node.parts[0]);
      // What is missed for want of a number is not met by its opposite.
      if (inner.holds == Holds::kNo && inner.no_number) inner.holds = Holds::kUndecided;
      else if (inner.holds != Holds::kUndecided) inner.holds = inner.holds == Holds::kYes ? Holds::kNo : Holds::kYes;
      inner.words = "required is the opposite: " + inner.words;
      inner.missed_by.reset();
      inner.more_steps.reset();
      return inner;
    }
    default:
      return several(tree, node);
  }
}

Judgement ConditionJudge::chain(const ConditionTree& tree, const ConditionNode& node) const {
  std::vector<double> values;
  Points points;  // of what stands first
  Dimension dimension = Dimension::kPlain;
  for (const int part : node.parts) {
    LogValue value = number(tree, part);
    if (!value.known()) return undecided(value);
    if (values.empty()) points = std::move(value.points);
    values.push_back(*value.end);
    if (at(tree, part).dimension != Dimension::kPlain) dimension = at(tree, part).dimension;
  }
  Judgement result{.holds = Holds::kYes, .words = text_of(values[0], dimension, node.percent)};
  std::string wrong;
  for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
    const std::string pair =
        " " + std::string(name_of(node.comparisons[i])) + " " + text_of(values[i + 1], dimension, node.percent);
    result.words += pair;
    if (compares(node.comparisons[i], values[i], values[i + 1])) continue;
    result.holds = Holds::kNo;
    if (wrong.empty() && node.comparisons.size() > 1)
      wrong = "; not true: " + text_of(values[i], dimension, node.percent) + pair;
  }
  result.words += wrong;
  result.no_number = std::ranges::any_of(values, [](double value) { return std::isnan(value); });
  const ConditionNode& left = at(tree, node.parts[0]);
  if (result.holds == Holds::kNo && values.size() == 2 && left.kind == NodeKind::kName && values[1] != 0) {
    result.missed_by = std::abs(values[0] - values[1]) / std::abs(values[1]);
    result.below = values[0] < values[1];
    result.more_steps = steps_until(points, values[1]);
    result.name = left.name;
  }
  return result;
}

Judgement ConditionJudge::in_range(const ConditionTree& tree, const ConditionNode& node) const {
  const LogValue value = number(tree, node.parts[0]);
  const LogValue low = number(tree, node.parts[1]), high = number(tree, node.parts[2]);
  for (const LogValue* one : {&value, &low, &high})
    if (!one->known()) return undecided(*one);
  const ConditionNode& what = at(tree, node.parts[0]);
  const LogQuantity* quantity = what.kind == NodeKind::kName ? log_quantity(what.name) : nullptr;
  Judgement result;
  if (quantity != nullptr && quantity->steady && !value.points.empty()) {
    result = share_in(value, *low.end, *high.end, what.dimension, node.percent);
  } else {
    result.holds = either_way(*value.end >= *low.end && *value.end <= *high.end);
    result.words = text_of(*value.end, what.dimension, node.percent) + " at the end; required " +
                   text_of(*low.end, what.dimension, node.percent) + "–" +
                   text_of(*high.end, what.dimension, node.percent);
    result.no_number = std::isnan(*value.end);
  }
  result.no_number = result.no_number || std::isnan(*low.end) || std::isnan(*high.end);
  if (result.holds == Holds::kNo && std::isfinite(*value.end)) {
    result.below = *value.end < *low.end;
    const double bound = result.below ? *low.end : *high.end;
    if (bound != 0) result.missed_by = std::abs(*value.end - bound) / std::abs(bound);
    if (quantity == nullptr || !quantity->steady) result.more_steps = steps_until(value.points, bound);
    result.name = what.name;
  }
  return result;
}

Judgement ConditionJudge::share_in(const LogValue& value, double low, double high, Dimension dimension, bool percent) {
  const Points points = after_warm_up(value.points);
  const auto inside = std::ranges::count_if(
      points, [&](const Series::Point& point) { return point.value >= low && point.value <= high; });
  const double share = static_cast<double>(inside) / static_cast<double>(points.size());
  const auto none = std::ranges::count_if(points, [](const Series::Point& point) { return std::isnan(point.value); });
  Judgement result;
  result.holds = either_way(share >= kShareNeeded);
  // Were they numbers, they might lie inside.
  result.no_number = static_cast<double>(inside + none) >= kShareNeeded * static_cast<double>(points.size());
  result.words = significant_text(share * 100, 3) + "% of " + count_text(static_cast<double>(points.size())) +
                 " values after the warm-up in " + text_of(low, dimension, percent) + "–" +
                 text_of(high, dimension, percent) + " (" + significant_text(kShareNeeded * 100, 2) +
                 "% required), median " + text_of(*value.end, dimension, percent);
  return result;
}

Judgement ConditionJudge::falls(const ConditionTree& tree, const ConditionNode& node) const {
  const ConditionNode& what = at(tree, node.parts[0]);
  const LogValue value = number(tree, node.parts[0]);
  if (!value.known()) return undecided(value);
  auto fall = fall_of(value.points);
  if (!fall)
    return {.holds = Holds::kUndecided,
            .words = "only " + count_text(static_cast<double>(value.points.size())) + " values; needs " +
                     std::to_string(Fall::kFewest)};
  if (loses_numbers(what)) fall->finite = false;
  const auto text = [&](double number) { return text_of(number, what.dimension, false); };
  Judgement result;
  result.no_number = !fall->finite;
  result.words = "from " + text(fall->first) + " to " + text(fall->last);
  if (!fall->finite) result.words += "; some values are not finite";
  if (node.kind != NodeKind::kDecreasesSmoothly) {
    const bool rises = node.kind == NodeKind::kIncreases;
    result.holds = either_way(rises ? fall->finite && fall->last > fall->first : fall->falls());
    return result;
  }
  result.holds = either_way(fall->smoothly());
  if (fall->falls())
    result.words += ", largest step up " + text(fall->rise) +
                    (fall->rise > Fall::kRise * (fall->first - fall->last) ? ", more than a tenth of the fall" : "");
  if (fall->spikes == 0) result.words += ", no spikes";
  else
    result.words += ", " + count_text(static_cast<double>(fall->spikes)) + (fall->spikes == 1 ? " spike" : " spikes") +
                    ", the largest " + significant_text(fall->worst, 3) + "x the running median " +
                    place_of(fall->worst_at);
  return result;
}

Judgement ConditionJudge::finite(const ConditionTree& tree, const ConditionNode& node) const {
  const ConditionNode& what = at(tree, node.parts[0]);
  const LogValue value = number(tree, node.parts[0]);
  if (!value.known()) return undecided(value);
  const auto infinite =
      std::ranges::find_if(value.points, [](const Series::Point& point) { return !std::isfinite(point.value); });
  if (infinite != value.points.end())
    return {.holds = Holds::kNo, .words = text_of(infinite->value, what.dimension, false) + " " + place_of(*infinite)};
  if (loses_numbers(what) || !std::isfinite(*value.end))
    return {.holds = Holds::kNo, .words = "some values are not finite"};
  return {.holds = Holds::kYes,
          .words = "all " + count_text(static_cast<double>(std::max<std::size_t>(value.points.size(), 1))) + " are"};
}

Judgement ConditionJudge::reaches(const ConditionTree& tree, const ConditionNode& node) const {
  const ConditionNode& what = at(tree, node.parts[0]);
  const LogValue value = number(tree, node.parts[0]), goal = number(tree, node.parts[1]);
  for (const LogValue* one : {&value, &goal})
    if (!one->known()) return undecided(*one);
  const double first = value.points.empty() ? 0 : value.points.front().value;
  const bool from_above = !value.points.empty() && first > *goal.end;
  const double best = *function(from_above ? SeriesFunction::kMin : SeriesFunction::kMax, value).end;
  Judgement result;
  result.holds =
      either_way(compares(from_above ? ComparisonSign::kLessEqual : ComparisonSign::kGreaterEqual, best, *goal.end));
  result.no_number = std::isnan(best) || std::isnan(*goal.end) || std::isnan(first);
  result.words = "reaches " + text_of(best, what.dimension, node.percent) + "; required " +
                 text_of(*goal.end, what.dimension, node.percent);
  if (result.holds == Holds::kNo && *goal.end != 0) {
    result.missed_by = std::abs(best - *goal.end) / std::abs(*goal.end);
    result.below = best < *goal.end;
    result.name = what.name;
  }
  return result;
}

/// and, or: what is not known decides nothing as long as the others decide.
Judgement ConditionJudge::several(const ConditionTree& tree, const ConditionNode& node) const {
  const Holds decides = node.kind == NodeKind::kAnd ? Holds::kNo : Holds::kYes;
  Judgement result{.holds = decides == Holds::kNo ? Holds::kYes : Holds::kNo};
  for (const int part : node.parts) {
    const Judgement one = judge(tree, part);
    result.words += (result.words.empty() ? "" : "; ") + one.words;
    if (one.holds == Holds::kNo && result.name.empty()) {
      result.name = one.name;
      result.missed_by = one.missed_by;
      result.more_steps = one.more_steps;
      result.below = one.below;
    }
    result.no_number = result.no_number || (one.holds == Holds::kNo && one.no_number);
    if (one.holds == decides) result.holds = decides;
    else if (one.holds == Holds::kUndecided && result.holds != decides) result.holds = Holds::kUndecided;
  }
  return result;
}

std::vector<LogValue> PhaseConditions::metric_values(const LogView& view) const {
  std::vector<LogValue> values(metrics_.size());
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].formula) continue;
    const auto found = std::ranges::find(view.log.metrics, metrics_[i].name, &std::pair<std::string, Series>::first);
    if (found != view.log.metrics.end()) values[i] = value_of(found->second);
    if (values[i].known()) continue;
    std::string named = printable(metrics_[i].name, 60);
    named += " ('" + printable(metrics_[i].text, 80) + "')";
    const auto none =
        std::ranges::find(view.log.no_numbers, metrics_[i].name, &std::pair<std::string, std::string>::first);
    if (none == view.log.no_numbers.end()) {
      values[i].missing = "not in the log: " + named;
    } else {
      values[i].missing = std::move(named);
      values[i].missing += " matches lines, but its group is not a number: '" + none->second + "'";
    }
  }
  for (const std::size_t i : order_) {
    const ConditionTree& tree = *metrics_[i].formula;
    values[i] = ConditionJudge(*this, view, values).number(tree, static_cast<int>(tree.nodes.size()) - 1);
  }
  return values;
}

std::vector<Judgement> PhaseConditions::judge(const LogView& view) const {
  const std::vector<LogValue> values = metric_values(view);
  const ConditionJudge judge(*this, view, values);
  std::vector<Judgement> judgements;
  for (const ConditionTree& tree : conditions_) {
    Judgement one = judge.judge(tree, static_cast<int>(tree.nodes.size()) - 1);
    one.condition = tree.text;
    judgements.push_back(std::move(one));
  }
  return judgements;
}

std::vector<MetricValue> PhaseConditions::metrics(const LogView& view) const {
  const std::vector<LogValue> values = metric_values(view);
  std::vector<MetricValue> told;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    MetricValue& one = told.emplace_back();
    one.name = metrics_[i].name;
    one.end = values[i].end;
    one.count = values[i].points.size();
    if (values[i].points.empty()) continue;
    one.first = values[i].points.front().value;
    one.last = values[i].points.back().value;
  }
  return told;
}

}  // namespace gpuplan
