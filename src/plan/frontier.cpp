#include "plan/frontier.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "plan/recommendation.h"

namespace gpuplan {

namespace {

bool no_worse(const Plan& a, const Plan& b) { return a.hours.p50 <= b.hours.p50 && a.cost.p50 <= b.cost.p50; }

bool overlap(const auto& a, const auto& b) { return a.p10 <= b.p90 && b.p10 <= a.p90; }

/// How much worse than the frontier in its better dimension, as a share: 0 on the frontier.
double distance(const Plan& plan, const std::vector<Plan>& plans, std::size_t frontier_size) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < frontier_size; ++i) {
    const Plan& other = plans[i];
    const double slower = other.hours.p50 > Seconds{} ? plan.hours.p50 / other.hours.p50 - 1 : 0;
    const double cost = other.cost.p50 > Dollars{} ? plan.cost.p50 / other.cost.p50 - 1 : plan.cost.p50.value;
    nearest = std::min(nearest, std::max(slower, 0.0) + std::max(cost, 0.0));
  }
  return nearest;
}

/// Sorts by a key of the position; what ties stays in order. Plans are large: positions are sorted, plans moved once.
template <class Key>
void reorder(std::vector<Plan>& plans, Key key) {
  std::vector<std::size_t> positions(plans.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::ranges::sort(positions,
                    [&](std::size_t a, std::size_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
  std::vector<Plan> ordered;
  ordered.reserve(plans.size());
  for (const std::size_t i : positions) ordered.push_back(std::move(plans[i]));
  plans = std::move(ordered);
}

}  // namespace

void mark_frontier(std::vector<Plan>& plans) {
  // Ties go to the earlier plan in this order.
  const auto key = [](const Plan& p) {
    static const std::string kNone;
    const Offer* o = p.offer;
    return std::tuple(p.cost.p50, p.hours.p50, p.gpus, std::string_view(o ? o->provider : kNone),
                      std::string_view(o ? o->region : kNone), std::string_view(o ? o->instance : kNone), p.spot);
  };
  reorder(plans, [&](std::size_t i) { return key(plans[i]); });

  const Contends contends(plans);
  Seconds fastest{std::numeric_limits<double>::infinity()};
  std::size_t frontier_size = 0;
  for (Plan& plan : plans) {
    plan.on_frontier = contends(plan) && plan.hours.p50 < fastest;
    if (!plan.on_frontier) continue;
    fastest = plan.hours.p50;
    ++frontier_size;
  }
  reorder(plans, [&](std::size_t i) { return !plans[i].on_frontier; });
  std::vector<double> distances(plans.size(), 0);
  for (std::size_t i = frontier_size; i < plans.size(); ++i) distances[i] = distance(plans[i], plans, frontier_size);
  reorder(plans, [&](std::size_t i) { return std::pair(!plans[i].on_frontier, distances[i]); });

  for (std::size_t i = 0; i < plans.size(); ++i) {
    Plan& plan = plans[i];
    plan.dominated_by.clear();
    if (!plan.on_frontier) {
      // Dearest first: the dominator nearest in cost is the one a reader compares with.
      for (std::size_t f = frontier_size; f-- > 0;)
        if (no_worse(plans[f], plan)) plan.dominated_by.push_back(static_cast<int>(f));
      continue;
    }
    if (i == 0) continue;
    const Plan& before = plans[i - 1];
    plan.price_of_time_saved = (plan.cost.p50 - before.cost.p50) / (before.hours.p50 - plan.hours.p50);
    plan.close_to_previous = overlap(plan.hours, before.hours) && overlap(plan.cost, before.cost);
  }
}

std::vector<ValueRange> value_ranges(const std::vector<Plan>& plans) {
  // The lower convex hull of the frontier: cost + value x hours is least at its corners, and the slope of an edge is
  // the value of an hour at which the pick changes.
  std::vector<int> hull;
  const auto slope = [&](int a, int b) {
    const Plan& p = plans[static_cast<std::size_t>(a)];
    const Plan& q = plans[static_cast<std::size_t>(b)];
    return (q.cost.p50 - p.cost.p50) / (p.hours.p50 - q.hours.p50);
  };
  for (std::size_t i = 0; i < plans.size() && plans[i].on_frontier; ++i) {
    const int next = static_cast<int>(i);
    while (hull.size() >= 2 && slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), next)) hull.pop_back();
    hull.push_back(next);
  }
  std::vector<ValueRange> ranges;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    ValueRange range;
    range.plan = hull[i];
    if (i > 0) range.from = slope(hull[i - 1], hull[i]);
    if (i + 1 < hull.size()) range.to = slope(hull[i], hull[i + 1]);
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace gpuplan
