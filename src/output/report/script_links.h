// Links from a report to the scripts of its pick, where the folder that `launch` wrote lies beside it.
#pragma once

#include <optional>
#include <string_view>

#include "output/report/report_parts.h"

namespace gpuplan {

/// Those that a section is about: of phases with the work, what starts them with the steps, all with what it rests on.
/// Nothing where there are none.
std::optional<LinksBlock> script_links(const ReportParts& parts, std::string_view section);

}  // namespace gpuplan
