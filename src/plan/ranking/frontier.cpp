#include "plan/ranking/frontier.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "plan/ranking/recommendation.h"

namespace gpuplan {

namespace {

bool overlap(const auto& a, const auto& b) { return a.p10 <= b.p90 && b.p10 <= a.p90; }

/// What hours overlap in: the time in queues and the run.
Interval<Seconds> until_done(const Plan& plan) {
  return {plan.hours.p10 + plan.wait.p10, plan.done(), plan.hours.p90 + plan.wait.p90};
}

/// How much worse than a frontier plan, as a share: what it is slower and what it is dearer, added up.
double distance(const Plan& plan, const Plan& other) {
  const double slower = other.done() > Seconds{} ? plan.done() / other.done() - 1 : 0;
  const double cost = other.cost.p50 > Dollars{} ? plan.cost.p50 / other.cost.p50 - 1 : plan.cost.p50.value;
  return std::max(slower, 0.0) + std::max(cost, 0.0);
}

/// The frontier by rising cost and falling time, asked for the plans that beat another one and for the nearest.
class Front {
 public:
  explicit Front(std::vector<const Plan*> plans) : plans_(std::move(plans)), size_(plans_.size()) {
    for (std::size_t from = 0; from < size_; from += kBlock)
      hulls_.push_back(hull(from, std::min(from + kBlock, size_)));
  }

  /// Those that are no slower and no dearer: [first, last).
  std::pair<std::size_t, std::size_t> beating(const Plan& plan) const {
    const auto begin = plans_.begin(), end = plans_.end();
    const auto first = std::partition_point(begin, end, [&](const Plan* f) { return f->done() > plan.done(); });
    const auto last = std::partition_point(begin, end, [&](const Plan* f) { return f->cost.p50 <= plan.cost.p50; });
    return {static_cast<std::size_t>(first - begin),
            std::max(static_cast<std::size_t>(last - begin), static_cast<std::size_t>(first - begin))};
  }

  double nearest(const Plan& plan) const {
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](std::size_t i) { least = std::min(least, distance(plan, *plans_[i])); };
    const auto [first, last] = beating(plan);
    // Of those that are only faster, or only cheaper, the nearest stand beside the ones that beat it.
    if (first > 0) look(first - 1);
    if (last < size_) look(last);
    for (std::size_t i = first; i < last;) {
      if (i % kBlock == 0 && i + kBlock <= last && !hulls_[i / kBlock].empty()) {
        look(lowest(hulls_[i / kBlock], plan));
        i += kBlock;
      } else {
        look(i++);
      }
    }
    return least;
  }

 private:
  static constexpr std::size_t kBlock = 64;

  double x(std::size_t i) const { return 1 / plans_[i]->done().value; }
  double y(std::size_t i) const { return 1 / plans_[i]->cost.p50.value; }

  /// Where plans beat another one, its distance is hours * x + cost * y - 2: least at a corner of the lower hull.
  /// A plan that takes no time or money (the fastest, the cheapest) has no place on it; it is looked at alone.
  std::vector<std::size_t> hull(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> corners;
    for (std::size_t i = from; i < to; ++i) {
      if (plans_[i]->done() <= Seconds{} || plans_[i]->cost.p50 <= Dollars{}) return {};
      const auto above = [&](std::size_t a, std::size_t b) {
        return (y(b) - y(a)) * (x(i) - x(a)) >= (y(i) - y(a)) * (x(b) - x(a));
      };
      while (corners.size() >= 2 && above(corners[corners.size() - 2], corners.back())) corners.pop_back();
      corners.push_back(i);
    }
    return corners;
  }

  std::size_t lowest(const std::vector<std::size_t>& corners, const Plan& plan) const {
    const auto at = [&](std::size_t i) { return plan.done().value * x(i) + plan.cost.p50.value * y(i); };
    std::size_t low = 0, high = corners.size() - 1;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (at(corners[middle]) <= at(corners[middle + 1])) high = middle;
      else low = middle + 1;
    }
    return corners[low];
  }

  std::vector<const Plan*> plans_;
  std::size_t size_;
  std::vector<std::vector<std::size_t>> hulls_;  ///< of each whole block; empty: to be looked at one by one
};

}  // namespace

void mark_frontier(std::vector<Plan>& plans) {
  // Ties go to the earlier plan in this order.
  const auto key = [](const Plan& p) {
    static const Word kNone;
    const Offer* o = p.offer;
    return std::tuple(p.cost.p50, p.done(), p.gpus, std::string_view(o ? o->provider : kNone),
                      std::string_view(o ? o->region : kNone), std::string_view(o ? o->instance : kNone), p.spot);
  };
  // Plans are large: they are sorted where they stand, and moved once.
  std::vector<std::pair<decltype(key(plans.front())), std::size_t>> by_cost;
  by_cost.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) by_cost.emplace_back(key(plans[i]), i);
  std::ranges::sort(by_cost);

  const Contends contends(plans);
  Seconds fastest{std::numeric_limits<double>::infinity()};
  std::vector<const Plan*> best;
  for (const auto& [cost, i] : by_cost) {
    Plan& plan = plans[i];
    plan.on_frontier = contends(plan) && plan.done() < fastest;
    if (!plan.on_frontier) continue;
    fastest = plan.done();
    best.push_back(&plan);
  }
  {
    // The frontier, then the others by how far they are from it; what ties stays in order.
    const Front front(best);
    std::vector<std::tuple<bool, double, std::size_t>> by_distance;
    by_distance.reserve(plans.size());
    for (std::size_t place = 0; place < by_cost.size(); ++place) {
      const Plan& plan = plans[by_cost[place].second];
      by_distance.emplace_back(!plan.on_frontier, plan.on_frontier ? 0 : front.nearest(plan), place);
    }
    std::ranges::sort(by_distance);
    std::vector<Plan> ordered;
    ordered.reserve(plans.size());
    for (const auto& [other, far, place] : by_distance) ordered.push_back(std::move(plans[by_cost[place].second]));
    plans = std::move(ordered);
  }

  for (std::size_t i = 0; i < best.size(); ++i) best[i] = &plans[i];
  const Front front(std::move(best));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Plan& plan = plans[i];
    plan.dominated_by.clear();
    if (!plan.on_frontier) {
      // Dearest first: the dominator nearest in cost is the one a reader compares with.
      const auto [first, last] = front.beating(plan);
      for (std::size_t f = last; f > first && plan.dominated_by.size() < kMostDominators; --f)
        plan.dominated_by.push_back(static_cast<int>(f - 1));
      continue;
    }
    if (i == 0) continue;
    const Plan& before = plans[i - 1];
    plan.price_of_time_saved = (plan.cost.p50 - before.cost.p50) / (before.done() - plan.done());
    plan.close_to_previous = overlap(until_done(plan), until_done(before)) && overlap(plan.cost, before.cost);
  }
}

bool within_limits(const std::vector<Plan>& plans) {
  return std::ranges::any_of(plans, [](const Plan& plan) { return plan.on_frontier && plan.keeps_limits(); });
}

std::vector<ValueRange> value_ranges(const std::vector<Plan>& plans) {
  // The lower convex hull of the frontier: cost + value x hours is least at its corners, and the slope of an edge is
  // the value of an hour at which the pick changes.
  std::vector<int> hull;
  const auto slope = [&](int a, int b) {
    const Plan& p = plans[static_cast<std::size_t>(a)];
    const Plan& q = plans[static_cast<std::size_t>(b)];
    return (q.cost.p50 - p.cost.p50) / (p.done() - q.done());
  };
  // What misses the limits is taken at no value, unless all of them do.
  const bool limited = within_limits(plans);
  for (std::size_t i = 0; i < plans.size() && plans[i].on_frontier; ++i) {
    if (limited && !plans[i].keeps_limits()) continue;
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
