// What the store tells of itself: imports, the past of prices, and what an import changed.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "store/price_store.h"
#include "store/rows/dates.h"
#include "store/rows/names.h"
#include "store/rows/reading.h"
#include "store/sql/sql.h"

namespace gpuplan {
namespace {

ImportRecord last_import_of(Database& database) {
  ImportRecord record;
  Statement import(database, "SELECT id, day, time, version FROM imports ORDER BY id DESC LIMIT 1");
  if (!import()) return record;
  record = {import.whole(0), std::string(import.text(1)), std::string(import.text(2)), std::string(import.text(3)), {}};
  Statement lists(database,
                  "SELECT format, file, rows, kept, corrected, rejected FROM lists WHERE import = ? ORDER BY number");
  const auto count = [&](int column) { return static_cast<std::uint64_t>(lists.whole(column)); };
  for (bool more = lists(record.number); more; more = lists.next())
    record.lists.push_back(
        {std::string(lists.text(0)), std::string(lists.text(1)), count(2), count(3), count(4), count(5), {}});
  Statement reasons(database, "SELECT list, reason, rows FROM rejections WHERE import = ? ORDER BY list, rows DESC");
  for (bool more = reasons(record.number); more; more = reasons.next())
    if (const auto list = static_cast<std::size_t>(reasons.whole(0)); list < record.lists.size())
      record.lists[list].rejections.emplace_back(std::string(reasons.text(1)),
                                                 static_cast<std::uint64_t>(reasons.whole(2)));
  return record;
}

double an_hour(const std::optional<Interval<DollarsPerSecond>>& price) {
  return price ? price->p50 * units::hour / units::dollar : 0;
}

void compare(const Offer* before, const Offer* after, bool spot, std::vector<PriceChange>& changes) {
  const auto price_of = [&](const Offer* offer) {
    return offer == nullptr ? 0 : an_hour(spot ? offer->spot_price : offer->price);
  };
  const double was = price_of(before), is = price_of(after);
  if (was == is) return;
  const auto kind = was == 0   ? PriceChange::Kind::kNew
                    : is == 0  ? PriceChange::Kind::kGone
                    : is > was ? PriceChange::Kind::kDearer
                               : PriceChange::Kind::kCheaper;
  changes.push_back({kind, after != nullptr ? *after : *before, spot, was, is});
}

/// A day on which a source told what it has, and the import that told it last: what it says counts for that day.
struct ToldDay {
  std::int64_t day = 0, import = 0;
};

/// One row of prices: what imports said from one day to another.
struct SaidPrice {
  std::int64_t first = 0, last = 0, first_import = 0, last_import = 0;
};

/// Calls `take(from, to)` for the days from `from` to before `to` (0: none after it) on which the price counted: a
/// later import of the same day takes its place.
template <class Take>
void for_days_of(const SaidPrice& said, const std::vector<ToldDay>& told, Take take) {
  auto day = std::ranges::lower_bound(told, said.first, {}, &ToldDay::day);
  // Thinning may have left the price without the day that it began on.
  std::int64_t from = day == told.end() || day->day > said.first ? said.first : 0;
  for (; day != told.end() && day->day <= said.last; ++day) {
    const bool counts = said.first_import <= day->import && day->import <= said.last_import;
    if (counts && from == 0) from = day->day;
    if (counts || from == 0) continue;
    take(from, day->day);
    from = 0;
  }
  if (from != 0) take(from, day == told.end() ? 0 : day->day);
}

/// Which of several lists of a day has which part of a group may change: what went in one came in another.
void join_moved(std::map<std::int64_t, std::pair<const Offer*, const Offer*>>& pairs) {
  const auto name_of = [](const Offer& offer) {
    const std::array<std::string, 7> parts = {
        offer.gpu, std::to_string(offer.gpus), offer.provider, offer.region, offer.zone, offer.instance, offer.source};
    return join(parts, "\n");
  };
  std::multimap<std::string, std::pair<const Offer*, const Offer*>*> gone;
  for (auto& [series, pair] : pairs)
    if (pair.second == nullptr) gone.emplace(name_of(*pair.first), &pair);
  for (auto& [series, pair] : pairs) {
    if (pair.first != nullptr) continue;
    const auto same = gone.find(name_of(*pair.second));
    if (same == gone.end()) continue;
    pair.first = std::exchange(same->second->first, nullptr);
    gone.erase(same);
  }
}

/// How many times dearer or cheaper.
double times_changed(const PriceChange& change) {
  if (change.before == 0 || change.after == 0) return 0;
  return std::max(change.after / change.before, change.before / change.after);
}

}  // namespace

Result<StoreStatus> PriceStore::status() {
  StoreStatus status;
  status.file = database_->file();
  struct stat facts{};
  if (::stat(status.file.c_str(), &facts) == 0) status.bytes = static_cast<std::uint64_t>(facts.st_size);
  status.imports = static_cast<std::uint64_t>(database_->ask("SELECT count(*) FROM imports"));
  status.prices = static_cast<std::uint64_t>(database_->ask("SELECT count(*) FROM prices"));
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::uint64_t>> lists;
  for (const Offer& offer : read_offers(*database_, {}).offers) ++lists[{offer.provider, offer.source}][offer.as_of];
  for (const auto& [names, dates] : lists) {
    ListedOffers& list = status.lists.emplace_back(ListedOffers{names.first, names.second, 0, {}});
    list.dates.assign(dates.begin(), dates.end());
    for (const auto& [date, offers] : dates) list.offers += offers;
  }
  status.last = last_import_of(*database_);
  if (database_->failed()) return std::unexpected(database_->error());
  return status;
}

Result<PriceHistory> PriceStore::history(const HistoryTerms& terms) {
  PriceHistory history;
  const TextList texts(*database_);
  Statement groups(
      *database_,
      "SELECT g.id, g.provider, g.region FROM groups g JOIN texts t ON t.id = g.gpu JOIN texts p ON p.id = "
      "g.provider WHERE t.text = ?1 AND (?2 = '' OR lower(p.text) = lower(?2))");
  // Days on which only other parts of the group were told of end what this one said: its import is 0 there.
  Statement days(
      *database_,
      "SELECT day, max(CASE WHEN part = ?2 THEN import ELSE 0 END) FROM listings WHERE grp = ?1 GROUP BY day "
      "ORDER BY day");
  Statement parts(*database_, "SELECT DISTINCT part FROM listings WHERE grp = ? ORDER BY part");
  Statement prices(*database_, "SELECT p.first, p.last, p.first_import, p.last_import, " +
                                   std::string(terms.spot ? "p.spot" : "p.price") +
                                   ", s.instance, s.gpus FROM series s JOIN prices p ON p.series = s.id WHERE s.grp = "
                                   "?1 AND s.part = ?3 AND (?2 = 0 OR s.gpus = ?2) ORDER BY s.id, p.first");
  std::set<std::int64_t> all_days;
  for (const std::string& gpu : terms.gpus)
    for (bool more = groups(gpu, terms.provider); more; more = groups.next())
      for (bool part = parts(groups.whole(0)); part; part = parts.next()) {
        std::vector<ToldDay> told;
        for (bool day = days(groups.whole(0), parts.whole(0)); day; day = days.next())
          told.push_back({days.whole(0), days.whole(1)});
        for (bool row = prices(groups.whole(0), terms.count, parts.whole(0)); row; row = prices.next()) {
          const auto price = prices.maybe(4);
          if (!price) continue;
          const std::int64_t gpus = std::max<std::int64_t>(prices.whole(6), 1);
          const SaidPrice said{prices.whole(0), prices.whole(1), prices.whole(2), prices.whole(3)};
          for_days_of(said, told, [&](std::int64_t from, std::int64_t to) {
            history.prices.push_back(
                {date_text(from), to == 0 ? "" : date_text(to), texts[groups.whole(1)], texts[groups.whole(2)],
                 texts[prices.whole(5)], static_cast<int>(gpus),
                 DollarsPerSecond{*price} * units::hour / units::dollar / static_cast<double>(gpus)});
          });
          for (const ToldDay& one : told) all_days.insert(one.day);
        }
      }
  for (const std::int64_t day : all_days) history.days.push_back(date_text(day));
  if (database_->failed()) return std::unexpected(database_->error());
  return history;
}

Result<std::vector<PriceChange>> PriceStore::changes(std::int64_t import) {
  if (import == 0) import = database_->ask("SELECT coalesce(max(id), 0) FROM imports");
  ReadingTerms now, then;
  now.import = import;
  then.import = import - 1;
  now.told_by = then.told_by = import;
  const StoredOffers after = read_offers(*database_, now), before = read_offers(*database_, then);
  std::map<std::int64_t, std::pair<const Offer*, const Offer*>> pairs;
  for (std::size_t i = 0; i < before.of.size(); ++i) pairs[before.of[i].first].first = &before.offers[i];
  for (std::size_t i = 0; i < after.of.size(); ++i) pairs[after.of[i].first].second = &after.offers[i];
  join_moved(pairs);
  std::vector<PriceChange> changes;
  for (const auto& [series, pair] : pairs)
    for (const bool spot : {false, true}) compare(pair.first, pair.second, spot, changes);
  sort_stably(changes, [](const PriceChange& a, const PriceChange& b) {
    return a.kind != b.kind ? a.kind < b.kind : times_changed(a) > times_changed(b);
  });
  if (database_->failed()) return std::unexpected(database_->error());
  return changes;
}

}  // namespace gpuplan
