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

Result<void> check(const PlanOptions& options) {
  if (!options.as_of.empty() && !is_iso_date(options.as_of))
    return std::unexpected(Error{
        "--as-of: expected a date such as 2026-01 or 2026-01-31, got '" + printable(options.as_of) + "'", {}, true});
  if (options.prices.empty() && !options.rates.empty())
    return std::unexpected(Error{"--rate: says how to read price lists; add --prices FILE.csv", {}, true});
  return {};
}

/// A job with the market it looks at and what the search found there. Plans point at the market: it stays in place.
struct Searched {
  Job job;
  std::vector<Offer> market{};
  SearchResult found{};
};

/// A price list takes the place of every offer the job or the snapshot brings.
Result<Searched> search_market(Job job, const std::vector<Offer>& known, const Catalogue& catalogue,
                               const PlanOptions& options) {
  if (!options.prices.empty()) job.market = {};
  if (!options.as_of.empty() && !job.market.only) job.market.as_of = options.as_of;
  Searched searched{std::move(job)};
  MarketFilter filter;
  searched.market = market_for(searched.job, catalogue, known, filter);

  SearchOptions how;
  how.ignore_given = options.ignore == "given";
  how.threads = options.common.jobs > 0 ? options.common.jobs
                                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  how.seed = options.common.seed;
  auto found = search(searched.job, catalogue, searched.market, how);
  if (!found) {
    Error error = found.error();
    if (error.place.file.empty()) error.place.file = options.job == "-" ? "standard input" : options.job;
    return std::unexpected(error);
  }
  filter.spot_without_rate = found->market.spot_without_rate;
  searched.found = *std::move(found);
  searched.found.market = filter;
  return searched;
}

VariantStory tell(const Variant& variant, const Searched& searched, const Catalogue& catalogue) {
  const PlanStory story(searched.found, searched.job, catalogue);
  VariantStory told{variant.name, variant.settings, std::nullopt, "", searched.found.recommendations.limits_missed};
  if (const Plan* pick = story.pick()) {
    told.pick = *pick;
    told.plan = story.name(*pick);
  }
  return told;
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
  if (const auto good = check(options); !good) return complain(good.error());
  const auto catalogue = load_catalogue(options.common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  auto loaded = load_job(options.job, options.set, *catalogue);
  if (!loaded) return complain(loaded.error());
  Result<std::vector<Offer>> prices;
  if (!options.prices.empty()) prices = load_prices(options.prices, options.rates, *catalogue);
  if (!prices) return complain(prices.error());
  const std::vector<Offer>& known = options.prices.empty() ? catalogue->offers : *prices;

  const auto searched = search_market(std::move(loaded->job), known, *catalogue, options);
  if (!searched) return complain(searched.error());
  PlanStory story(searched->found, searched->job, *catalogue);
  story.command = command_words(options);
  if (!options.prices.empty()) story.market = join(options.prices, ", ");
  std::vector<Searched> variants;  // their picks point into these
  for (Job& job : loaded->variants) {
    auto variant = search_market(std::move(job), known, *catalogue, options);
    if (!variant) return complain(variant.error());
    variants.push_back(*std::move(variant));
    story.variants.push_back(tell(searched->job.variants[variants.size() - 1], variants.back(), *catalogue));
  }

  const std::vector<Remedy> changes = searched->found.plans.empty()
                                          ? remedies(searched->job, *catalogue, searched->found.tally.nearest)
                                          : std::vector<Remedy>{};
  const std::string text =
      options.common.json
          ? plan_json(story, {options.common.all, options.common.explain, milliseconds_since(start)}, changes)
          : table_text(story, options, changes);
  return deliver(text, options.common.output, exit_code(searched->found));
}

}  // namespace gpuplan::cli
