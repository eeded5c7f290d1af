#include "store/rows/scatter.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/math.h"
#include "domain/market/price_date.h"
#include "plan/answer/offer_scatter.h"
#include "store/rows/dates.h"
#include "store/rows/names.h"

namespace gpuplan {
namespace {

constexpr int kDaysOfWeek = 7;
constexpr int kDaysOfYear = 365;
/// One week may be any.
constexpr int kLeastSteps = 2;

/// One price of a series, of these days.
struct PriceOfDays {
  int first = 0, last = 0;
  std::array<std::optional<double>, 2> prices{};  ///< on demand, spot
};

/// What series of one kind moved by.
struct Moved {
  double squares = 0;
  int steps = 0, longest = 0, prices = 0;
};

/// Provider and GPU by number, spot.
using MovedKind = std::pair<std::pair<std::int64_t, std::int64_t>, bool>;

/// Each week at the price that was told last.
void add_series(const std::vector<PriceOfDays>& said, bool spot, Moved& moved) {
  if (said.empty()) return;
  int last = 0;
  for (const PriceOfDays& one : said) last = std::max(last, one.last);
  const int weeks = (last - said.front().first) / kDaysOfWeek;
  if (weeks < kLeastSteps) return;
  std::optional<double> before;
  auto at = said.begin();
  int steps = 0;
  double squares = 0;
  for (int week = 0; week <= weeks; ++week) {
    const int day = said.front().first + week * kDaysOfWeek;
    while (at + 1 != said.end() && (at + 1)->first <= day) ++at;
    const std::optional<double> price = at->prices[spot ? 1 : 0];
    if (before && price && *before > 0 && *price > 0) {
      const double off = math::log(*price / *before);
      squares += off * off;
      ++steps;
    }
    before = price;
  }
  if (steps < kLeastSteps) return;
  moved.squares += squares;
  moved.steps += steps;
  moved.longest = std::max(moved.longest, steps);
  moved.prices += steps + 1;
}

/// Details of single machines.
std::set<std::int64_t> single_machines(Database& database, const TextList& texts) {
  std::set<std::int64_t> found;
  Statement rows(database, "SELECT id, availability FROM details");
  Offer offer;
  for (bool more = rows(); more; more = rows.next()) {
    offer.availability = texts[rows.whole(1)];
    if (is_single(offer)) found.insert(rows.whole(0));
  }
  return found;
}

int number_of_day(std::int64_t packed) { return day_number(date_text(packed)).value_or(0); }

/// The last day that a date may mean, of a month about its end; empty: any.
int last_day_of(std::string_view date) {
  constexpr int kHalfMonth = 15;
  const auto day = day_number(date);
  if (!day) return std::numeric_limits<int>::max();
  return date.size() < std::string_view("2026-11-25").size() ? *day + kHalfMonth : *day;
}

}  // namespace

OwnScatters own_scatter(Database& database, std::string_view as_of, const std::vector<Offer>& offers) {
  const TextList texts(database);
  const std::set<std::int64_t> single = single_machines(database, texts);
  const int to = as_of.empty() ? 99'999'999 : last_of(packed_date(as_of));
  Statement newest(database, "SELECT coalesce(max(last), 0) FROM prices WHERE first <= ?");
  const auto last = newest(to) ? static_cast<int>(std::min<std::int64_t>(newest.whole(0), to)) : 0;
  const int from = last > 0 ? days_before(last, kDaysOfYear) : 0;
  const int from_day = number_of_day(from), to_day = last_day_of(as_of);
  // As its key has them; what was said later of one day comes later.
  Statement rows(
      database,
      "SELECT series, first, last, price, spot, details FROM prices WHERE first <= ?1 AND last >= ?2 ORDER BY "
      "series, first, first_import");
  Statement group(database, "SELECT g.provider, g.gpu FROM series s JOIN groups g ON g.id = s.grp WHERE s.id = ?");
  std::map<MovedKind, Moved> kinds;
  std::vector<PriceOfDays> said;  // of one series, days as in the database
  std::int64_t series = 0;
  const auto close = [&] {
    // Most series are of one day.
    const bool moves = !said.empty() && std::ranges::max(said, {}, &PriceOfDays::last).last > said.front().first;
    for (PriceOfDays& one : said) {
      if (!moves) break;
      one.first = std::max(number_of_day(one.first), from_day);
      one.last = std::min(number_of_day(one.last), to_day);
    }
    if (moves && group(series))
      for (const bool spot : {false, true}) add_series(said, spot, kinds[{{group.whole(0), group.whole(1)}, spot}]);
    said.clear();
  };
  for (bool more = rows(to, from); more; more = rows.next()) {
    if (rows.whole(0) != series) close();
    series = rows.whole(0);
    if (single.contains(rows.whole(5))) continue;
    said.push_back({static_cast<int>(rows.whole(1)), static_cast<int>(rows.whole(2)), {rows.maybe(3), rows.maybe(4)}});
  }
  close();
  OwnScatters scatters;
  for (const auto& [of, moved] : kinds) {
    if (moved.steps == 0) continue;
    OwnScatter& scatter = scatters.emplace_back();
    scatter.provider = texts[of.first.first];
    scatter.gpu = texts[of.first.second];
    scatter.terms = of.second ? PriceTerms::kSpot : PriceTerms::kOnDemand;
    // Machines of one provider move together: how long they were watched counts, not how many they are.
    scatter.moves = {moved.squares / moved.steps * kDaysOfMonth / kDaysOfWeek,
                     moved.longest * kDaysOfWeek / kDaysOfMonth, moved.prices, moved.longest * kDaysOfWeek};
  }
  add_offer_scatter(offers, scatters);
  std::ranges::sort(scatters, {}, [](const OwnScatter& one) { return std::tie(one.provider, one.gpu, one.terms); });
  return scatters;
}

}  // namespace gpuplan
