// Other spellings of flags, as training and serving programs have them.
#include <array>

#include "input/question/sketch.h"

namespace gpuplan {

namespace {

constexpr std::array kAliases = {
    FlagAlias{"--seq-len", "--sequence"},    FlagAlias{"--max-seq-length", "--sequence"},
    FlagAlias{"--batch-size", "--batch"},    FlagAlias{"--num-gpus", "--counts"},
    FlagAlias{"--lora", "--method", "lora"}, FlagAlias{"--qlora", "--method", "qlora"},
    FlagAlias{"--ttft", "--first-token"},    FlagAlias{"--tpot", "--per-token"},
    FlagAlias{"--load", "--situation"},
};

}  // namespace

std::span<const FlagAlias> flag_aliases() { return kAliases; }

}  // namespace gpuplan
