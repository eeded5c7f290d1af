// gpuplan plan JOB: plans, frontier, recommendation and why.
#include <chrono>
#include <thread>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/deliver.h"
#include "cli/load_catalogue.h"
#include "cli/load_job.h"
#include "cli/load_prices.h"
#include "cli/terminal.h"
#include "input/csv.h"
#include "output/explain.h"
#include "output/plan_json.h"
#include "output/plan_table.h"
#include "plan/fit.h"
#include "plan/market.h"
#include "plan/search.h"

namespace gpuplan::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// What a sentence repeats to be typed again: the command as given, words with blanks in quotes.
std::string command_words(const PlanOptions& options) {
  const auto word = [](const std::string& text) {
    const std::string shown = printable(text);
    return shown.find_first_of(" \t$'\"*?&;|<>()") == std::string::npos ? shown : "'" + shown + "'";
  };
  std::string text = "gpuplan plan " + word(options.job);
  for (const std::string& setting : options.set) text += " --set " + word(setting);
  for (const std::string& file : options.prices) text += " --prices " + word(file);
  for (const std::string& rate : options.rates) text += " --rate " + word(rate);
  return text;
}

/// A price list takes the place of every offer the job or the snapshot brings.
Result<std::vector<Offer>> known_offers(const PlanOptions& options, const Catalogue& catalogue, Job& job) {
  if (options.prices.empty() && !options.rates.empty())
    return std::unexpected(Error{"--rate: says how to read price lists; add --prices FILE.csv", {}, true});
  if (options.prices.empty()) return catalogue.offers;
  job.market = {};
  return load_prices(options.prices, options.rates, catalogue);
}

int exit_code(const SearchResult& found) {
  if (found.plans.empty()) return kNothingFits;
  return found.recommendations.limits_missed ? kMissesLimits : kDone;
}

std::string table_text(const PlanStory& story, const PlanOptions& options, const std::vector<Remedy>& changes) {
  PlanLook look;
  look.screen = screen(options.common.no_color || !options.common.output.empty());
  look.all = options.common.all;
  std::string text = plan_table(story, look, changes);
  if (!options.common.explain) return text;
  for (const Plan& plan : story.found.plans)
    if (&plan == story.pick() || (look.all && plan.on_frontier)) text += '\n' + explain_plan(story, plan, look.screen);
  return text;
}

}  // namespace

int run_plan(const PlanOptions& options) {
  const Clock::time_point start = Clock::now();
  if (!options.as_of.empty() && !is_iso_date(options.as_of))
    return complain(
        {"--as-of: expected a date such as 2026-01 or 2026-01-31, got '" + printable(options.as_of) + "'", {}, true});
  const auto catalogue = load_catalogue(options.common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  auto job = load_job(options.job, options.set, *catalogue);
  if (!job) return complain(job.error());
  const auto known = known_offers(options, *catalogue, *job);
  if (!known) return complain(known.error());
  if (!options.as_of.empty() && !job->market.only) job->market.as_of = options.as_of;

  MarketFilter filter;
  const std::vector<Offer> market = market_for(*job, *catalogue, *known, filter);
  SearchOptions search_options;
  search_options.ignore_given = options.ignore == "given";
  search_options.threads = options.common.jobs > 0
                               ? options.common.jobs
                               : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  search_options.seed = options.common.seed;
  auto found = search(*job, *catalogue, market, search_options);
  if (!found) {
    Error error = found.error();
    if (error.place.file.empty()) error.place.file = options.job == "-" ? "standard input" : options.job;
    return complain(error);
  }
  filter.spot_without_rate = found->market.spot_without_rate;
  found->market = filter;

  PlanStory story(*found, *job, *catalogue);
  story.command = command_words(options);
  if (!options.prices.empty()) story.market = join(options.prices, ", ");
  const std::vector<Remedy> changes =
      found->plans.empty() ? remedies(*job, *catalogue, found->tally.nearest) : std::vector<Remedy>{};
  const std::string text =
      options.common.json
          ? plan_json(story, {options.common.all, options.common.explain, milliseconds_since(start)}, changes)
          : table_text(story, options, changes);
  return deliver(text, options.common.output, exit_code(*found));
}

}  // namespace gpuplan::cli
