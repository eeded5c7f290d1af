// Words that people bring from other programs, and what gpuplan has in their place: data/other_words.csv.
#pragma once

#include <string_view>

namespace gpuplan {

/// What to write in place of a word of other programs, by its kind: a flag ("--dataset"), a key of a job file
/// ("seq_len"), a value ("float8"), a method ("grpo"), optimizer, framework, `recompute` or launcher; "" for a word
/// that the table does not have. Case does not count, nor '_' for '-'.
std::string_view advice_on(std::string_view kind, std::string_view word);

}  // namespace gpuplan
