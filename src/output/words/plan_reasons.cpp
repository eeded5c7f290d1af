// Why this plan and not another: the sentences of a recommendation.
#include <algorithm>
#include <cmath>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "plan/ranking/comparison.h"
#include "plan/ranking/frontier.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

std::string value_of_time_words(const PlanReport& report) {
  return short_money(report.job.value_of_time * units::hour) + "/h";
}

Dollars an_hour(DollarsPerSecond value) { return value * units::hour; }

/// Ratios below this are no difference that anybody would notice.
constexpr double kSameRatio = 1.005;

/// "2.1x faster", "1.3x slower"; empty when they take about as long.
std::string time_difference(const Plan& pick, const Plan& than) {
  if (pick.done() <= Seconds{} || than.done() <= Seconds{}) return "";
  const double ratio = than.done() / pick.done();
  if (ratio >= kSameRatio) return times_words(ratio) + " faster";
  return 1 / ratio >= kSameRatio ? times_words(1 / ratio) + " slower" : "";
}

/// "1.4x cheaper", "1.08x the cost"; empty when they cost about as much.
std::string cost_difference(const Plan& pick, const Plan& than) {
  if (pick.cost.p50 <= Dollars{} || than.cost.p50 <= Dollars{}) return "";
  const double ratio = than.cost.p50 / pick.cost.p50;
  if (ratio >= kSameRatio) return times_words(ratio) + " cheaper";
  return 1 / ratio >= kSameRatio ? times_words(1 / ratio) + " the cost" : "";
}

/// "2.1x faster, 1.08x the cost".
std::string comparison(const Plan& pick, const Plan& than) {
  const std::string time = time_difference(pick, than);
  std::string cost = cost_difference(pick, than);
  const bool pick_free = pick.cost.p50 <= Dollars{}, other_free = than.cost.p50 <= Dollars{};
  if (pick_free && other_free) cost = "no charge for either";
  else if (pick_free) cost = "no charge instead of " + to_text(than.cost.p50);
  else if (other_free) cost = to_text(pick.cost.p50) + " instead of no charge";
  if (time.empty() && cost.empty()) return "same time, same cost";
  if (time.empty()) return "same time, " + cost;
  if (cost.empty()) return time + ", same cost";
  return time.ends_with("faster") ? time + ", " + cost : cost + ", " + time;
}

const ValueRange* range_of(const SearchResult& found, DollarsPerSecond value) {
  for (const ValueRange& range : found.values)
    if (value >= range.from && (!range.to || value < *range.to)) return &range;
  return found.values.empty() ? nullptr : &found.values.back();
}

}  // namespace

std::vector<std::string> never_best(const PlanReport& report) {
  const SearchResult& found = report.found;
  std::vector<std::string> never;
  const bool limited = within_limits(found.plans);
  for (std::size_t i = 0; i < found.plans.size() && found.plans[i].on_frontier; ++i) {
    if (limited && !found.plans[i].keeps_limits()) continue;
    if (std::ranges::none_of(found.values, [&](const ValueRange& range) { return range.plan == static_cast<int>(i); }))
      never.push_back(report.names[i]);
  }
  return never;
}

std::string value_words(const PlanReport& report) {
  const SearchResult& found = report.found;
  if (found.values.size() < 2) return "";
  const DollarsPerSecond value = report.job.value_of_time;
  const ValueRange* best = range_of(found, value);
  const bool limited = report.plan(best->plan).keeps_limits();
  std::string text = "Best if your time counts " + value_of_time_words(report) + (limited ? "" : ", limits aside") +
                     ": " + report.name(report.plan(best->plan));
  const Plan* pick = report.pick();
  const bool tie = found.recommendations.tied_with == best->plan && pick != nullptr;
  text += tie ? ", with " + report.name(*pick) + " about as good." : ".";

  std::vector<std::string> others;
  for (const ValueRange& range : found.values) {
    if (&range == best) continue;
    const std::string& name = report.name(report.plan(range.plan));
    const std::string from = short_money(an_hour(range.from));
    std::string where;
    if (!range.to) where = "above " + from;
    else if (range.from <= DollarsPerSecond{}) where = "below " + short_money(an_hour(*range.to));
    else where = from + " to " + short_money(an_hour(*range.to));
    where += ": ";
    where += name;
    others.push_back(std::move(where));
  }
  if (std::vector<std::string> never = never_best(report); !never.empty())
    others.push_back("at no value: " + listed_few(std::move(never)));
  for (std::size_t i = 0; i < others.size(); ++i) text += (i == 0 ? " " + upper_first(others[i]) : "; " + others[i]);
  return text + ".";
}

std::string assumed_value_words(const PlanReport& report) {
  if (report.job.value_of_time_given || report.job.goal != Goal::kBestValue || report.found.plans.empty()) return "";
  return "Assumed: your time counts " + value_of_time_words(report) +
         (report.in_flags ? " (--value-of-time)." : " (value_of_time).");
}

std::string_view pick_word(const PlanReport& report) {
  return report.found.recommendations.limits_missed ? "closest" : "recommended";
}

namespace {

/// What settled a tie of the pick with another, in the order of settled() (plan/ranking/comparison.h): "commoner GPUs";
/// `common` is of the market.
std::string asks_less_words(const Job& job, const ProvidersByGpu& common, const Plan& plan, const Plan& other) {
  if (offers_in(plan) < offers_in(other)) return "fewer different machines";
  if (job.goal == Goal::kFastest && plan.cost.p50 < other.cost.p50 && is_rare(plan) == is_rare(other) &&
      is_other_stack(plan) == is_other_stack(other))
    return "a lower cost";
  if (std::max(plan.nodes, plan.at_once) < std::max(other.nodes, other.at_once)) return "fewer machines";
  if (plan.gpus_at_once() < other.gpus_at_once()) return "fewer GPUs";
  if (is_rare(other) && !is_rare(plan))
    return availability_of(*other.offer) >= Availability::kRare ? "machines easier to get"
                                                                : "a host that is up more of the time";
  if (is_other_stack(plan) != is_other_stack(other)) return "GPUs that more software runs on";
  if (providers_of(common, plan) > providers_of(common, other)) return "commoner GPUs";
  const auto capability = [](const Plan& p) { return p.node.gpu != nullptr ? p.node.gpu->compute_capability : 0; };
  if (capability(plan) > capability(other)) return "newer GPUs";
  return plan.done() < other.done() ? "fewer hours" : "a lower cost";
}

}  // namespace

std::string tied_rule(const PlanReport& report, std::string rule) {
  const auto tied = report.found.recommendations.tied_with;
  if (!tied) return rule;
  const Plan& best = report.plan(*tied);
  return "about the " + rule + ", with " +
         asks_less_words(report.job, report.found.market.providers, *report.pick(), best) + " than " +
         report.name(best);
}

std::string queue_words(const PlanReport& report, const Plan& plan) {
  if (plan.wait.p50 > Seconds{}) return ", " + hours_words(plan.wait.p50) + " in the queue included";
  const bool any = std::ranges::any_of(report.found.plans, [](const Plan& p) { return p.wait.p50 > Seconds{}; });
  return any ? ", time in queues included" : "";
}

std::string switching_words(const PlanReport& report, const Plan& plan) {
  const bool late = std::ranges::any_of(
      report.found.plans, [](const Plan& p) { return p.spot && !p.meets_deadline && p.fit == Fit::kFits; });
  if (plan.spot || !report.job.limits.deadline || !late) return "";
  return ", of those that stay on spot or on demand (gpuplan simulate compares policies that switch)";
}

std::string long_words(const PlanReport& report, const Plan& pick) {
  const double days = report.catalogue.practice_constants.longest_days;
  const std::string longest = "The longest published trainings took about 100 days.";
  if (pick.too_long)
    return "It takes " + count_text(std::round(pick.done() / units::day)) + " days, and no plan is done within " +
           count_text(days) + ". " + longest + " More GPUs: --nodes, --counts.";
  const Plan* best = nullptr;
  int aside = 0;
  for (const Plan& plan : report.found.plans) {
    if (!plan.too_long || plan.fit != pick.fit || plan.reaches_target != pick.reaches_target) continue;
    if (goal_key(report.job, plan) >= goal_key(report.job, pick)) continue;
    ++aside;
    if (best == nullptr || goal_key(report.job, plan) < goal_key(report.job, *best)) best = &plan;
  }
  if (best == nullptr) return "";
  return upper_first(count_of(aside, "plan")) + " set aside, as " + (aside == 1 ? "it takes" : "they take") +
         " more than " + count_text(days) + " days, such as " + report.name(*best) + ", " +
         count_text(std::round(best->done() / units::day)) + " days, " + to_text(best->cost.p50) + ". " + longest;
}

std::string pick_words(const PlanReport& report) {
  const Plan* pick = report.pick();
  if (pick == nullptr) return "";
  const Recommendations& rules = report.found.recommendations;
  const Limits& limits = report.job.limits;
  const std::string& name = report.name(*pick);
  const bool target = has_target(report.job);
  const std::vector<const Plan*> among = contenders(report.found.plans);
  if (rules.limits_missed) {
    // One whose memory may not do is set aside, whatever it meets.
    if (std::ranges::any_of(report.found.plans, &Plan::keeps_limits))
      return "No plan whose memory fits meets the limits. Closest: " + name + ".";
    return std::string(!target ? "No plan meets the limits."
                       : limits.deadline || limits.budget
                           ? "No plan meets both the limits and the target."
                           : "No plan reaches the target with " + percent(limits.confidence) + " chance.") +
           " Closest: " + name + ".";
  }

  std::vector<std::string> wanted;
  if (limits.deadline) wanted.emplace_back("the deadline");
  if (limits.budget) wanted.emplace_back("the budget");
  if (target) wanted.emplace_back("the target");
  const std::string kept = listed(wanted);
  const auto keeping = std::ranges::count_if(among, [](const Plan* p) { return p->keeps_limits(); });
  std::string rule;
  switch (report.job.goal) {
    case Goal::kBestValue:
      rule = "lowest total if your time counts " + value_of_time_words(report) + queue_words(report, *pick);
      break;
    case Goal::kCheapest:
      rule = "lowest cost";
      break;
    case Goal::kFastest:
      rule = "shortest time" + queue_words(report, *pick);
      break;
    case Goal::kFewestGpus:
      rule = "fewest GPUs";
      break;
  }
  rule = tied_rule(report, std::move(rule));
  std::string text = "Recommended: " + name + ", " + range_words({pick->hours.p10, pick->hours.p50, pick->hours.p90}) +
                     ", " + range_words(pick->cost) + ": " + rule;
  if (keeping == 1 && !kept.empty())
    text += ". It is the only plan that meets " + kept + switching_words(report, *pick);
  else if (!kept.empty() && 2 * keeping < std::ssize(among))
    text += ", of the " + count_of(static_cast<double>(keeping), "plan") + " that meet " + kept;
  text += ".";
  if (rules.cheapest == rules.pick && rules.fastest == rules.pick && report.found.plans.size() > 1)
    text += " Cheapest and fastest.";
  const auto tight = std::ranges::count(report.found.plans, Fit::kTight, &Plan::fit);
  if (pick->fit == Fit::kFits && tight > 0)
    text += " " + upper_first(count_of(static_cast<double>(tight), "plan")) +
            " set aside: " + (tight == 1 ? "it" : "they") + " may run out of memory (fits at P50, not at P90).";
  if (const std::string words = long_words(report, *pick); !words.empty()) text += " " + words;
  if (pick->fit == Fit::kTight)
    text += " OOM risk: the typical run fits (" + memory_words(*pick) +
            " per GPU), the 90th percentile does not; no plan is safer.";
  return text;
}

std::vector<std::string> summary_words(const PlanReport& report, std::size_t most) {
  const Plan* pick = report.pick();
  std::vector<std::string> lines;
  if (pick == nullptr) return lines;
  // What a reader asks about: the neighbours of the pick, then the ends of the frontier.
  const auto& plans = report.found.plans;
  const auto at = static_cast<std::ptrdiff_t>(pick - plans.data());
  std::ptrdiff_t size = 0;
  while (size < std::ssize(plans) && plans[static_cast<std::size_t>(size)].on_frontier) ++size;
  const std::vector<std::ptrdiff_t> order = {at + 1, at - 1, size - 1, 0, at + 2, at - 2};
  std::vector<std::ptrdiff_t> chosen;
  for (const std::ptrdiff_t i : order) {
    if (i < 0 || i >= size || i == at || chosen.size() == most || std::ranges::find(chosen, i) != chosen.end())
      continue;
    chosen.push_back(i);
  }
  std::ranges::sort(chosen);
  // A frontier of one or two: the nearest of the others, one of each label.
  std::vector<std::string> labels = {pick->label};
  for (const std::ptrdiff_t i : chosen) labels.push_back(plans[static_cast<std::size_t>(i)].label);
  for (std::ptrdiff_t i = size; i < std::ssize(plans) && chosen.size() < std::min<std::size_t>(most, 2); ++i) {
    const Plan& plan = plans[static_cast<std::size_t>(i)];
    if (i == at || std::ranges::find(labels, plan.label) != labels.end()) continue;
    labels.push_back(plan.label);
    chosen.push_back(i);
  }
  for (const std::ptrdiff_t i : chosen) {
    const Plan& plan = plans[static_cast<std::size_t>(i)];
    std::vector<std::string> remarks;
    const Seconds saved = pick->done() - plan.done();
    const Dollars more = plan.cost.p50 - pick->cost.p50;
    // An hour has no price where nobody would notice the difference.
    const bool noticed = !time_difference(*pick, plan).empty() && !cost_difference(*pick, plan).empty();
    if (noticed && saved > Seconds{} && more > Dollars{})
      remarks.push_back(short_money(more * (units::hour / saved)) + " per hour it saves");
    if (noticed && saved < Seconds{} && more < Dollars{})
      remarks.push_back(short_money(more * (units::hour / saved)) + " per hour saved");
    if (report.job.goal == Goal::kFewestGpus && plan.gpus != pick->gpus)
      remarks.push_back("needs " + count_of(plan.gpus, "GPU") + " instead of " + std::to_string(pick->gpus));
    if (const double share = memory_share(plan); share > 0 && share < 0.25)
      remarks.push_back(percent(1 - share) + " of its memory would sit unused");
    if (plan.too_long && !pick->too_long) remarks.emplace_back("nobody waits so long");
    if (plan.fit == Fit::kTight && pick->fit == Fit::kFits) remarks.emplace_back("it may run out of memory");
    if (!plan.meets_deadline) remarks.emplace_back("it misses the deadline");
    if (!plan.meets_budget) remarks.emplace_back("it is over the budget");
    if (!plan.reaches_target) remarks.emplace_back("it misses the target");
    std::string text = "Compared with " + report.name(plan) + ": " + comparison(*pick, plan);
    if (!remarks.empty()) text += " (" + join(remarks, "; ") + ")";
    lines.push_back(text + ".");
  }
  return lines;
}

}  // namespace gpuplan
