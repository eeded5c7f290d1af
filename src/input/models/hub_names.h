// Where the weights of known models lie on the Hugging Face hub: data/hub_names.csv.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// "Qwen3-8B" -> "Qwen/Qwen3-8B"; a name with an organisation stays as it is; "" where nobody knows.
std::string hub_name(std::string_view model);

}  // namespace gpuplan
