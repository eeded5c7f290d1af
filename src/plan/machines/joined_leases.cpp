#include "plan/machines/joined_leases.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/machines/machine_choice.h"

namespace gpuplan {

void join_touching(JobSchedule& laid) {
  std::vector<LeaseRequest>& leases = laid.arrangement.leases;
  std::vector<Seconds> begins, ends;
  // Of each kind of machines those that may be joined to others, by when they begin.
  std::map<std::tuple<const Offer*, bool, int, int>, std::set<std::pair<Seconds, std::size_t>>> kinds;
  const auto alike = [&](const LeaseRequest& lease) -> auto& {
    return kinds[{lease.offer, lease.spot, lease.machines.nodes, lease.machines.gpus}];
  };
  for (std::size_t h = 0; h < leases.size(); ++h) {
    Seconds first = kNowhere;
    Seconds last{};
    for (const int phase : leases[h].phases) {
      first = std::min(first, laid.starts[static_cast<std::size_t>(phase)]);
      last = std::max(last, laid.ends[static_cast<std::size_t>(phase)]);
    }
    begins.push_back(first - leases[h].offer->billing.startup);
    ends.push_back(last);
    alike(leases[h]).emplace(begins[h], h);
  }
  /// The first in the list that begins when `h` ends.
  const auto next_of = [&](std::size_t h) {
    constexpr Seconds kTouch{1};  // between them
    std::size_t next = leases.size();
    const auto& others = alike(leases[h]);
    for (auto at = others.lower_bound({ends[h] - 2 * kTouch, 0}); at != others.end(); ++at) {
      const Seconds gap = at->first - ends[h];
      if (gap > kTouch) break;
      if (gap >= -kTouch && at->second != h) next = std::min(next, at->second);
    }
    return next;
  };
  std::vector<char> joined(leases.size(), 0);
  for (std::size_t h = 0; h < leases.size();) {
    const std::size_t next = joined[h] ? leases.size() : next_of(h);
    if (next == leases.size()) {
      ++h;
      continue;
    }
    leases[h].phases.insert(leases[h].phases.end(), leases[next].phases.begin(), leases[next].phases.end());
    joined[next] = 1;
    auto& others = alike(leases[h]);
    others.erase({begins[next], next});
    ends[h] = std::max(ends[h], ends[next]);
    if (begins[next] >= begins[h]) continue;
    // It begins earlier now: one that stands before it in the list may touch it.
    others.erase({begins[h], h});
    begins[h] = begins[next];
    others.emplace(begins[h], h);
    h = 0;
  }
  const auto gone = [&](const LeaseRequest& lease) {
    return joined[static_cast<std::size_t>(&lease - leases.data())] != 0;
  };
  if (std::ranges::none_of(leases, gone)) return;
  std::vector<LeaseRequest> left;
  for (LeaseRequest& lease : leases)
    if (!gone(lease)) left.push_back(std::move(lease));
  leases = std::move(left);
}

}  // namespace gpuplan
