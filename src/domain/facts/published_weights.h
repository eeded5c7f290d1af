// As what the weights of a model are downloaded and stored, whatever an engine makes of them.
#pragma once

#include <string_view>

#include "domain/hardware/precision.h"

namespace gpuplan {

/// Whether an engine makes this format while it loads weights of 16 or 32 bits: the repository of the model is all it
/// needs. Else a copy that was quantized beforehand is. `engine`: by its catalogue name; empty: nobody knows which.
bool made_while_loading(Format weights, std::string_view engine);

/// The format of the files from which weights of `native` are loaded as `weights`.
Format published_format(Format native, Format weights, std::string_view engine);

}  // namespace gpuplan
