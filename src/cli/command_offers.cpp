// gpuplan offers [FILTER]: what the market rents.
#include <memory>

#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/deliver.h"
#include "cli/load_catalogue.h"
#include "cli/load_prices.h"
#include "cli/terminal.h"
#include "output/offers_report.h"
#include "plan/market.h"

namespace gpuplan::cli {
namespace {

struct Options {
  Common common;
  std::vector<std::string> filter;
  std::vector<std::string> prices;
  std::vector<std::string> rates;  ///< EUR=1.08
  bool all = false;
};

int run(const Options& options) {
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
  if (!options.all) known = market_for(Job{}, *catalogue, known, left_out);

  const auto report = select_offers(known, *catalogue, options.filter, static_cast<std::size_t>(left_out.too_old));
  if (!report) return complain(report.error());
  const std::string text = common.json
                               ? offers_json(*report)
                               : offers_text(*report, screen(common.no_color || !common.output.empty()), options.all);
  return deliver(text, common.output, kDone);
}

}  // namespace

CommandSpec offers_command() {
  auto options = std::make_shared<Options>();
  CommandSpec command{.name = "offers",
                      .summary = "market: what can be rented, for how much, as of when",
                      .examples =
                          "  gpuplan offers\n"
                          "  gpuplan offers H100 \"gpus=8\"\n"
                          "  gpuplan offers --prices offers.csv --rate EUR=1.08\n"};
  command.words = {{.names = "filter",
                    .target = &options->filter,
                    .help = "words, or conditions such as gpus=8",
                    .value = "FILTER...",
                    .completes = Completes::kGpus}};
  add_price_options(command, options->prices, options->rates);
  add_all_flag(command, options->all, "every row");
  add_output_options(command, options->common);
  add_data_option(command, options->common);
  set_run<run>(command, options);
  return command;
}

}  // namespace gpuplan::cli
