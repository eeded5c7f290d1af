// Long results on a terminal go through the reader's pager.
#pragma once

#include <string>
#include <string_view>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// Shows the text in a pager when stdout is a terminal and the text is longer than it: GPUPLAN_PAGER, else PAGER, else
/// less. False when it should be written as it is: it is short, there is no terminal, the pager is turned off (an empty
/// variable, or "cat") or can not be started. A reader that leaves the pager early is no failure.
bool show_in_pager(System& system, std::string_view text);

/// What System::page is on a terminal.
bool run_pager(const std::string& command, std::string_view text);

}  // namespace gpuplan::cli
