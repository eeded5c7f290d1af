// gpuplan offers [FILTER]: what the market rents.
#include <memory>

#include "api/questions/offers.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/job_options.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "output/facts/offers_report.h"

namespace gpuplan::cli {
namespace {

struct OffersArguments {
  Common common;
  std::vector<std::string> filter;
  std::vector<std::string> prices;
  std::vector<std::string> rates;  ///< EUR=1.08
  bool all = false;
  bool no_config = false;
};

int run_offers(System& system, const OffersArguments& options) {
  const Common& common = options.common;
  auto catalogue = load_catalogue(system, common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());

  const auto request = read_market(system, options.prices, options.rates, options.no_config, *catalogue);
  if (!request) return complain(system, request.error());
  const auto answer = api::ask_offers(*request, options.filter, options.all, *catalogue);
  if (!answer) return complain(system, answer.error());
  const OffersReport& report = answer->report;
  return deliver_form(
      system, common, report.rows.empty() ? kNothingFits : kDone,
      [&](const Screen& screen) { return offers_text(report, screen, options.all); },
      [&] { return offers_json(report); }, [&] { return offers_csv(report); });
}

}  // namespace

CommandSpec offers_command() {
  auto options = std::make_shared<OffersArguments>();
  CommandSpec command{.name = "offers",
                      .group = Group::kFacts,
                      .summary = "list rental offers and prices",
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
  add_all_flag(command, options->all, "list every row, old prices too");
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_offers>(command, options);
  return command;
}

}  // namespace gpuplan::cli
