// What several laws compare answers by.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/text.h"
#include "laws/laws.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan::laws {
namespace {

std::string figure(double value) { return significant_text(value, 10); }

/// The figures of a plan by name, for comparing.
std::vector<std::pair<std::string, double>> figures_of(const Answer& answer, const Plan& plan) {
  std::vector<std::pair<std::string, double>> out{
      {"hours", hours(plan)},
      {"hours p10", plan.hours.p10 / units::hour},
      {"hours p90", plan.hours.p90 / units::hour},
      {"mean hours", plan.hours.mean / units::hour},
      {"cost", dollars(plan)},
      {"cost p10", plan.cost.p10.value},
      {"cost p90", plan.cost.p90.value},
      {"mean cost", plan.cost.mean.value},
      {"idle", plan.idle.value},
      {"GPU-hours", plan.gpu_hours},
      {"billed GPU-hours", plan.billed_gpu_hours},
      {"chance in time", plan.chance_in_time.value_or(-1)},
      {"chance in budget", plan.chance_in_budget.value_or(-1)},
      {"fit", static_cast<double>(plan.fit)},
      {"frontier", plan.on_frontier ? 1.0 : 0.0},
  };
  for (const PhasePlan& part : plan.phases) {
    const std::string name = answer.searched.job.phases[static_cast<std::size_t>(part.estimate->phase)].name;
    out.emplace_back("start of " + name, part.start / units::hour);
    out.emplace_back("hours of " + name, part.hours.p50 / units::hour);
    out.emplace_back("cost of " + name, part.cost.p50.value);
    out.emplace_back("memory of " + name, part.estimate->memory_total.p50.value);
  }
  std::ranges::sort(out);
  return out;
}

std::vector<const Plan*> by_id(const Answer& answer) {
  std::vector<const Plan*> plans;
  for (const Plan& plan : answer.plans()) plans.push_back(&plan);
  std::ranges::stable_sort(plans, {},
                           [](const Plan* plan) { return std::tuple(plan->id, dollars(*plan), hours(*plan)); });
  return plans;
}

std::string id_of(const Answer& answer, std::optional<int> position) {
  const Plan* plan = answer.at(position);
  return plan != nullptr ? plan->id : "none";
}

}  // namespace

bool more(double a, double b, double rounding) { return a - b > rounding + kLastDigits * std::abs(b) + 1e-12; }
bool slower(const Plan& a, const Plan& b) { return more(done(a), done(b), 1.01 * kSecond); }
bool dearer(const Plan& a, const Plan& b) { return more(dollars(a), dollars(b), step_of(dollars(a))); }

double dollars(const Plan& plan) { return plan.cost.p50.value; }
double hours(const Plan& plan) { return plan.hours.p50 / units::hour; }
double done(const Plan& plan) { return plan.done() / units::hour; }
double worth(const Answer& answer, const Plan& plan) {
  return (plan.cost.p50 + answer.searched.job.value_of_time * plan.done()).value;
}

std::string plan_words(const Plan& plan) {
  return printable(plan.label, 60) + " (" + plan.id + "): " + figure(hours(plan)) + " h, $" + figure(dollars(plan));
}

bool comparable(const Answer& a, const Answer& b) {
  const auto kind = [](const Answer& answer) {
    const std::vector<const Plan*> plans = contenders(answer.plans());
    const auto any = [&](auto good) { return std::ranges::any_of(plans, good); };
    return std::tuple(any([](const Plan* plan) { return plan->fit == Fit::kFits; }),
                      any([](const Plan* plan) { return plan->reaches_target; }),
                      any([](const Plan* plan) { return !plan->too_long; }));
  };
  return kind(a) == kind(b);
}

double slack(const Answer& answer) { return answer.searched.job.phases.size() > 1 ? kMedians : 1; }

double tie(const Answer& answer) { return 1 + tie_share(answer.searched.job, answer.catalogue().practice_constants); }

std::string worse_best(const Answer& worse, const Answer& better, double penalty) {
  penalty = std::max(penalty, slack(worse));
  if (worse.plans().empty()) return "";
  if (better.plans().empty()) return "nothing fits any more";
  if (!comparable(worse, better)) return "";
  const Recommendations &old = worse.found().recommendations, &now = better.found().recommendations;
  const auto told = [&](std::string_view what, const Plan& before, const Plan& after) {
    return std::string(what) + " became worse: " + plan_words(before) + " before, " + plan_words(after) + " after";
  };
  const Plan &cheap = *worse.at(old.cheapest), &cheap_now = *better.at(now.cheapest);
  if (more(dollars(cheap_now), penalty * dollars(cheap), step_of(dollars(cheap_now))))
    return told("cheapest", cheap, cheap_now);
  const Plan &fast = *worse.at(old.fastest), &fast_now = *better.at(now.fastest);
  if (more(done(fast_now), penalty * done(fast), 1.01 * kSecond)) return told("fastest", fast, fast_now);
  const Plan &good = *worse.at(old.best_value), &good_now = *better.at(now.best_value);
  const double second = (better.searched.job.value_of_time * units::second).value;
  if (more(worth(better, good_now), penalty * worth(worse, good) * tie(better), second + step_of(dollars(good_now))))
    return told("best_value", good, good_now);
  return "";
}

std::string difference(const Answer& a, const Answer& b) {
  if (a.plans().size() != b.plans().size())
    return number_text(static_cast<double>(a.plans().size())) + " plans and " +
           number_text(static_cast<double>(b.plans().size()));
  const std::vector<const Plan*> ours = by_id(a), theirs = by_id(b);
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const Plan& plan = *ours[k];
    if (plan.id != theirs[k]->id)
      return plan_words(std::min(plan.id, theirs[k]->id) == plan.id ? plan : *theirs[k]) + " is only among one's plans";
    const auto left = figures_of(a, plan), right = figures_of(b, *theirs[k]);
    if (left.size() != right.size()) return plan_words(plan) + " has other phases";
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i].first != right[i].first || !same(left[i].second, right[i].second))
        return plan_words(plan) + ": " + left[i].first + " " + figure(left[i].second) + ", other " + right[i].first +
               " " + figure(right[i].second);
  }
  const Recommendations &left = a.found().recommendations, &right = b.found().recommendations;
  for (const auto& [name, x, y] :
       {std::tuple("pick", left.pick, right.pick), std::tuple("cheapest", left.cheapest, right.cheapest),
        std::tuple("fastest", left.fastest, right.fastest), std::tuple("best_value", left.best_value, right.best_value),
        std::tuple("fewest_gpus", left.fewest_gpus, right.fewest_gpus)})
    if (id_of(a, x) != id_of(b, y)) return std::string(name) + " is " + id_of(a, x) + ", other " + id_of(b, y);
  return "";
}

}  // namespace gpuplan::laws
