// gpuplan gpus [FILTER]: the hardware known.
#include "cli/commands.h"
#include "cli/deliver.h"
#include "cli/load_catalogue.h"
#include "cli/terminal.h"
#include "output/gpus_report.h"

namespace gpuplan::cli {

int run_gpus(const FilterOptions& options) {
  const Common& common = options.common;
  const auto catalogue = load_catalogue(common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  const auto report = select_gpus(*catalogue, options.filter);
  if (!report) return complain(report.error());
  const std::string text = common.json
                               ? gpus_json(*report)
                               : gpus_text(*report, screen(common.no_color || !common.output.empty()), common.explain);
  return deliver(text, common.output, kDone);
}

}  // namespace gpuplan::cli
