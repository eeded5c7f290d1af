// What plan and its relatives take on the command line, and the files that it names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/questions/question.h"
#include "base/result.h"
#include "cli/io/system.h"
#include "cli/load/own_runs.h"
#include "cli/load/price_store.h"
#include "cli/options/command_spec.h"

namespace gpuplan::cli {

struct JobOptions {
  std::string job;                  ///< file or "-"; empty: the question stands in `from` or `sketch`
  std::string from;                 ///< kept plan or page whose job is asked again
  Sketch sketch;                    ///< the work in flags
  Wishes wishes;                    ///< where, limits and goal in flags
  OwnRunsOptions runs;              ///< what predictions learn from
  bool no_config = false;           ///< read no gpuplan.toml
  std::vector<std::string> set;     ///< ADDRESS=VALUE
  std::vector<std::string> prices;  ///< CSV files
  std::vector<std::string> rates;   ///< EUR=1.08
  StoreOptions store;               ///< stored prices
  std::string ignore;               ///< "given"
  std::string as_of;
  int jobs = 0;  ///< threads; 0: as many as there are cores
  std::uint64_t seed = 1;
};

/// The file that holds the job, wherever it is named; empty: none does.
const std::string& job_file(const JobOptions& options);

/// The job as a word of the command, and every option of JobOptions.
void add_job_options(CommandSpec& command, JobOptions& options);

/// The question with every file read that it names. Errors name file and line, or the option (usage errors).
Result<api::Request> read_request(System& system, const JobOptions& options, const Catalogue& catalogue);
Result<api::Question> read_question(System& system, const JobOptions& options, const Catalogue& catalogue);

/// Where prices come from, beside those that are built in.
struct MarketOptions {
  const std::vector<std::string>& prices;  ///< CSV files
  const std::vector<std::string>& rates;   ///< EUR=1.08
  const StoreOptions& store;
  bool no_config = false;
};
/// The request's price lists, stored prices and the user's settings alone.
Result<api::Request> read_market(System& system, const MarketOptions& options, const Catalogue& catalogue);

/// Threads to work with.
int thread_count(const JobOptions& options);

/// Contract of the command line: kDone, kMissesLimits, kNothingFits.
int exit_code(api::Verdict verdict);
int exit_code(const SearchResult& found);

/// What a sentence repeats to be typed again: "gpuplan plan" with the options given that the answer depends on, in
/// quotes where a shell needs them. Without --ignore, which the sentence goes on with.
std::string command_words(const std::string& command, const JobOptions& options, const std::string& data_folder);

}  // namespace gpuplan::cli
