// What plan and its relatives are asked: a job, the settings on top of it, the market, and how to search.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/load/load_job.h"
#include "cli/options/command_spec.h"
#include "domain/facts/catalogue.h"
#include "input/question/sketch.h"
#include "input/question/user_config.h"
#include "output/words/plan_story.h"
#include "plan/advice/limit_remedies.h"
#include "plan/search.h"

namespace gpuplan::cli {

struct JobOptions {
  std::string job;                  ///< file or "-"; empty: the question stands in `sketch`
  Sketch sketch;                    ///< the work in flags
  Wishes wishes;                    ///< where, limits and goal in flags
  bool no_config = false;           ///< read no gpuplan.toml
  std::vector<std::string> set;     ///< ADDRESS=VALUE
  std::vector<std::string> prices;  ///< CSV files
  std::vector<std::string> rates;   ///< EUR=1.08
  std::string ignore;               ///< "given"
  std::string as_of;
  int jobs = 0;  ///< threads; 0: as many as there are cores
  std::uint64_t seed = 1;
};

/// The job as a word of the command, and every option of JobOptions.
void add_job_options(CommandSpec& command, JobOptions& options);

/// The question with everything read that it names.
struct Question {
  LoadedJob loaded;
  JobSource written;         ///< as `loaded`, without settings and what gpuplan.toml adds
  UserConfig config;         ///< what it says
  std::vector<Offer> known;  ///< the snapshot, or the price lists in its place
  std::string market{};      ///< how to call the price lists of the command line; empty: there are none
  std::string known_name{};  ///< how to call the price lists of gpuplan.toml; empty: the snapshot is known
};
Result<Question> read_question(const JobOptions& options, const Catalogue& catalogue);

/// The job of a question with these settings in place of those of the options, and without its variants: what the same
/// settings make of it when they are asked from the beginning. What each of them changed, in order.
struct ChangedJob {
  Job job;
  std::vector<std::vector<Change>> changes{};
};
Result<ChangedJob> changed_job(const Question& question, const std::vector<std::string>& settings,
                               const JobOptions& options, const Catalogue& catalogue);

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

/// The answer for one job of the question. A price list takes the place of every offer the job or the snapshot brings.
Result<Searched> search_job(Job job, const std::vector<Offer>& known, const Catalogue& catalogue,
                            const JobOptions& options);

/// kDone, or why the answer is none: nothing fits, the limits are missed.
int exit_code(const SearchResult& found);

/// Tells a story how to call the market of the question.
void name_market(const Question& question, PlanStory& story);

/// What would keep the limits that no plan found keeps; empty when the pick keeps them.
std::vector<LimitRemedy> tried_remedies(const Searched& searched, const std::vector<Offer>& known,
                                        const Catalogue& catalogue, const JobOptions& options);

/// Where no plan was found: tells the story which phases run on none of the machines, and why. Each sentence of nothing
/// that fits is made from it.
void blame_phases(const Searched& searched, const Catalogue& catalogue, const JobOptions& options, PlanStory& story);

/// How the options ask for the search.
SearchOptions search_options(const JobOptions& options);

/// Threads to work with.
int thread_count(const JobOptions& options);

/// What a sentence repeats to be typed again: "gpuplan plan" with the options given that the answer depends on, in
/// quotes where a shell needs them. Without --ignore, which the sentence goes on with.
std::string command_words(const std::string& command, const JobOptions& options, const std::string& data_folder);

}  // namespace gpuplan::cli
