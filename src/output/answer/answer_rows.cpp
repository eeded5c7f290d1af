#include "output/answer/answer_rows.h"

#include <algorithm>
#include <utility>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"
#include "plan/ranking/recommendation.h"

namespace gpuplan {
namespace {

/// Fewer rows than these leave little to compare: plans of the frontier whose hours cost too little or too much are
/// shown too, then those that others beat.
constexpr std::size_t kLeastOfFrontier = 4, kLeastRows = 3;

/// Whether an hour that lies between two plans costs about what an hour is worth.
bool is_sensible(const PlanReport& report, const Plan& plan, const Plan& pick) {
  if (report.job.goal == Goal::kFastest || report.job.goal == Goal::kFewestGpus) return true;
  const DollarsPerSecond worth = report.job.value_of_time;
  const double factor = report.catalogue.answer_constants.sensible_price;
  const Seconds saved = pick.done() - plan.done();
  const Dollars more = plan.cost.p50 - pick.cost.p50;
  if (saved > Seconds{}) return more <= saved * worth * factor;
  return more < Dollars{} && -more >= -saved * worth * (1 / factor);
}

class Rows {
 public:
  explicit Rows(const PlanReport& report)
      : report_(report),
        contends_(report.found.plans),
        limited_(!report.found.recommendations.limits_missed),
        most_(static_cast<std::size_t>(report.catalogue.answer_constants.rows)) {}

  std::vector<const Plan*> chosen() {
    const Plan* pick = report_.pick();
    if (pick == nullptr) return {};
    add(*pick);
    std::vector<const Plan*> others;
    for (const Plan& plan : report_.found.plans)
      if (plan.on_frontier && counts(plan) && is_sensible(report_, plan, *pick)) others.push_back(&plan);
    if (!others.empty()) {
      const Plan& cheapest = **std::ranges::min_element(others, {}, [](const Plan* p) { return p->cost.p50; });
      const Plan& fastest = **std::ranges::min_element(others, {}, [](const Plan* p) { return p->done(); });
      if (cheapest.cost.p50 < pick->cost.p50) add(cheapest);
      if (fastest.done() < pick->done()) add(fastest);
    }
    // Then by how likely each is the best; without such chances those that are so for some value of an hour, and the
    // nearest.
    sort_stably(others, {}, [&](const Plan* plan) {
      const auto near = plan < pick ? pick - plan : plan - pick;
      return std::tuple(-plan->chance_best.value_or(0), !best_for_some(*plan), near);
    });
    for (const Plan* plan : others) add(*plan);
    add_other();
    add_beaten();
    sort_stably(rows_, {}, [](const Plan* p) { return std::pair(p->cost.p50, p->done()); });
    return std::move(rows_);
  }

 private:
  bool counts(const Plan& plan) const { return contends_(plan) && (!limited_ || plan.keeps_limits()); }

  bool best_for_some(const Plan& plan) const {
    const auto at = static_cast<int>(&plan - report_.found.plans.data());
    return std::ranges::find(report_.found.values, at, &ValueRange::plan) != report_.found.values.end();
  }

  void add(const Plan& plan) {
    if (rows_.size() < most_ && std::ranges::find(rows_, &plan) == rows_.end()) rows_.push_back(&plan);
  }

  /// Of the frontier, the nearest to the pick.
  void add_other() {
    std::vector<const Plan*> others;
    for (const Plan& plan : report_.found.plans)
      if (plan.on_frontier && counts(plan)) others.push_back(&plan);
    const Plan* pick = report_.pick();
    sort_stably(others, {}, [&](const Plan* plan) { return plan < pick ? pick - plan : plan - pick; });
    for (const Plan* plan : others)
      if (rows_.size() < kLeastOfFrontier) add(*plan);
  }

  /// The best of other labels that are beaten by those shown.
  void add_beaten() {
    if (rows_.size() >= kLeastRows) return;
    std::vector<const Plan*> beaten;
    for (const Plan& plan : report_.found.plans)
      if (!plan.on_frontier && counts(plan)) beaten.push_back(&plan);
    sort_stably(beaten, {}, [&](const Plan* plan) { return goal_key(report_.job, *plan); });
    for (const Plan* plan : beaten) {
      if (rows_.size() >= kLeastRows) return;
      if (std::ranges::none_of(rows_, [&](const Plan* one) { return one->label == plan->label; })) add(*plan);
    }
  }

  const PlanReport& report_;
  Contends contends_;
  bool limited_;
  std::size_t most_;
  std::vector<const Plan*> rows_;
};

/// "cheapest" of all, "cheapest within limits" of those that fit and keep them, "cheapest that fits" and "cheapest in
/// reasonable time" where no limit is in the way; empty: neither.
template <class Less>
std::string place_of(const PlanReport& report, const Plan& plan, const char* word, Less less) {
  const auto& plans = report.found.plans;
  if (plans.size() < 2) return "";
  const auto beats = [&](const Plan& other) { return less(other, plan); };
  if (std::ranges::none_of(plans, beats)) return word;
  const auto allowed = [](const Plan& p) { return p.fit == Fit::kFits && !p.too_long && p.keeps_limits(); };
  if (!allowed(plan)) return "";
  if (std::ranges::any_of(plans, [&](const Plan& other) { return allowed(other) && beats(other); })) return "";
  const auto any = [&](auto in_the_way) {
    return std::ranges::any_of(plans, [&](const Plan& p) { return p.fit == Fit::kFits && beats(p) && in_the_way(p); });
  };
  if (any([](const Plan& p) { return !p.keeps_limits(); })) return std::string(word) + " within limits";
  return std::string(word) + (any([](const Plan& p) { return p.too_long; }) ? " in reasonable time" : " that fits");
}

// As cheap and later, or as fast and dearer, is neither.
bool is_cheaper(const Plan& a, const Plan& b) {
  return std::tuple(a.cost.p50, a.done()) < std::tuple(b.cost.p50, b.done());
}
bool is_faster(const Plan& a, const Plan& b) {
  return std::tuple(a.done(), a.cost.p50) < std::tuple(b.done(), b.cost.p50);
}

/// "fastest 8x B300, 11 min, $13.20" where the one that is so, of those that may be taken, has no row.
template <class Less>
std::string missing(const PlanReport& report, const std::vector<const Plan*>& shown, const char* word, Less less) {
  const Plan* best = nullptr;
  const Plan* pick = report.pick();
  const bool any_time = pick != nullptr && pick->too_long;
  for (const Plan& plan : report.found.plans)
    if (plan.fit == Fit::kFits && plan.keeps_limits() && (any_time || !plan.too_long) &&
        (best == nullptr || less(plan, *best)))
      best = &plan;
  if (best == nullptr || std::ranges::any_of(shown, [&](const Plan* plan) { return !less(*best, *plan); })) return "";
  return std::string(word) + " " + report.name(*best) + ", " + hours_words(best->hours.p50) + ", " +
         to_text(best->cost.p50);
}

}  // namespace

std::string label_of(const Plan& plan) {
  std::string label = printable(plan.label, 60);
  if (plan.spot && label.find("spot") == std::string::npos) label += " spot";
  return label;
}

std::vector<const Plan*> answer_rows(const PlanReport& report) { return Rows(report).chosen(); }

std::string row_remark(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> words;
  if (std::string word = place_of(report, plan, "cheapest", is_cheaper); !word.empty())
    words.push_back(std::move(word));
  if (std::string word = place_of(report, plan, "fastest", is_faster); !word.empty()) words.push_back(std::move(word));
  if (plan.too_long) words.emplace_back("too long");
  if (plan.fit == Fit::kTight) words.emplace_back("OOM risk");
  if (!plan.keeps_limits()) words.push_back(limits_words(plan));
  return join(words, ", ");
}

std::string others_words(const PlanReport& report, const std::vector<const Plan*>& shown) {
  std::vector<std::string> parts;
  for (std::string part :
       {missing(report, shown, "cheapest", is_cheaper), missing(report, shown, "fastest", is_faster)})
    if (!part.empty()) parts.push_back(std::move(part));
  return parts.empty() ? "" : "Not shown: " + join(parts, "; ") + ".";
}

}  // namespace gpuplan
