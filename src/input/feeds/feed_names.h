// Whose price list a file is and of which day, by its path.
#pragma once

#include <string>
#include <string_view>

#include "input/feeds/rows/provider_names.h"

namespace gpuplan {

/// "aws" for "v8/aws/vms.csv", "v5_aws_vms.csv" and "aws.csv", "verda" for "gpuhunt_v2_verda.csv"; empty where the path
/// names no provider that is known. Other names of a provider ("lambdalabs", "datacrunch") give its usual one.
std::string provider_of_path(std::string_view path);

/// "2026-11-20" of "prices_2026-11-20.csv" or "prices-20261120.csv", the last one that stands there; months alone count
/// too. Empty: the name has none.
std::string date_in_name(std::string_view name);
/// The day in the name of the file, else in that of the nearest folder, which `of_folder` tells; empty: there is none.
struct DateOfPath {
  std::string date;
  bool of_folder = false;
};
DateOfPath date_of_path(std::string_view path);

}  // namespace gpuplan
