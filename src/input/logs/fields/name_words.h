// What a name of several words means, by the words themselves: "tokens_per_sec_per_gpu", "train step time".
#pragma once

#include <optional>
#include <string_view>

#include "input/logs/book/names.h"
#include "input/logs/fields/fields.h"

namespace gpuplan {

/// "ms/step", "tokens/gpu/second", "samples/sec": what is counted over what, in any order of the rest. `small`: in
/// small letters. nullopt: it is no such unit.
std::optional<FieldMeasure> measure_of_parts(std::string_view small);

/// `small`: small letters, '_' between the words. Every word must be known: "aux_loss" and "data_time" are something
/// else than a loss and a step's time. kNothing: its words do not tell.
NamedValue meaning_of_words(std::string_view small);

}  // namespace gpuplan
