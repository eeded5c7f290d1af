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

}  // namespace

std::int64_t thin(Database& database, int whole_from, int daily_from) {
  thin_rows(database, "SELECT grp, day, import, day FROM listings ORDER BY grp, day, import",
            "DELETE FROM listings WHERE grp = ? AND day = ? AND import = ?", whole_from, daily_from);
  return thin_rows(database,
                   "SELECT series, first, first_import, last FROM prices ORDER BY series, first, first_import",
                   "DELETE FROM prices WHERE series = ? AND first = ? AND first_import = ?", whole_from, daily_from);
}

}  // namespace gpuplan
