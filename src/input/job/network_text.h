// "400 Gbit/s InfiniBand", "8x NDR", "IB HDR 8x200": how people write what joins machines.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace gpuplan {

/// What one machine sends to others, all of its adapters together, in one direction: a rate, or a name of
/// data/networks.csv that says one, with the number of adapters before it ("8x") or not. The error has no place.
Result<BytesPerSecond> parse_network(std::string_view text);

}  // namespace gpuplan
