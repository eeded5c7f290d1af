#include "cli/options/common_options.h"

namespace gpuplan::cli {

void add_output_options(CommandSpec& command, Common& common) {
  const auto form = [&](const char* name, bool& target, const char* help) {
    command.options.push_back({.names = name, .target = &target, .help = help, .one_of = "form"});
  };
  form("--json", common.json, "output JSON");
  form("--csv", common.csv, "output CSV: one table, with units in the header");
  form("--markdown", common.markdown, "output Markdown, for pull requests and wikis");
  command.options.push_back({.names = "-o,--output",
                             .target = &common.output,
                             .help = "write to a file; .json, .csv and .md set the format",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  command.options.push_back(
      {.names = "--no-color", .target = &common.no_color, .help = "disable color (also: NO_COLOR)"});
  command.options.push_back(
      {.names = "--no-pager", .target = &common.no_pager, .help = "disable the pager (also: an empty GPUPLAN_PAGER)"});
}

void add_details_flag(CommandSpec& command, Common& common) {
  command.options.push_back({.names = "-v,--details",
                             .target = &common.details,
                             .help = "show the whole answer, with reasons and assumptions"});
}

void add_data_option(CommandSpec& command, std::string& folder) {
  command.options.push_back({.names = "--data",
                             .target = &folder,
                             .help = "folder with your own gpus.csv, offers.csv, ... instead of the built-in ones",
                             .value = "DIR",
                             .completes = Completes::kFolders});
}

void add_price_options(CommandSpec& command, std::vector<std::string>& files, std::vector<std::string>& rates) {
  command.options.push_back(
      {.names = "--prices",
       .target = &files,
       .help = "use this price list (CSV: gpu, gpus, price_per_hour, ...) instead of the built-in prices (repeatable)",
       .value = "FILE.csv",
       .completes = Completes::kFiles});
  command.options.push_back({.names = "--rate",
                             .target = &rates,
                             .help = "exchange rate to dollars for a price list, such as EUR=1.08 (repeatable)",
                             .value = "CODE=RATE"});
}

void add_set_option(CommandSpec& command, std::vector<std::string>& settings) {
  command.options.push_back({.names = "--set",
                             .target = &settings,
                             .help = "override a value of the job: epochs=3, tokens=x2, deadline=\"12 h\" (repeatable)",
                             .value = "ADDRESS=VALUE"});
}

void add_config_flag(CommandSpec& command, bool& no_config) {
  command.options.push_back({.names = "--no-config", .target = &no_config, .help = "ignore gpuplan.toml"});
}

void add_all_flag(CommandSpec& command, bool& all, const std::string& help) {
  command.options.push_back({.names = "--all", .target = &all, .help = help});
}

}  // namespace gpuplan::cli
