#include "cli/options/common_options.h"

namespace gpuplan::cli {

void add_output_options(CommandSpec& command, Common& common) {
  const auto form = [&](const char* name, bool& target, const char* help) {
    command.options.push_back({.names = name, .target = &target, .help = help, .one_of = "form"});
  };
  form("--json", common.json, "JSON in place of a table");
  form("--csv", common.csv, "CSV: one table, figures with their units in the heads");
  form("--markdown", common.markdown, "Markdown, for pull requests and wikis");
  command.options.push_back({.names = "-o,--output",
                             .target = &common.output,
                             .help =
                                 "write the result to a file (complete, or not at all); .json, .csv and .md say the "
                                 "form where no flag does",
                             .value = "FILE",
                             .completes = Completes::kFiles});
  command.options.push_back({.names = "--no-color",
                             .target = &common.no_color,
                             .help = "no colour; NO_COLOR in the environment does the same"});
  command.options.push_back({.names = "--no-pager",
                             .target = &common.no_pager,
                             .help = "never show the result in a pager; an empty GPUPLAN_PAGER does the same"});
}

void add_data_option(CommandSpec& command, std::string& folder) {
  command.options.push_back({.names = "--data",
                             .target = &folder,
                             .help = "folder whose gpus.csv, offers.csv, ... take the place of the built-in ones",
                             .value = "DIR",
                             .completes = Completes::kFolders});
}

void add_price_options(CommandSpec& command, std::vector<std::string>& files, std::vector<std::string>& rates) {
  command.options.push_back(
      {.names = "--prices",
       .target = &files,
       .help = "price list that takes the place of the market; columns gpu, gpus, price_per_hour and more; may be "
               "given again",
       .value = "FILE.csv",
       .completes = Completes::kFiles});
  command.options.push_back({.names = "--rate",
                             .target = &rates,
                             .help = "dollars for one unit of another currency of a price list, such as EUR=1.08",
                             .value = "CODE=RATE"});
}

void add_set_option(CommandSpec& command, std::vector<std::string>& settings) {
  command.options.push_back(
      {.names = "--set",
       .target = &settings,
       .help = "change a value of the job, such as phases.train.train.epochs=3, for short epochs=3, epochs=x2 or "
               "deadline=\"12 h\"; may be given again",
       .value = "ADDRESS=VALUE"});
}

void add_config_flag(CommandSpec& command, bool& no_config) {
  command.options.push_back({.names = "--no-config",
                             .target = &no_config,
                             .help = "read no gpuplan.toml (gpuplan config shows what it says)"});
}

void add_all_flag(CommandSpec& command, bool& all, const std::string& help) {
  command.options.push_back({.names = "--all", .target = &all, .help = help});
}

}  // namespace gpuplan::cli
