// gpuplan prices import FILE...: other people's price lists into the store.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "api/questions/question.h"
#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/load/load_catalogue.h"
#include "cli/prices/fetch_prices.h"
#include "cli/prices/import_files.h"
#include "cli/prices/keep_feeds.h"
#include "cli/prices/long_lists.h"
#include "cli/prices/price_bytes.h"
#include "cli/prices/prices_actions.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/rows/parted_lists.h"
#include "output/words/plan_words.h"

namespace gpuplan::cli {
namespace {

struct ImportArguments {
  Common common;
  std::vector<std::string> files;
  std::string format, provider, as_of;
  std::vector<std::string> rates;
  KeepOptions keep;
};

/// The lists that were read, and where the dates of their rows come from.
struct ReadLists {
  std::vector<Feed> lists;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> dates;  ///< files by date and why
};

Result<std::vector<CurrencyRate>> rates_of(const std::vector<std::string>& texts) {
  std::vector<CurrencyRate> rates;
  for (const std::string& text : texts) {
    auto rate = parse_rate(text);
    if (!rate) return std::unexpected(std::move(rate.error()));
    rates.push_back(*std::move(rate));
  }
  return rates;
}

/// Names lists by where they lie, so that the same file takes the place of what it said before, however it is called.
void name_lists(System& system, const ImportFile& file, std::vector<Feed>& lists) {
  const std::string path = system.real_path(file.name);
  if (path.empty()) return;  // standard input
  const std::size_t shown = shown_name(file.name).size();
  for (Feed& list : lists)
    if (list.name.empty()) list.name = path + list.file.substr(std::min(shown, list.file.size()));
}

Result<std::vector<Feed>> read_one(System& system, const ImportFile& file, FeedTerms terms,
                                   const ImportArguments& options, const Catalogue& catalogue, std::string& date) {
  terms.file = shown_name(file.name);
  if (options.provider.empty()) terms.provider = file.provider;
  if (is_address(file.name)) {
    auto fetched = fetch_address(system, file.name, std::move(terms), options.format, options.as_of.empty(), catalogue);
    if (!fetched) return std::unexpected(std::move(fetched.error()));
    date = fetched->date;
    return std::move(fetched->feeds);
  }
  FeedSource source(std::move(terms), options.format, catalogue);
  if (auto read = read_list(system, file.name, source); !read) return std::unexpected(std::move(read.error()));
  return source.finish();
}

/// Files of a folder that are no price lists are told and passed over; a file that was named must be one.
Result<ReadLists> read_all(System& system, const std::vector<ImportFile>& files, const ImportArguments& options,
                           const std::string& today, const Catalogue& catalogue, LongLists& long_lists) {
  auto rates = rates_of(options.rates);
  if (!rates) return std::unexpected(std::move(rates.error()));
  ReadLists read;
  PartedLists parted;
  std::optional<Error> first;
  bool parted_found = true;  // all of them in folders
  for (const ImportFile& file : files) {
    auto [date, why] = date_of_list(system, file.name, options.as_of, today);
    auto lists = read_one(system, file, {"", options.provider, date, "", *rates, &long_lists, &parted}, options,
                          catalogue, date);
    if (is_address(file.name) && options.as_of.empty() && date != today) why = "its server says so";
    if (!lists) {
      if (!file.found) return std::unexpected(std::move(lists.error()));
      complain(system, lists.error());
      if (!first) first = std::move(lists.error());
      continue;
    }
    if (lists->empty()) parted_found = parted_found && file.found;
    if (std::ranges::any_of(*lists, [](const Feed& list) { return list.undated > 0; }))
      read.dates[{date, why}].push_back(shown_name(file.name.substr(file.name.rfind('/') + 1)));
    if (!is_address(file.name)) name_lists(system, file, *lists);
    std::ranges::move(*lists, std::back_inserter(read.lists));
  }
  parted.give_bands(read.lists);
  if (auto missing = parted.missing()) {
    if (!parted_found) return std::unexpected(*std::move(missing));
    complain(system, *missing);
    if (!first) first = std::move(missing);
  }
  if (read.lists.empty() && first) return std::unexpected(*std::move(first));
  return read;
}

std::vector<std::string> date_lines(const ReadLists& read) {
  std::vector<std::string> lines;
  for (const auto& [date, files] : read.dates) {
    // Whose name it is goes without saying where there is one.
    const std::string of = read.dates.size() < 2 && files.size() < 2 ? "" : " of " + listed_few(files);
    lines.push_back("Rows" + of + " without a date are of " + date.first + ": " + date.second + ".");
  }
  return lines;
}

int run_import(System& system, const ImportArguments& options) {
  if (const auto good = api::check_date(options.as_of); !good) return complain(system, good.error());
  const auto today = today_of(system);
  if (!today) return complain(system, today.error());
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  const auto files = import_files(system, options.files);
  if (!files) return complain(system, files.error());
  KeepOptions keep = options.keep;
  keep.details = options.common.details;
  LongLists long_lists(system, keep, *catalogue);
  auto read = read_all(system, *files, options, *today, *catalogue, long_lists);
  if (!read) return complain(system, read.error());
  const std::vector<std::string> dates = date_lines(*read);
  return keep_feeds(system, std::move(read->lists), dates, keep, options.common, *catalogue, &long_lists);
}

}  // namespace

CommandSpec prices_import_action() {
  auto options = std::make_shared<ImportArguments>();
  CommandSpec command{.name = "import",
                      .group = Group::kFacts,
                      .summary = "store the prices of other people's lists, whatever their format",
                      .examples =
                          "  gpuplan prices import ~/.sky/catalogs\n"
                          "  gpuplan prices import offers.csv --rate EUR=1.08 --details\n"
                          "  vastai search offers --raw | gpuplan prices import -\n"};
  std::vector<std::string> formats;
  for (const FeedFormat& format : feed_formats()) formats.emplace_back(format.name);
  command.words = {{.names = "files",
                    .target = &options->files,
                    .help = "price lists, folders of them, addresses (https://...), or - for standard input",
                    .value = "FILE...",
                    .completes = Completes::kFiles,
                    .required = true}};
  command.options.push_back({.names = "--from",
                             .target = &options->format,
                             .help = "format of the lists (default: told by their content)",
                             .value = "FORMAT",
                             .choices = std::move(formats)});
  command.options.push_back({.names = "--provider",
                             .target = &options->provider,
                             .help = "whose prices lists without providers have (default: told by their path)",
                             .value = "NAME"});
  command.options.push_back({.names = "--as-of",
                             .target = &options->as_of,
                             .help = "date of rows without one (default: in the file's name, else its last change)",
                             .value = "YYYY-MM[-DD]"});
  command.options.push_back({.names = "--rate",
                             .target = &options->rates,
                             .help = "exchange rate to dollars, such as EUR=1.08 (repeatable)",
                             .value = "CODE=RATE"});
  command.options.push_back(
      {.names = "--dry-run", .target = &options->keep.dry_run, .help = "only show what would become of the rows"});
  add_keep_unlikely_option(command, options->keep);
  add_details_flag(command, options->common);
  add_store_options(command, options->keep.store, true);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_import>(command, options);
  return command;
}

}  // namespace gpuplan::cli
