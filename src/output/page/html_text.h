// Text as it may stand in HTML.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// Text between tags or in quotes: no tag, no entity and no attribute can begin in it. Characters that control, hide or
/// turn others become U+FFFD; line feeds and tabs stay.
std::string html_text(std::string_view text);

/// JSON that may stand in a <script> element which nobody runs: reads back as the same value, ends no element, begins
/// no comment.
std::string html_json(std::string_view json);

/// The same JSON without space between its signs.
std::string compact_json(std::string_view json);

/// Four bytes in five signs that may stand in a <script> element which nobody runs: '(' to '|', and '}' for '<'. Of the
/// last bytes, fewer than four, one sign more than bytes.
std::string base85_text(std::string_view bytes);

/// A drawing as a picture inside the page: its own styles reach nothing else, and no policy on styles stops them.
std::string picture_html(std::string_view svg);

}  // namespace gpuplan
