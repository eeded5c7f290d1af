// The user's own Markdown as a part of a guide: it stays within its place.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// The same words: no HTML and no mark of a guide can come out of them, headings stand below those of sections, however
/// they are written, and a fence of code that nobody closed ends with them. Lines, each ending in a line feed.
/// A line of code as it may stand in a guide: one that looks like a mark for own text, or like the record of a guide,
/// is set in by a blank.
std::string guide_code(std::string_view line);

std::string prose_markdown(std::string_view markdown);

}  // namespace gpuplan
