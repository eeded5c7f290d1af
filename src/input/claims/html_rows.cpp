#include "input/claims/html_rows.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

struct SpannedCell {
  std::string text;
  std::size_t columns = 1, rows = 1;
};

/// `rowspan="3"` of a tag; 1: none.
std::size_t span_in(std::string_view tag, std::string_view name) {
  constexpr std::size_t kMost = 200;
  const std::size_t at = tag.find(name);
  if (at == std::string_view::npos) return 1;
  std::string_view rest = tag.substr(at + name.size());
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == '=' || rest[0] == '"' || rest[0] == '\''))
    rest.remove_prefix(1);
  std::size_t span = 0;
  while (!rest.empty() && is_digit(rest[0]) && span <= kMost) {
    span = span * 10 + static_cast<std::size_t>(rest[0] - '0');
    rest.remove_prefix(1);
  }
  return std::clamp<std::size_t>(span, 1, kMost);
}

/// A cell of a row above that reaches into this one.
struct Reaching {
  std::string text;
  std::size_t rows = 0;  ///< rows left that it reaches into
};

}  // namespace

std::vector<HtmlRow> html_rows(std::span<const std::string_view> lines, std::size_t first, std::size_t last,
                               std::size_t longest, std::size_t most) {
  struct Row {
    int line = 0;
    bool head = false;
    std::vector<SpannedCell> cells;
  };
  std::vector<Row> rows;
  bool in_cell = false;
  for (std::size_t at = first; at <= last; ++at) {
    const std::string_view line = lines[at].substr(0, longest);
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t close = line[i] == '<' ? line.find('>', i) : std::string_view::npos;
      if (close == std::string_view::npos) {
        if (in_cell) rows.back().cells.back().text += line[i];
        continue;
      }
      const std::string tag = to_lower(line.substr(i + 1, close - i - 1));
      const auto is = [&](std::string_view name) {
        return tag == name || (tag.starts_with(name) && tag[name.size()] == ' ');
      };
      if (is("tr")) {
        rows.push_back({static_cast<int>(at) + 1, false, {}});
        in_cell = false;
      } else if ((is("td") || is("th")) && !rows.empty() && rows.back().cells.size() < most) {
        rows.back().head = rows.back().head || (is("th") && rows.size() == 1);
        rows.back().cells.push_back({"", span_in(tag, "colspan"), span_in(tag, "rowspan")});
        in_cell = true;
      } else if (is("/td") || is("/th") || is("/tr")) {
        in_cell = false;
      } else if (in_cell) {
        rows.back().cells.back().text += line.substr(i, close - i + 1);
      }
      i = close;
    }
    if (in_cell) rows.back().cells.back().text += ' ';
  }

  std::vector<HtmlRow> placed;
  std::vector<Reaching> reaching;  // by column
  for (Row& row : rows) {
    HtmlRow& one = placed.emplace_back(HtmlRow{row.line, row.head, {}});
    const auto fill = [&] {
      while (one.texts.size() < most && one.texts.size() < reaching.size() && reaching[one.texts.size()].rows > 0) {
        Reaching& above = reaching[one.texts.size()];
        --above.rows;
        one.texts.push_back(above.text);
      }
    };
    for (SpannedCell& cell : row.cells) {
      fill();
      const bool amount = std::ranges::any_of(cell.text, is_digit);
      for (std::size_t i = 0; i < cell.columns && one.texts.size() < most; ++i) {
        const std::size_t column = one.texts.size();
        if (cell.rows > 1) {
          if (reaching.size() <= column) reaching.resize(column + 1);
          reaching[column] = {i == 0 && !amount ? cell.text : "", cell.rows - 1};
        }
        one.texts.push_back(i == 0 ? cell.text : "");
      }
    }
    fill();
  }
  return placed;
}

}  // namespace gpuplan
