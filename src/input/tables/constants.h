// The tables of constants of training, generation, practice, errors and the answer, as domain values.
#pragma once

#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Constants, in any order. Errors: a name that is none of them, a name given twice or not at all, a value
/// outside of its own bounds.
Result<void> read_training_constants(std::string_view text, std::string_view file, Catalogue& catalogue);
Result<void> read_generation_constants(std::string_view text, std::string_view file, Catalogue& catalogue);
Result<void> read_practice_constants(std::string_view text, std::string_view file, Catalogue& catalogue);
Result<void> read_error_constants(std::string_view text, std::string_view file, Catalogue& catalogue);
Result<void> read_answer_constants(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
