#include "store/rows/adding.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "domain/market/offer_order.h"
#include "store/rows/dates.h"
#include "store/rows/price_rows.h"

namespace gpuplan {
namespace {

/// Names of one offer as numbers.
struct Item {
  std::int64_t group = 0, instance = 0, zone = 0;
  int gpus = 0, day = 0;
  const Offer* offer = nullptr;

  auto series() const { return std::tuple(group, instance, zone, gpus); }
};

/// When a source told last what it has of one GPU in one region.
struct Told {
  std::int64_t day = 0, import = 0;
  bool before = false;  ///< it did
};

/// Equal prices of one series, over days that follow one another.
struct Run {
  int first = 0, last = 0;
  PriceValues values;
};

class Adding {
 public:
  Adding(Database& database, std::int64_t import)
      : import_(import),
        texts_(database),
        details_(database, texts_),
        find_group_(database, "SELECT id FROM groups WHERE gpu = ? AND provider = ? AND region = ? AND source = ?"),
        add_group_(database, "INSERT INTO groups (gpu, provider, region, source) VALUES (?, ?, ?, ?) RETURNING id"),
        find_told_(database, "SELECT day, import FROM listings WHERE grp = ? ORDER BY day DESC, import DESC LIMIT 1"),
        add_told_(database, "INSERT OR IGNORE INTO listings (grp, day, import) VALUES (?, ?, ?)"),
        find_day_(database, "SELECT 1 FROM listings WHERE grp = ? AND day = ?"),
        find_series_(database,
                     "SELECT id FROM series WHERE grp = ? AND instance = ? AND zone = ? AND gpus = ? AND number = ?"),
        add_series_(database,
                    "INSERT INTO series (grp, instance, zone, gpus, number) VALUES (?, ?, ?, ?, ?) RETURNING id"),
        find_last_(database, "SELECT first, first_import, last, last_import, " + std::string(kPriceColumns) +
                                 " FROM prices WHERE series = ? ORDER BY first DESC, first_import DESC LIMIT 1"),
        find_on_(database,
                 "SELECT " + std::string(kPriceColumns) + " FROM prices WHERE series = ? AND first <= ? AND last >= ?"),
        go_on_(database,
               "UPDATE prices SET last = ?, last_import = ?, reliability = ? WHERE series = ? AND first = ? AND "
               "first_import = ?"),
        add_price_(database, "INSERT OR REPLACE INTO prices (series, first, first_import, last, last_import, " +
                                 std::string(kPriceColumns) + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

  void add(const std::vector<const Offer*>& offers) {
    std::vector<Item> items;
    items.reserve(offers.size());
    for (const Offer* offer : offers) items.push_back(item_of(*offer));
    // Of one kind and day by price, so that the cheapest is always number 0.
    std::ranges::sort(items, [](const Item& a, const Item& b) {
      if (const auto order = a.series() <=> b.series(); order != 0) return order < 0;
      return a.day != b.day ? a.day < b.day : before(*a.offer, *b.offer);
    });
    const auto twice = std::ranges::unique(
        items, [](const Item& a, const Item& b) { return a.group == b.group && same_offer(*a.offer, *b.offer); });
    items.erase(twice.begin(), twice.end());
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].group == items[from].group) ++to;
      add_group(std::span(items).subspan(from, to - from));
    }
  }

 private:
  Item item_of(const Offer& offer) {
    const std::tuple key(texts_.number_of(offer.gpu), texts_.number_of(offer.provider), texts_.number_of(offer.region),
                         texts_.number_of(offer.source));
    const auto [known, is_new] = groups_.try_emplace(key, 0);
    if (is_new) {
      const auto& [gpu, provider, region, source] = key;
      if (find_group_(gpu, provider, region, source)) {
        known->second = find_group_.whole(0);
      } else if (add_group_(gpu, provider, region, source)) {
        known->second = add_group_.whole(0);
        add_group_.next();
      }
    }
    return {known->second, texts_.number_of(offer.instance), texts_.number_of(offer.zone),
            offer.gpus,    packed_date(offer.as_of),         &offer};
  }

  void add_group(std::span<const Item> items) {
    Told told;
    if (find_told_(items.front().group)) told = {find_told_.whole(0), find_told_.whole(1), true};
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].series() == items[from].series()) ++to;
      add_kind(items.subspan(from, to - from), told);
    }
    std::vector<int> days;
    for (const Item& item : items) days.push_back(item.day);
    std::ranges::sort(days);
    days.erase(std::ranges::unique(days).begin(), days.end());
    // A day that is past already was told of by those who knew it then.
    for (const int day : days)
      if (!told.before || day >= told.day || !find_day_(items.front().group, day))
        add_told_(items.front().group, day, import_);
  }

  /// Offers of the same names, by day and price: those at the same place of their days are one series.
  void add_kind(std::span<const Item> items, const Told& told) {
    std::vector<std::vector<Run>> series;
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].day == items[from].day) ++to;
      for (std::size_t i = from; i < to; ++i) {
        if (i - from >= series.size()) series.emplace_back();
        std::vector<Run>& runs = series[i - from];
        const PriceValues values = values_of(*items[i].offer, details_.number_of(*items[i].offer));
        if (!runs.empty() && runs.back().values.same(values)) runs.back().last = items[i].day;
        else runs.push_back({items[i].day, items[i].day, values});
      }
    }
    const Item& kind = items.front();
    for (std::size_t number = 0; number < series.size(); ++number) {
      std::int64_t id = 0;
      const bool known =
          told.before && find_series_(kind.group, kind.instance, kind.zone, kind.gpus, static_cast<int>(number));
      if (known) {
        id = find_series_.whole(0);
      } else if (add_series_(kind.group, kind.instance, kind.zone, kind.gpus, static_cast<int>(number))) {
        id = add_series_.whole(0);
        add_series_.next();
      }
      add_runs(id, known, series[number], told);
    }
  }

  void add_runs(std::int64_t series, bool known, const std::vector<Run>& runs, const Told& told) {
    for (const Run& run : runs) {
      if (known && run.last < told.day && &run != &runs.back() && is_known(series, run)) continue;
      if (known && run.last >= told.day && goes_on(series, run, told)) continue;
      const PriceValues& v = run.values;
      add_price_(series, run.first, import_, run.last, import_, v.price, v.spot, v.stock, v.reliability, v.details,
                 v.price_low, v.price_high, v.spot_low, v.spot_high);
    }
  }

  /// The past says so already: a list that tells all of its past each time adds its new days only.
  bool is_known(std::int64_t series, const Run& run) {
    for (bool more = find_on_(series, run.first, run.last); more; more = find_on_.next())
      if (values_in(find_on_, 0).same(run.values)) return true;
    return false;
  }

  /// The newest price, told by the import before this one, is still right.
  bool goes_on(std::int64_t series, const Run& run, const Told& told) {
    constexpr int kValues = 4;
    if (!find_last_(series)) return false;
    const std::int64_t first = find_last_.whole(0), first_import = find_last_.whole(1), last = find_last_.whole(2),
                       last_import = find_last_.whole(3);
    const bool still = (last_import == told.import || last_import == import_) && first <= run.last &&
                       values_in(find_last_, kValues).same(run.values);
    if (!still) return false;
    go_on_(std::max<std::int64_t>(last, run.last), import_, run.values.reliability, series, first, first_import);
    return true;
  }

  std::int64_t import_;
  StoredTexts texts_;
  StoredDetails details_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> groups_;
  Statement find_group_, add_group_, find_told_, add_told_, find_day_, find_series_, add_series_, find_last_, find_on_,
      go_on_, add_price_;
};

}  // namespace

void add_offers(Database& database, const std::vector<const Offer*>& offers, std::int64_t import) {
  Adding(database, import).add(offers);
}

}  // namespace gpuplan
