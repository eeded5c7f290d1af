#include "store/rows/adding.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "store/rows/dates.h"
#include "store/rows/parts.h"

namespace gpuplan {
namespace {

/// When a part of a group was told of last.
struct Told {
  std::int64_t day = 0, import = 0;
  bool before = false;  ///< it was
};

/// Equal prices of one series, over days that follow one another.
struct Run {
  int first = 0, last = 0;
  PriceValues values;
};

/// A part of a group, as one list tells of it.
struct ToldPart {
  std::int64_t group = 0, part = 0;
  std::vector<int> days{};   ///< in their order
  std::vector<int> fresh{};  ///< of these, those that the list is the first to tell of, or tells anew
  Told told{};
};

template <class Take>
class ItemsTo final : public ItemSink {
 public:
  explicit ItemsTo(Take take) : take_(std::move(take)) {}
  void take(const Item& item) override { take_(item); }

 private:
  Take take_;
};

class Adding {
 public:
  Adding(Database& database, std::int64_t import, int whole_from)
      : import_(import),
        whole_from_(whole_from),
        numbers_(database),
        parts_(database),
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

  /// Days on which lists of this import tell of a group: all must be known before the first is added.
  void expect(std::span<const Offer> offers) {
    for (const Offer& offer : offers) {
      const Item item = numbers_.item_of(offer);
      std::vector<int>& days = call_days_[item.group];
      if (days.empty() || days.back() != item.day) days.push_back(item.day);
    }
  }
  void expect(const std::map<std::int64_t, std::vector<int>>& more) {
    for (const auto& [group, days] : more) {
      std::vector<int>& all = call_days_[group];
      all.insert(all.end(), days.begin(), days.end());
    }
  }
  void expected() {
    for (auto& [group, days] : call_days_) make_set(days);
  }

  void add(std::span<const Offer> offers, const std::string& list) {
    list_ = numbers_.text(list);
    std::vector<Item> items;
    items.reserve(offers.size());
    for (const Offer& offer : offers) items.push_back(numbers_.item_of(offer));
    sort_items(items);
    const auto twice = std::ranges::unique(items, [](const Item& a, const Item& b) { return a.same(b); });
    items.erase(twice.begin(), twice.end());
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].group == items[from].group) ++to;
      add_group(std::span(items).subspan(from, to - from));
    }
  }

  /// A list whose items come one by one. A group that is too long to be held is added machine by machine.
  void add(StagedOffers& staged, const std::string& name, const std::string& list, StagedJudge& judge) {
    constexpr std::size_t kHeld = 20'000;
    list_ = numbers_.text(list);
    const auto days = staged.days(name);
    std::vector<Item> held;
    std::map<std::int64_t, ToldPart> parts;  // of a long group
    std::map<int, std::int64_t> part_of;
    bool is_long = false;
    const auto end_group = [&] {
      if (!is_long && !held.empty()) add_group(held);
      if (is_long) {
        add_machines(held, part_of, parts);
        for (auto& [part, told] : parts) tell(told);
      }
      held.clear();
      parts.clear();
      is_long = false;
    };
    ItemsTo sink([&](const Item& item) {
      if (!held.empty() && held.back().group != item.group) end_group();
      if (held.size() >= kHeld && held.back().series() != item.series()) {
        if (!is_long) {
          const std::vector<int>& all = days.at(item.group);
          part_of = parts_.choose(item.group, all, list_, {});
          for (const int day : all) parts[part_in(part_of, day)].days.push_back(day);
          for (auto& [part, told] : parts) begin_part(told, item.group, part);
        }
        is_long = true;
        add_machines(held, part_of, parts);
        held.clear();
      }
      held.push_back(item);
    });
    staged.read(name, judge, sink);
    end_group();
  }

 private:
  /// Whether a list of this import tells of the group on a day between these two.
  bool told_between(std::int64_t group, int day, int later) const {
    const auto all = call_days_.find(group);
    if (all == call_days_.end()) return false;
    const auto next = std::ranges::upper_bound(all->second, day);
    return next != all->second.end() && *next < later;
  }

  static std::int64_t part_in(const std::map<int, std::int64_t>& part_of, int day) {
    const auto found = part_of.find(day);
    return found == part_of.end() ? 0 : found->second;
  }

  void add_group(std::span<Item> items) {
    const auto part_of = parts_.choose(items.front().group, days_of(items), list_, items);
    if (part_of.empty()) return add_part(items);
    for (Item& item : items) item.part = part_in(part_of, item.day);
    sort_items(items);
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].part == items[from].part) ++to;
      if (items[from].part != Parts::kToldAlready) add_part(items.subspan(from, to - from));
    }
  }

  void begin_part(ToldPart& part, std::int64_t group, std::int64_t number) {
    part.group = group;
    part.part = number;
    if (find_told_(group, number)) part.told = {find_told_.whole(0), find_told_.whole(1), true};
    // A day that is past already was told of by those who knew it then.
    for (const int day : part.days)
      if (!part.told.before || day >= part.told.day || !find_day_(group, day, number)) part.fresh.push_back(day);
  }
  void tell(const ToldPart& part) {
    for (const int day : part.fresh) add_told_(part.group, part.part, day, import_, list_);
  }

  void add_part(std::span<const Item> items) {
    ToldPart part{.days = days_of(items)};
    begin_part(part, items.front().group, items.front().part);
    add_kinds(items, part);
    tell(part);
  }

  void add_kinds(std::span<const Item> items, const ToldPart& part) {
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].series() == items[from].series()) ++to;
      add_kind(items.subspan(from, to - from), part);
    }
  }

  void add_machines(std::span<Item> items, const std::map<int, std::int64_t>& part_of,
                    const std::map<std::int64_t, ToldPart>& parts) {
    for (Item& item : items) item.part = part_in(part_of, item.day);
    sort_items(items);
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].part == items[from].part) ++to;
      add_kinds(items.subspan(from, to - from), parts.at(items[from].part));
    }
  }

  /// Offers of the same names, by day and price: those at the same place of their days are one series.
  void add_kind(std::span<const Item> items, const ToldPart& part) {
    std::vector<std::vector<Run>> series;
    for (std::size_t from = 0, to = 0; from < items.size(); from = to) {
      while (to < items.size() && items[to].day == items[from].day) ++to;
      for (std::size_t i = from; i < to; ++i) {
        if (i - from >= series.size()) series.emplace_back();
        std::vector<Run>& runs = series[i - from];
        const PriceValues& values = items[i].values;
        if (!runs.empty() && runs.back().values.same(values) && follows(items[i].day, runs.back().last, part) &&
            !told_between(items[i].group, runs.back().last, items[i].day))
          runs.back().last = items[i].day;
        else runs.push_back({items[i].day, items[i].day, values});
      }
    }
    const Item& kind = items.front();
    for (std::size_t number = 0; number < series.size(); ++number) {
      std::int64_t id = 0;
      const bool known = part.told.before && find_series_(kind.group, kind.part, kind.instance, kind.zone, kind.gpus,
                                                          static_cast<int>(number));
      if (known) {
        id = find_series_.whole(0);
      } else if (add_series_(kind.group, kind.part, kind.instance, kind.zone, kind.gpus, static_cast<int>(number))) {
        id = add_series_.whole(0);
        add_series_.next();
      }
      add_runs(id, known, series[number], part);
    }
  }

  /// No list of a day between them left the machine out; what is past already stays apart from what goes on.
  static bool follows(int day, int before, const ToldPart& part) {
    if (before < part.told.day && part.told.day <= day) return false;
    return std::ranges::upper_bound(part.days, before) == std::ranges::lower_bound(part.days, day);
  }

  void add_runs(std::int64_t series, bool known, const std::vector<Run>& runs, const ToldPart& part) {
    const Told& told = part.told;
    for (const Run& run : runs) {
      if (known && run.last < told.day && &run != &runs.back() && is_known(series, run) &&
          !brings_a_day(run, part, whole_from_))
        continue;
      // A list of this import that came before and left the machine out ends what was known.
      const bool next = std::ranges::none_of(part.days, [&](int day) { return told.day <= day && day < run.first; });
      if (known && run.last >= told.day && next && goes_on(series, run, part)) continue;
      const PriceValues& v = run.values;
      add_price_(series, run.first, import_, run.last, import_, v.price, v.spot, v.stock, v.reliability, v.details,
                 v.price_low, v.price_high, v.spot_low, v.spot_high);
    }
  }

  /// A day of it was not told of so far, and not so long ago that it may have been thinned out.
  static bool brings_a_day(const Run& run, const ToldPart& part, int whole_from) {
    const auto day = std::ranges::lower_bound(part.fresh, std::max(run.first, whole_from));
    return day != part.fresh.end() && *day <= run.last;
  }

  /// The past says so already: a list that tells all of its past each time adds its new days only.
  bool is_known(std::int64_t series, const Run& run) {
    for (bool more = find_on_(series, run.first, run.last); more; more = find_on_.next())
      if (values_in(find_on_, 0).same(run.values)) return true;
    return false;
  }

  /// The newest price, told by the import before this one, is still right.
  bool goes_on(std::int64_t series, const Run& run, const ToldPart& part) {
    const Told& told = part.told;
    constexpr int kValues = 4;
    if (!find_last_(series)) return false;
    const std::int64_t first = find_last_.whole(0), first_import = find_last_.whole(1), last = find_last_.whole(2),
                       last_import = find_last_.whole(3);
    const bool still = last_import == told.import && last == told.day && first <= run.last &&
                       values_in(find_last_, kValues).same(run.values);
    // Lists of days in between came later, and may have left it out.
    const auto between = std::ranges::lower_bound(part.fresh, std::max(static_cast<int>(first), whole_from_));
    if (!still || told_between(part.group, static_cast<int>(last), run.first) ||
        (last_import < import_ && told_between(part.group, static_cast<int>(first) - 1, static_cast<int>(last) + 1)) ||
        (between != part.fresh.end() && *between < told.day) ||
        find_between_(part.group, first, last, part.part, last_import, import_))
      return false;
    go_on_(std::max<std::int64_t>(last, run.last), import_, run.values.reliability, series, first, first_import);
    return true;
  }

  std::int64_t import_;
  int whole_from_;
  std::int64_t list_ = 0;                               ///< name of the list being added
  std::map<std::int64_t, std::vector<int>> call_days_;  ///< by group, of all lists of the import
  ItemNumbers numbers_;
  Parts parts_;
  Statement find_told_, add_told_, find_day_, find_between_, find_series_, add_series_, find_last_, find_on_, go_on_,
      add_price_;
};

}  // namespace

void add_lists(Database& database, std::span<const Feed> lists, const AddingTerms& terms) {
  // The oldest first, so that prices go on from one to the next.
  struct Next {
    int oldest = 0;
    const Feed* feed = nullptr;
    bool staged = false;
  };
  std::vector<Next> order;
  for (const Feed& list : lists)
    if (!list.offers.empty())
      order.push_back({packed_date(std::ranges::min(list.offers, {}, &Offer::as_of).as_of), &list});
  if (terms.staged != nullptr)
    for (const auto& [name, oldest] : terms.staged->lists())
      if (const auto feed = std::ranges::find(lists, name, &Feed::file); feed != lists.end())
        order.push_back({oldest, &*feed, true});
  std::ranges::stable_sort(order, {}, &Next::oldest);
  Adding adding(database, terms.import, terms.whole_from);
  if (order.size() > 1) {
    for (const Next& next : order) {
      if (next.staged) adding.expect(terms.staged->days(next.feed->file));
      else adding.expect(next.feed->offers);
    }
    adding.expected();
  }
  for (const Next& next : order) {
    const std::string& list = next.feed->name.empty() ? next.feed->file : next.feed->name;
    if (!next.staged) adding.add(next.feed->offers, list);
    else adding.add(*terms.staged, next.feed->file, list, *terms.judge);
  }
}

}  // namespace gpuplan
