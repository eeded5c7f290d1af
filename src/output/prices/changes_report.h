// What an import changed.
#pragma once

#include <string>
#include <vector>

#include "domain/market/price_records.h"
#include "output/text/style.h"

namespace gpuplan {

std::string changes_text(const std::vector<PriceChange>& changes, const ImportRecord& import, bool all,
                         const Screen& screen);
std::string changes_json(const std::vector<PriceChange>& changes, const ImportRecord& import);
std::string changes_csv(const std::vector<PriceChange>& changes);

/// The offers as a price list that gpuplan prices import takes back.
std::string offers_as_list(const std::vector<Offer>& offers);

}  // namespace gpuplan
