#include "output/answer/plan_rows.h"

#include <optional>

#include "base/sorting.h"

namespace gpuplan {

std::vector<bool> plan_rows(const PlanReport& report, bool all, int most) {
  constexpr std::size_t kUsual = 10;
  const SearchResult& found = report.found;
  const std::size_t size = found.plans.size();
  std::size_t room = most > 0 ? static_cast<std::size_t>(most) : all ? size : kUsual;
  std::vector<bool> rows(size, false);
  const auto show = [&](std::optional<int> position) {
    if (!position || room == 0 || rows[static_cast<std::size_t>(*position)]) return;
    rows[static_cast<std::size_t>(*position)] = true;
    --room;
  };

  const Recommendations& rules = found.recommendations;
  for (const auto& position : {rules.pick, rules.cheapest, rules.fastest, rules.best_value, rules.within_deadline,
                               rules.within_budget, rules.fewest_gpus})
    if (position == rules.pick || (position && (all || found.plans[static_cast<std::size_t>(*position)].on_frontier)))
      show(position);
  for (const ValueRange& range : found.values) show(range.plan);

  std::vector<int> others;
  const int pick = rules.pick.value_or(0);
  for (int i = 0; i < static_cast<int>(size); ++i)
    if (all || report.plan(i).on_frontier) others.push_back(i);
  sort_stably(others, {},
              [&](int i) { return std::pair(!report.plan(i).on_frontier, i < pick ? pick - i : i - pick); });
  for (const int position : others) show(position);
  return rows;
}

}  // namespace gpuplan
