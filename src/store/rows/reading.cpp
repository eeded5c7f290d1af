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

/// Takes out what several lists of one day tell alike; the series known longest stays.
void join_parts(std::deque<StoredOffer>& found) {
  std::vector<std::size_t> order(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const StoredOffer &one = found[a], &other = found[b];
    if (one.group != other.group) return one.group < other.group;
    if (before(one.offer, other.offer)) return true;
    return !before(other.offer, one.offer) && one.series < other.series;
  });
  std::vector<bool> twice(found.size(), false);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const StoredOffer &one = found[order[i - 1]], &other = found[order[i]];
    twice[order[i]] = one.group == other.group && same_offer(one.offer, other.offer);
  }
  std::size_t to = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!twice[i]) {
      if (to != i) found[to] = std::move(found[i]);
      ++to;
    }
  found.resize(to);
}

}  // namespace

std::deque<StoredOffer> read_offers(Database& database, const ReadingTerms& terms) {
  const TextList texts(database);
  const DetailList details(database, texts);
  Statement listed_before(database, "SELECT max(day) FROM listings WHERE grp = ? AND part = ? AND day <= ?");
  Statement rows(database,
                 "SELECT s.id, s.grp, p.first, p.last, n.gpu, n.provider, n.region, n.source, s.instance, "
                 "s.zone, s.gpus, n.part, " +
                     std::string(kPriceColumns) + " FROM (" + kNewestListings +
                     ") n JOIN series s ON s.grp = n.grp AND s.part = n.part JOIN prices p ON "
                     "p.series = s.id WHERE p.first_import <= n.import AND p.last_import >= n.import AND "
                     "p.first <= ?1 AND p.last >= n.day ORDER BY n.grp, s.id, p.first, p.first_import");
  constexpr int kValues = 12;
  std::deque<StoredOffer> found;
  bool parts = false;
  for (bool more = rows(terms.day, terms.import, terms.told_by); more; more = rows.next()) {
    const std::int64_t series = rows.whole(0), group = rows.whole(1);
    // A later price takes the place of an earlier one.
    if (found.empty() || found.back().series != series) found.push_back({series, group, {}});
    else found.back().offer = {};
    Offer& offer = found.back().offer;
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

}  // namespace gpuplan
