#include "cli/load/load_prices.h"

#include <iterator>

#include "cli/io/read_file.h"
#include "input/prices/price_file.h"
#include "input/text/csv.h"

namespace gpuplan::cli {

Result<std::vector<Offer>> load_prices(const std::vector<std::string>& files, const std::vector<std::string>& rates,
                                       const Catalogue& catalogue) {
  std::vector<CurrencyRate> known;
  for (const std::string& text : rates) {
    auto rate = parse_rate(text);
    if (!rate) return std::unexpected(rate.error());
    known.push_back(*std::move(rate));
  }
  std::vector<Offer> offers;
  for (const std::string& file : files) {
    const auto text = read_file(file, CsvTable::kMaxBytes);
    if (!text) return std::unexpected(text.error());
    auto some = read_prices(*text, shown_name(file), known, catalogue);
    if (!some) return std::unexpected(some.error());
    if (offers.empty()) offers = *std::move(some);
    else std::move(some->begin(), some->end(), std::back_inserter(offers));
  }
  return offers;
}

Result<std::vector<Offer>> known_offers(const std::vector<std::string>& files, const std::vector<std::string>& rates,
                                        const UserConfig& config, const Catalogue& catalogue) {
  std::vector<std::string> all = rates;  // the first of a currency wins
  all.insert(all.end(), config.rates.begin(), config.rates.end());
  if (!files.empty()) return load_prices(files, all, catalogue);
  if (!config.prices.empty()) return load_prices(config.prices, all, catalogue);
  if (!rates.empty()) return wrong_use("--rate: says how to read price lists; add --prices FILE.csv");
  return catalogue.offers;
}

}  // namespace gpuplan::cli
