#include "store/rows/reading.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "domain/market/offer_order.h"
#include "store/rows/dates.h"
#include "store/rows/names.h"
#include "store/rows/price_rows.h"

namespace gpuplan {
namespace {

/// One row for each part of a group that tells of the newest day of the group, with its newest import.
constexpr const char* kNewestListings =
    "SELECT n.id AS grp, n.gpu, n.provider, n.region, n.source, l.part, l.day, max(l.import) AS import FROM (SELECT *, "
    "(SELECT max(day) FROM listings WHERE grp = groups.id AND day <= ?1 AND import <= ?2) AS newest FROM groups WHERE "
    "?3 = 0 OR id IN (SELECT grp FROM listings WHERE import = ?3)) n JOIN listings l ON l.grp = n.id AND l.day = "
    "n.newest AND l.import <= ?2 GROUP BY l.grp, l.part";

std::string from_newest() {
  return " FROM (" + std::string(kNewestListings) +
         ") n JOIN series s ON s.grp = n.grp AND s.part = n.part JOIN prices p ON p.series = s.id WHERE p.first_import "
         "<= "
         "n.import AND p.last_import >= n.import AND p.first <= ?1 AND p.last >= n.day";
}

/// Takes out what several lists of one day tell alike; the series known longest stays.
void join_parts(StoredOffers& found) {
  std::vector<std::size_t> order(found.offers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto group = [&](std::size_t i) { return found.of[i].second; };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (group(a) != group(b)) return group(a) < group(b);
    if (before(found.offers[a], found.offers[b])) return true;
    return !before(found.offers[b], found.offers[a]) && found.of[a].first < found.of[b].first;
  });
  std::vector<bool> twice(order.size(), false);
  for (std::size_t i = 1; i < order.size(); ++i)
    twice[order[i]] =
        group(order[i - 1]) == group(order[i]) && same_offer(found.offers[order[i - 1]], found.offers[order[i]]);
  std::size_t to = 0;
  for (std::size_t i = 0; i < twice.size(); ++i) {
    if (twice[i]) continue;
    if (to != i) {
      found.offers[to] = std::move(found.offers[i]);
      found.of[to] = found.of[i];
    }
    ++to;
  }
  found.offers.resize(to);
  found.of.resize(to);
}

}  // namespace

StoredOffers read_offers(Database& database, const ReadingTerms& terms) {
  const TextList texts(database);
  const DetailList details(database, texts);
  Statement listed_before(database, "SELECT max(day) FROM listings WHERE grp = ? AND part = ? AND day <= ?");
  Statement rows(database,
                 "SELECT s.id, s.grp, p.first, p.last, n.gpu, n.provider, n.region, n.source, s.instance, "
                 "s.zone, s.gpus, n.part, " +
                     std::string(kPriceColumns) + from_newest() + " ORDER BY n.grp, s.id, p.first, p.first_import");
  constexpr int kValues = 12;
  StoredOffers found;
  const auto count = static_cast<std::size_t>(count_offers(database, terms));
  found.offers.reserve(count);
  found.of.reserve(count);
  bool parts = false;
  for (bool more = rows(terms.day, terms.import, terms.told_by); more; more = rows.next()) {
    const std::int64_t series = rows.whole(0), group = rows.whole(1);
    // A later price takes the place of an earlier one.
    if (found.of.empty() || found.of.back().first != series) {
      found.of.emplace_back(series, group);
      found.offers.emplace_back();
    } else {
      found.offers.back() = {};
    }
    Offer& offer = found.offers.back();
    const std::int64_t part = rows.whole(11);
    parts = parts || part > 0;
    std::int64_t day = rows.whole(3);
    if (day > terms.day && listed_before(group, part, terms.day)) day = std::max(rows.whole(2), listed_before.whole(0));
    offer.gpu = texts[rows.whole(4)];
    offer.provider = texts[rows.whole(5)];
    offer.region = texts[rows.whole(6)];
    offer.source = texts[rows.whole(7)];
    offer.instance = texts[rows.whole(8)];
    offer.zone = texts[rows.whole(9)];
    offer.gpus = static_cast<int>(rows.whole(10));
    offer.as_of = date_text(day);
    const PriceValues values = values_in(rows, kValues);
    fill(offer, values);
    details.fill(offer, values.details);
  }
  if (parts) join_parts(found);
  return found;
}

std::int64_t count_offers(Database& database, const ReadingTerms& terms, std::int64_t most) {
  Statement rows(database, "SELECT count(*) FROM (SELECT 1" + from_newest() + " LIMIT " + std::to_string(most) + ")");
  return rows(terms.day, terms.import, terms.told_by) ? rows.whole(0) : 0;
}

std::vector<Offer> current_offers(Database& database, std::string_view as_of) {
  ReadingTerms terms;
  if (!as_of.empty()) terms.day = last_of(packed_date(as_of));
  std::vector<Offer> offers = std::move(read_offers(database, terms).offers);
  // Offers are large: their places are sorted, and each is moved once, from where it lies to where one has left.
  std::vector<std::size_t> order(offers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return before(offers[a], offers[b]); });
  for (std::size_t first = 0; first < order.size(); ++first) {
    if (order[first] == first) continue;
    Offer moved = std::move(offers[first]);
    std::size_t at = first;
    for (std::size_t from = order[at]; from != first; from = order[at]) {
      offers[at] = std::move(offers[from]);
      order[at] = at;
      at = from;
    }
    offers[at] = std::move(moved);
    order[at] = at;
  }
  return offers;
}

}  // namespace gpuplan
