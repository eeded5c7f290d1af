// What `gpuplan whatif` compares: --set and --vary as a list of cases.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gpuplan::api {

/// A case as typed: the settings of --set that it takes, then those of --vary.
struct AskedCase {
  std::string title;                  ///< in place of the first settings where those are many
  std::vector<std::string> settings;  ///< in the order in which they apply
  std::size_t titled = 0;             ///< so many of them are in the title
  std::size_t varied = 0;             ///< so many, at the end, come from --vary
};

/// The job as it stands, each of several settings alone, all of them together, and every combination of the values of
/// `varied` (ADDRESS=A,B,C) on top of them. Usage errors for malformed lists and for too many cases.
Result<std::vector<AskedCase>> whatif_cases(const std::vector<std::string>& sets,
                                            const std::vector<std::string>& varied);

/// An error about a setting of the case, with --vary in place of --set where it came from there.
Error blamed(Error error, const AskedCase& asked);

}  // namespace gpuplan::api
