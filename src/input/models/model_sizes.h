// Models come in sizes: what to say when a family is known and the size asked for is not.
#pragma once

#include <string>
#include <string_view>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// "there is no Qwen3 with 7B: it comes in 0.6B, 1.7B, ...; with 7B there is Qwen2.5-7B" for "Qwen/Qwen3-7B"; empty
/// when the name has no size or no family.
std::string other_sizes(const Catalogue& catalogue, std::string_view name);

}  // namespace gpuplan
