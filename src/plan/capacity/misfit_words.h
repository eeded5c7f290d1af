// Why candidates could not run, in words.
#pragma once

#include <string>
#include <string_view>

#include "plan/answer/tally.h"

namespace gpuplan {

/// What a kind of rejection is called in a sentence: "divisibility".
std::string_view reason(Misfit why);

/// Why nothing of a tally runs, by what stopped most of it: "V100 has no bf16", "the batch does not divide over its
/// GPUs".
std::string main_reason(const Tally& tally);

}  // namespace gpuplan
