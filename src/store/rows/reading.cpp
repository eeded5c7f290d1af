#include "store/rows/reading.h"

#include <algorithm>

#include "store/rows/dates.h"
#include "store/rows/names.h"
#include "store/rows/price_rows.h"

namespace gpuplan {
namespace {

/// One row for each group: its newest listing, day and import in one number.
constexpr const char* kNewestListings =
    "SELECT id AS grp, gpu, provider, region, source, (SELECT (l.day << 32) | l.import FROM listings l WHERE l.grp = "
    "groups.id AND l.day <= ?1 AND l.import <= ?2 ORDER BY l.day DESC, l.import DESC LIMIT 1) AS listing FROM groups "
    "WHERE ?3 = 0 OR id IN (SELECT grp FROM listings WHERE import = ?3)";

}  // namespace

std::deque<StoredOffer> read_offers(Database& database, const ReadingTerms& terms) {
  const TextList texts(database);
  const DetailList details(database, texts);
  Statement listed_before(database, "SELECT max(day) FROM listings WHERE grp = ? AND day <= ?");
  Statement rows(database,
                 "SELECT s.id, s.grp, p.first, p.last, n.gpu, n.provider, n.region, n.source, s.instance, "
                 "s.zone, s.gpus, " +
                     std::string(kPriceColumns) + " FROM (" + kNewestListings +
                     ") n JOIN series s ON s.grp = n.grp JOIN prices p ON "
                     "p.series = s.id WHERE p.first_import <= (n.listing & 4294967295) AND "
                     "p.last_import >= (n.listing & 4294967295) AND p.first <= ?1 AND p.last >= (n.listing >> 32) "
                     "ORDER BY n.grp, s.id, p.first, p.first_import");
  constexpr int kValues = 11;
  std::deque<StoredOffer> found;
  for (bool more = rows(terms.day, terms.import, terms.told_by); more; more = rows.next()) {
    const std::int64_t series = rows.whole(0), group = rows.whole(1);
    // A later price takes the place of an earlier one.
    if (found.empty() || found.back().series != series) found.push_back({series, group, {}});
    else found.back().offer = {};
    Offer& offer = found.back().offer;
    std::int64_t day = rows.whole(3);
    if (day > terms.day && listed_before(group, terms.day)) day = std::max(rows.whole(2), listed_before.whole(0));
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
  return found;
}

}  // namespace gpuplan
