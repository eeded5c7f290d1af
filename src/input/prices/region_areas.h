// Parts of the world, and what providers call the regions in them: data/regions.csv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {

/// "eu" -> "eu-north*", "DE", ...: names of regions, or how they begin before a '*'. Empty: no such area.
const std::vector<std::string>& regions_of(std::string_view area);

/// The areas, for messages: "eu", "us", ...
std::vector<std::string> region_areas();

}  // namespace gpuplan
