// What stands behind a number and may be its unit.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "input/logs/fields/fields.h"

namespace gpuplan {

/// "1.7M tok/s": what follows the number's M is a rate.
bool is_rate_unit(std::string_view text);
/// The slash of "tok/s", and not that of "61GB/80GB".
bool is_inside_unit(std::string_view text, std::size_t at);
/// "0.32 seconds per step", "1,200 tokens per second per GPU": the same with slashes. `size`: of the first word; all of
/// the words where they are a unit.
std::optional<FieldMeasure> unit_in_words(std::string_view text, std::size_t& size);

}  // namespace gpuplan
