// The parts of a Hugging Face configuration: a model of several parts describes each in a map of its own, and leaves
// out what its class has by default.
#pragma once

#include <string>
#include <vector>

#include "input/models/config_fields.h"
#include "input/text/tree.h"

namespace gpuplan {

/// Puts the sizes that maps inside a configuration leave out where the class of their model_type has them
/// (data/model_defaults.csv), and returns a note for each map that needed some. What stands there, if only as null,
/// stays.
std::vector<std::string> add_defaults(Tree& config);

/// The language model's part: text_config and the like, else the whole.
Fields language_part(const Fields& top);

/// Parameters of the vision tower and of what joins it to a language model of this width; 0: there is none, or its keys
/// do not tell.
double vision_parameters(const Fields& top, int hidden);

}  // namespace gpuplan
