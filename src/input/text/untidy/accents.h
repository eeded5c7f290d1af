// Letters with accents as those without, for words that people write either way.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// Letters of European languages without their accents; all else stays as it is.
std::string without_accents(std::string_view text);

}  // namespace gpuplan
