#include "output/text/table.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/safe_text.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kEllipsis = "…";

void rstrip(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

std::string blanks(int count) { return std::string(static_cast<std::size_t>(std::max(count, 0)), ' '); }

/// Pads the parts on both sides of `around` so that it stands in one place; cells without it are kept.
void align_around(std::vector<std::string*>& cells, std::string_view around, Align align) {
  // Where no blanks stand around it, as in "1.5–1.7", none may come between.
  const bool tight = !around.starts_with(' ');
  int before = 0, after = 0;
  for (const std::string* cell : cells) {
    const std::size_t at = cell->find(around);
    if (at == std::string::npos) continue;
    before = std::max(before, display_width(std::string_view(*cell).substr(0, at)));
    after = std::max(after, display_width(std::string_view(*cell).substr(at + around.size())));
  }
  for (std::string* cell : cells) {
    const std::size_t at = cell->find(around);
    if (at == std::string::npos) continue;
    std::string set = padded(std::string_view(*cell).substr(0, at), before, Align::kRight);
    set += around;
    set += padded(std::string_view(*cell).substr(at + around.size()), after, tight ? Align::kLeft : align);
    *cell = std::move(set);
  }
}

/// Words that belong to what stands before them: "46 %", "23 … 68", "4x RTX", "16 GiB".
bool stay_together(std::string_view before, std::string_view after) {
  if (after.starts_with("%") || after.starts_with(kEllipsis) || before == kEllipsis) return true;
  while (before.starts_with('(') || before.starts_with('$')) before.remove_prefix(1);
  if (before.empty() || !is_digit(before.front())) return false;
  while (!after.empty() && std::string_view(".,;:)").contains(after.back())) after.remove_suffix(1);
  constexpr std::array<std::string_view, 9> kUnits = {"h", "min", "s", "ms", "us", "GiB", "MiB", "tokens/s", "GPUs"};
  if (is_digit(before.back())) return std::ranges::find(kUnits, after) != kUnits.end();
  return before.back() == 'x' && std::ranges::all_of(before.substr(0, before.size() - 1), is_digit);
}

/// `first` is the width of the first line.
std::vector<std::string> wrap_lines(std::string_view text, int first, int width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view part = text.substr(0, end);
    std::string line;
    int line_width = 0;
    bool started = false;
    for (std::size_t at = 0; at <= part.size();) {
      std::size_t space = std::min(part.find(' ', at), part.size());
      for (std::size_t from = at; space < part.size();) {
        const std::size_t next = std::min(part.find(' ', space + 1), part.size());
        if (!stay_together(part.substr(from, space - from), part.substr(space + 1, next - space - 1))) break;
        from = space + 1;
        space = next;
      }
      const std::string_view word = part.substr(at, space - at);
      const int word_width = display_width(word);
      // Blanks inside a line stay as they are, so that figures set in columns keep their places.
      const int room = lines.empty() ? first : width;
      if (started && line_width + 1 + word_width > room && line_width > 0) {
        rstrip(line);
        lines.push_back(std::move(line));
        line.clear();
        line_width = 0;
      } else if (started) {
        line += ' ';
        ++line_width;
      }
      line += word;
      line_width += word_width;
      started = true;
      at = space + 1;
    }
    rstrip(line);
    lines.push_back(std::move(line));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Cell::Cell(std::string what, Paint how) : text(std::move(what)), paint(how) {}
Cell::Cell(const char* what, Paint how) : text(what), paint(how) {}
Cell::Cell(const Word& what) : text(what.str()) {}
Cell::Cell(double figure, std::string what, Paint how) : text(std::move(what)), paint(how), number(figure) {}

Table::Table(std::initializer_list<ColumnHead> columns) {
  columns_.reserve(columns.size());
  for (const ColumnHead& head : columns)
    columns_.push_back({.title = std::string(head.title),
                        .align = head.align,
                        .drop = head.drop,
                        .narrowest = head.narrowest,
                        .wrap = head.wrap,
                        .around = std::string(head.around),
                        .unit = std::string(head.unit),
                        .gap = head.gap,
                        .key = std::string(head.key)});
}

std::string padded(std::string_view text, int width, Align align) {
  const std::string fill = blanks(width - display_width(text));
  return align == Align::kLeft ? std::string(text) + fill : fill + std::string(text);
}

std::string shortened(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    std::string longer = result + std::string(text.substr(at, next - at));
    if (display_width(longer) > width - 1) break;
    result = std::move(longer);
    at = next;
  }
  rstrip(result);
  return result + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view text, int width) { return wrap_lines(text, width, width); }

std::string paragraph(std::string_view text, const Screen& screen, int indent, int hang, Paint paint) {
  if (screen.markdown()) return markdown_text(text) + "\n\n";
  // Lines of more than a hundred letters are hard to read, however wide the screen is.
  constexpr int kReadable = 130;
  const int width = std::min(screen.columns, kReadable);
  std::string result;
  bool first = true;
  for (const std::string& line : wrap_lines(text, std::max(width - indent, 20), std::max(width - hang, 20))) {
    if (!line.empty()) result += blanks(first ? indent : hang) + painted(line, paint, screen);
    result += '\n';
    first = false;
  }
  return result;
}

std::string heading(std::string_view text, const Screen& screen) {
  return screen.markdown() ? "### " + markdown_text(text) + "\n\n" : paragraph(text, screen, 0, 0);
}

std::string labelled(std::string_view label, std::string_view text, const Screen& screen, int width, int indent) {
  if (screen.markdown()) return "- " + markdown_text(std::string(label) + ": " + std::string(text)) + '\n';
  return paragraph(padded(label, width) + std::string(text), screen, indent, indent + width);
}

/// Columns that are shown, how wide, and the texts of all cells as they are set.
struct Table::Layout {
  std::vector<std::size_t> shown;
  std::vector<int> width;                       ///< by position in `shown`
  std::vector<std::size_t> dropped;             ///< columns left out for want of room
  std::vector<std::vector<std::string>> cells;  ///< all columns, aligned around their signs
};

Table::Layout Table::lay_out(int width, int indent) const {
  Layout layout;
  layout.cells.assign(rows_.size(), std::vector<std::string>(columns_.size()));
  std::vector<int> full(columns_.size(), 0);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::vector<std::string*> cells;
    bool empty = true;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (c < rows_[r].size()) layout.cells[r][c] = rows_[r][c].text;
      empty = empty && layout.cells[r][c].empty();
      cells.push_back(&layout.cells[r][c]);
    }
    if (!columns_[c].around.empty()) align_around(cells, columns_[c].around, columns_[c].align);
    if ((empty && !rows_.empty()) || (columns_[c].title.empty() && !columns_[c].key.empty())) continue;
    full[c] = std::max(display_width(columns_[c].title), display_width(columns_[c].unit));
    for (const std::string* cell : cells) full[c] = std::max(full[c], display_width(*cell));
    layout.shown.push_back(c);
  }

  const auto least = [&](std::size_t c) {
    return columns_[c].narrowest > 0 ? std::min(full[c], columns_[c].narrowest) : full[c];
  };
  const auto total = [&](auto&& width_of) {
    int sum = indent;
    for (const std::size_t c : layout.shown) sum += width_of(c) + (c == layout.shown.front() ? 0 : columns_[c].gap);
    return sum;
  };
  while (total(least) > width) {
    const auto goes = std::ranges::max_element(
        layout.shown, [&](std::size_t a, std::size_t b) { return columns_[a].drop < columns_[b].drop; });
    if (goes == layout.shown.end() || columns_[*goes].drop == 0) break;  // never cut figures: rather too wide
    layout.dropped.push_back(*goes);
    layout.shown.erase(goes);
  }

  // What is too wide is taken from the widest column that may be narrowed, one by one.
  std::vector<int> narrowed = full;
  const auto now = [&](std::size_t c) { return narrowed[c]; };
  for (int excess = total(now) - width; excess > 0; --excess) {
    std::size_t widest = columns_.size();
    for (const std::size_t c : layout.shown)
      if (narrowed[c] > least(c) && (widest == columns_.size() || narrowed[c] > narrowed[widest])) widest = c;
    if (widest == columns_.size()) break;
    --narrowed[widest];
  }
  for (const std::size_t c : layout.shown) layout.width.push_back(narrowed[c]);
  return layout;
}

int Table::width(int indent) const {
  const Layout layout = lay_out(std::numeric_limits<int>::max(), indent);
  int sum = indent;
  for (std::size_t i = 0; i < layout.shown.size(); ++i)
    sum += layout.width[i] + (i == 0 ? 0 : columns_[layout.shown[i]].gap);
  return sum;
}

std::vector<std::string> Table::dropped(const Screen& screen, int indent) const {
  std::vector<std::string> titles;
  if (screen.markdown()) return titles;
  for (const std::size_t c : lay_out(screen.columns, indent).dropped) {
    // Ranges are those of the column before them.
    const bool range = c > 0 && columns_[c].title == kRangeHead;
    titles.push_back(columns_[c].title + (range ? " of " + columns_[c - 1].title : ""));
  }
  return titles;
}

std::string Table::text(const Screen& screen, int indent) const {
  const auto cells_safe = [](const auto& row) {
    return std::ranges::all_of(row, [](const Cell& cell) { return is_safe_text(cell.text); });
  };
  const bool safe = std::ranges::all_of(rows_, cells_safe) &&
                    std::ranges::all_of(columns_, [](const Column& column) { return is_safe_text(column.title); });
  if (!safe) {  // what takes no room, or what cells beside it would have to pay for, is replaced before it is measured
    Table shown(*this);
    for (Column& column : shown.columns_) column.title = safe_text(column.title);
    for (auto& row : shown.rows_)
      for (Cell& cell : row) cell.text = safe_text(cell.text);
    return shown.text(screen, indent);
  }
  if (screen.markdown()) return markdown();
  const Layout layout = lay_out(screen.columns, indent);
  std::string result;

  // One line of the table: `part(position)` gives text and paint of a column.
  const auto add_line = [&](auto&& part) {
    std::string line = blanks(indent);
    std::string owed;  // blanks are written only when something follows, so that no line ends in them
    for (std::size_t i = 0; i < layout.shown.size(); ++i) {
      const Column& column = columns_[layout.shown[i]];
      if (i > 0) owed += blanks(column.gap);
      const Cell cell = part(i);
      const std::string set = padded(cell.text, layout.width[i], column.align);
      const std::size_t first = set.find_first_not_of(' ');
      if (first == std::string::npos) {
        owed += set;
        continue;
      }
      const std::size_t last = set.find_last_not_of(' ');
      line += owed + set.substr(0, first) + painted(set.substr(first, last + 1 - first), cell.paint, screen);
      owed = set.substr(last + 1);
    }
    rstrip(line);
    result += line + '\n';
  };

  bool units = false;
  for (const std::size_t c : layout.shown) units = units || !columns_[c].unit.empty();
  add_line([&](std::size_t i) { return Cell(columns_[layout.shown[i]].title, Paint::kBold); });
  if (units) add_line([&](std::size_t i) { return Cell(columns_[layout.shown[i]].unit, Paint::kDim); });

  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<std::vector<std::string>> lines(layout.shown.size());
    std::size_t height = 1;
    for (std::size_t i = 0; i < layout.shown.size(); ++i) {
      const std::size_t c = layout.shown[i];
      const std::string& cell = layout.cells[r][c];
      if (columns_[c].wrap) lines[i] = wrapped(cell, layout.width[i]);
      else lines[i] = {columns_[c].narrowest > 0 ? shortened(cell, layout.width[i]) : cell};
      height = std::max(height, lines[i].size());
    }
    for (std::size_t line = 0; line < height; ++line)
      add_line([&](std::size_t i) {
        const std::size_t c = layout.shown[i];
        const Paint paint = c < rows_[r].size() ? rows_[r][c].paint : Paint::kPlain;
        return Cell(line < lines[i].size() ? lines[i][line] : "", paint);
      });
  }
  return result;
}

std::string left_out_words(const Table& table, const Screen& screen, std::string_view silent) {
  std::vector<std::string> titles;
  for (std::string& title : table.dropped(screen))
    if (title != silent && !title.empty() && std::ranges::find(titles, title) == titles.end())
      titles.push_back(std::move(title));
  return titles.empty() ? ""
                        : paragraph("Left out for want of room: " + join(titles, ", ") +
                                        " (a wider window, --markdown or --csv has them).",
                                    screen);
}

}  // namespace gpuplan
