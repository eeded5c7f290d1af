// gpuplan offers [FILTER]: what the market rents.
#include <memory>
#include <utility>

#include "api/questions/offers.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/job_options.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "output/facts/offer_groups.h"
#include "output/facts/offers_report.h"

namespace gpuplan::cli {
namespace {

struct OffersArguments {
  Common common;
  OfferSelection selection;
  std::vector<std::string> gpus, providers, regions;  ///< as the filters of a plan have them
  bool spot = false;
  std::vector<std::string> prices;
  std::vector<std::string> rates;  ///< EUR=1.08
  StoreOptions store;
  bool no_config = false;
};

/// What flags ask for as terms of the filter: of those of one flag any will do.
void add_terms(const OffersArguments& options, std::vector<std::string>& filter) {
  if (options.spot) filter.emplace_back("use_spot=true");
  if (!options.gpus.empty()) filter.push_back(join(options.gpus, ","));
  for (const auto& [field, names] :
       {std::pair("provider=", &options.providers), std::pair("region=", &options.regions)})
    if (!names->empty()) filter.push_back(field + join(*names, ","));
}

int run_offers(System& system, const OffersArguments& options) {
  Common common = options.common;
  OfferSelection selection = options.selection;
  add_terms(options, selection.filter);
  // vast.ai's -o is the order: nobody calls a file "dph" or "dph-".
  if (selection.sort.empty() && is_order(common.output)) selection.sort = std::exchange(common.output, "");
  // "--prices FILE H100": a word behind the first list that is no file is one of the filter.
  std::vector<std::string> prices = options.prices;
  const auto is_word = [&](const std::string& text) {
    return text.find_first_of("./") == std::string::npos && text != "-" && !system.facts_of(text).is_file();
  };
  for (std::size_t i = 1; i < prices.size();)
    if (is_word(prices[i])) {
      selection.filter.push_back(std::move(prices[i]));
      prices.erase(prices.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  auto catalogue = load_catalogue(system, common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());

  const auto request = read_market(system, {prices, options.rates, options.store, options.no_config}, *catalogue);
  if (!request) return complain(system, request.error());
  const Form form = form_of(common);
  if ((form == Form::kText || form == Form::kMarkdown) && !selection.all && selection.group_by.empty())
    selection.ordered = kOffersShown;  // nobody sees the order of the others
  const auto answer = api::ask_offers(*request, selection, *catalogue);
  if (!answer) return complain(system, answer.error());
  for (const std::string& warning : answer->warnings) say(system, "gpuplan: " + warning);
  const OffersReport& report = answer->report;
  const bool grouped = !report.group_by.empty();
  return deliver_form(
      system, common, report.rows.empty() ? kNothingFits : kDone,
      [&](const Screen& screen) {
        const bool all = selection.all;
        return grouped ? offer_groups_text(report, screen, all) : offers_text(report, screen, all);
      },
      [&] { return grouped ? offer_groups_json(report) : offers_json(report); },
      [&] { return grouped ? offer_groups_csv(report) : offers_csv(report); });
}

}  // namespace

CommandSpec offers_command() {
  auto options = std::make_shared<OffersArguments>();
  CommandSpec command{.name = "offers",
                      .group = Group::kFacts,
                      .summary = "list rental offers and prices",
                      .examples =
                          "  gpuplan offers\n"
                          "  gpuplan offers H100:8\n"
                          "  gpuplan offers 'gpu_name=RTX_4090 num_gpus>=4 dph<3' --sort dph\n"
                          "  gpuplan offers 40GB..80GB --group-by gpu\n"
                          "  gpuplan offers --prices offers.csv --rate EUR=1.08\n"};
  command.words = {{.names = "filter",
                    .target = &options->selection.filter,
                    .help = "words, H100:8, 24GB..80GB, or conditions such as gpus=8",
                    .value = "FILTER...",
                    .completes = Completes::kGpus}};
  command.options.push_back({.names = "--gpu",
                             .target = &options->gpus,
                             .help = "only this GPU, with how many of it: H100:8 (repeatable)",
                             .value = "GPU",
                             .completes = Completes::kGpus,
                             .commas = true});
  command.options.push_back({.names = "--provider",
                             .target = &options->providers,
                             .help = "only this provider's (repeatable)",
                             .value = "NAME",
                             .commas = true});
  command.options.push_back({.names = "--region",
                             .target = &options->regions,
                             .help = "only in this region or area, such as eu (repeatable)",
                             .value = "NAME"});
  command.options.push_back({.names = "--spot", .target = &options->spot, .help = "only with a spot price"});
  add_price_options(command, options->prices, options->rates);
  add_store_options(command, options->store);
  add_config_flag(command, options->no_config);
  command.options.push_back({.names = "--sort",
                             .target = &options->selection.sort,
                             .help = "field to sort by, or several: gpus,price-; with - the largest first",
                             .value = "FIELD"});
  command.options.push_back({.names = "--group-by",
                             .target = &options->selection.group_by,
                             .help = "one row for each gpu, provider, region, ... or several: gpu,region",
                             .value = "FIELD"});
  command.aliases = {{.name = "--order", .flag = "--sort"},
                     {.name = "--cloud", .flag = "--provider"},
                     {.name = "--backend", .flag = "--provider"},
                     {.name = "--accelerators", .flag = "--gpu"}};
  add_all_flag(command, options->selection.all, "list every row, old prices too");
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_offers>(command, options);
  return command;
}

}  // namespace gpuplan::cli
