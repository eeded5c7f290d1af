#include "store/rows/thinning.h"

#include <string>
#include <vector>

#include "store/rows/dates.h"

namespace gpuplan {
namespace {

/// A row of one series or group, which comes before `next` of the same.
struct Dated {
  std::int64_t of = 0, first = 0, import = 0, last = 0;
};

bool is_spare(const Dated& row, const Dated& next, int whole_from, int daily_from) {
  if (row.of != next.of || row.first >= whole_from) return false;
  if (row.first == next.first && row.last == row.first) return true;
  const auto week = [](std::int64_t day) { return week_of(static_cast<int>(day)); };
  return row.first < daily_from && week(row.first) == week(row.last) && week(row.first) == week(next.first);
}

/// `rows` selects of, first, import and last in their order; `remove` takes the first three.
std::int64_t thin_rows(Database& database, const std::string& rows, const std::string& remove, int whole_from,
                       int daily_from) {
  std::vector<Dated> spare;
  {
    Statement all(database, rows);
    Dated before;
    for (bool more = all(); more; more = all.next()) {
      const Dated row{all.whole(0), all.whole(1), all.whole(2), all.whole(3)};
      if (is_spare(before, row, whole_from, daily_from)) spare.push_back(before);
      before = row;
    }
  }
  Statement away(database, remove);
  for (const Dated& row : spare) away(row.of, row.first, row.import);
  return static_cast<std::int64_t>(spare.size());
}

/// Several parts of a group may be told of on one day, and all of that day count together: it goes as a whole.
void thin_listings(Database& database, int whole_from, int daily_from) {
  struct Listing {
    std::int64_t group = 0, day = 0, part = 0, import = 0;
  };
  std::vector<Listing> spare, last_of_day;
  {
    Statement all(database, "SELECT grp, day, part, max(import) FROM listings WHERE day < ? GROUP BY grp, day, part");
    const auto drop_day = [&] {
      spare.insert(spare.end(), last_of_day.begin(), last_of_day.end());
      last_of_day.clear();
    };
    const auto week = [](std::int64_t day) { return week_of(static_cast<int>(day)); };
    for (bool more = all(whole_from); more; more = all.next()) {
      const Listing row{all.whole(0), all.whole(1), all.whole(2), all.whole(3)};
      if (!last_of_day.empty() && (last_of_day[0].group != row.group || last_of_day[0].day != row.day)) {
        const bool same_week = last_of_day[0].group == row.group && last_of_day[0].day < daily_from &&
                               week(last_of_day[0].day) == week(row.day);
        if (same_week) drop_day();
        last_of_day.clear();
      }
      last_of_day.push_back(row);
    }
  }
  Statement earlier(
      database,
      "DELETE FROM listings AS l WHERE day < ? AND import < (SELECT max(import) FROM listings WHERE grp = "
      "l.grp AND day = l.day AND part = l.part)");
  earlier(whole_from);
  Statement away(database, "DELETE FROM listings WHERE grp = ? AND day = ? AND part = ? AND import = ?");
  for (const Listing& row : spare) away(row.group, row.day, row.part, row.import);
}

}  // namespace

std::int64_t thin(Database& database, int whole_from, int daily_from) {
  thin_listings(database, whole_from, daily_from);
  return thin_rows(database,
                   "SELECT series, first, first_import, last FROM prices ORDER BY series, first, first_import",
                   "DELETE FROM prices WHERE series = ? AND first = ? AND first_import = ?", whole_from, daily_from);
}

}  // namespace gpuplan
