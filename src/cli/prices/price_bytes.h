// The bytes of a price list, piece by piece: of a file or of standard input.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/io/system.h"
#include "input/feeds/read_feed.h"

namespace gpuplan::cli {

/// "https://..." or "http://...".
bool is_address(const std::string& name);

/// Hands all bytes of a file to the source. The error names the file.
Result<void> read_list(System& system, const std::string& name, FeedSource& source);

}  // namespace gpuplan::cli
