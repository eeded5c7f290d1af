// The user's Markdown as HTML.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// Paragraphs, headings (of the lowest rank), lists within lists, quotes, code, tables, **strong**, *stressed*, `code`
/// and [links](https://...); everything else, HTML above all, is text. A link leads to http, https or mailto, and a
/// picture is its description. Any text gives HTML whose elements are closed.
std::string prose_html(std::string_view markdown);

}  // namespace gpuplan
