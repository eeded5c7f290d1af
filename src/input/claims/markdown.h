// Markdown as plans use it: headings, lists, code, tables between bars.
#pragma once

#include <string>
#include <string_view>

#include "evidence/claims/claims.h"
#include "input/claims/quantities.h"

namespace gpuplan {

/// Reads the lines of a text with LF line ends.
ClaimDocument read_markdown(std::string_view text, QuantityReader& reader);

/// The line without Markdown's own signs: emphasis, code, links ("[text](address)" is "text"), entities, marks of
/// lists.
std::string plain_markdown(std::string_view text);

}  // namespace gpuplan
