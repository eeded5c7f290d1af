#include "cli/load/job_options.h"

#include <algorithm>
#include <thread>

#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/find_config.h"
#include "cli/load/load_job.h"
#include "cli/options/common_options.h"
#include "cli/options/sketch_options.h"
#include "input/question/plan_file.h"
#include "input/text/csv.h"

namespace gpuplan::cli {
namespace {

Result<std::vector<api::NamedText>> read_lists(System& system, const std::vector<std::string>& files) {
  std::vector<api::NamedText> lists;
  for (const std::string& file : files) {
    auto text = read_file(system, file, CsvTable::kMaxBytes);
    if (!text) return std::unexpected(text.error());
    lists.push_back({shown_name(file), *std::move(text), system.facts_of(file).modified});
  }
  return lists;
}

/// The file of --from, which holds a plan beside its job.
Result<api::NamedText> read_from(System& system, const JobOptions& options) {
  if (!options.job.empty())
    return wrong_use("--from and the job " + printable(options.job, 80) + " name two jobs; leave one of them out");
  auto text = read_job_text(system, options.from);
  if (text && !is_kept_plan(text->text))
    return failure("is no saved plan and no page of gpuplan report; a job file is given without --from",
                   {shown_name(options.from)});
  return text;
}

}  // namespace

const std::string& job_file(const JobOptions& options) { return options.from.empty() ? options.job : options.from; }

void add_job_options(CommandSpec& command, JobOptions& options) {
  command.words = {{.names = "job",
                    .target = &options.job,
                    .help = "job file (YAML or JSON), or - for standard input; omit it to use flags",
                    .value = "JOB",
                    .completes = Completes::kFiles}};
  command.options.push_back({.names = "--from",
                             .target = &options.from,
                             .help = "take the job of a saved plan (plan.json) or a page (plan.html)",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  add_sketch_options(command, options.sketch);
  add_wish_options(command, options.wishes);
  add_set_option(command, options.set);
  add_price_options(command, options.prices, options.rates);
  add_config_flag(command, options.no_config);
  add_runs_options(command, options.runs);
  add_store_options(command, options.store);
  command.options.push_back({.names = "--ignore",
                             .target = &options.ignore,
                             .help = "given: ignore your own figures in the job; use predictions",
                             .value = "given",
                             .choices = {"given"}});
  command.options.push_back({.names = "--as-of",
                             .target = &options.as_of,
                             .help = "use the prices known on this date",
                             .value = "YYYY-MM[-DD]"});
  command.options.push_back({.names = "--jobs",
                             .target = &options.jobs,
                             .help = "number of threads (default: all cores)",
                             .value = "N",
                             .least = 1,
                             .most = 1024});
  command.options.push_back({.names = "--seed",
                             .target = &options.seed,
                             .help = "random seed; the same seed gives the same plans (default: 0)",
                             .value = "N"});
  add_aliases(command);
}

namespace {

/// Of "--tokens 10 M": the shell passes on two words, and the second is taken for a job file. "" where it is none of
/// these.
std::string unit_apart(const JobOptions& options) {
  const std::string& unit = options.job;
  if (unit.empty() || is_digit(unit.front()) || unit.find('.') != std::string::npos) return "";
  constexpr AmountKind kKinds[] = {AmountKind::kCount, AmountKind::kTime, AmountKind::kTokens, AmountKind::kBytes};
  const auto ends_with_unit = [&](std::string_view said) {
    const bool bare = !said.empty() && std::ranges::all_of(said, [](char c) { return is_digit(c) || c == '.'; });
    return bare && std::ranges::any_of(kKinds, [&](AmountKind kind) {
             return parse_amount(std::string(said) + " " + unit, kind).has_value();
           });
  };
  const auto words = [&](std::string_view flag, const std::string& said) {
    return printable(unit, 20) + ": no such file. If it is the unit of " + std::string(flag) + " " + said + ", write " +
           said + unit + " or \"" + said + " " + unit + "\": an amount is one word";
  };
  for (const SketchFlag& flag : sketch_flags())
    if (const std::string& said = options.sketch.*flag.text; ends_with_unit(said)) return words(flag.name, said);
  for (const WishFlag& flag : wish_flags())
    for (const std::string& said : said_by(options.wishes, flag))
      if (ends_with_unit(said)) return words(flag.name, said);
  return "";
}

}  // namespace

Result<api::Request> read_market(System& system, const MarketOptions& options, const Catalogue& catalogue) {
  const std::vector<std::string>& prices = options.prices;
  api::Request request{.store = stored_prices(system, options.store), .rates = options.rates};
  auto config = load_config(system, options.no_config, catalogue);
  if (!config) return std::unexpected(config.error());
  request.config = *std::move(config);
  auto lists = read_lists(system, prices.empty() ? request.config.prices : prices);
  if (!lists) return std::unexpected(lists.error());
  (prices.empty() ? request.known : request.prices) = *std::move(lists);
  const auto pinned = system.environment("GPUPLAN_TODAY");
  request.today = pinned ? std::string(*pinned) : system.today();
  if (const auto good = api::check_today(request.today, "GPUPLAN_TODAY"); !good) return std::unexpected(good.error());
  return request;
}

Result<api::Request> read_request(System& system, const JobOptions& options, const Catalogue& catalogue) {
  if (const auto good = api::check_date(options.as_of); !good) return std::unexpected(good.error());
  auto request = read_market(system, {options.prices, options.rates, options.store, options.no_config}, catalogue);
  if (!request) return request;
  if (!job_file(options).empty()) {
    auto job = options.from.empty() ? read_job_text(system, options.job) : read_from(system, options);
    if (!job) {
      const std::string apart = unit_apart(options);
      return std::unexpected(apart.empty() ? job.error() : wrong_use(apart).error());
    }
    request->job = *std::move(job);
  }
  request->sketch = options.sketch;
  request->wishes = options.wishes;
  request->set = options.set;
  request->as_of = options.as_of;
  request->how = {.ignore_given = options.ignore == "given", .threads = thread_count(options), .seed = options.seed};
  return request;
}

Result<api::Question> read_question(System& system, const JobOptions& options, const Catalogue& catalogue) {
  const auto request = read_request(system, options, catalogue);
  if (!request) return std::unexpected(request.error());
  return api::read_question(*request, catalogue);
}

int exit_code(api::Verdict verdict) {
  switch (verdict) {
    case api::Verdict::kNothingFits:
      return kNothingFits;
    case api::Verdict::kMissesLimits:
      return kMissesLimits;
    case api::Verdict::kFound:
      break;
  }
  return kDone;
}

int exit_code(const SearchResult& found) { return exit_code(api::verdict_of(found)); }

int thread_count(const JobOptions& options) {
  return options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

std::string command_words(const std::string& command, const JobOptions& options, const std::string& data_folder) {
  std::string text = "gpuplan " + command;
  if (!job_file(options).empty()) text += " " + shell_word(job_file(options));
  text += flag_words(options.sketch, options.wishes);
  for (const std::string& setting : options.set) text += " --set " + shell_word(setting);
  for (const std::string& file : options.prices) text += " --prices " + shell_word(file);
  for (const std::string& rate : options.rates) text += " --rate " + shell_word(rate);
  if (options.no_config) text += " --no-config";
  if (!options.runs.file.empty()) text += " --runs " + shell_word(options.runs.file);
  if (options.runs.none) text += " --no-runs";
  if (!options.store.file.empty()) text += " --store " + shell_word(options.store.file);
  if (options.store.none) text += " --no-store";
  if (!options.as_of.empty()) text += " --as-of " + shell_word(options.as_of);
  if (options.seed != JobOptions{}.seed) text += " --seed " + std::to_string(options.seed);
  if (!data_folder.empty()) text += " --data " + shell_word(data_folder);
  return text;
}

}  // namespace gpuplan::cli
