// Deadlines, budgets and the chances to keep them.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "laws/laws.h"

namespace gpuplan::laws {
namespace {

/// What the goal of the job makes small; nullopt: GPUs, which are counted by other rules.
std::optional<double> goal_figure(const Answer& answer, const Plan& plan) {
  switch (answer.searched.job.goal) {
    case Goal::kBestValue:
      return worth(answer, plan);
    case Goal::kCheapest:
      return dollars(plan);
    case Goal::kFastest:
      return done(plan);
    case Goal::kFewestGpus:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The base with a limit near what its plans take, so that it matters.
Case limited(const Answer& base, Random& random) {
  Case one = base.asked;
  const Plan& near = base.plans()[random.below(base.plans().size())];
  Tree& limits = one.job.find("limits") != nullptr ? *one.job.find("limits") : put(one.job, "limits", map_tree());
  if (chance(random, 0.7))
    put(limits, "deadline", number_text(std::max(0.001, hours(near) * between(random, 0.7, 1.6))) + " h");
  if (limits.find("deadline") == nullptr || chance(random, 0.3))
    put(limits, "budget", "$" + number_text(std::max(0.01, dollars(near) * between(random, 0.7, 1.6))));
  return one;
}

void loosen(Case& one, double factor) {
  Tree& limits = *one.job.find("limits");
  for (const std::string_view key : {"deadline", "budget"})
    if (Tree* limit = limits.find(key)) limit->text = scaled(limit->text, factor);
}

Verdict looser_limits(const Answer& base, Random& random) {
  if (base.plans().empty()) return silent();
  const Case tight = limited(base, random);
  Case loose = tight;
  loosen(loose, between(random, 1.01, 2));
  const Asked a = ask(tight), b = ask(loose);
  if (!a) return silent();  // below what the job's own figures allow
  if (!b) return broken("refused: " + b.error().message, loose);
  const Answer &before = **a, &after = **b;
  if (before.plans().empty() || before.found().recommendations.limits_missed) return silent();
  if (after.found().recommendations.limits_missed) return broken("looser limits are missed, tighter ones kept", loose);
  const auto x = goal_figure(before, *before.pick()), y = goal_figure(after, *after.pick());
  const double rounding =
      step_of(dollars(*after.pick())) + (after.searched.job.value_of_time * units::second).value + kSecond;
  if (x && y && more(*y, *x * tie(after), rounding))
    return broken(
        "looser limits: the pick became worse: " + plan_words(*before.pick()) + ", then " + plan_words(*after.pick()),
        loose);
  const Plan* in_time = before.at(before.found().recommendations.within_deadline);
  const Plan* still = after.at(after.found().recommendations.within_deadline);
  if (in_time != nullptr && (still == nullptr || dearer(*still, *in_time)))
    return broken("a looser deadline costs more: " + plan_words(*in_time), loose);
  return holds();
}

Verdict falling_chances(const Answer& base, Random& random) {
  if (base.plans().empty()) return silent();
  const Case tight = limited(base, random);
  Case loose = tight;
  loosen(loose, between(random, 1.01, 2));
  const Asked a = ask(tight), b = ask(loose);
  if (!a) return silent();  // below what the job's own figures allow
  if (!b) return broken("refused: " + b.error().message, loose);
  for (const Plan& plan : (*a)->plans())
    for (const Plan& other : (*b)->plans()) {
      if (other.id != plan.id) continue;
      if (plan.chance_in_time && (!other.chance_in_time || more(*plan.chance_in_time, *other.chance_in_time)))
        return broken(plan_words(plan) +
                          ": more time makes it less likely to be in time: " + number_text(*plan.chance_in_time) +
                          ", then " + number_text(other.chance_in_time.value_or(-1)),
                      loose);
      if (plan.chance_in_budget && (!other.chance_in_budget || more(*plan.chance_in_budget, *other.chance_in_budget)))
        return broken(plan_words(plan) +
                          ": more money makes it less likely to be enough: " + number_text(*plan.chance_in_budget) +
                          ", then " + number_text(other.chance_in_budget.value_or(-1)),
                      loose);
    }
  return holds();
}

constexpr Law kLaws[] = {
    {"looser-limits", "a looser deadline or larger budget never makes the pick worse", looser_limits},
    {"falling-chances", "the chance to keep a limit falls when it is tightened", falling_chances},
};

}  // namespace

std::span<const Law> limit_laws() { return kLaws; }

}  // namespace gpuplan::laws
