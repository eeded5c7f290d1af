// Tables and paragraphs in GitHub's Markdown.
#include <algorithm>

#include "base/text.h"
#include "output/text/markdown_sign.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

/// Blanks that only aligned the text are one.
std::string single_blanks(std::string_view text) {
  std::string result;
  for (const char c : trim(text))
    if (c != ' ' || result.empty() || result.back() != ' ') result += c;
  return result;
}

/// One that begins no line: the text of a cell.
std::string escaped(std::string_view plain) {
  std::string result;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    if (is_markdown_sign(plain, at)) result += '\\';
    result += plain[at];
  }
  return result;
}

std::string cell_text(std::string_view text) {
  std::string result = escaped(single_blanks(text));
  std::ranges::replace(result, '\n', ' ');
  return result;
}

bool is_bold(Paint paint) { return paint == Paint::kBold || paint == Paint::kPick; }

bool is_entry(std::string_view line) { return line.starts_with("- "); }

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string plain = single_blanks(text);
  std::string result;
  for (const std::string_view line : split(plain, '\n')) {
    if (!result.empty()) result += "  \n";  // two blanks keep the break
    if (line.starts_with('#') || line.starts_with('>')) result += '\\';
    result += escaped(line);
  }
  return result;
}

std::string tidy_markdown(std::string_view text) {
  bool code = false;  // between fences every line stays
  std::size_t empty = 0;
  std::string result;
  std::string_view last;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() && !code) {
      ++empty;
      continue;
    }
    const bool list_goes_on = is_entry(last) && is_entry(line);
    // What follows an entry without an empty line would belong to it.
    const bool list_ends = is_entry(last) && !is_entry(line);
    if (!result.empty() && ((empty > 0 && !list_goes_on) || list_ends)) result += '\n';
    result += line;
    result += '\n';
    if (line.starts_with("```")) code = !code;
    last = line;
    empty = 0;
  }
  return result;
}

std::string Table::markdown() const {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool empty =
        std::ranges::all_of(rows_, [&](const auto& row) { return c >= row.size() || row[c].text.empty(); });
    if ((empty && !rows_.empty()) || (columns_[c].title.empty() && !columns_[c].key.empty())) continue;
    shown.push_back(c);
  }
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string>& heads = lines.emplace_back();
  for (const std::size_t c : shown) {
    const Column& column = columns_[c];
    heads.push_back(cell_text(column.title + (column.unit.empty() ? "" : " (" + column.unit + ")")));
  }
  for (const auto& row : rows_) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::size_t c : shown) {
      std::string text = c < row.size() ? cell_text(row[c].text) : "";
      if (!text.empty() && is_bold(row[c].paint)) text.insert(0, "**").append("**");
      line.push_back(std::move(text));
    }
  }
  // Bars stand below each other for whoever reads the source; long texts would only tear the lines apart.
  constexpr int kWidest = 48;
  std::vector<int> widths;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    int width = 3;
    for (const auto& line : lines) width = std::max(width, std::min(display_width(line[i]), kWidest));
    widths.push_back(width);
  }
  std::string result = "\n";
  const auto add = [&](auto&& text_of) {
    for (std::size_t i = 0; i < shown.size(); ++i) (result += "| ") += text_of(i) + ' ';
    result += "|\n";
  };
  for (std::size_t l = 0; l < lines.size(); ++l) {
    add([&](std::size_t i) { return padded(lines[l][i], widths[i], columns_[shown[i]].align); });
    if (l > 0) continue;
    add([&](std::size_t i) {
      const std::string dashes(static_cast<std::size_t>(widths[i] - 1), '-');
      return columns_[shown[i]].align == Align::kRight ? dashes + ':' : ':' + dashes;
    });
  }
  return result + '\n';
}

}  // namespace gpuplan
