// What text files of all formats have in common: bytes that may stand in them, and places.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gpuplan {

/// Position of the first byte that is no part of UTF-8 text without control characters; tab and line ends are fine.
/// C1 controls (U+0080 to U+009F) count: terminals obey them like ANSI escapes.
std::optional<std::size_t> first_bad_byte(std::string_view text);

/// Line and column of a byte, both from 1.
Place place_of_byte(std::string_view text, std::size_t at, const std::string& file);

/// The refusal of a text with a bad byte: binary data, or text in another encoding or with control characters.
/// `expected` names what should be there: "a job as YAML or JSON text".
std::unexpected<Error> bad_byte_failure(std::string_view text, std::size_t at, const std::string& file,
                                        std::string_view expected);

}  // namespace gpuplan
