// Whose price list a file is, by its path.
#pragma once

#include <string>
#include <string_view>

#include "input/feeds/rows/provider_names.h"

namespace gpuplan {

/// "aws" for "v8/aws/vms.csv", "v5_aws_vms.csv" and "aws.csv", "verda" for "gpuhunt_v2_verda.csv"; empty where the path
/// names no provider that is known. Other names of a provider ("lambdalabs", "datacrunch") give its usual one.
std::string provider_of_path(std::string_view path);

}  // namespace gpuplan
