// A price list of one's own: a CSV file whose columns are found by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Dollars for one unit of a currency, three letters ("EUR").
struct CurrencyRate {
  std::string code;
  double dollars = 0;
};

/// Reads "EUR=1.08". The error says what was expected; it has no place and is a usage error.
Result<CurrencyRate> parse_rate(std::string_view text);

/// Offers of a price list, in the order of its rows. Columns: gpu and gpus (or gpu written "8x H100 SXM"),
/// price_per_hour (whole offer; a range 20-24 is p10..p90); optional provider, region, instance, spot (yes: the price
/// is that of interruptible use; no), interruptions (5%/h, 2-5%/h, or an AWS band), billing_minimum_minutes,
/// billing_increment_seconds, availability, label, currency, as_of. Other columns are passed over. Errors name file and
/// line.
Result<std::vector<Offer>> read_prices(std::string_view text, std::string_view file,
                                       const std::vector<CurrencyRate>& rates, const Catalogue& catalogue);

}  // namespace gpuplan
