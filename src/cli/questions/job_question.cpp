#include "cli/questions/job_question.h"

#include <algorithm>
#include <thread>

#include "base/shell_text.h"
#include "base/text.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/find_config.h"
#include "cli/load/load_prices.h"
#include "cli/options/common_options.h"
#include "cli/options/sketch_options.h"
#include "input/job/settings.h"
#include "input/models/model_source.h"
#include "input/text/csv.h"
#include "plan/advice/unfit.h"
#include "plan/answer/market.h"

namespace gpuplan::cli {
namespace {

Result<void> check(const JobOptions& options) {
  if (!options.as_of.empty() && !is_iso_date(options.as_of))
    return wrong_use("--as-of: expected a date such as 2026-01 or 2026-01-31, got '" + printable(options.as_of) + "'");
  return {};
}

/// The question in flags as a job.
Result<JobSource> sketched_source(const JobOptions& options, const Catalogue& catalogue) {
  const ModelFinder models(catalogue);
  const auto sketched = sketch_job(options.sketch, options.wishes, models);
  if (!sketched) return std::unexpected(sketched.error());
  return read_sketch(*sketched);
}

/// The job as written, in its file or in flags, with the flags that go with either.
Result<JobSource> written_source(const JobOptions& options, const Catalogue& catalogue) {
  const std::string_view flag = first_flag(options.sketch);
  if (!options.job.empty() && !flag.empty()) return std::unexpected(flag_beside_job(flag));
  if (options.job.empty() && flag.empty()) return std::unexpected(no_question());
  if (options.job.empty()) return sketched_source(options, catalogue);
  auto source = open_job(options.job, {});
  if (!source) return source;
  if (const auto good = apply_wishes(*source, options.wishes); !good) return std::unexpected(good.error());
  return source;
}

struct ChangedSource {
  JobSource source;
  std::vector<std::vector<Change>> changes{};
};

/// Settings change what is written, flags included; gpuplan.toml adds what still is not said then.
Result<ChangedSource> changed_source(const JobSource& written, const std::vector<std::string>& settings,
                                     const JobOptions& options, const UserConfig& config) {
  ChangedSource changed{written};
  for (const std::string& setting : settings) {
    auto set = set_value(changed.source.tree, setting);
    if (!set) return std::unexpected(std::move(set.error()));
    changed.changes.push_back(*std::move(set));
  }
  apply_config(changed.source, config, options.prices.empty());
  return changed;
}

}  // namespace

void blame_phases(const Searched& searched, const Catalogue& catalogue, const JobOptions& options, PlanStory& story) {
  if (searched.found.plans.empty() && searched.found.market.used > 0)
    story.unfit = unfit_phases(searched.job, catalogue, searched.market, search_options(options));
}

SearchOptions search_options(const JobOptions& options) {
  SearchOptions how;
  how.ignore_given = options.ignore == "given";
  how.threads = thread_count(options);
  how.seed = options.seed;
  return how;
}

void add_job_options(CommandSpec& command, JobOptions& options) {
  command.words = {{.names = "job",
                    .target = &options.job,
                    .help = "job file (YAML or JSON), or - for standard input; without one, ask in flags",
                    .value = "JOB",
                    .completes = Completes::kFiles}};
  add_sketch_options(command, options.sketch);
  add_wish_options(command, options.wishes);
  add_set_option(command, options.set);
  add_price_options(command, options.prices, options.rates);
  add_config_flag(command, options.no_config);
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
  auto config = load_config(options.no_config, catalogue);
  if (!config) return std::unexpected(config.error());
  auto written = written_source(options, catalogue);
  if (!written) return std::unexpected(written.error());
  const auto changed = changed_source(*written, options.set, options, *config);
  if (!changed) return std::unexpected(changed.error());
  auto loaded = read_source(changed->source, catalogue);
  if (!loaded) return std::unexpected(loaded.error());
  Question question{*std::move(loaded), *std::move(written), *std::move(config), {}};
  auto known = known_offers(options.prices, options.rates, question.config, catalogue);
  if (!known) return std::unexpected(known.error());
  question.known = *std::move(known);
  if (!options.prices.empty()) question.market = join(options.prices, ", ");
  else question.known_name = join(question.config.prices, ", ");
  return question;
}

Result<ChangedJob> changed_job(const Question& question, const std::vector<std::string>& settings,
                               const JobOptions& options, const Catalogue& catalogue) {
  JobSource alone = question.written;
  std::erase_if(alone.tree.children, [](const Tree& child) { return child.key == "variants"; });
  auto changed = changed_source(alone, settings, options, question.config);
  if (!changed) return std::unexpected(std::move(changed.error()));
  auto job = read_job(changed->source, catalogue, ModelFinder(catalogue));
  if (!job) return std::unexpected(std::move(job.error()));
  return ChangedJob{*std::move(job), std::move(changed->changes)};
}

Result<Searched> search_market(Job job, std::vector<Offer> market, const Catalogue& catalogue,
                               const SearchOptions& how) {
  Searched searched(std::move(job), std::move(market));
  auto found = search(searched.job, catalogue, searched.market, how);
  if (!found) return std::unexpected(std::move(found.error()));
  searched.found = *std::move(found);
  return searched;
}

Result<Searched> search_job(Job job, const std::vector<Offer>& known, const Catalogue& catalogue,
                            const JobOptions& options) {
  if (!options.prices.empty()) job.market = {};
  if (!options.as_of.empty() && !job.market.only) job.market.as_of = options.as_of;
  MarketFilter filter;
  std::vector<Offer> market = market_for(job, catalogue, known, filter);
  auto searched = search_market(std::move(job), std::move(market), catalogue, search_options(options));
  if (!searched) {
    Error error = std::move(searched.error());
    if (error.place.file.empty()) error.place.file = shown_name(options.job);
    return std::unexpected(std::move(error));
  }
  filter.spot_without_rate = searched->found.market.spot_without_rate;
  searched->found.market = filter;
  return searched;
}

int exit_code(const SearchResult& found) {
  if (found.plans.empty()) return kNothingFits;
  return found.recommendations.limits_missed ? kMissesLimits : kDone;
}

void name_market(const Question& question, PlanStory& story) {
  story.market = question.market;
  if (!question.known_name.empty()) story.known = question.known_name;
}

std::vector<LimitRemedy> tried_remedies(const Searched& searched, const std::vector<Offer>& known,
                                        const Catalogue& catalogue, const JobOptions& options) {
  return limit_remedies(searched.job, catalogue, known, searched.market, searched.found, search_options(options));
}

int thread_count(const JobOptions& options) {
  return options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::string command_words(const std::string& command, const JobOptions& options, const std::string& data_folder) {
  std::string text = "gpuplan " + command;
  if (!options.job.empty()) text += " " + shell_word(options.job);
  text += flag_words(options.sketch, options.wishes);
  for (const std::string& setting : options.set) text += " --set " + shell_word(setting);
  for (const std::string& file : options.prices) text += " --prices " + shell_word(file);
  for (const std::string& rate : options.rates) text += " --rate " + shell_word(rate);
  if (options.no_config) text += " --no-config";
  if (!options.as_of.empty()) text += " --as-of " + shell_word(options.as_of);
  if (options.seed != JobOptions{}.seed) text += " --seed " + std::to_string(options.seed);
  if (!data_folder.empty()) text += " --data " + shell_word(data_folder);
  return text;
}

}  // namespace gpuplan::cli
