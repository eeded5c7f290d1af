// What a search found, in sentences: which plan is recommended and why, what was not chosen and why, what is known of
// the figures. Tables, pages and messages say it with these. Plain text, one paragraph a string, no colour.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/advice/limit_remedies.h"
#include "plan/advice/unfit.h"
#include "plan/ranking/break_even.h"
#include "plan/ranking/fallback.h"
#include "plan/search.h"

namespace gpuplan {

/// What the search found for one of the job's variants.
struct VariantReport {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;  ///< address, value
  std::optional<Plan> pick;                                   ///< nullopt: nothing fits
  std::string plan;                                           ///< how the pick is called
  bool limits_missed = false;
  VariantProse prose{};
};

/// What a contract of the user's takes off prices that plans pay.
struct TakenOff {
  std::string provider, gpu;  ///< gpu empty: all of the provider's
  double share = 0;           ///< 0 to 1

  bool operator==(const TakenOff&) const = default;
};

/// What all sentences about a search are made from. Refers to its parts, which must outlive it.
struct PlanReport {
  const SearchResult& found;
  const Job& job;
  const Catalogue& catalogue;
  std::string command = "gpuplan plan JOB";  ///< what the user typed, for hints such as "... --ignore given"
  std::string market;                        ///< how to call the market; empty: from the job and the sources
  static constexpr const char* kSnapshot = "the built-in price list";
  std::string known = kSnapshot;      ///< how to call the market beside the job's own
  std::vector<TakenOff> taken_off{};  ///< discounts that are in prices of the market
  /// Providers and regions the job names that are in the market beside its own, whatever became of their offers.
  std::vector<std::string> places_known{};
  bool undated = false;                      ///< no price of the lists that the question names has a date
  std::string today{};                       ///< "2026-11-22", when it is made; empty: nobody says
  bool in_flags = false;                     ///< the question came in flags: hints name them
  std::string launch{};                      ///< the command that writes the scripts of the pick; empty: not known
  std::vector<std::string> unwritten{};      ///< what those will lack, in sentences
  std::vector<std::string> limit_changes{};  ///< of `limit_remedies`, as a user asks for them; empty: as they are
  std::vector<std::string> names;            ///< of the plans, told apart: "8x H100 SXM (lambda)"
  std::vector<VariantReport> variants{};     ///< searched beside the job
  std::span<const Offer> offers{};           ///< the market that was searched; empty: only the offers of plans
  SearchOptions how{};                       ///< how it was searched, for tables that search again
  bool all = false;                          ///< tables show every row, not only those of most interest
  /// Up to which price the pick stays recommended, where somebody looked and there is one.
  std::optional<BreakEven> break_even{};
  std::vector<Fallback> fallbacks{};          ///< worked out before, for who asks more than once; empty: nobody did
  std::vector<LimitRemedy> limit_remedies{};  ///< tried because no plan keeps the limits
  /// Phases that run nowhere, where nothing fits and somebody looked; empty: it is no single phase.
  std::optional<std::vector<UnfitPhase>> unfit{};
  /// The same job without its own figures, and its market; null where nobody compares.
  const PlanReport* by_model = nullptr;

  PlanReport(const SearchResult& search_result, const Job& for_job, const Catalogue& facts);

  const Plan* pick() const;
  /// What the ranges of the plans are made of.
  const ErrorModel& errors() const { return found.errors ? *found.errors : catalogue.errors; }
  /// What its plans were compared by.
  Compared compared() const {
    return {errors(), catalogue.answer_constants.beside_shared, catalogue.practice_constants, how.seed,
            found.market.providers};
  }
  /// REQUIRES: there is a pick.
  std::vector<Fallback> stand_ins() const {
    return fallbacks.empty() ? fallback_order(job, found, compared()) : fallbacks;
  }
  /// Which prices' age counts to: the day that was asked about, else the day on which it is made.
  const std::string& price_day() const { return job.market.today.empty() ? today : job.market.today; }
  const Plan& plan(int position) const { return found.plans[static_cast<std::size_t>(position)]; }
  const std::string& name(const Plan& plan) const {
    return names[static_cast<std::size_t>(&plan - found.plans.data())];
  }
};

/// What the pick is called in a table: "recommended", or "closest" where nothing meets the limits.
std::string_view pick_word(const PlanReport& report);

/// The rule that the pick was taken by; of one that was tied with the best by it "about the lowest cost, with commoner
/// GPUs than 8x B300".
std::string tied_rule(const PlanReport& report, std::string rule);
/// ", 2 h in the queue included" where the plan waits, ", time in queues included" where only others do; else empty.
std::string queue_words(const PlanReport& report, const Plan& plan);
/// What "the only plan" does not speak of: policies that go from spot to on demand and back, where plans on spot are
/// late; empty where none is.
std::string switching_words(const PlanReport& report, const Plan& plan);
/// The pick takes longer than anybody waits, or plans that would be better do; else empty.
std::string long_words(const PlanReport& report, const Plan& pick);

/// "1x RTX 3090 would hold it [with CPU offload] on a machine with 124 GiB of CPU memory (RAM); 72 GiB are counted."
std::string host_miss_words(const std::string& machine, const HostMiss& miss);

/// Whether the market holds offers, pools or boxes that the job itself names.
bool brings_offers(const Job& job);
/// "qwen3-8b-lora: LoRA fine-tuning of Qwen3-8B on 10M tokens, 1 epoch", "sft-node: 7 phases".
std::string header_words(const PlanReport& report);
/// "No offers for the quota of provider 'awss'. Did you mean 'aws'?"; "" where all are known.
std::string unknown_quota_words(const PlanReport& report);
/// "after your discounts of 15% at aws"; empty: there are none.
std::string taken_off_words(const PlanReport& report);
/// "245 offers, prices from 2026-04, 7 months old", "15 offers from the job file".
std::string prices_words(const PlanReport& report);
/// "Prices are from 2026-04, 7 months old: look them up before you rent.": the oldest of the plan's own prices, else
/// the newest of the market; empty where they are new, and of a plan that pays nothing.
std::string old_price_words(const PlanReport& report, const Plan& plan);
/// Whether a speed that the job states for other machines tells something of the plan.
bool learns_from_given(const PlanReport& report, const Plan& plan);
/// "calibrated on 3 runs", with the age of what is old; "calibrated on your speeds"; empty: neither tells anything of
/// the plan.
std::string own_runs_words(const PlanReport& report);
/// How many own runs tell something of the pick.
int own_runs_in_use(const PlanReport& report);
/// "11 more plans are no faster and no cheaper than one of these (--all)."; empty when all are shown.
/// `rows` says for each plan whether it is shown (output/answer/plan_rows.h).
std::string shown_words(const PlanReport& report, const std::vector<bool>& rows);
/// Which plan is best for which value of an hour.
std::string value_words(const PlanReport& report);
/// Names of the frontier's plans that are the best at no value of an hour.
std::vector<std::string> never_best(const PlanReport& report);
/// The value of an hour when the job does not say it and the pick depends on it; else empty.
std::string assumed_value_words(const PlanReport& report);
/// The pick with rule and reason.
std::string pick_words(const PlanReport& report);
/// The pick beside the others of the frontier, how many times faster or cheaper it is: one line a plan, at most `most`.
/// "Compared with 4x RTX 3090: 2.1x faster, 1.08x the cost ($0.21 per hour saved)."
std::vector<std::string> summary_words(const PlanReport& report, std::size_t most = 4);
/// Given figures that lie outside the model's interval; empty: none does.
std::string given_words(const PlanReport& report);
/// Scarcity of the pick and what comes next; empty when it is not scarce.
std::string availability_words(const PlanReport& report);
/// "up to $1.52/h (now $1.30/h); above, 1x B200"; empty: the pick has no such price (plan/ranking/break_even.h).
std::string break_even_words(const PlanReport& report);
/// Frontier plans too close to call; empty: none.
std::string close_words(const PlanReport& report);
/// Each limit is kept by some plan, and both by none: by how much the nearest miss; else empty.
std::string not_both_words(const PlanReport& report);
/// What interruptions do to a plan on spot machines.
std::string interruption_words(const PlanReport& report, const Plan& plan);
/// Deadline, budget, contingency, buffer and interruptions of the pick: one line each.
std::vector<std::string> limit_words(const PlanReport& report);
/// What was tried, and what could not run and why.
std::string tally_words(const PlanReport& report);
/// What a reader may miss: offers left out because nobody knows their region, and pools because their jobs may be
/// preempted; empty: none.
std::string left_out_words(const PlanReport& report);
/// Offers that age or missing rates left out; empty when there is nothing to say.
std::string market_words(const PlanReport& report);

/// The job could run, if somebody said how often the spot machines that it wants are interrupted.
bool only_spot_is_missing(const SearchResult& found);
/// The job could run on machines that have no price but that of spot, and takes none of these.
bool only_spot_is_refused(const SearchResult& found);

/// The phase that came closest to fitting is one that runs nowhere, so that what would make it fit is worth saying.
bool memory_is_to_blame(const PlanReport& report);

/// Why nothing fits: which phase, by how much and on which GPU.
std::vector<std::string> nothing_fits_words(const PlanReport& report);

}  // namespace gpuplan
