// What Markdown takes for one of its own signs.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpuplan {

/// Whether Markdown could take the character at `at` for one of its own, wherever in a line the text stands: it needs a
/// backslash to be shown. REQUIRES: at < text.size().
bool is_markdown_sign(std::string_view text, std::size_t at);

}  // namespace gpuplan
