// gpuplan model NAME|PATH: shape, parameters and bytes of one network.
#include "cli/commands.h"
#include "cli/deliver.h"
#include "cli/load_catalogue.h"
#include "cli/terminal.h"
#include "input/model_source.h"
#include "output/model_report.h"

namespace gpuplan::cli {

int run_model(const ModelOptions& options) {
  const Common& common = options.common;
  const auto catalogue = load_catalogue(common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  const auto found = find_model(*catalogue, options.model, "");
  if (!found) return complain(found.error());

  ModelReport report = describe_model(found->shape, *catalogue);
  report.source = found->source;
  report.notes = found->notes;
  const std::string text =
      common.json ? model_json(report) : model_text(report, screen(common.no_color || !common.output.empty()));
  return deliver(text, common.output, kDone);
}

}  // namespace gpuplan::cli
