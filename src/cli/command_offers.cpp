// gpuplan offers [FILTER]: what the market rents.
#include "cli/commands.h"
#include "cli/deliver.h"
#include "cli/load_catalogue.h"
#include "cli/load_prices.h"
#include "cli/terminal.h"
#include "output/offers_report.h"
#include "plan/market.h"

namespace gpuplan::cli {

int run_offers(const FilterOptions& options) {
  const Common& common = options.common;
  auto catalogue = load_catalogue(common.data_folder);
  if (!catalogue) return complain(catalogue.error());

  std::vector<Offer> known = std::move(catalogue->offers);
  if (!options.prices.empty()) {
    auto prices = load_prices(options.prices, options.rates, *catalogue);
    if (!prices) return complain(prices.error());
    known = *std::move(prices);
  }
  // A job without wishes: what is left is what plan would look at.
  MarketFilter left_out;
  if (!common.all) known = market_for(Job{}, *catalogue, known, left_out);

  const auto report = select_offers(known, *catalogue, options.filter, static_cast<std::size_t>(left_out.too_old));
  if (!report) return complain(report.error());
  const std::string text = common.json
                               ? offers_json(*report)
                               : offers_text(*report, screen(common.no_color || !common.output.empty()), common.all);
  return deliver(text, common.output, kDone);
}

}  // namespace gpuplan::cli
