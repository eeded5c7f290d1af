#include "output/words/plan_report.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "base/amount.h"
#include "base/text.h"
#include "model/error/error.h"
#include "output/text/price_age.h"
#include "output/words/plan_words.h"
#include "plan/capacity/misfit_words.h"
#include "plan/notes/market_hints.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// Ways to tell plans of one label apart, the shortest first: not at all, by provider, with region, by instance, all.
constexpr int kWays = 5;

/// What of the place tells them apart so; null: not that.
std::array<const Word*, 3> parts(const Plan& plan, int way) {
  if (plan.offer == nullptr || way == 0) return {};
  const Offer& o = *plan.offer;
  return {way == 3 ? nullptr : &o.provider, way == 2 || way == 4 ? &o.region : nullptr,
          way >= 3 ? &o.instance : nullptr};
}

std::string place(const Plan& plan, int way) {
  std::string text;
  for (const Word* part : parts(plan, way))
    if (part != nullptr && !part->empty()) (text += text.empty() ? "" : " ") += part->str();
  return text;
}

/// "1x H200 SXM (lium)": what a phase of a plan runs on.
std::string machine_of(const PhasePlan& part) {
  if (part.offer == nullptr) return "";
  return count_text(part.estimate->gpus) + "x " + part.offer->gpu +
         (part.offer->provider.empty() ? "" : " (" + part.offer->provider + ")");
}

/// Of label and place, for each way: of two hashes of 64 bits that are equal for different names it would only come
/// that one of them is longer than it had to be.
using Keys = std::array<std::uint64_t, kWays>;

Keys keys_of(const Plan& plan) {
  Keys keys{};
  keys.fill(hash_of(plan.label));
  for (int way = 0; way < kWays; ++way)
    for (const Word* part : parts(plan, way)) {
      if (part == nullptr) continue;
      // Equal words lie at the same place.
      std::uint64_t& key = keys[static_cast<std::size_t>(way)];
      key = (key ^ std::bit_cast<std::uintptr_t>(part->str().data())) * 0x9E3779B97F4A7C15ULL;
      key ^= key >> 32U;
    }
  return keys;
}

/// How many plans of a group are called alike, for each way.
class Namesakes {
 public:
  explicit Namesakes(const Job& job) : job_(job) {}

  void add(const Plan& plan, const Keys& keys) {
    for (std::size_t way = 0; way < keys.size(); ++way) ++times_[way][keys[way]];
    if (plan.offer == nullptr) mixed_[plan.label].push_back(&plan);
  }
  /// Label of a plan of the group with what tells it apart from the others that have the same one: the shortest that
  /// does.
  std::string name(const Plan& plan, const Keys& keys) const {
    const std::string label = printable(plan.label, 60);
    if (plan.offer == nullptr) {
      const std::string own = own_phase(plan);
      return own.empty() ? label : label + " (" + own + ")";
    }
    std::size_t way = 0;
    while (way + 1 < keys.size() && times_[way].at(keys[way]) > 1) ++way;
    const std::string own = place(plan, static_cast<int>(way));
    return own.empty() ? label : label + " (" + printable(own, 80) + ")";
  }

 private:
  /// The first phase that runs elsewhere than in all namesakes, else what the plan costs.
  std::string own_phase(const Plan& plan) const {
    const std::vector<const Plan*>& alike = mixed_.at(plan.label);
    if (alike.size() < 2) return "";
    for (std::size_t i = 0; i < plan.phases.size(); ++i) {
      const std::string here = machine_of(plan.phases[i]);
      const bool own = !here.empty() && std::ranges::none_of(alike, [&](const Plan* other) {
        return other != &plan && (i >= other->phases.size() || machine_of(other->phases[i]) == here);
      });
      if (own)
        return printable(job_.phases[static_cast<std::size_t>(plan.phases[i].estimate->phase)].name, 30) + " on " +
               printable(here, 60);
    }
    return to_text(plan.cost.p50) + ", " + hours_words(plan.hours.p50);
  }

  const Job& job_;
  std::array<std::unordered_map<std::uint64_t, int>, kWays> times_;
  std::unordered_map<std::string, std::vector<const Plan*>> mixed_;
};

/// Plans that are talked about most, the frontier and the pick, only have to differ from each other.
std::vector<std::string> plan_names(const SearchResult& found, const Job& job) {
  const auto first = [&](std::size_t i) {
    return found.plans[i].on_frontier || found.recommendations.pick == static_cast<int>(i);
  };
  std::vector<Keys> keys;
  keys.reserve(found.plans.size());
  for (const Plan& plan : found.plans) keys.push_back(keys_of(plan));
  Namesakes all(job), foremost(job);
  for (std::size_t i = 0; i < found.plans.size(); ++i) {
    all.add(found.plans[i], keys[i]);
    if (first(i)) foremost.add(found.plans[i], keys[i]);
  }
  std::vector<std::string> names;
  names.reserve(found.plans.size());
  for (std::size_t i = 0; i < found.plans.size(); ++i)
    names.push_back((first(i) ? foremost : all).name(found.plans[i], keys[i]));
  return names;
}

}  // namespace

PlanReport::PlanReport(const SearchResult& search_result, const Job& for_job, const Catalogue& facts)
    : found(search_result), job(for_job), catalogue(facts), names(plan_names(search_result, for_job)) {}

const Plan* PlanReport::pick() const {
  return found.recommendations.pick ? &plan(*found.recommendations.pick) : nullptr;
}

bool brings_offers(const Job& job) {
  const MarketSpec& market = job.market;
  const auto own = [](const Offer& offer) { return offer.source == kJobSource; };
  return !market.offers.empty() || std::ranges::any_of(market.pools, own) || std::ranges::any_of(market.own, own);
}

namespace {

/// " No offers from provider 'awss'. Did you mean 'aws'?" for each of the names that no offer has.
std::string unknown_names(const PlanReport& report, const std::vector<std::string>& wanted, Word Offer::* part,
                          std::string_view what) {
  std::set<std::string_view> names;
  // What one has goes by its own name.
  if (part == &Offer::provider)
    for (const auto* boxes : {&report.job.market.pools, &report.job.market.own})
      for (const Offer& box : *boxes) names.insert(box.label.str());
  for (const auto* offers : {&report.job.market.offers, &report.catalogue.offers})
    for (const Offer& offer : *offers)
      if (const Word& name = offer.*part; !name.empty()) names.insert(name.str());
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::string text;
  for (const std::string& name : wanted) {
    if (name.find('=') != std::string::npos ||
        std::ranges::find(report.places_known, name) != report.places_known.end() ||
        std::ranges::any_of(known, [&](std::string_view one) { return iequals(one, name); }))
      continue;
    const std::string hint = did_you_mean(name, known);
    text += " No offers " + std::string(what) + " '" + printable(name, 40) + "'" +
            (!hint.empty()            ? hint
             : part == &Offer::region ? "; regions look like us-east-1, eu-north1 or DE, areas like eu, us or germany."
                                      : ".");
  }
  return text;
}

std::string unknown_places(const PlanReport& report) {
  return unknown_names(report, report.job.where.providers, &Offer::provider, "from provider") +
         unknown_names(report, report.job.where.regions, &Offer::region, "in region");
}

}  // namespace

std::string unknown_quota_words(const PlanReport& report) {
  std::vector<std::string> limited;
  for (const auto& quota : report.job.where.quota) limited.push_back(quota.first);
  const std::string text = unknown_names(report, limited, &Offer::provider, "for the quota of provider");
  return text.empty() ? text : text.substr(1);
}

std::string header_words(const PlanReport& report) {
  const Job& job = report.job;
  const std::string name = printable(job.prose.title.empty() ? job.name : job.prose.title, 60) + ": ";
  return name + (job.phases.size() == 1 ? phase_words(job.phases.front())
                                        : count_of(static_cast<double>(job.phases.size()), "phase"));
}

std::string host_miss_words(const std::string& machine, const HostMiss& miss) {
  return upper_first(machine) + " would hold it " + (miss.use == HostUse::kOffload ? "with CPU offload " : "") +
         "on a machine with " + gib_text(miss.needed) + " GiB of CPU memory (RAM); " + gib_text(miss.room) +
         " GiB are counted.";
}

namespace {

/// Of all prices, or of the recommended plan's own where it is older than the newest: that is the one to be paid.
std::string prices_age_words(const PlanReport& report) {
  const Plan* pick = report.found.recommendations.limits_missed ? nullptr : report.pick();
  const std::string_view oldest = pick == nullptr ? std::string_view() : oldest_price(*pick);
  const std::string& newest = report.found.as_of;
  if (oldest.empty() || oldest >= newest.substr(0, oldest.size())) return price_age_words(newest, report.price_day());
  return "the pick's price" + price_age_words(oldest, report.price_day()).substr(std::string_view("prices").size());
}

}  // namespace

std::string old_price_words(const PlanReport& report, const Plan& plan) {
  if (plan.cost.p90 <= Dollars{}) return "";
  const std::string_view oldest = oldest_price(plan);
  return old_price_words(oldest.empty() ? report.found.as_of : oldest, report.price_day(),
                         report.catalogue.answer_constants.old_price_days);
}

std::string taken_off_words(const PlanReport& report) {
  std::vector<std::string> parts;
  for (const TakenOff& one : report.taken_off)
    parts.push_back(percent_text(one.share) + " at " + printable(one.provider, 40) +
                    (one.gpu.empty() ? "" : " on " + one.gpu));
  return parts.empty() ? "" : "after your discounts of " + listed_few(std::move(parts));
}

std::string prices_words(const PlanReport& report) {
  const Job& job = report.job;
  std::string market = report.market;
  if (market.empty()) {
    std::vector<std::string> parts;
    if (brings_offers(job)) parts.emplace_back("the job file");
    const auto outside = [](const Offer& box) { return box.source != kJobSource; };
    if (std::ranges::any_of(job.market.own, outside) || std::ranges::any_of(job.market.pools, outside))
      parts.emplace_back("gpuplan.toml");
    // The snapshot is what everybody has: it is named where something stands beside it.
    if (!job.market.only && (!parts.empty() || report.known != PlanReport::kSnapshot)) parts.push_back(report.known);
    market = listed(parts);
  }
  const std::string text = count_of(report.found.market.used, "offer") + (market.empty() ? "" : " from " + market);
  const std::string age = prices_age_words(report);
  const std::string own = own_runs_words(report);
  const double level = job.market.price_level;
  const std::string off = taken_off_words(report);
  return text +
         (!age.empty()     ? ", " + age
          : report.undated ? ", undated"
                           : "") +
         (off.empty() ? "" : ", " + off) + (level == 1 ? "" : ", all times " + significant_text(level, 4)) +
         (own.empty() ? "" : " · " + own);
}

int own_runs_in_use(const PlanReport& report) {
  const Plan* plan = report.pick();
  if (plan == nullptr && !report.found.plans.empty()) plan = report.found.plans.data();
  if (plan == nullptr) return report.errors().own_runs;
  int most = 0;
  for (const PhasePlan& part : plan->phases) {
    const PhaseEstimate& estimate = part.estimate;
    if (estimate.evidence == Evidence::kCalibrated)
      most = std::max(most, own_runs_on(report.errors(), estimate.error_figure, estimate.labels));
  }
  return most;
}

bool learns_from_given(const PlanReport& report, const Plan& plan) {
  return std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
    const PhaseEstimate& estimate = part.estimate;
    return estimate.evidence == Evidence::kCalibrated &&
           given_on(report.errors(), estimate.error_figure, estimate.labels) > 0;
  });
}

std::string own_runs_words(const PlanReport& report) {
  const int runs = own_runs_in_use(report);
  if (runs == 0)
    return report.pick() != nullptr && learns_from_given(report, *report.pick()) ? "calibrated on your speeds" : "";
  const std::string text = "calibrated on " + count_of(runs, "run");
  const std::string age =
      old_run_words(report.catalogue.own_runs_as_of, report.today, report.catalogue.answer_constants.stale_run_days);
  return age.empty() ? text : text + ", " + age;
}

std::string shown_words(const PlanReport& report, const std::vector<bool>& rows) {
  int frontier = 0, beaten = 0, tight = 0, missing = 0;
  for (std::size_t i = 0; i < report.found.plans.size(); ++i) {
    const Plan& plan = report.found.plans[i];
    if (rows[i]) continue;
    ++(plan.on_frontier ? frontier : beaten);
    tight += plan.fit == Fit::kTight ? 1 : 0;
    missing += plan.reaches_target ? 0 : 1;
  }
  if (frontier + beaten == 0) return "";
  std::vector<std::string> parts;
  const auto shown = report.found.plans.size() - static_cast<std::size_t>(frontier + beaten);
  if (frontier > 0)
    parts.push_back(std::to_string(frontier) + " more on the Pareto frontier (--top " +
                    std::to_string(shown + static_cast<std::size_t>(frontier)) + ")");
  if (beaten > 0)
    parts.push_back(count_of(beaten, "more plan") + (beaten == 1 ? " is" : " are") +
                    " no faster and no cheaper than one of these (--all)");
  if (tight > 0) parts.push_back(std::to_string(tight) + " of them may run out of memory");
  if (missing > 0) parts.push_back(std::to_string(missing) + (missing == 1 ? " misses" : " miss") + " the target");
  return join(parts, "; ") + ".";
}

std::string tally_words(const PlanReport& report) {
  const Tally& tally = report.found.tally;
  if (tally.considered == 0) return "";
  const long rejected = tally.considered - tally.feasible;
  if (rejected == 0) return "";
  std::vector<std::string> reasons;
  for (const auto& entry : Names<Misfit>::entries)
    if (const long count = tally.rejected[static_cast<std::size_t>(entry.value)]; count > 0)
      reasons.push_back(std::string(reason(entry.value)) + " " + count_text(static_cast<double>(count)));
  return "Searched " + count_of(static_cast<double>(tally.considered), "configuration") + "; " +
         (tally.feasible == 0 ? "none" : count_text(static_cast<double>(tally.feasible))) +
         " can run (ruled out: " + join(reasons, ", ") + ").";
}

namespace {

/// "1 pool left out: its jobs may be preempted (preemptible: true), and the job takes no spot machines (where.spot)".
std::string preemptible_words(const PlanReport& report) {
  const int pools = report.found.market.preemptible;
  return count_of(pools, "pool") + " left out: " + (pools == 1 ? "its" : "their") +
         " jobs may be preempted (preemptible: true), and " + (report.in_flags ? "--spot never" : "where.spot: never") +
         " takes no machines that are taken away";
}

}  // namespace

std::string left_out_words(const PlanReport& report) {
  const MarketFilter& filter = report.found.market;
  std::vector<std::string> parts;
  if (filter.no_region > 0)
    parts.push_back(count_of(filter.no_region, "offer") + " left out, as nobody states " +
                    (filter.no_region == 1 ? "its" : "their") + " region");
  if (filter.unknown_region > 0)
    parts.push_back(count_of(filter.unknown_region, "offer") + " left out in a region of no known area");
  if (filter.preemptible > 0) parts.push_back(preemptible_words(report));
  return parts.empty() ? "" : upper_first(join(parts, "; ")) + ".";
}

std::string market_words(const PlanReport& report) {
  const MarketFilter& filter = report.found.market;
  std::vector<std::string> parts;
  if (filter.by_where > 0) {
    std::vector<std::string> regions;
    if (filter.no_region > 0)
      regions.push_back(count_text(filter.no_region) + " for " + (filter.no_region == 1 ? "its" : "their") +
                        " region alone, which " + (filter.no_region == 1 ? "its" : "their") + " source does not state");
    if (filter.unknown_region > 0)
      regions.push_back(count_text(filter.unknown_region) + " in a region of no known area");
    parts.push_back(count_text(filter.by_where) + " excluded by your filters" +
                    (regions.empty() ? "" : " (" + join(regions, ", ") + ")"));
  }
  if (filter.too_old > 0)
    parts.push_back(count_text(filter.too_old) + " with prices " +
                    (report.job.market.as_of.empty() ? "" : "of later days or ") +
                    "more than five months older than the newest");
  if (filter.outdated > 0)
    parts.push_back(count_text(filter.outdated) + " that newer prices of the same GPU at the same provider replace");
  if (filter.gone > 0)
    parts.push_back(count_text(filter.gone) + " single machines of marketplaces listed more than " +
                    count_text(report.catalogue.answer_constants.old_price_days) + " days ago");
  if (filter.dearer > 0)
    parts.push_back(count_text(filter.dearer) + " of the same machines at the same provider for more");
  if (filter.sold_out > 0) parts.push_back(count_text(filter.sold_out) + " sold out when they were listed");
  if (filter.unsupported > 0)
    parts.push_back(count_text(filter.unsupported) +
                    " of GPUs that current software no longer supports (--gpu takes them by name)");
  std::string text;
  if (!parts.empty()) text = "Left out of " + count_of(filter.offers, "offer") + ": " + listed(parts) + ".";
  if (filter.twice > 0)
    text += (text.empty() ? "" : " ") + count_of(filter.twice, "duplicate offer") + " counted once.";
  if (filter.preemptible > 0) text += (text.empty() ? "" : " ") + preemptible_words(report) + ".";
  if (!report.found.plans.empty())
    for (const std::string& hint : market_hints(report.job, report.catalogue, report.offers, report.found.market))
      text += (text.empty() ? "" : " ") + hint;
  if (filter.spot_without_rate > 0)
    text += (text.empty() ? "" : " ") + count_of(filter.spot_without_rate, "spot price") +
            " skipped: interruption rate unknown. Set one: " +
            (report.in_flags ? "--interruptions 5%/h" : "spot.interruptions: 5%/h");
  return text;
}

bool only_spot_is_missing(const SearchResult& found) {
  return found.plans.empty() && found.tally.feasible > 0 && found.market.spot_without_rate > 0;
}

bool only_spot_is_refused(const SearchResult& found) { return found.plans.empty() && found.market.spot_refused > 0; }

namespace {

/// Where the filters ask for numbers of GPUs on several machines: what those numbers are of.
std::string count_hint(const PlanReport& report) {
  const Where& where = report.job.where;
  const auto several = std::ranges::find_if(where.nodes, [](int n) { return n > 1; });
  const auto counted = std::ranges::find_if(where.gpus, [](const GpuChoice& choice) { return choice.count > 0; });
  if (several == where.nodes.end() || counted == where.gpus.end() || counted->count % *several != 0) return "";
  const std::string each = std::to_string(counted->count / *several) + "x " + counted->gpu;
  return " A number before a GPU is of one machine: " + std::to_string(*several) + " machines of " + each + " are " +
         (report.in_flags ? "--gpu '" + each + "' --nodes " + std::to_string(*several)
                          : "gpus: [" + each + "], nodes: [" + std::to_string(*several) + "]") +
         ".";
}

/// GPUs asked for by name that nobody in the list rents, or not in that number; one name may stand for several
/// products.
std::string unsold_gpus(const PlanReport& report) {
  std::set<int> sold;
  const auto& choices = report.job.where.gpus;
  for (const auto* offers : {&report.job.market.offers, &report.catalogue.offers})
    for (const Offer& offer : *offers)
      if (std::ranges::find(choices, offer.gpu.str(), &GpuChoice::gpu) != choices.end()) sold.insert(offer.gpus);
  if (choices.empty()) return "";
  if (sold.empty())
    return " Nobody in the price list rents " + printable(choices.front().gpu, 40) +
           ": state your own machine (market.own) or a price list (--prices); gpuplan fit tells what fits its memory.";
  const int wanted = choices.front().count;
  if (wanted <= 0 || sold.contains(wanted)) return "";
  std::vector<std::string> counts;
  for (const int count : sold) counts.push_back(std::to_string(count));
  return " They are rented in machines of " + listed(counts) + ", not of " + std::to_string(wanted) + ".";
}

/// " (--gpu, --max-price)": those that the question has.
std::string filters_named(const Where& where) {
  std::vector<std::string> flags;
  const auto add = [&](bool given, const char* flag) {
    if (given) flags.emplace_back(flag);
  };
  add(!where.gpus.empty(), "--gpu");
  add(!where.counts.empty(), "--counts");
  add(!where.providers.empty(), "--provider");
  add(!where.regions.empty(), "--region");
  add(where.max_price.has_value(), "--max-price");
  return flags.empty() ? "" : " (" + join(flags, ", ") + ")";
}

/// The filters leave nothing: which of them, where one name is to blame.
std::string no_offer_words(const PlanReport& report) {
  const MarketFilter& market = report.found.market;
  std::string text = "No offer is left: " + count_text(market.by_where) + " of " + count_of(market.offers, "offer") +
                     (market.by_where == 1 ? " does" : " do") + " not match your filters" +
                     (report.in_flags ? filters_named(report.job.where) : " (where)");
  if (market.too_old > 0)
    text += ", " + count_text(market.too_old) + (market.too_old == 1 ? " is" : " are") +
            (report.job.market.as_of.empty() ? "" : " of later days or") +
            " more than five months older than the newest";
  if (market.sold_out > 0)
    text += ", " + count_text(market.sold_out) + (market.sold_out == 1 ? " was" : " were") + " sold out when listed";
  return text + "." + count_hint(report) + unsold_gpus(report) + unknown_places(report);
}

std::string near_miss_words(const PlanReport& report, const Phase& phase, const NearMiss& miss) {
  return "Nothing fits. Closest: " + std::to_string(miss.gpus) + "x " + miss.gpu->name +
         (report.job.phases.size() > 1 ? " for " + printable(phase.name, 60) : std::string()) + " is " +
         gib_text(miss.needed - miss.usable) + " GiB per GPU short (" + gib_text(miss.needed) + " GiB needed, " +
         gib_text(miss.usable) + " usable).";
}

/// What was tried fits on the GPUs and has no room in the memory of their machines: nearly all of it, or, where nobody
/// asked to move anything there, all.
bool host_is_to_blame(const Job& job, const Tally& tally) {
  if (tally.host.phase < 0 || tally.feasible > 0) return false;
  const auto rejected = [&](Misfit why) { return tally.rejected[static_cast<std::size_t>(why)]; };
  const auto* train = std::get_if<TrainPhase>(&job.phases[static_cast<std::size_t>(tally.host.phase)].work);
  const bool asked = tally.host.use != HostUse::kOffload || train == nullptr || train->offload.given();
  return asked ? rejected(Misfit::kHostMemory) > rejected(Misfit::kMemory) : tally.nearest.phase < 0;
}

/// What asks for so much memory of a machine, and what to do.
std::string host_blame_words(const PlanReport& report, const Phase& phase, const HostMiss& miss) {
  const std::string name = report.job.phases.size() > 1 ? printable(phase.name, 60) + ": " : std::string();
  const std::string room = "; the machine that came closest has room for " + to_text(miss.room) + ". ";
  switch (miss.use) {
    case HostUse::kKept:
      return "Nothing fits in CPU memory. " + upper_first(name + "the stored activations take ") +
             to_text(miss.needed) + " of a machine's memory (RAM)" + room +
             "Store them on disk: store: {to: disk}; or store less: fewer layers, tokens: last or new.";
    case HostUse::kOffload:
      return "Nothing fits in CPU memory. " + upper_first(name + "CPU offload takes ") + to_text(miss.needed) +
             " of a machine's memory (RAM)" + room + "More GPUs, or method: lora or qlora, move less.";
    case HostUse::kLoading:
      break;
  }
  return "Nothing fits in CPU memory. " + upper_first(name + "loading the weights takes ") + to_text(miss.needed) +
         " of a machine's memory (RAM)" + room + "It fits on the GPUs: a machine with more RAM runs it.";
}

std::string too_long_words(const Phase& phase, const TooLong& late) {
  return printable(phase.name, 60) + " needs up to " + hours_words(late.takes) + " (P90); jobs there stop after " +
         hours_words(late.limit) + ", and this one cannot be split.";
}

std::string unfit_words(const PlanReport& report, const UnfitPhase& unfit) {
  const Phase& phase = report.job.phases[static_cast<std::size_t>(unfit.phase)];
  const bool one = report.job.phases.size() == 1;
  const std::string name = "Nothing fits. " + (one ? std::string("The job") : "Phase " + printable(phase.name, 60));
  if (unfit.gpus_wanted > unfit.gpus_most) {
    std::string text = name + " needs " + count_of(unfit.gpus_wanted, "GPU") + ", the largest machine has " +
                       std::to_string(unfit.gpus_most);
    if (report.job.where.nodes.empty() && unfit.gpus_most > 0) {
      const int machines = (unfit.gpus_wanted + unfit.gpus_most - 1) / unfit.gpus_most;
      text += ". Allow several machines: " + (report.in_flags ? "--nodes " + std::to_string(machines)
                                                              : "where.nodes: [" + std::to_string(machines) + "]");
      return text;
    }
    return text + ".";
  }
  if (host_is_to_blame(report.job, unfit.tally)) return host_blame_words(report, phase, unfit.tally.host);
  if (unfit.tally.nearest.phase >= 0 && unfit.tally.nearest.gpu != nullptr) {
    const std::string text = near_miss_words(report, phase, unfit.tally.nearest);
    return !unfit.tally.host.may_be_had() ? text : text + " " + host_miss_words("one of the offers", unfit.tally.host);
  }
  if (unfit.tally.soonest.phase >= 0) return "Nothing fits. " + upper_first(too_long_words(phase, unfit.tally.soonest));
  const std::string why =
      unfit.tally.unsupported_reason.empty() ? main_reason(unfit.tally) : unfit.tally.unsupported_reason;
  return name + " cannot run on any of these machines" + (why.empty() ? "." : ": " + printable(why, 300) + ".");
}

/// Only spot machines are wanted and the market has none, or none as cheap; empty: there are.
std::string no_spot_words(const PlanReport& report) {
  const Job& job = report.job;
  if (job.where.spot != SpotUse::kOnly || report.offers.empty()) return "";
  std::optional<DollarsPerSecond> least;
  for (const Offer& offer : report.offers)
    if (offer.spot_price && (!least || offer.spot_price->p50 < *least)) least = offer.spot_price->p50;
  if (!least && std::ranges::any_of(report.offers, &Offer::preemptible)) return "";
  if (!least)
    return std::string("No spot prices in these offers. Use ") +
           (report.in_flags ? "--spot allow" : "where.spot: allow") + ", or add spot_price.";
  if (!job.spot.max_price || *least <= *job.spot.max_price) return "";
  return "Nothing to rent: the cheapest spot machine costs " + to_text(*least) + ", more than " +
         (report.in_flags ? "--max-price " : "spot.max_price: ") + to_text(*job.spot.max_price) + ".";
}

/// Phase by phase, where somebody looked at each of a job alone.
std::vector<std::string> unfit_lines(const PlanReport& report) {
  std::vector<std::string> lines;
  if (std::string words = no_spot_words(report); !words.empty()) return {std::move(words)};
  if (!report.unfit) return lines;
  for (const UnfitPhase& unfit : *report.unfit) lines.push_back(unfit_words(report, unfit));
  if (lines.empty() && report.job.phases.size() > 1 && report.job.schedule != Schedule::kEachPhase)
    lines.emplace_back("No single machine runs every phase. Use one per phase: schedule: each_phase");
  return lines;
}

}  // namespace

bool memory_is_to_blame(const PlanReport& report) {
  if (!no_spot_words(report).empty() || host_is_to_blame(report.job, report.found.tally)) return false;
  if (!report.unfit || report.unfit->empty()) return true;
  return std::ranges::find(*report.unfit, report.found.tally.nearest.phase, &UnfitPhase::phase) != report.unfit->end();
}

std::vector<std::string> nothing_fits_words(const PlanReport& report) {
  const Tally& tally = report.found.tally;
  std::vector<std::string> lines;
  const MarketFilter& market = report.found.market;
  if (tally.considered == 0)
    if (std::vector<std::string> hints = market_hints(report.job, report.catalogue, report.offers, report.found.market);
        !hints.empty())
      return hints;
  if (market.used == 0) {
    if (market.offers == 0) lines.emplace_back("No offers. Add market.offers to the job, or --prices FILE.csv");
    else if (market.by_where == 0 && !report.job.market.as_of.empty())
      lines.push_back("No prices are known for " + printable(report.job.market.as_of, 20) + " or before.");
    else lines.push_back(no_offer_words(report));
    return lines;
  }
  if (market.preemptible > 0 && tally.considered == 0) {
    lines.push_back("Nothing else to run on: " + preemptible_words(report) + ".");
    return lines;
  }
  if (only_spot_is_missing(report.found)) {
    lines.push_back(std::string("Only spot machines fit, and their interruption rate is unknown. Set one: ") +
                    (report.in_flags ? "--interruptions 5%/h" : "spot.interruptions: 5%/h") +
                    ", or ask with --spot only, which assumes it." +
                    (report.job.spot.trace.empty() ? "" : " Only gpuplan simulate uses the trace."));
    return lines;
  }
  if (only_spot_is_refused(report.found)) {
    lines.push_back("What fits has a spot price only (" + count_of(report.found.market.spot_refused, "offer") +
                    "). Allow spot: " + (report.in_flags ? "--spot allow" : "where.spot: allow") + ".");
    return lines;
  }
  for (std::string& line : unfit_lines(report)) lines.push_back(std::move(line));
  if (!lines.empty()) return lines;
  if (host_is_to_blame(report.job, tally)) {
    const Phase& phase = report.job.phases[static_cast<std::size_t>(tally.host.phase)];
    lines.push_back(host_blame_words(report, phase, tally.host));
  } else if (tally.nearest.phase >= 0 && tally.nearest.gpu != nullptr) {
    const Phase& phase = report.job.phases[static_cast<std::size_t>(tally.nearest.phase)];
    lines.push_back(near_miss_words(report, phase, tally.nearest));
  } else {
    lines.push_back("No offer can run this job.");
  }
  if (const TooLong& late = tally.soonest; late.phase >= 0)
    lines.push_back(upper_first(too_long_words(report.job.phases[static_cast<std::size_t>(late.phase)], late)));
  if (!tally.unsupported_reason.empty()) lines.push_back(upper_first(printable(tally.unsupported_reason, 300)) + ".");
  return lines;
}

}  // namespace gpuplan
