// The last check of what leaves the program as text: whatever a job, a price list or a log holds, the reader's terminal
// and editor show what is there.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// Text of several lines as it may be shown: line feeds, tabs and our own colours (ESC [ numbers m) stay, everything
/// else that `printable` refuses becomes '?'. Those who write data that must survive escape it before
/// (base/shell/shell_text.h); this is for what somebody forgot.
std::string safe_text(std::string_view text);

/// Whether safe_text would change nothing.
bool is_safe_text(std::string_view text);

}  // namespace gpuplan
