// Options that several commands share.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_spec.h"

namespace gpuplan::cli {

struct Common {
  bool json = false, csv = false, markdown = false;
  bool no_color = false;
  bool no_pager = false;
  bool details = false;     ///< the whole answer
  std::string data_folder;  ///< replaces built-in data
  std::string output;       ///< -o FILE; empty: stdout
};

void add_output_options(CommandSpec& command, Common& common);
/// For commands whose answer is short unless more is asked for.
void add_details_flag(CommandSpec& command, Common& common);
void add_data_option(CommandSpec& command, std::string& folder);
void add_price_options(CommandSpec& command, std::vector<std::string>& files, std::vector<std::string>& rates);
void add_set_option(CommandSpec& command, std::vector<std::string>& settings);
void add_config_flag(CommandSpec& command, bool& no_config);
void add_all_flag(CommandSpec& command, bool& all, const std::string& help);

}  // namespace gpuplan::cli
