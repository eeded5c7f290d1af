// gpuplan offers [FILTER]: what the market rents.
#include <memory>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/find_config.h"
#include "cli/load/load_catalogue.h"
#include "cli/load/load_prices.h"
#include "cli/options/common_options.h"
#include "output/facts/offers_report.h"
#include "plan/answer/market.h"

namespace gpuplan::cli {
namespace {

struct Options {
  Common common;
  std::vector<std::string> filter;
  std::vector<std::string> prices;
  std::vector<std::string> rates;  ///< EUR=1.08
  bool all = false;
  bool no_config = false;
};

/// An own box or a pool as the table has offers: the price is that of the whole machine.
Offer as_row(Offer box) {
  box.provider = box.kind == OfferKind::kOwn ? "own box" : "pool";
  box.instance = std::exchange(box.label, "");
  const double times = machines_paid(box, 1, box.gpus);
  if (box.price) box.price = {{box.price->p10 * times, box.price->p50 * times, box.price->p90 * times}};
  return box;
}

int run(const Options& options) {
  const Common& common = options.common;
  auto catalogue = load_catalogue(common.data_folder);
  if (!catalogue) return complain(catalogue.error());

  const auto config = load_config(options.no_config, *catalogue);
  if (!config) return complain(config.error());
  auto offers = known_offers(options.prices, options.rates, *config, *catalogue);
  if (!offers) return complain(offers.error());
  std::vector<Offer> known = *std::move(offers);
  if (options.prices.empty())
    for (const Offer& box : config->boxes) known.push_back(as_row(box));
  // A job without wishes: what is left is what plan would look at.
  MarketFilter left_out;
  if (!options.all) known = market_for(Job{}, *catalogue, known, left_out);

  const auto report = select_offers(known, *catalogue, options.filter, static_cast<std::size_t>(left_out.too_old));
  if (!report) return complain(report.error());
  return deliver_form(
      common, report->rows.empty() ? kNothingFits : kDone,
      [&](const Screen& screen) { return offers_text(*report, screen, options.all); },
      [&] { return offers_json(*report); }, [&] { return offers_csv(*report); });
}

}  // namespace

CommandSpec offers_command() {
  auto options = std::make_shared<Options>();
  CommandSpec command{.name = "offers",
                      .group = Group::kFacts,
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
  add_config_flag(command, options->no_config);
  add_all_flag(command, options->all, "every row");
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run>(command, options);
  return command;
}

}  // namespace gpuplan::cli
