// The files of data/ and src/launch/templates/ as compiled into the program.
#pragma once

#include <string_view>

namespace gpuplan {

/// The text of data/`file_name` ("gpus.csv", "measured/train_runs.csv"), or of src/launch/`file_name`
/// ("templates/lib.sh"), as it was at build time; empty when there was
/// no such file. The bytes live as long as the program.
std::string_view embedded_data(std::string_view file_name);

}  // namespace gpuplan
