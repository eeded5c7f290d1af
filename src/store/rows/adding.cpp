#include "store/rows/adding.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "domain/market/offer_order.h"
#include "store/rows/dates.h"
#include "store/rows/price_rows.h"

namespace gpuplan {
namespace {

/// Names of one offer as numbers.
struct Item {
  std::int64_t group = 0, part = 0, instance = 0, zone = 0;
  int gpus = 0, day = 0;
  const Offer* offer = nullptr;

  auto series() const { return std::tuple(group, part, instance, zone, gpus); }
};

/// When a part of a group was told of last.
struct Told {
  std::int64_t day = 0, import = 0;
  bool before = false;  ///< it did
};

/// Equal prices of one series, over days that follow one another.
struct Run {
  int first = 0, last = 0;
  PriceValues values;
};

/// Days of one part of a group in this list, in their order, that tell what it has.
using Days = std::span<const int>;

class Adding {
 public:
  Adding(Database& database, std::int64_t import, int whole_from)
      : import_(import),
        whole_from_(whole_from),
        texts_(database),
        details_(database, texts_),
        find_group_(database, "SELECT id FROM groups WHERE gpu = ? AND provider = ? AND region = ? AND source = ?"),
        add_group_(database, "INSERT INTO groups (gpu, provider, region, source) VALUES (?, ?, ?, ?) RETURNING id"),
        find_newest_(database, "SELECT max(day) FROM listings WHERE grp = ?"),
        find_parts_(database,
                    "SELECT part, list, import FROM listings WHERE grp = ? AND day = ? ORDER BY part, import"),
        find_content_(database,
                      "SELECT s.instance, s.zone, s.gpus, " + std::string(kPriceColumns) +
                          " FROM series s JOIN prices p ON p.series = s.id WHERE s.grp = ?1 AND s.part = ?2 "
                          "AND p.first <= ?3 AND p.last >= ?3 AND p.first_import <= ?4 AND p.last_import >= ?4"),
        find_told_(
            database,
            "SELECT day, import FROM listings WHERE grp = ? AND part = ? ORDER BY day DESC, import DESC LIMIT 1"),
        add_told_(database, "INSERT OR IGNORE INTO listings (grp, part, day, import, list) VALUES (?, ?, ?, ?, ?)"),
        find_day_(database, "SELECT 1 FROM listings WHERE grp = ? AND day = ? AND part = ?"),
        find_between_(database,
                      "SELECT 1 FROM listings WHERE grp = ? AND day >= ? AND day <= ? AND part = ? AND import > ? AND "
                      "import < ?"),
        find_series_(database,
                     "SELECT id FROM series WHERE grp = ? AND part = ? AND instance = ? AND zone = ? AND gpus = ? AND "
                     "number = ?"),
        add_series_(database,
                    "INSERT INTO series (grp, part, instance, zone, gpus, number) VALUES (?, ?, ?, ?, ?, ?) "
                    "RETURNING id"),
        find_last_(database, "SELECT first, first_import, last, last_import, " + std::string(kPriceColumns) +
                                 " FROM prices WHERE series = ? ORDER BY first DESC, first_import DESC LIMIT 1"),
        find_on_(database,
                 "SELECT " + std::string(kPriceColumns) + " FROM prices WHERE series = ? AND first <= ? AND last >= ?"),
        go_on_(database,
               "UPDATE prices SET last = ?, last_import = ?, reliability = ? WHERE series = ? AND first = ? AND "
               "first_import = ?"),
        add_price_(database, "INSERT OR REPLACE INTO prices (series, first, first_import, last, last_import, " +
                                 std::string(kPriceColumns) + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

  /// Lists of this import of which more than one tells of a group: the days of all of them must be known before.
  void expect(std::span<const Offer> offers) {
    for (const Offer& offer : offers) {
      const Item item = item_of(offer);
      std::vector<int>& days = call_days_[item.group];
      if (days.empty() || days.back() != item.day) days.push_back(item.day);
    }
  }
  void expected() {
    for (auto& [group, days] : call_days_) make_set(days);
  }

  void add(std::span<const Offer> offers, const std::string& list) {
    list_ = texts_.number_of(list);
    std::vector<Item> items;
    items.reserve(offers.size());
    for (const Offer& offer : offers) items.push_back(item_of(offer));
    sort(items);
    const auto twice = std::ranges::unique(
        items, [](const Item& a, const Item& b) { return a.group == b.group && same_offer(*a.offer, *b.offer); });
    items.erase(twice.begin(), twice.end());
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].group == items[from].group) ++to;
      add_group(std::span(items).subspan(from, to - from));
    }
  }

 private:
  /// Of one kind and day by price, so that the cheapest is always number 0.
  static void sort(std::span<Item> items) {
    std::ranges::sort(items, [](const Item& a, const Item& b) {
      if (const auto order = a.series() <=> b.series(); order != 0) return order < 0;
      return a.day != b.day ? a.day < b.day : before(*a.offer, *b.offer);
    });
  }

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
    return {known->second,
            0,
            texts_.number_of(offer.instance),
            texts_.number_of(offer.zone),
            offer.gpus,
            packed_date(offer.as_of),
            &offer};
  }

  static void make_set(std::vector<int>& days) {
    std::ranges::sort(days);
    days.erase(std::ranges::unique(days).begin(), days.end());
  }
  static std::vector<int> days_of(std::span<const Item> items) {
    std::vector<int> days;
    for (const Item& item : items) days.push_back(item.day);
    make_set(days);
    return days;
  }
  /// Whether a list of this import tells of the group on a day between these two.
  bool told_between(std::int64_t group, int day, int later) const {
    const auto all = call_days_.find(group);
    if (all == call_days_.end()) return false;
    const auto next = std::ranges::upper_bound(all->second, day);
    return next != all->second.end() && *next < later;
  }

  /// Each day of a group goes to a part of it that no other list has told of on that day.
  void add_group(std::span<Item> items) {
    const std::int64_t group = items.front().group;
    const bool known = find_newest_(group) && find_newest_.whole(0) > 0;
    if (!known) return add_part(items);
    std::vector<int> days = days_of(items);
    const std::int64_t newest = std::max<std::int64_t>(find_newest_.whole(0), days.back());
    std::map<int, std::int64_t> part_of;
    for (const int day : days)
      if (const std::int64_t part = part_for(group, day, day < newest, items); part != 0) part_of[day] = part;
    if (part_of.empty()) return add_part(items);
    for (Item& item : items)
      if (const auto part = part_of.find(item.day); part != part_of.end()) item.part = part->second;
    sort(items);
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].part == items[from].part) ++to;
      if (items[from].part != kToldAlready) add_part(items.subspan(from, to - from));
    }
  }

  /// The part of a day that this list has told of before, else the first that nobody has. What is `past` and told by
  /// others word for word is not told again: lists that bring all of their past each time would fill a part each.
  std::int64_t part_for(std::int64_t group, int day, bool past, std::span<const Item> items) {
    std::map<std::int64_t, std::int64_t> others;  // part and its last import
    for (bool more = find_parts_(group, day); more; more = find_parts_.next()) {
      const std::int64_t by = find_parts_.whole(1);
      if (by == list_ || by == 0) return find_parts_.whole(0);
      others[find_parts_.whole(0)] = find_parts_.whole(2);
    }
    std::int64_t free = 0;
    for (const auto& [part, import] : others) {
      if (past && holds(group, part, day, import, items)) return kToldAlready;
      if (part == free) ++free;
    }
    return free;
  }

  /// Whether a part says of a day all that the items of that day do.
  bool holds(std::int64_t group, std::int64_t part, int day, std::int64_t import, std::span<const Item> items) {
    std::multimap<std::tuple<std::int64_t, std::int64_t, int>, PriceValues> said;
    constexpr int kValues = 3;
    for (bool more = find_content_(group, part, day, import); more; more = find_content_.next())
      said.emplace(std::tuple(find_content_.whole(0), find_content_.whole(1), static_cast<int>(find_content_.whole(2))),
                   values_in(find_content_, kValues));
    for (const Item& item : items) {
      if (item.day != day) continue;
      const PriceValues values = values_of(*item.offer, details_.number_of(*item.offer));
      auto [one, end] = said.equal_range({item.instance, item.zone, item.gpus});
      while (one != end && !one->second.same(values)) ++one;
      if (one == end) return false;
      said.erase(one);
    }
    return true;
  }

  void add_part(std::span<const Item> items) {
    const std::int64_t group = items.front().group, part = items.front().part;
    const std::vector<int> days = days_of(items);
    Told told;
    if (find_told_(group, part)) told = {find_told_.whole(0), find_told_.whole(1), true};
    // A day that is past already was told of by those who knew it then.
    fresh_.clear();
    for (const int day : days)
      if (!told.before || day >= told.day || !find_day_(group, day, part)) fresh_.push_back(day);
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].series() == items[from].series()) ++to;
      add_kind(items.subspan(from, to - from), days, told);
    }
    for (const int day : fresh_) add_told_(group, part, day, import_, list_);
  }

  /// Offers of the same names, by day and price: those at the same place of their days are one series.
  void add_kind(std::span<const Item> items, Days days, const Told& told) {
    std::vector<std::vector<Run>> series;
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].day == items[from].day) ++to;
      for (std::size_t i = from; i < to; ++i) {
        if (i - from >= series.size()) series.emplace_back();
        std::vector<Run>& runs = series[i - from];
        const PriceValues values = values_of(*items[i].offer, details_.number_of(*items[i].offer));
        if (!runs.empty() && runs.back().values.same(values) && follows(items[i].day, runs.back().last, days, told) &&
            !told_between(items[i].group, runs.back().last, items[i].day))
          runs.back().last = items[i].day;
        else runs.push_back({items[i].day, items[i].day, values});
      }
    }
    const Item& kind = items.front();
    for (std::size_t number = 0; number < series.size(); ++number) {
      std::int64_t id = 0;
      const bool known = told.before && find_series_(kind.group, kind.part, kind.instance, kind.zone, kind.gpus,
                                                     static_cast<int>(number));
      if (known) {
        id = find_series_.whole(0);
      } else if (add_series_(kind.group, kind.part, kind.instance, kind.zone, kind.gpus, static_cast<int>(number))) {
        id = add_series_.whole(0);
        add_series_.next();
      }
      add_runs(kind, id, known, series[number], days, told);
    }
  }

  /// No list of a day between them left the machine out; what is past already stays apart from what goes on.
  static bool follows(int day, int before, Days days, const Told& told) {
    if (before < told.day && told.day <= day) return false;
    return std::ranges::upper_bound(days, before) == std::ranges::lower_bound(days, day);
  }

  void add_runs(const Item& kind, std::int64_t series, bool known, const std::vector<Run>& runs, Days days,
                const Told& told) {
    for (const Run& run : runs) {
      if (known && run.last < told.day && &run != &runs.back() && is_known(series, run) && !brings_a_day(run)) continue;
      // A list of this import that came before and left the machine out ends what was known.
      const bool next = std::ranges::none_of(days, [&](int day) { return told.day <= day && day < run.first; });
      if (known && run.last >= told.day && next && goes_on(kind, series, run, told)) continue;
      const PriceValues& v = run.values;
      add_price_(series, run.first, import_, run.last, import_, v.price, v.spot, v.stock, v.reliability, v.details,
                 v.price_low, v.price_high, v.spot_low, v.spot_high);
    }
  }

  /// A day of it was not told of so far, and not so long ago that it may have been thinned out.
  bool brings_a_day(const Run& run) const {
    const auto day = std::ranges::lower_bound(fresh_, std::max(run.first, whole_from_));
    return day != fresh_.end() && *day <= run.last;
  }

  /// The past says so already: a list that tells all of its past each time adds its new days only.
  bool is_known(std::int64_t series, const Run& run) {
    for (bool more = find_on_(series, run.first, run.last); more; more = find_on_.next())
      if (values_in(find_on_, 0).same(run.values)) return true;
    return false;
  }

  /// The newest price, told by the import before this one, is still right.
  bool goes_on(const Item& kind, std::int64_t series, const Run& run, const Told& told) {
    constexpr int kValues = 4;
    if (!find_last_(series)) return false;
    const std::int64_t first = find_last_.whole(0), first_import = find_last_.whole(1), last = find_last_.whole(2),
                       last_import = find_last_.whole(3);
    const bool still = last_import == told.import && last == told.day && first <= run.last &&
                       values_in(find_last_, kValues).same(run.values);
    // Lists of days in between came later, and may have left it out.
    const auto between = std::ranges::lower_bound(fresh_, std::max(static_cast<int>(first), whole_from_));
    if (!still || told_between(kind.group, static_cast<int>(last), run.first) ||
        (between != fresh_.end() && *between < told.day) ||
        find_between_(kind.group, first, last, kind.part, last_import, import_))
      return false;
    go_on_(std::max<std::int64_t>(last, run.last), import_, run.values.reliability, series, first, first_import);
    return true;
  }

  std::int64_t import_;
  int whole_from_;
  std::int64_t list_ = 0;                               ///< name of the list being added
  std::map<std::int64_t, std::vector<int>> call_days_;  ///< by group, of all lists of the import
  std::vector<int> fresh_;  ///< days of the part that this list is the first to tell of, or tells anew
  StoredTexts texts_;
  StoredDetails details_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> groups_;
  static constexpr std::int64_t kToldAlready = -1;
  Statement find_group_, add_group_, find_newest_, find_parts_, find_content_, find_told_, add_told_, find_day_,
      find_between_, find_series_, add_series_, find_last_, find_on_, go_on_, add_price_;
};

}  // namespace

void add_lists(Database& database, std::span<const Feed> lists, std::int64_t import, int whole_from) {
  // The oldest first, so that prices go on from one to the next.
  std::vector<std::pair<std::string_view, const Feed*>> order;
  for (const Feed& list : lists)
    if (!list.offers.empty()) order.emplace_back(std::ranges::min(list.offers, {}, &Offer::as_of).as_of, &list);
  std::ranges::stable_sort(order, {}, &std::pair<std::string_view, const Feed*>::first);
  Adding adding(database, import, whole_from);
  if (order.size() > 1) {
    for (const auto& [date, list] : order) adding.expect(list->offers);
    adding.expected();
  }
  for (const auto& [date, list] : order) adding.add(list->offers, list->name.empty() ? list->file : list->name);
}

}  // namespace gpuplan
