#include "output/words/plan_report.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/plan_words.h"
#include "plan/capacity/misfit_words.h"

namespace gpuplan {
namespace {

/// Ways to tell plans of one label apart, the shortest first: not at all, by provider, with region, by instance, all.
constexpr int kWays = 5;

std::string place(const Plan& plan, int way) {
  if (plan.offer == nullptr || way == 0) return "";
  const Offer& o = *plan.offer;
  std::string text = way == 3 ? "" : o.provider;
  for (const std::string* part : {way == 2 || way == 4 ? &o.region : nullptr, way >= 3 ? &o.instance : nullptr})
    if (part != nullptr && !part->empty()) text += (text.empty() ? "" : " ") + *part;
  return text;
}

/// How many plans of a group are called alike, for each way.
class Namesakes {
 public:
  void add(const Plan& plan) {
    for (int way = 0; way < kWays; ++way) ++times_[key(plan, way)];
  }
  /// Label of a plan of the group with what tells it apart from the others that have the same one: the shortest that
  /// does.
  std::string name(const Plan& plan) const {
    std::string label = printable(plan.label, 60);
    if (plan.offer == nullptr) return label;
    int way = 0;
    while (way + 1 < kWays && times_.at(key(plan, way)) > 1) ++way;
    const std::string own = place(plan, way);
    return own.empty() ? label : label + " (" + printable(own, 80) + ")";
  }

 private:
  static std::string key(const Plan& plan, int way) {
    return std::to_string(way) + plan.label + '\n' + place(plan, way);
  }

  std::unordered_map<std::string, int> times_;
};

/// Plans that are talked about most, the frontier and the pick, only have to differ from each other.
std::vector<std::string> plan_names(const SearchResult& found) {
  const auto first = [&](std::size_t i) {
    return found.plans[i].on_frontier || found.recommendations.pick == static_cast<int>(i);
  };
  Namesakes all, foremost;
  for (std::size_t i = 0; i < found.plans.size(); ++i) {
    all.add(found.plans[i]);
    if (first(i)) foremost.add(found.plans[i]);
  }
  std::vector<std::string> names;
  names.reserve(found.plans.size());
  for (std::size_t i = 0; i < found.plans.size(); ++i)
    names.push_back((first(i) ? foremost : all).name(found.plans[i]));
  return names;
}

}  // namespace

PlanReport::PlanReport(const SearchResult& search_result, const Job& for_job, const Catalogue& facts)
    : found(search_result), job(for_job), catalogue(facts), names(plan_names(search_result)) {}

const Plan* PlanReport::pick() const {
  return found.recommendations.pick ? &plan(*found.recommendations.pick) : nullptr;
}

bool brings_offers(const Job& job) {
  const MarketSpec& market = job.market;
  const auto own = [](const Offer& offer) { return offer.source == kJobSource; };
  return !market.offers.empty() || std::ranges::any_of(market.pools, own) || std::ranges::any_of(market.own, own);
}

namespace {

/// " No offer known is of provider 'awss'; did you mean aws?" for each provider and region that nobody has.
std::string unknown_places(const PlanReport& report) {
  std::string text;
  const auto check = [&](const std::vector<std::string>& wanted, std::string Offer::* part, std::string_view what) {
    std::set<std::string_view> names;
    for (const auto* offers : {&report.job.market.offers, &report.catalogue.offers})
      for (const Offer& offer : *offers)
        if (const std::string& name = offer.*part; !name.empty()) names.insert(name);
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const std::string& name : wanted)
      if (std::ranges::none_of(known, [&](std::string_view one) { return iequals(one, name); })) {
        const std::string hint = did_you_mean(name, known);
        text += " No offer known is of " + std::string(what) + " '" + printable(name, 40) + "'" +
                (hint.empty() ? "." : hint);
      }
  };
  check(report.job.where.providers, &Offer::provider, "provider");
  check(report.job.where.regions, &Offer::region, "region");
  return text;
}

}  // namespace

std::string header_words(const PlanReport& report) {
  const Job& job = report.job;
  std::string text = printable(job.name, 60) + ": " + count_of(static_cast<double>(job.phases.size()), "phase");
  if (job.phases.size() == 1) text += ", " + phase_words(job.phases.front());

  std::string market = report.market;
  if (market.empty()) {
    std::vector<std::string> parts;
    if (brings_offers(job)) parts.emplace_back("this job");
    const auto outside = [](const Offer& box) { return box.source != kJobSource; };
    if (std::ranges::any_of(job.market.own, outside) || std::ranges::any_of(job.market.pools, outside))
      parts.emplace_back("gpuplan.toml");
    if (!job.market.only) parts.push_back(report.known);
    market = listed(parts);
  }
  text += " · market: " + market;
  if (!report.found.as_of.empty()) text += ", as of " + printable(report.found.as_of, 20);
  text += ", " + count_of(report.found.market.used, "offer");
  return text + " · no calibration";
}

std::string shown_words(const PlanReport& report, const std::vector<bool>& rows) {
  constexpr std::size_t kExamples = 3;
  std::vector<std::string> examples;
  std::unordered_set<std::string_view> labels;
  int shown = 0, frontier = 0, dominated = 0, tight = 0, missing = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Plan& plan = report.found.plans[i];
    if (rows[i]) {
      ++shown;
      continue;
    }
    if (plan.on_frontier) ++frontier;
    else if (plan.dominated_by.empty()) ++(plan.fit == Fit::kTight ? tight : missing);  // nothing beats it
    if (plan.on_frontier || plan.dominated_by.empty()) continue;
    ++dominated;
    const Plan& by = report.plan(plan.dominated_by.front());
    // One example a label: that the same machine costs more elsewhere is no news.
    if (by.label == plan.label || !labels.insert(plan.label).second) continue;
    if (examples.size() < kExamples) examples.push_back(printable(plan.label, 60) + " by " + report.name(by));
  }
  if (frontier + dominated + tight + missing == 0) return "";
  std::string text = "Shown " + std::to_string(shown) + " of " + count_of(static_cast<double>(rows.size()), "plan");
  const auto are = [](int count) { return std::to_string(count) + (count == 1 ? " is" : " are"); };
  if (frontier > 0) {
    text += "; " + std::to_string(frontier) + " more" + (frontier == 1 ? " is" : " are") + " on the frontier (--top " +
            std::to_string(shown + frontier) + ")";
  }
  if (tight > 0) text += "; " + are(tight) + " tight";
  if (missing > 0) text += "; " + std::to_string(missing) + (missing == 1 ? " misses" : " miss") + " the target";
  if (dominated == 0) return text + ".";
  text += "; " + are(dominated) + " dominated (--all)";
  if (examples.empty()) return text + ".";
  text += ": " + join(examples, ", ");
  return text + (dominated > static_cast<int>(examples.size()) ? ", …" : "");
}

std::string tally_words(const PlanReport& report) {
  const Tally& tally = report.found.tally;
  if (tally.considered == 0) return "";
  const std::string text = "Looked at " + count_of(static_cast<double>(tally.considered), "way") + " to run it";
  const long rejected = tally.considered - tally.feasible;
  if (rejected == 0) return text + "; all of them can run.";
  std::vector<std::string> reasons;
  for (const auto& entry : Names<Misfit>::entries)
    if (const long count = tally.rejected[static_cast<std::size_t>(entry.value)]; count > 0)
      reasons.push_back(std::string(reason(entry.value)) + " (" + count_text(static_cast<double>(count)) + ")");
  const std::string how_many =
      tally.feasible == 0 ? "none can" : count_text(static_cast<double>(rejected)) + " can not";
  return text + "; " + how_many + ", because of " + listed(reasons) + ".";
}

std::string market_words(const PlanReport& report) {
  const MarketFilter& filter = report.found.market;
  std::vector<std::string> parts;
  if (filter.by_where > 0) parts.push_back(count_text(filter.by_where) + " that do not match where");
  if (filter.too_old > 0)
    parts.push_back(count_text(filter.too_old) + " whose price is more than six months older than the newest");
  std::string text;
  if (!parts.empty()) text = "Left out of " + count_of(filter.offers, "offer") + ": " + listed(parts) + ".";
  if (filter.twice > 0) {
    text += (text.empty() ? "" : " ") + count_of(filter.twice, "offer") + (filter.twice == 1 ? " is" : " are") +
            " in the list more than once, equal in everything: counted once.";
  }
  if (filter.spot_without_rate > 0) {
    text += (text.empty() ? "" : " ") + count_of(filter.spot_without_rate, "spot price") +
            " not used: nobody says how often they are interrupted (spot.interruptions: 5%/h).";
  }
  return text;
}

bool only_spot_is_missing(const SearchResult& found) {
  return found.plans.empty() && found.tally.feasible > 0 && found.market.spot_without_rate > 0;
}

namespace {

std::string near_miss_words(const Phase& phase, const NearMiss& miss) {
  return "Nothing fits. Closest: phase " + printable(phase.name, 60) + " on " + std::to_string(miss.gpus) + "x " +
         miss.gpu->name + " needs " + gib_text(miss.needed) + " GiB a GPU where " + gib_text(miss.usable) +
         " are usable, " + gib_text(miss.needed - miss.usable) + " GiB too much.";
}

std::string too_long_words(const Phase& phase, const TooLong& late) {
  return "Phase " + printable(phase.name, 60) + " may take " + hours_words(late.takes) + " (P90), a job may run for " +
         hours_words(late.limit) + " there, and it can not be cut into several.";
}

std::string unfit_words(const PlanReport& report, const UnfitPhase& unfit) {
  const Phase& phase = report.job.phases[static_cast<std::size_t>(unfit.phase)];
  const std::string name = "Nothing fits. Phase " + printable(phase.name, 60);
  if (unfit.gpus_wanted > unfit.gpus_most) {
    std::string text = name + " needs " + count_of(unfit.gpus_wanted, "GPU") + ", and the largest machine here has " +
                       std::to_string(unfit.gpus_most);
    if (report.job.where.nodes.empty() && unfit.gpus_most > 0) {
      const int machines = (unfit.gpus_wanted + unfit.gpus_most - 1) / unfit.gpus_most;
      text += "; several may be taken with where.nodes: [" + std::to_string(machines) + "]";
    }
    return text + ".";
  }
  if (unfit.tally.nearest.phase >= 0 && unfit.tally.nearest.gpu != nullptr)
    return near_miss_words(phase, unfit.tally.nearest);
  if (unfit.tally.soonest.phase >= 0) return "Nothing fits. " + too_long_words(phase, unfit.tally.soonest);
  const std::string why =
      unfit.tally.unsupported_reason.empty() ? main_reason(unfit.tally) : unfit.tally.unsupported_reason;
  return name + " runs on none of these machines" + (why.empty() ? "." : ": " + printable(why, 300) + ".");
}

/// Only spot machines are wanted and the market has none, or none as cheap; empty: there are.
std::string no_spot_words(const PlanReport& report) {
  const Job& job = report.job;
  if (job.where.spot != SpotUse::kOnly || report.offers.empty()) return "";
  std::optional<DollarsPerSecond> least;
  for (const Offer& offer : report.offers)
    if (offer.spot_price && (!least || offer.spot_price->p50 < *least)) least = offer.spot_price->p50;
  if (!least)
    return "Nothing to rent: where.spot is only, and no offer has a spot price; add spot_price to one, or set "
           "where.spot: "
           "allow.";
  if (!job.spot.max_price || *least <= *job.spot.max_price) return "";
  return "Nothing to rent: where.spot is only, and the cheapest spot machine costs " + to_text(*least) +
         ", more than spot.max_price of " + to_text(*job.spot.max_price) + ".";
}

/// Phase by phase, where somebody looked at each of a job alone.
std::vector<std::string> unfit_lines(const PlanReport& report) {
  std::vector<std::string> lines;
  if (std::string words = no_spot_words(report); !words.empty()) return {std::move(words)};
  if (!report.unfit) return lines;
  for (const UnfitPhase& unfit : *report.unfit) lines.push_back(unfit_words(report, unfit));
  if (lines.empty() && report.job.phases.size() > 1 && report.job.schedule != Schedule::kEachPhase)
    lines.emplace_back(
        "Nothing fits. Every phase runs on some machine, and none runs them all; schedule: each_phase takes machines "
        "for "
        "each.");
  return lines;
}

}  // namespace

bool memory_is_to_blame(const PlanReport& report) {
  if (!no_spot_words(report).empty()) return false;
  if (!report.unfit || report.unfit->empty()) return true;
  return std::ranges::find(*report.unfit, report.found.tally.nearest.phase, &UnfitPhase::phase) != report.unfit->end();
}

std::vector<std::string> nothing_fits_words(const PlanReport& report) {
  const Tally& tally = report.found.tally;
  std::vector<std::string> lines;
  const MarketFilter& market = report.found.market;
  if (market.used == 0) {
    const std::string all = count_of(market.offers, "offer");
    if (market.offers == 0) lines.emplace_back("Nothing to plan with: the market has no offer.");
    else if (market.by_where == 0 && !report.job.market.as_of.empty())
      lines.push_back("Nothing to plan with: none of the " + all + " known was there as of " +
                      printable(report.job.market.as_of, 20) + ".");
    else lines.push_back("Nothing to plan with: where leaves out all " + all + "." + unknown_places(report));
    return lines;
  }
  if (only_spot_is_missing(report.found)) {
    lines.push_back(
        "Nothing to rent: the job can run, but only on spot machines, and nobody says how often they are "
        "interrupted. Add spot.interruptions, such as 5%/h, or ask with --spot only, which assumes it.");
    return lines;
  }
  for (std::string& line : unfit_lines(report)) lines.push_back(std::move(line));
  if (!lines.empty()) return lines;
  if (tally.nearest.phase >= 0 && tally.nearest.gpu != nullptr) {
    const Phase& phase = report.job.phases[static_cast<std::size_t>(tally.nearest.phase)];
    lines.push_back(near_miss_words(phase, tally.nearest));
  } else {
    lines.push_back("Nothing can run this job on this market.");
  }
  if (const TooLong& late = tally.soonest; late.phase >= 0)
    lines.push_back(too_long_words(report.job.phases[static_cast<std::size_t>(late.phase)], late));
  if (!tally.unsupported_reason.empty()) lines.push_back(upper_first(printable(tally.unsupported_reason, 300)) + ".");
  return lines;
}

}  // namespace gpuplan
