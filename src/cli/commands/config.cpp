// gpuplan config show|path: what gpuplan.toml says, and where it lies.
#include <algorithm>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/load/find_config.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "output/facts/config_report.h"

namespace gpuplan::cli {
namespace {

struct ConfigArguments {
  Common common;
  std::string action;
  bool origin = false;
};

constexpr const char* kConfigNotes =
    "gpuplan.toml holds your defaults; job files and flags override it:\n"
    "\n"
    "  value_of_time = \"$40/h\"\n"
    "  [where]\n"
    "  providers = [\"lambda\", \"runpod\"]\n"
    "  quota = {aws = 8}\n"
    "  [[own]]\n"
    "  name = \"desk\"\n"
    "  gpu = \"2x RTX 4090\"\n"
    "  usd_per_kwh = \"$0.30\"\n"
    "\n"
    "Keys: value_of_time, goal, where, spot, checkpoint, commitments, credits, own, pools as in job files\n"
    "(gpuplan schema where); discounts (aws = \"15%\", of one GPU there \"aws: H100 SXM\" = \"30%\"); prices\n"
    "(your price lists instead of the built-in prices), rates (EUR = 1.08). It is read from the working\n"
    "folder or a parent, and from the XDG config folder (~/.config/gpuplan); both are merged, the nearest\n"
    "file wins. GPUPLAN_CONFIG=FILE names the only file to read, empty for none; GPUPLAN_VALUE_OF_TIME\n"
    "overrides the files. A job with market: {use: only} takes only value_of_time, goal and checkpoint\n"
    "from it.\n";

/// What is said, in the places of the keys it belongs to, and the defaults of all others.
std::vector<ConfigRow> rows_of(const UserConfig& config) {
  std::vector<ConfigRow> rows;
  std::vector<bool> shown(config.values.size(), false);
  const auto show = [&](std::size_t i) {
    const ConfigValue& value = config.values[i];
    rows.push_back({value.address, value.value, value.file, value.line});
    shown[i] = true;
  };
  for (const ConfigValue& fallback : config_defaults()) {
    bool said = false;
    for (std::size_t i = 0; i < config.values.size(); ++i) {
      const std::string& address = config.values[i].address;
      if (address != fallback.address && !address.starts_with(fallback.address + ".")) continue;
      show(i);
      said = true;
    }
    if (!said) rows.push_back({fallback.address, fallback.value, "", 0});
  }
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (!shown[i]) show(i);
  return rows;
}

int run_config(System& system, const ConfigArguments& options) {
  const Common& common = options.common;
  if (options.origin && options.action == "path")
    return complain(system, wrong_use("--origin shows where values come from; use it with gpuplan config show"));
  std::vector<ConfigFileRow> places;
  for (const ConfigPlace& place : config_places(system)) places.push_back({place.file, place.why, place.there});
  if (options.action == "path" && form_of(common) != Form::kJson) {
    return deliver_form(
        system, common, kDone, [&](const Screen& screen) { return config_places_text(places, screen); },
        [] { return std::string(); }, [&] { return config_places_csv(places); });
  }

  const auto catalogue = load_catalogue(system, common.data_folder);
  if (!catalogue) return complain(system, catalogue.error());
  const auto config = load_config(system, false, *catalogue);
  if (!config) return complain(system, config.error());
  const std::vector<ConfigRow> rows = rows_of(*config);
  return deliver_form(
      system, common, kDone, [&](const Screen& screen) { return config_text(rows, screen, options.origin); },
      [&] { return config_json(rows, places); }, [&] { return config_csv(rows); });
}

}  // namespace

CommandSpec config_command() {
  auto options = std::make_shared<ConfigArguments>();
  CommandSpec command{.name = "config",
                      .group = Group::kTools,
                      .summary = "show your settings (gpuplan.toml) and where they come from",
                      .examples =
                          "  gpuplan config show\n"
                          "  gpuplan config show --origin\n"
                          "  gpuplan config path\n",
                      .notes = kConfigNotes};
  command.words = {{.names = "action",
                    .target = &options->action,
                    .help = "show: every key with its value; path: the files that are read",
                    .value = "show|path",
                    .choices = {"show", "path"},
                    .required = true}};
  command.options.push_back({.names = "--origin",
                             .target = &options->origin,
                             .help = "show where each value comes from: file and line, or default"});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run_config>(command, options);
  return command;
}

}  // namespace gpuplan::cli
