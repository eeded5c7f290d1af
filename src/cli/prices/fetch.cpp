// gpuplan prices fetch [NAME...]: price lists from where they are published.
#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "cli/prices/fetch_prices.h"
#include "cli/prices/fetch_settings.h"
#include "cli/prices/keep_feeds.h"
#include "cli/prices/long_lists.h"
#include "cli/prices/prices_actions.h"
#include "output/facts/fetch_report.h"
#include "store/price_store.h"

namespace gpuplan::cli {
namespace {

struct PricesFetchArguments {
  Common common;
  std::vector<std::string> names;
  std::vector<std::string> addresses;  ///< vultr=http://127.0.0.1:8000/
  bool list = false, dry_run = false;
  KeepOptions keep;
};

SourceRow source_row(const fetch::ListChoice& list, const fetch::Keys& keys, bool whole) {
  const PriceSource& source = *list.source;
  SourceRow row{.list = whole ? source.name : list.name(),
                .title = source.title,
                .provider = whole && !source.parts.empty() ? join(source.parts, " ") : list.provider(),
                .address = join(source.urls, " "),
                .key = "none",
                .variables = listed(source.keys, source.use == KeyUse::kClient ? "and" : "or"),
                .asked = !source.by_name_only,
                .notes = source.notes};
  if (!whole)
    for (std::size_t at = row.address.find("{part}"); at != std::string::npos; at = row.address.find("{part}"))
      row.address.replace(at, std::string_view("{part}").size(), list.part);
  if (source.need != KeyNeed::kNone) {
    const bool set = fetch::has_key(source, keys);
    row.key = set ? "set" : source.need == KeyNeed::kOptional ? "not set, works without" : "not set";
  }
  return row;
}

/// The lists, each by itself, or each source once.
int show_sources(System& system, const PricesFetchArguments& options, std::span<const fetch::ListChoice> lists,
                 bool whole) {
  const auto keys = load_keys(system, lists);
  if (!keys) return complain(system, keys.error());
  std::vector<SourceRow> rows;
  for (std::size_t i = 0; i < lists.size(); ++i)
    if (!whole || i == 0 || lists[i].source != lists[i - 1].source) rows.push_back(source_row(lists[i], *keys, whole));
  return deliver_form(
      system, options.common, kDone, [&](const Screen& screen) { return sources_text(rows, screen); },
      [&] { return sources_json(rows); }, [&] { return sources_csv(rows); });
}

/// Beside the store: what is remembered is true of it alone.
std::string memory_file(const std::string& store) { return store + ".fetched"; }

constexpr std::size_t kMostMemory = 1'000'000;

/// What the store has of earlier fetches. Where another store has taken its place, nothing is known.
Result<fetch::FetchMemory> recall(System& system, const std::string& store) {
  if (!system.facts_of(store).is_file()) return fetch::FetchMemory{};
  auto opened = PriceStore::open(store, PriceStore::Use::kRead);
  if (!opened) return std::unexpected(std::move(opened.error()));
  const auto status = opened->status();
  if (!status) return std::unexpected(status.error());
  const auto text = system.read(memory_file(store), kMostMemory);
  fetch::FetchMemory memory = fetch::read_fetch_memory(text ? std::string_view(*text) : std::string_view());
  std::erase_if(memory,
                [&](const auto& one) { return one.second.import < 1 || one.second.import > status->last.number; });
  return memory;
}

void remember(System& system, const std::string& store, fetch::FetchMemory now, std::int64_t import) {
  const ChangeBy change([&](const std::string& before) -> std::optional<std::string> {
    fetch::FetchMemory memory = fetch::read_fetch_memory(before);
    for (auto& [name, last] : now) {
      last.import = import;
      memory[name] = std::move(last);
    }
    return fetch::fetch_memory_text(memory);
  });
  // Without it everything is fetched again next time.
  [[maybe_unused]] const std::error_code untold = system.change_file(memory_file(store), kMostMemory, change);
}

/// Puts what came into the store; the exit code, kDone if it could be written.
int keep_fetched(System& system, const PricesFetchArguments& options, FetchedPrices& fetched, FetchReport& report,
                 LongLists& long_lists, const Catalogue& catalogue) {
  if (!fetched.feeds.empty()) {
    const auto stored = store_feeds(system, fetched.feeds, options.keep, catalogue, &long_lists);
    if (!stored) return complain(system, stored.error());
    if (stored->record.number == 0) return kInternal;
    remember(system, report.store, std::move(fetched.memory), stored->record.number);
  }
  for (std::size_t i = 0; i < fetched.feeds.size(); ++i) {
    FetchRow& row = fetched.rows[fetched.row_of_feed[i]];
    row.kept += fetched.feeds[i].kept;
    row.rejected += fetched.feeds[i].rejected();
  }
  report.rows = std::move(fetched.rows);
  return kDone;
}

int fetch_and_keep(System& system, const PricesFetchArguments& options, std::span<const fetch::ListChoice> lists) {
  const auto catalogue = load_catalogue(system, options.common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  const auto today = today_of(system);
  if (!today) return complain(system, today.error());
  FetchReport report{.rows = {}, .today = *today, .store = store_file(system, options.keep.store)};
  if (report.store.empty())
    return complain(system,
                    wrong_use("there is no store of prices: GPUPLAN_STORE is empty, or there is no home folder; "
                              "name a file with --store"));
  const auto memory = recall(system, report.store);
  if (!memory) return complain(system, memory.error());
  LongLists long_lists(system, options.keep, *catalogue);
  auto fetched =
      fetch_prices(system, lists, {.today = *today, .memory = &*memory, .long_lists = &long_lists}, *catalogue);
  if (!fetched) return complain(system, fetched.error());
  if (const int code = keep_fetched(system, options, *fetched, report, long_lists, *catalogue); code != kDone)
    return code;
  return deliver_form(
      system, options.common, report.all_came() ? kDone : kBadInput,
      [&](const Screen& screen) { return fetch_text(report, screen); }, [&] { return fetch_json(report); },
      [&] { return fetch_csv(report); });
}

int run_prices_fetch(System& system, const PricesFetchArguments& options) {
  const auto sources = load_price_sources(system, options.common.data_folder, options.addresses);
  if (!sources) return complain(system, sources.error());
  std::vector<std::string> every;  // --list shows those that are fetched by name, too
  if (options.list && options.names.empty())
    for (const PriceSource& source : *sources) every.push_back(source.name);
  const auto lists = fetch::choose_lists(*sources, every.empty() ? options.names : every);
  if (!lists) return complain(system, lists.error());
  if (options.list || options.dry_run) return show_sources(system, options, *lists, options.list);
  return fetch_and_keep(system, options, *lists);
}

constexpr const char* kPricesFetchNotes =
    "Keys come from the environment (gpuplan prices fetch --list names the variables) or from keys.toml in the\n"
    "XDG config folder (~/.config/gpuplan), which only you may read (chmod 600), with lines such as\n"
    "LAMBDA_API_KEY = \"...\". They go to the server that they are for and are never shown or kept. Proxies of the\n"
    "environment (https_proxy, no_proxy) are used. Without names, lists that need a key you do not have are left\n"
    "out. A list that fails does not stop the others; the exit code is then 5.\n";

}  // namespace

CommandSpec prices_fetch_action() {
  auto options = std::make_shared<PricesFetchArguments>();
  CommandSpec command{.name = "fetch",
                      .group = Group::kFacts,
                      .summary = "fetch current price lists from the web",
                      .examples =
                          "  gpuplan prices fetch\n"
                          "  gpuplan prices fetch vultr azure\n"
                          "  gpuplan prices fetch skypilot/aws\n"
                          "  gpuplan prices fetch --list\n",
                      .notes = kPricesFetchNotes};
  command.words = {{.names = "names",
                    .target = &options->names,
                    .help =
                        "lists (skypilot, skypilot/aws) or providers (aws); default: all that are public, and those "
                        "that you have a key for",
                    .value = "NAME..."}};
  command.options = {
      {.names = "--list",
       .target = &options->list,
       .help = "show what can be fetched, from where, and whether a key is set"},
      {.names = "--dry-run", .target = &options->dry_run, .help = "show what would be fetched, and fetch nothing"},
      {.names = "--url",
       .target = &options->addresses,
       .help = "another address for a list (repeatable); http:// only on this machine",
       .value = "NAME=ADDRESS"}};
  add_keep_unlikely_option(command, options->keep);
  add_store_options(command, options->keep.store, true);
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_prices_fetch>(command, options);
  return command;
}

}  // namespace gpuplan::cli
