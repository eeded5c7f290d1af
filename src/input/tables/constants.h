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
/// What the error of a prediction is made of: columns figure, component, deviation (of ln(measured / predicted)),
/// unmeasured (the same for a framework, GPU or generation of hardware without measured runs; those components alone
/// have it), source, as_of. Errors: an unknown figure or component, one given twice, a figure without a site or a
/// configuration.
Result<void> read_error_components(std::string_view text, std::string_view file, Catalogue& catalogue);
Result<void> read_answer_constants(std::string_view text, std::string_view file, Catalogue& catalogue);

}  // namespace gpuplan
