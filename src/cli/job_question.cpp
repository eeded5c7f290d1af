#include "cli/job_question.h"

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "cli/common_options.h"
#include "cli/load_prices.h"
#include "input/csv.h"
#include "plan/market.h"

namespace gpuplan::cli {
namespace {

Result<void> check(const JobOptions& options) {
  if (!options.as_of.empty() && !is_iso_date(options.as_of))
    return std::unexpected(Error{
        "--as-of: expected a date such as 2026-01 or 2026-01-31, got '" + printable(options.as_of) + "'", {}, true});
  if (options.prices.empty() && !options.rates.empty())
    return std::unexpected(Error{"--rate: says how to read price lists; add --prices FILE.csv", {}, true});
  return {};
}

}  // namespace

void add_job_options(CommandSpec& command, JobOptions& options) {
  command.words = {{.names = "job",
                    .target = &options.job,
                    .help = "job file (YAML or JSON), or - for standard input",
                    .value = "JOB",
                    .completes = Completes::kFiles,
                    .required = true}};
  add_set_option(command, options.set);
  add_price_options(command, options.prices, options.rates);
  command.options.push_back({.names = "--ignore",
                             .target = &options.ignore,
                             .help = "given: let the model answer where the job brings figures of its own",
                             .value = "given",
                             .choices = {"given"}});
  command.options.push_back({.names = "--as-of",
                             .target = &options.as_of,
                             .help = "use the market as it was known then",
                             .value = "YYYY-MM[-DD]"});
  command.options.push_back({.names = "--jobs",
                             .target = &options.jobs,
                             .help = "threads; as many as there are cores unless given",
                             .value = "N",
                             .least = 1,
                             .most = 1024});
  command.options.push_back({.names = "--seed",
                             .target = &options.seed,
                             .help = "of the random numbers; the same seed gives the same plans",
                             .value = "N"});
}

Result<Question> read_question(const JobOptions& options, const Catalogue& catalogue) {
  if (const auto good = check(options); !good) return std::unexpected(good.error());
  auto loaded = load_job(options.job, options.set, catalogue);
  if (!loaded) return std::unexpected(loaded.error());
  if (options.prices.empty()) return Question{*std::move(loaded), catalogue.offers};
  auto prices = load_prices(options.prices, options.rates, catalogue);
  if (!prices) return std::unexpected(prices.error());
  return Question{*std::move(loaded), *std::move(prices)};
}

Result<Searched> search_job(Job job, const std::vector<Offer>& known, const Catalogue& catalogue,
                            const JobOptions& options) {
  if (!options.prices.empty()) job.market = {};
  if (!options.as_of.empty() && !job.market.only) job.market.as_of = options.as_of;
  Searched searched{std::move(job)};
  MarketFilter filter;
  searched.market = market_for(searched.job, catalogue, known, filter);

  SearchOptions how;
  how.ignore_given = options.ignore == "given";
  how.threads = options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  how.seed = options.seed;
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

std::string command_words(const std::string& command, const JobOptions& options) {
  const auto word = [](const std::string& text) {
    const std::string shown = printable(text);
    return shown.find_first_of(" \t$'\"*?&;|<>()") == std::string::npos ? shown : "'" + shown + "'";
  };
  std::string text = "gpuplan " + command + " " + word(options.job);
  for (const std::string& setting : options.set) text += " --set " + word(setting);
  for (const std::string& file : options.prices) text += " --prices " + word(file);
  for (const std::string& rate : options.rates) text += " --rate " + word(rate);
  return text;
}

}  // namespace gpuplan::cli
