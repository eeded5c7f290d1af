// `gpuplan offers`: what the known market rents, cheapest GPU-hour first, as a table and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "output/text/style.h"

namespace gpuplan {

struct OffersReport {
  std::vector<const Offer*> rows;  ///< by price of a GPU-hour, spot where there is no other
  std::size_t known = 0;           ///< before the filter
  std::size_t too_old = 0;         ///< left out before the filter: their prices are history
  std::string oldest, newest;      ///< dates of all known
  std::vector<std::string> sources;
  const Catalogue* catalogue = nullptr;
};

/// The offers that satisfy the filter (output/text/row_filter.h). The report refers to the offers and the catalogue.
Result<OffersReport> select_offers(const std::vector<Offer>& offers, const Catalogue& catalogue,
                                   std::span<const std::string> filter, std::size_t too_old);

/// The table: the cheapest twenty, or `all`.
std::string offers_text(const OffersReport& report, const Screen& screen, bool all);

/// Every field of every row; prices that are ranges as their medians.
std::string offers_csv(const OffersReport& report);

/// Schema gpuplan/offers@1, every row. Prices that are ranges have p10 and p90 beside the median.
std::string offers_json(const OffersReport& report);

}  // namespace gpuplan
