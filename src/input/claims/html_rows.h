// Rows of an HTML table in a plan, each cell in its column.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {

struct HtmlRow {
  int line = 0;
  bool head = false;               ///< the first row, of <th>
  std::vector<std::string> texts;  ///< with the Markdown and HTML that is in them
};

/// The rows between "<table" and "</table" on lines `first` to `last` of `lines`. A cell that spans several columns
/// stands in the first of them. One that spans rows stands in each of them where it is a name; an amount is that of the
/// rows together, and stands in the first. `longest`: bytes of a line that are read; `most`: cells of a row.
std::vector<HtmlRow> html_rows(std::span<const std::string_view> lines, std::size_t first, std::size_t last,
                               std::size_t longest, std::size_t most);

}  // namespace gpuplan
