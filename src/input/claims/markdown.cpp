#include "input/claims/markdown.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/claims/words.h"
#include "input/claims/html_rows.h"
#include "input/claims/options_across.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestPlanLine = 4000;  // bytes; the rest of a line is not read
constexpr std::size_t kMostPlanCells = 200;

/// Cells between bars that have no backslash in front. Bars at the ends are optional.
std::vector<std::string> cells_of(std::string_view line) {
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  std::vector<std::string> cells{""};
  bool code = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += '|';
      ++i;
    } else if (line[i] == '|' && !code) {
      if (i + 1 == line.size()) break;
      if (cells.size() >= kMostPlanCells) break;
      cells.emplace_back();
    } else {
      if (line[i] == '`' && line.find('`', i + 1) != std::string_view::npos) code = !code;
      else if (line[i] == '`') code = false;
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

bool is_rule(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](std::string_view cell) {
    return cell.find('-') != std::string_view::npos && cell.find_first_not_of("-: ") == std::string_view::npos;
  });
}

std::string_view without_quote(std::string_view line) {
  line = trim(line);
  while (line.starts_with("> ")) line = trim(line.substr(2));
  return line;
}

/// "- ", "3. ", "# ", "| ", "```", "----": what begins a line of its own, and no words of a paragraph.
bool begins_anew(std::string_view line) {
  if (line.empty() || line.contains('|')) return true;
  if (starts_with_any(line, {"- ", "* ", "+ ", "#", "```", "~~~", "<", "!", "["})) return true;
  if (line.find_first_not_of("-=*_ ") == std::string_view::npos) return true;
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  if (digits > 0 && (line.substr(digits).starts_with(". ") || line.substr(digits).starts_with(") "))) return true;
  // Signs that people put in front of lines: arrows, boxes, ticks, pictures.
  constexpr std::string_view kSigns = "\xE2\x80\xA2";
  const auto first = static_cast<unsigned char>(line[0]);
  return line.starts_with(kSigns) || first >= 0xF0 ||
         (first == 0xE2 && line.size() > 1 && static_cast<unsigned char>(line[1]) >= 0x86 &&
          static_cast<unsigned char>(line[1]) != 0x89);
}

/// "Total: $91", "**Time**: 3 h"
bool begins_with_label(std::string_view line) {
  constexpr std::size_t kLongest = 40;
  const std::size_t colon = line.substr(0, kLongest).find(':');
  return colon != std::string_view::npos && colon > 0 && (line[0] == '*' || (line[0] >= 'A' && line[0] <= 'Z'));
}

/// The line below is a part of the same paragraph, wrapped because there was no more room. Short lines below each other
/// were meant as lines, and so was what ends in a break.
bool goes_on(std::string_view line, std::string_view below) {
  constexpr std::size_t kNarrow = 40;  // bytes; nobody wraps at less
  if (line.ends_with("  ") || line.ends_with('\\') || line.ends_with("<br>") || line.ends_with("<br/>")) return false;
  const bool quoted = trim(line).starts_with('>');
  if (quoted != trim(below).starts_with('>')) return false;
  if (trim(line).size() < kNarrow) return false;
  const std::string_view words = without_quote(below);
  return !begins_anew(words) && !begins_with_label(words);
}

class MarkdownLines {
 public:
  MarkdownLines(std::string_view text, QuantityReader& reader) : reader_(&reader) {
    ClaimSection whole;
    whole.line = 1;
    document_.sections.push_back(std::move(whole));
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      lines_.push_back(text.substr(0, std::min(end, text.size())));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  ClaimDocument read() {
    for (at_ = 0; at_ < lines_.size();) {
      std::string_view line = lines_[at_];
      if (!in_code_ && comment()) continue;
      if (line.size() > kLongestPlanLine) {
        document_.unread.push_back({static_cast<int>(at_) + 1, "a line of more than 4000 bytes; its rest is not read"});
        line = lines_[at_] = line.substr(0, kLongestPlanLine);
      }
      const std::string_view trimmed = trim(line);
      if (fence(trimmed)) {
        ++at_;
      } else if (trimmed.empty()) {
        ++block_;
        ++at_;
      } else if (in_code_ || (!heading(trimmed) && !table() && !html_table(trimmed))) {
        add_line();
      }
    }
    if (in_code_) document_.unread.push_back({fence_line_, "a code block that is never closed"});
    document_.quantities = reader_->count();
    return std::move(document_);
  }

 private:
  bool fence(std::string_view line) {
    const bool ticks = line.starts_with("```"), waves = line.starts_with("~~~");
    if (!ticks && !waves) return false;
    if (in_code_ && (line.substr(0, 3) != fence_ || line.find_first_not_of(line[0]) != std::string_view::npos))
      return false;
    in_code_ = !in_code_;
    fence_ = line.substr(0, 3);
    fence_line_ = static_cast<int>(at_) + 1;
    ++block_;
    return true;
  }

  /// What no reader sees: "<!-- ... -->" on lines of its own. Text behind it is read.
  bool comment() {
    constexpr std::string_view kOpen = "<!--", kClose = "-->";
    if (!trim(lines_[at_]).starts_with(kOpen)) return false;
    std::size_t end = at_, from = lines_[at_].find(kOpen) + kOpen.size();
    while (end < lines_.size() && lines_[end].find(kClose, from) == std::string_view::npos) {
      ++end;
      from = 0;
    }
    if (end == lines_.size()) return false;  // never closed: text like any other
    lines_[end].remove_prefix(lines_[end].find(kClose, from) + kClose.size());
    if (trim(lines_[end]).empty()) ++end;
    at_ = end;
    return true;
  }

  bool heading(std::string_view line) {
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    if (level == 0 || level > 6 || (level < line.size() && line[level] != ' ')) return false;
    ClaimSection section;
    section.line = static_cast<int>(at_) + 1;
    section.level = static_cast<int>(level);
    section.title = reader_->read(plain_markdown(trim(line.substr(level))));
    int parent = section_;
    while (parent > 0 && document_.sections[static_cast<std::size_t>(parent)].level >= section.level)
      parent = document_.sections[static_cast<std::size_t>(parent)].parent;
    section.parent = parent;
    section_ = static_cast<int>(document_.sections.size());
    document_.sections.push_back(std::move(section));
    ++block_;
    ++at_;
    return true;
  }

  /// The line at hand, and those below that its paragraph goes on with.
  void add_line() {
    const std::string_view raw = lines_[at_];
    ClaimLine line;
    line.line = static_cast<int>(at_) + 1;
    line.section = section_;
    line.block = block_;
    line.code = in_code_;
    while (static_cast<std::size_t>(line.indent) < raw.size() &&
           (raw[static_cast<std::size_t>(line.indent)] == ' ' || raw[static_cast<std::size_t>(line.indent)] == '\t'))
      ++line.indent;
    std::string_view rest = trim(raw);
    for (const std::string_view mark : {"- ", "* ", "+ ", "\xE2\x80\xA2 "})
      if (rest.starts_with(mark)) {
        line.item = true;
        rest = trim(rest.substr(mark.size()));
        break;
      }
    if (!line.item && !rest.empty() && is_digit(rest[0])) {
      std::size_t digits = 0;
      while (digits < rest.size() && digits < 4 && is_digit(rest[digits])) ++digits;
      if (rest.substr(digits).starts_with(". ")) {
        line.item = true;
        rest = trim(rest.substr(digits + 2));
      }
    }
    rest = without_quote(rest);
    // What a program's line says stands in its comment.
    if (line.code) {
      const std::size_t comment = rest.find("# ");
      if (comment != std::string_view::npos && (comment == 0 || rest[comment - 1] == ' '))
        rest = trim(rest.substr(comment + 2));
    }
    std::string said = line.code ? std::string(rest) : plain_markdown(rest);
    std::vector<std::size_t> wraps;
    for (++at_; !line.code && at_ < lines_.size() && goes_on(lines_[at_ - 1], lines_[at_]); ++at_) {
      const std::string more = plain_markdown(without_quote(lines_[at_]));
      if (said.size() + more.size() > kLongestPlanLine) break;
      said += ' ';
      wraps.push_back(said.size());
      said += more;
    }
    line.said = reader_->read(std::move(said));
    line.said.wraps = std::move(wraps);
    const std::string_view text = line.said.text;
    const std::size_t colon = text.find(": ");
    constexpr std::size_t kLongestLabel = 60;
    // "It costs $3 (in 8 of 10 runs: $2-4)": no colon of a label.
    const std::size_t open = text.substr(0, colon).rfind('(');
    const bool within = open != std::string_view::npos && !text.substr(open, colon - open).contains(')');
    if (colon != std::string_view::npos && colon > 0 && colon <= kLongestLabel && !within)
      line.label = std::string(trim(text.substr(0, colon)));
    document_.lines.push_back(std::move(line));
  }

  bool table() {
    if (lines_[at_].find('|') == std::string_view::npos) return false;
    const std::vector<std::string> heads = cells_of(lines_[at_]);
    const bool barred = trim(lines_[at_]).starts_with('|');
    const bool ruled = at_ + 1 < lines_.size() && lines_[at_ + 1].find('|') != std::string_view::npos &&
                       is_rule(cells_of(lines_[at_ + 1]));
    std::size_t end = at_ + (ruled ? 2 : 0);
    if (!ruled) {
      // Rows without heads: at least two between bars.
      if (!barred) return false;
      while (end < lines_.size() && trim(lines_[end]).starts_with('|')) ++end;
      if (end < at_ + 2 || heads.size() < 2) return false;
      end = at_;
    } else if (heads.size() < 2 && !barred) {
      return false;
    }
    ClaimTable table;
    table.line = static_cast<int>(at_) + 1;
    table.section = section_;
    table.headless = !ruled;
    std::vector<std::string> names(heads.size());
    if (ruled) std::ranges::transform(heads, names.begin(), plain_markdown);
    const std::vector<UnitHint> hints = hints_of(names);
    for (std::string& name : names) table.heads.emplace_back().text = std::move(name);
    for (; end < lines_.size(); ++end) {
      const std::string_view line = lines_[end].substr(0, kLongestPlanLine);
      if (trim(line).empty() || line.find('|') == std::string_view::npos) break;
      if (!barred && trim(line).starts_with('#')) break;
      std::vector<std::string> cells = cells_of(line);
      if (is_rule(cells)) continue;
      if (cells.size() > heads.size() &&
          std::any_of(cells.begin() + static_cast<std::ptrdiff_t>(heads.size()), cells.end(),
                      [](const std::string& cell) { return !cell.empty(); }))
        document_.unread.push_back(
            {static_cast<int>(end) + 1,
             "a row of " + std::to_string(cells.size()) + " cells under " + std::to_string(heads.size()) + " heads"});
      else {
        // Merged cells: the rest of the row is empty.
        cells.resize(heads.size());
        ClaimRow row;
        row.line = static_cast<int>(end) + 1;
        for (std::size_t i = 0; i < cells.size(); ++i)
          row.cells.push_back(reader_->read(plain_markdown(cells[i]), hints[i]));
        table.rows.push_back(std::move(row));
      }
    }
    at_ = end;
    ++block_;
    find_options_across(table, *reader_);
    document_.tables.push_back(std::move(table));
    return true;
  }

  /// "<table>" to "</table>" on lines of their own, as some quotes have it: rows of <th> and <td>.
  bool html_table(std::string_view first) {
    if (!to_lower(first.substr(0, 6)).starts_with("<table")) return false;
    std::size_t end = at_;
    while (end < lines_.size() && !to_lower(lines_[end]).contains("</table")) ++end;
    if (end == lines_.size()) return false;
    std::vector<HtmlRow> rows = html_rows(lines_, at_, end, kLongestPlanLine, kMostPlanCells);
    if (rows.size() < 2 || rows.front().texts.size() < 2) return false;
    ClaimTable table;
    table.line = rows.front().line;
    table.section = section_;
    table.headless = !rows.front().head;
    const std::size_t columns = rows.front().texts.size();
    std::vector<std::string> names(columns);
    if (rows.front().head) std::ranges::transform(rows.front().texts, names.begin(), plain_markdown);
    const std::vector<UnitHint> hints = hints_of(names);
    for (std::string& name : names) table.heads.emplace_back().text = std::move(name);
    for (std::size_t r = rows.front().head ? 1 : 0; r < rows.size(); ++r) {
      if (rows[r].texts.size() > columns) {
        document_.unread.push_back({rows[r].line, "a row of " + std::to_string(rows[r].texts.size()) + " cells under " +
                                                      std::to_string(columns) + " heads"});
        continue;
      }
      rows[r].texts.resize(columns);
      ClaimRow row;
      row.line = rows[r].line;
      for (std::size_t i = 0; i < columns; ++i)
        row.cells.push_back(reader_->read(plain_markdown(rows[r].texts[i]), hints[i]));
      table.rows.push_back(std::move(row));
    }
    at_ = end + 1;
    ++block_;
    find_options_across(table, *reader_);
    document_.tables.push_back(std::move(table));
    return true;
  }

  QuantityReader* reader_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  ClaimDocument document_;
  int section_ = 0, block_ = 0;
  bool in_code_ = false;
  std::string_view fence_;
  int fence_line_ = 0;
};

}  // namespace

std::string plain_markdown(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = plain.empty() ? ' ' : plain.back();
    const char after = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '\\' && i + 1 < text.size() && !is_letter(after) && !is_digit(after)) {
      plain += after;
      ++i;
    } else if (c == '*') {
      // A product has blanks or digits on both sides.
      if ((before == ' ' && after == ' ') || (is_digit(before) && (is_digit(after) || after == '$'))) plain += c;
    } else if (c == '`') {
      continue;
    } else if (c == '_' && after == '_') {
      ++i;
    } else if (c == '&') {
      static constexpr std::pair<std::string_view, std::string_view> kEntities[] = {{"&amp;", "&"},
                                                                                    {"&lt;", "<"},
                                                                                    {"&gt;", ">"},
                                                                                    {"&nbsp;", " "},
                                                                                    {"&times;", "\xC3\x97"},
                                                                                    {"&ndash;", "\xE2\x80\x93"},
                                                                                    {"&asymp;", "\xE2\x89\x88"}};
      const auto* const entity =
          std::ranges::find_if(kEntities, [&](const auto& one) { return text.substr(i).starts_with(one.first); });
      if (entity == std::end(kEntities)) {
        plain += c;
      } else {
        plain += entity->second;
        i += entity->first.size() - 1;
      }
    } else if (c == '<' && (is_letter(after) || after == '/')) {
      // HTML: a break is a blank, other tags are nothing.
      const std::size_t close = text.find('>', i);
      if (close == std::string_view::npos || close > i + 200) {
        plain += c;
        continue;
      }
      if (to_lower(text.substr(i, 3)) == "<br") plain += ' ';
      i = close;
    } else if (c == ']' && after == '(') {
      const std::size_t close = text.find(')', i);
      const std::size_t open = plain.rfind('[');
      if (close == std::string_view::npos || open == std::string::npos) {
        plain += c;
        continue;
      }
      plain.erase(open, 1);
      i = close;
    } else {
      plain += c;
    }
  }
  return std::string(trim(plain));
}

ClaimDocument read_markdown(std::string_view text, QuantityReader& reader) {
  return MarkdownLines(text, reader).read();
}

}  // namespace gpuplan
