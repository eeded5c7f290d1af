// What the best plans may never do when the market or the limits change: random markets and jobs of several phases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan/dice.h"
#include "plan/ranking/comparison.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

std::string offer(Dice& dice, int number) {
  std::string text = "    - {gpu: ";
  text += dice.one_of<const char*>({"RTX 4090", "RTX 3090", "L40S", "H100 SXM", "A100 SXM 80GB", "L4"});
  text += ", gpus: " + std::to_string(dice.one_of<int>({1, 2, 4, 8}));
  text += ", provider: p" + std::to_string(number) + ", price: " + std::to_string(dice.between(0.3, 40));
  text += dice.one_of<const char*>({"", "", "", ", billing: {increment: 1 h}", ", billing: {startup: 10 min}"});
  return text + "}\n";
}

struct World {
  std::vector<std::string> offers;
  std::string work, more;

  Job job() const {
    std::string text = "market:\n  use: only\n  offers:\n";
    for (const std::string& one : offers) text += one;
    return job_of(text + work + more);
  }
};

World world(std::uint64_t seed) {
  Dice dice(seed);
  World world;
  const int count = 2 + static_cast<int>(dice.below(6));
  for (int i = 0; i < count; ++i) world.offers.push_back(offer(dice, i));
  world.work =
      "phases:\n  - {name: a, train: {model: {layers: 24, hidden: 1024}, data: {tokens: 100M}, sequence: 512, batch: " +
      std::string(dice.one_of<const char*>({"64", "16"})) + "}}\n";
  const char* after = dice.one_of<const char*>({"", ", needs: [a]"});
  world.work +=
      "  - {name: b, generate: {model: Qwen/Qwen2.5-7B, data: [{samples: 20000, prompt_tokens: 1000, "
      "new_tokens: 50}], engine: vllm}" +
      std::string(after) + "}\n";
  world.work += dice.one_of<const char*>({"", "  - {name: c, fixed: {gpus: 1, time: 30 min}}\n",
                                          "  - {name: c, needs: [b], fixed: {gpus: 1, time: 2 h}}\n"});
  return world;
}

const Plan* at(const SearchResult& found, const std::optional<int>& position) {
  return position ? &found.plans[static_cast<std::size_t>(*position)] : nullptr;
}

/// Best at this, no worse than before.
void no_worse(const SearchResult& before, const SearchResult& after, double value, const std::string& what) {
  const auto figures = [&](const SearchResult& found) {
    const auto& r = found.recommendations;
    const double none = 1e300;
    const auto total = [&](const Plan* p) { return p ? p->cost.p50.value + value * p->hours.p50.value : none; };
    return std::vector<double>{at(found, r.cheapest) ? at(found, r.cheapest)->cost.p50.value : none,
                               at(found, r.fastest) ? at(found, r.fastest)->hours.p50.value : none,
                               total(at(found, r.best_value))};
  };
  const auto was = figures(before);
  const auto is = figures(after);
  EXPECT_LE(is[0], was[0]) << "cheapest: " << what;
  EXPECT_LE(is[1], was[1]) << "fastest: " << what;
  EXPECT_LE(is[2], was[2] * (1 + 1e-12)) << "best value: " << what;
}

/// Machines of several phases are looked for by what credits leave of the whole job at one provider, and billed by what
/// they leave of the plan.
constexpr double kMedians = 1.02;

class MarketChoice : public testing::TestWithParam<int> {
 protected:
  World world_ = world(static_cast<std::uint64_t>(GetParam()));
  double value() const { return world_.job().value_of_time.value; }
};

TEST_P(MarketChoice, AFurtherOfferMakesNothingWorse) {
  World fewer = world_;
  fewer.offers.pop_back();
  const Searched before(fewer.job());
  const Searched after(world_.job());
  no_worse(before.result, after.result, value(), fewer.job().name + " and " + world_.offers.back());
}

std::multiset<std::pair<double, double>> frontier(const SearchResult& found) {
  std::multiset<std::pair<double, double>> points;
  for (const Plan& plan : found.plans)
    if (plan.on_frontier) points.insert({plan.hours.p50.value, plan.cost.p50.value});
  return points;
}

TEST_P(MarketChoice, AnOfferThatNothingOnTheFrontierUsesChangesNothing) {
  const Searched all(world_.job());
  std::set<std::string> used;
  for (const Plan& plan : all.result.plans)
    if (plan.on_frontier)
      for (const Lease& lease : plan.leases) used.insert(lease.offer->provider);
  for (std::size_t i = 0; i < world_.offers.size(); ++i) {
    if (used.contains("p" + std::to_string(i))) continue;
    World fewer = world_;
    fewer.offers.erase(fewer.offers.begin() + static_cast<std::ptrdiff_t>(i));
    if (fewer.offers.empty()) continue;
    EXPECT_EQ(frontier(Searched(fewer.job()).result), frontier(all.result)) << "without " << world_.offers[i];
  }
}

TEST_P(MarketChoice, LowerPricesNeverCostMore) {
  const Searched before(world_.job());
  Job cheaper = world_.job();
  Dice dice(static_cast<std::uint64_t>(GetParam()) + 77);
  Offer& one = cheaper.market.offers[dice.below(cheaper.market.offers.size())];
  one.price = exactly(one.price->p50 * dice.between(0.3, 1));
  const Searched after(std::move(cheaper));
  no_worse(before.result, after.result, value(), "one price lower");
}

TEST_P(MarketChoice, MoreCreditsNeverCostMore) {
  Job job = world_.job();
  Dice dice(static_cast<std::uint64_t>(GetParam()) + 78);
  const std::string provider = job.market.offers[dice.below(job.market.offers.size())].provider;
  double amount = dice.between(0.5, 20);
  std::deque<Searched> found;
  found.emplace_back(world_.job());
  for (int step = 0; step < 3; ++step, amount *= 4) {
    job.credits = {{.provider = provider, .amount = Dollars{amount}, .until = ""}};
    const SearchResult& less = found.back().result;
    const SearchResult& more = found.emplace_back(job).result;
    EXPECT_LE(at(more, more.recommendations.cheapest)->cost.p50.value,
              at(less, less.recommendations.cheapest)->cost.p50.value * kMedians);
    for (const Plan& plan : more.plans)
      for (const Plan& other : less.plans)
        if (plan.id == other.id) {
          EXPECT_LE(plan.cost.p50, other.cost.p50) << plan.label;
        }
  }
}

TEST_P(MarketChoice, LooserLimitsNeverCostMore) {
  const Searched open(world_.job());
  const Plan* fastest = at(open.result, open.result.recommendations.fastest);
  const Plan* cheapest = at(open.result, open.result.recommendations.cheapest);
  if (fastest == nullptr) return;
  for (const char* goal : {"cheapest", "fastest", "best_value"}) {
    std::optional<double> before;
    for (int step = 0; step < 5; ++step) {
      World limited = world_;
      const double share = 0.25 * step;
      const double deadline = fastest->hours.p90.value * 1.05 + share * cheapest->hours.p90.value;
      const double budget = cheapest->cost.p90.value * 1.05 + share * fastest->cost.p90.value;
      const bool time = std::string(goal) != "fastest";
      limited.more =
          std::string("goal: ") + goal + "\nlimits: {" +
          (time ? "deadline: " + std::to_string(deadline) + " s}\n" : "budget: $" + std::to_string(budget) + "}\n");
      const Searched found(limited.job());
      if (found.result.recommendations.limits_missed) {
        EXPECT_FALSE(before) << "kept with tighter limits: " << limited.more;
        continue;
      }
      const Plan& pick = found.pick();
      const double figure = std::string(goal) == "cheapest"  ? pick.cost.p50.value
                            : std::string(goal) == "fastest" ? pick.hours.p50.value
                                                             : pick.cost.p50.value + value() * pick.hours.p50.value;
      if (before) {
        // Among plans that are as good as one another the one that asks for least may be the dearer.
        const double tied = tie_share(found.job, known().practice_constants);
        EXPECT_LE(figure, *before * (1 + tied + 1e-12)) << limited.more;
      }
      before = figure;
    }
  }
}

int rounds() {
  const char* wanted = std::getenv("GPUPLAN_LAW_ROUNDS");
  return wanted != nullptr ? std::atoi(wanted) : 40;
}

INSTANTIATE_TEST_SUITE_P(Random, MarketChoice, testing::Range(0, rounds()));

}  // namespace
}  // namespace gpuplan
