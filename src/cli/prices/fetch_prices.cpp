#include "cli/prices/fetch_prices.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/io/progress.h"
#include "cli/prices/fetch_settings.h"
#include "fetch/fetch_feeds.h"
#include "fetch/fetch_list.h"
#include "fetch/http/url.h"

namespace gpuplan::cli {
namespace {

/// What all lists of a run share.
struct FetchRun {
  fetch::HttpClient* client;
  fetch::HttpLimits limits;
  std::vector<std::string> folders;
  fetch::Keys keys;
  const FetchTerms* terms;
  const Catalogue* catalogue;
};

std::string first_address(const fetch::ListChoice& list) {
  std::string url = list.source->urls.front();
  constexpr std::string_view kPart = "{part}";
  if (const std::size_t at = url.find(kPart); at != std::string::npos) url.replace(at, kPart.size(), list.part);
  return url;
}

/// What is known of the list, if it is still asked for there.
const fetch::Remembered* remembered(const FetchRun& run, const fetch::ListChoice& list) {
  if (run.terms->memory == nullptr) return nullptr;
  const auto last = run.terms->memory->find(list.name());
  return last != run.terms->memory->end() && last->second.url == first_address(list) ? &last->second : nullptr;
}

/// The day that prices without one are of: never one that has not come yet.
std::string date_of(const fetch::FetchedList& list, const PriceSource& source, const std::string& today) {
  return source.dated_by_file && !list.date.empty() ? std::min(list.date, today) : today;
}

/// A list that came and is still to be read.
struct CameList {
  const fetch::ListChoice* choice;
  std::size_t row;  ///< of FetchedPrices::rows
  fetch::FetchedList list;
};

Result<std::optional<fetch::FetchedList>> fetch_one(const FetchRun& run, const fetch::ListChoice& choice,
                                                    FetchRow& row) {
  const fetch::Remembered* last = remembered(run, choice);
  if (last != nullptr) row.before = last->date;
  auto list = fetch::fetch_list(*run.client,
                                {.source = choice.source,
                                 .part = choice.part,
                                 .keys = &run.keys,
                                 .have = last != nullptr ? last->validators : fetch::Validators{},
                                 .folders = run.folders},
                                run.limits);
  if (!list) return std::unexpected(std::move(list.error()));
  if (list->not_changed) {
    row.outcome = FetchRow::Outcome::kNotChanged;
    row.date = last != nullptr ? last->date : "";
    return std::nullopt;
  }
  row.bytes = list->bytes;
  return *std::move(list);
}

Result<void> read_one(const FetchRun& run, const CameList& came, FetchedPrices& fetched) {
  const fetch::ListChoice& choice = *came.choice;
  const PriceSource& source = *choice.source;
  const std::string date = date_of(came.list, source, run.terms->today);
  const FeedTerms terms{.file = choice.name(),
                        .provider = choice.provider(),
                        .as_of = date,
                        .source = {},
                        .rates = run.terms->rates,
                        .long_lists = run.terms->long_lists};
  auto feeds = fetch::read_fetched(came.list, terms, source.format, source.most_bytes, *run.catalogue);
  if (!feeds) {
    const auto shown = fetch::parse_url(first_address(choice));
    return failure((shown ? shown->shown() + " " : "") + feeds.error().message);
  }
  fetched.rows[came.row].date = date;
  fetched.row_of_feed.insert(fetched.row_of_feed.end(), feeds->size(), came.row);
  fetched.feeds.insert(fetched.feeds.end(), std::make_move_iterator(feeds->begin()),
                       std::make_move_iterator(feeds->end()));
  fetched.memory[choice.name()] = {came.list.validators, first_address(choice), date, 0};
  return {};
}

void fail(FetchRow& row, const Error& why) {
  row.outcome = FetchRow::Outcome::kFailed;
  row.reason = why.message;
}

}  // namespace

Result<FetchedPrices> fetch_prices(System& system, std::span<const fetch::ListChoice> lists, const FetchTerms& terms,
                                   const Catalogue& catalogue) {
  const auto limits = fetch_limits(system);
  if (!limits) return std::unexpected(limits.error());
  auto keys = load_keys(system, lists);
  if (!keys) return std::unexpected(std::move(keys.error()));
  SystemHost host(system);
  auto client = fetch::HttpClient::open(host);
  if (!client) return std::unexpected(std::move(client.error()));
  const FetchRun run{&*client, *limits, fetch_folders(system), *std::move(keys), &terms, &catalogue};
  FetchedPrices fetched;
  Progress progress(system, "fetching price lists", static_cast<std::int64_t>(lists.size()));
  std::vector<CameList> came;
  for (const fetch::ListChoice& list : lists) {
    FetchRow row{.list = list.name(), .title = list.source->title};
    const bool keyless = list.source->need == KeyNeed::kNeeded && !fetch::has_key(*list.source, run.keys);
    if (keyless && !list.named) {
      row.outcome = FetchRow::Outcome::kNoKey;
      row.reason = "set " + listed(list.source->keys, list.source->use == KeyUse::kClient ? "and" : "or");
    } else if (auto answer = fetch_one(run, list, row); !answer) {
      fail(row, answer.error());
    } else if (*answer) {
      came.push_back({&list, fetched.rows.size(), **std::move(answer)});
    }
    fetched.rows.push_back(std::move(row));
    progress.step();
  }
  // A long one goes to the store as it is read, and while that is being written nobody should wait for a server.
  for (const CameList& one : came)
    if (const auto read = read_one(run, one, fetched); !read) fail(fetched.rows[one.row], read.error());
  return fetched;
}

Result<AddressLists> fetch_address(System& system, const std::string& address, FeedTerms terms, std::string_view format,
                                   bool dated, const Catalogue& catalogue) {
  const auto url = fetch::parse_url(address);
  if (!url) return wrong_use(url.error().message);
  const auto limits = fetch_limits(system);
  if (!limits) return std::unexpected(limits.error());
  SystemHost host(system);
  auto client = fetch::HttpClient::open(host);
  if (!client) return std::unexpected(std::move(client.error()));
  constexpr std::uint64_t kMostBytes = 1'024'000'000;  // the largest list known has half of it
  PriceSource source;
  source.name = "address";
  source.urls = {url->text()};
  source.most_bytes = kMostBytes;
  const fetch::Keys none;
  const auto folders = fetch_folders(system);
  const auto list = fetch::fetch_list(*client, {.source = &source, .keys = &none, .folders = folders}, *limits);
  if (!list) return std::unexpected(list.error());
  terms.file = url->shown();
  if (dated && !list->date.empty()) terms.as_of = std::min(list->date, terms.as_of);
  std::string date = terms.as_of;
  auto feeds = fetch::read_fetched(*list, terms, format, kMostBytes, catalogue);
  if (!feeds) return failure(feeds.error().message, {url->shown()});
  return AddressLists{*std::move(feeds), std::move(date)};
}

}  // namespace gpuplan::cli
