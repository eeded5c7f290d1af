// A job and what is asked of it: the texts that say it, what they come to, and what the search finds. Nothing here
// reads a price list, a job or settings from disk; networks that a job names by their path are read where it says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/questions/prices.h"
#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/job/settings.h"
#include "input/models/model_source.h"
#include "input/question/sketch.h"
#include "input/question/user_config.h"
#include "output/words/plan_report.h"
#include "plan/advice/limit_remedies.h"
#include "plan/answer/newest_offers.h"
#include "plan/search.h"

namespace gpuplan::api {

/// How to search, and in which market.
struct SearchTerms {
  bool only_lists = false;  ///< price lists are the whole market: neither the job's own offers count nor the snapshot
  std::string as_of{};      ///< the market as it was known then; empty: as it is
  std::string today{};      ///< prices are so old by then; empty: nobody says
  std::string job_file{};   ///< what messages call the job
  ModelFiles model_files = ModelFiles::kRead;  ///< networks that the job names by a path
  SearchOptions how{};
  DearerOffers left_out{};        ///< of the known market, which is not asked for anything else
  Shared<OwnScatters> scatter{};  ///< of stored prices
};

/// Prices that are kept on a machine. They are asked for where no price list takes the market's place.
class StoredOffers {
 public:
  virtual ~StoredOffers() = default;
  /// As they were known on a date ("2026-11", "2026-11-25"; empty: as they are); none where none are kept. Where
  /// `wanted_at` is given, what no plan may want (plan/answer/cheapest_offers.h) may be left out elsewhere.
  virtual Result<ThinnedOffers> offers(const std::string& as_of, const Places* wanted_at) const = 0;
};

/// A question as it is put, every text in hand.
struct Request {
  std::optional<NamedText> job{};               ///< a job file or a kept plan; none: the question stands in `sketch`
  Sketch sketch{};                              ///< the work in flags
  Wishes wishes{};                              ///< where, limits and goal in flags
  std::vector<std::string> set{};               ///< ADDRESS=VALUE
  UserConfig config{};                          ///< what the user's settings say; of its `prices` the texts are `known`
  std::vector<NamedText> prices{};              ///< price lists: the whole market, SearchTerms::only_lists
  std::vector<NamedText> known{};               ///< price lists in place of the snapshot, beside what the job brings
  std::shared_ptr<const StoredOffers> store{};  ///< beside the snapshot; null: none
  std::vector<std::string> rates{};             ///< EUR=1.08
  std::string as_of{};                          ///< 2026-01 or 2026-01-31
  std::string today{};                          ///< 2026-11-22: prices are so old by then; empty: nobody says
  ModelFiles model_files = ModelFiles::kRead;
  SearchOptions how{};
};

/// A job with what it was read from.
struct LoadedJob {
  Job job;
  JobSource source;           ///< as written, with the settings
  std::vector<Job> variants;  ///< the whole job with the overrides of each of job.variants
};

/// The job with its variants.
Result<LoadedJob> read_source(const JobSource& source, const Catalogue& catalogue,
                              ModelFiles files = ModelFiles::kRead);

/// A job file as written, or the job of a kept plan (input/question/plan_file.h), with the settings applied.
Result<JobSource> open_source(const NamedText& job, const std::vector<std::string>& settings);

/// The question with everything that it names.
struct Question {
  LoadedJob loaded;
  JobSource written;         ///< as `loaded`, without settings and what the user's settings add
  UserConfig config;         ///< what they say
  std::vector<Offer> known;  ///< the snapshot, or the price lists in its place
  std::string market{};      ///< how to call the price lists of the question; empty: there are none
  /// How to call the price lists of the user's settings, or the snapshot with stored prices; empty: the snapshot alone.
  std::string known_name{};
  SearchTerms terms{};
  std::string today{};      ///< Request::today
  bool discounted = false;  ///< KnownOffers::discounted
};
/// `all`: also stored offers that no plan of the job as it stands may want; what is asked further may.
Result<Question> read_question(const Request& request, const Catalogue& catalogue, bool all = true);
/// Whether Request::as_of is a date; a usage error otherwise. read_question() looks too.
Result<void> check_date(const std::string& as_of);
/// Prices of a day that is not yet known nobody has. Dates of either may have no day; an empty one is of any time.
Result<void> check_past(const std::string& as_of, const std::string& today);
/// The same of Request::today; `name` is how the user calls it.
Result<void> check_today(const std::string& today, const std::string& name);

/// The offers known beside a job's own: the price lists of the question, else those of the user's settings, else the
/// snapshot and what is stored, the newest of each machine as of a date (empty: today). No rate is about those: with
/// `rates` it is a usage error.
struct KnownOffers {
  std::vector<Offer> offers;
  DearerOffers left_out{};
  OwnScatters scatter{};                ///< of stored prices
  std::size_t stored = 0;               ///< of them
  bool discounted = false;              ///< the user's own discounts are in the prices, where there are any
  std::vector<std::string> warnings{};  ///< about the user's settings: "unknown provider ..."
};
/// `all`: also what no plan may want.
Result<KnownOffers> known_offers(const Request& request, const Catalogue& catalogue, const std::string& as_of,
                                 bool all = true);

/// The job of a question with these settings in place of those of the request, and without its variants: what the same
/// settings make of it when they are asked from the beginning. What each of them changed, in order.
struct ChangedJob {
  Job job;
  std::vector<std::vector<Change>> changes{};
};
Result<ChangedJob> changed_job(const Question& question, const std::vector<std::string>& settings,
                               const Catalogue& catalogue);

/// A job with the market it looks at and what the search found there. Plans point at the offers of the market: it goes
/// where they go, and a copy would have plans that point elsewhere. Made by search_market() and search_job() alone.
struct Searched {
  explicit Searched(Job asked, std::vector<Offer> offers = {}) : job(std::move(asked)), market(std::move(offers)) {}
  Searched(const Searched&) = delete;
  Searched& operator=(const Searched&) = delete;
  Searched(Searched&&) = default;
  Searched& operator=(Searched&&) = default;
  ~Searched() = default;

  Job job;
  std::vector<Offer> market;
  SearchResult found;
};

/// The answer for a job on these offers.
Result<Searched> search_market(Job job, std::vector<Offer> market, const Catalogue& catalogue,
                               const SearchOptions& how);

/// The answer for one job of the question.
Result<Searched> search_job(Job job, const std::vector<Offer>& known, const Catalogue& catalogue,
                            const SearchTerms& terms);

/// What came of a search.
enum class Verdict { kFound, kMissesLimits, kNothingFits };
Verdict verdict_of(const SearchResult& found);

/// Tells a report how to call the market of the question.
void name_market(const Question& question, PlanReport& report);

/// What would keep the limits that no plan found keeps; empty when the pick keeps them.
std::vector<LimitRemedy> tried_remedies(const Searched& searched, const std::vector<Offer>& known,
                                        const Catalogue& catalogue, const SearchTerms& terms);

/// Where no plan was found: tells the report which phases run on none of the machines, and why. Each sentence of
/// nothing that fits is made from it.
void blame_phases(const Searched& searched, const Catalogue& catalogue, const SearchTerms& terms, PlanReport& report);

/// Usage errors: a flag of the work stands beside a job, with the settings that say the same of it where they can;
/// there is neither.
Error flag_beside_job(const Sketch& sketch, const NamedText& job, const Catalogue& catalogue, ModelFiles files);
Error no_question();

}  // namespace gpuplan::api
