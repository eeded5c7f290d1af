#include "output/page/prose.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "output/page/html_text.h"

namespace gpuplan {
namespace page {
namespace {

/// Quotes in quotes, lists in lists; what lies deeper is text.
constexpr int kDeepestProse = 6;
/// Where the end of a link, of code or of stress is looked for.
constexpr std::size_t kFarthest = 4000;

// ---- within a line

bool leads_out(std::string_view address) {
  const auto harmless = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != '<' && c != '>' && c != '"'; };
  const std::string low = to_lower(address.substr(0, 8));
  return (low.starts_with("https://") || low.starts_with("http://") || low.starts_with("mailto:")) &&
         std::ranges::all_of(address, harmless);
}

std::string spans(std::string_view text, int depth);

/// [words](address) or ![words](address) at the beginning; sets how long it is, 0 when there is none.
std::string link_at(std::string_view text, int depth, std::size_t& length) {
  length = 0;
  const bool picture = text.starts_with('!');
  const std::size_t open = picture ? 1 : 0;
  const std::size_t close = text.find("](", open);
  if (close == std::string_view::npos || text.substr(open + 1, close - open - 1).find('[') != std::string_view::npos)
    return {};
  const std::size_t end = text.find(')', close);
  if (end == std::string_view::npos) return {};
  const std::string_view words = text.substr(open + 1, close - open - 1);
  std::string_view address = text.substr(close + 2, end - close - 2);
  address = trim(address.substr(0, address.find(' ')));  // behind it a title
  length = end + 1;
  if (picture) return html_text(words);
  const std::string inside = spans(words, depth + 1);
  if (!leads_out(address)) return inside + " (" + html_text(address) + ")";
  return "<a rel=\"noopener noreferrer\" href=\"" + html_text(address) + "\">" + inside + "</a>";
}

bool word_sign(std::string_view text, std::size_t at) {
  return at < text.size() &&
         (is_letter(text[at]) || is_digit(text[at]) || (static_cast<unsigned char>(text[at]) & 0x80U) != 0);
}

std::string spans(std::string_view text, int depth) {
  if (depth > kDeepestProse) return html_text(text);
  std::string html;
  std::size_t plain = 0;  // from here on nothing is written yet
  const auto put = [&](std::size_t until) { html += html_text(text.substr(plain, until - plain)); };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at, kFarthest);
    if (rest[0] == '\\' && rest.size() > 1 &&
        std::string_view("\\`*_{}[]()#+-.!|<>~").find(rest[1]) != std::string_view::npos) {
      put(at);
      html += html_text(rest.substr(1, 1));
      plain = at += 2;
      continue;
    }
    if (rest[0] == '`') {
      const std::size_t ticks = std::min(rest.find_first_not_of('`'), rest.size());
      const std::size_t end = rest.find(rest.substr(0, ticks), ticks);
      if (end != std::string_view::npos) {
        put(at);
        html += "<code>" + html_text(trim(rest.substr(ticks, end - ticks))) + "</code>";
        plain = at += end + ticks;
        continue;
      }
      at += ticks;
      continue;
    }
    if (rest[0] == '*' || (rest[0] == '_' && !(at > 0 && word_sign(text, at - 1)))) {
      const std::string mark(rest.starts_with(std::string(2, rest[0])) ? 2 : 1, rest[0]);
      const std::size_t end = rest.find(mark, mark.size() + 1);
      const bool tight = rest.size() > mark.size() && rest[mark.size()] != ' ' && end != std::string_view::npos &&
                         rest[end - 1] != ' ' && !(mark[0] == '_' && word_sign(rest, end + mark.size()));
      if (tight) {
        put(at);
        const char* name = mark.size() == 2 ? "strong" : "em";
        html += std::string("<") + name + ">" + spans(rest.substr(mark.size(), end - mark.size()), depth + 1) + "</" +
                name + ">";
        plain = at += end + mark.size();
        continue;
      }
      at += mark.size();
      continue;
    }
    if (rest[0] == '[' || rest.starts_with("![")) {
      std::size_t length = 0;
      const std::string link = link_at(rest, depth, length);
      if (length > 0) {
        put(at);
        html += link;
        plain = at += length;
        continue;
      }
    }
    ++at;
  }
  put(text.size());
  return html;
}

// ---- lines

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }
bool blank(std::string_view line) { return trim(line).empty(); }

/// Signs of the mark of a list ("- ", "12. ") behind the indent, 0 when there is none; `ordered` is set.
std::size_t list_mark(std::string_view line, bool& ordered) {
  const std::string_view text = line.substr(indent_of(line));
  ordered = false;
  if (text.size() >= 2 && std::string_view("-*+").find(text[0]) != std::string_view::npos && text[1] == ' ') return 2;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits + 1 >= text.size() || (text[digits] != '.' && text[digits] != ')') ||
      text[digits + 1] != ' ')
    return 0;
  ordered = true;
  return digits + 2;
}

std::size_t heading_mark(std::string_view line) {
  const std::size_t signs = std::min(line.find_first_not_of('#'), line.size());
  return signs >= 1 && signs <= 6 && signs < line.size() && line[signs] == ' ' ? signs + 1 : 0;
}

std::string_view fence_of(std::string_view line) {
  const std::string_view text = trim(line);
  for (const std::string_view fence : {"```", "~~~"})
    if (text.starts_with(fence)) return fence;
  return {};
}

bool rules(std::string_view line) {
  const std::string_view text = trim(line);
  return text.size() >= 3 && (text.find_first_not_of("- ") == std::string_view::npos ||
                              text.find_first_not_of("* ") == std::string_view::npos);
}

Lines cells_of(std::string_view line) {
  std::string_view text = trim(line);
  if (text.starts_with('|')) text.remove_prefix(1);
  if (text.ends_with('|')) text.remove_suffix(1);
  Lines cells;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (text[at] != '|' || (at > 0 && text[at - 1] == '\\'))) continue;
    cells.push_back(trim(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return cells;
}

bool table_rule(std::string_view line) {
  return line.find('|') != std::string_view::npos && line.find('-') != std::string_view::npos &&
         line.find_first_not_of("|-: ") == std::string_view::npos;
}

std::string blocks(const Lines& lines, int depth);

class Blocks {
 public:
  Blocks(const Lines& lines, int depth) : lines_(lines), depth_(depth) {}

  std::string html() {
    while (at_ < lines_.size()) {
      if (blank(lines_[at_]) || (fence_of(lines_[at_]).empty() && heading_mark(lines_[at_]) <= 0 && rules(lines_[at_])))
        ++at_;
      else if (!fence_of(lines_[at_]).empty()) code();
      else if (heading_mark(lines_[at_]) > 0) heading();
      else if (lines_[at_].starts_with('>') && depth_ < kDeepestProse) quote();
      else if (begins_list(lines_[at_]) && depth_ < kDeepestProse) list();
      else if (at_ + 1 < lines_.size() && lines_[at_].find('|') != std::string_view::npos &&
               table_rule(lines_[at_ + 1]))
        table();
      else paragraph();
    }
    return html_;
  }

 private:
  static bool begins_list(std::string_view line) {
    bool ordered = false;
    return list_mark(line, ordered) > 0;
  }

  void code() {
    const std::string_view fence = fence_of(lines_[at_]);
    const std::size_t indent = indent_of(lines_[at_]);
    std::string text;
    for (++at_; at_ < lines_.size() && !trim(lines_[at_]).starts_with(fence); ++at_) {
      text += lines_[at_].substr(std::min(indent, indent_of(lines_[at_])));
      text += '\n';
    }
    ++at_;
    html_ += "<pre tabindex=\"0\"><code>" + html_text(text) + "</code></pre>";
  }

  void heading() {
    html_ += "<h4>" + spans(lines_[at_].substr(heading_mark(lines_[at_])), 0) + "</h4>";
    ++at_;
  }

  void quote() {
    Lines inside;
    for (; at_ < lines_.size() && lines_[at_].starts_with('>'); ++at_) {
      std::string_view line = lines_[at_].substr(1);
      if (line.starts_with(' ')) line.remove_prefix(1);
      inside.push_back(line);
    }
    html_ += "<blockquote>" + blocks(inside, depth_ + 1) + "</blockquote>";
  }

  void list() {
    bool ordered = false;
    list_mark(lines_[at_], ordered);
    const std::size_t indent = indent_of(lines_[at_]);
    html_ += ordered ? "<ol>" : "<ul>";
    while (at_ < lines_.size()) {
      bool same = false;
      const std::size_t mark = list_mark(lines_[at_], same);
      if (mark == 0 || same != ordered || indent_of(lines_[at_]) != indent) break;
      Lines inside = {lines_[at_].substr(indent + mark)};
      for (++at_; at_ < lines_.size(); ++at_) {
        const std::string_view line = lines_[at_];
        if (blank(line)) {
          // A blank line goes on with the item when what follows is indented.
          if (at_ + 1 >= lines_.size() || blank(lines_[at_ + 1]) || indent_of(lines_[at_ + 1]) <= indent) break;
        } else if (indent_of(line) <= indent &&
                   (begins_list(line) || blank(lines_[at_ - 1]) || !fence_of(line).empty() || heading_mark(line) > 0)) {
          break;
        }
        inside.push_back(line.substr(std::min(indent + 2, indent_of(line))));
      }
      const bool one_line = inside.size() == 1;
      html_ += "<li>" + (one_line ? spans(inside[0], 0) : blocks(inside, depth_ + 1)) + "</li>";
      while (at_ < lines_.size() && blank(lines_[at_])) ++at_;
    }
    html_ += ordered ? "</ol>" : "</ul>";
  }

  void table() {
    const Lines heads = cells_of(lines_[at_]);
    html_ += "<div class=\"table\" tabindex=\"0\"><table><thead><tr>";
    for (const std::string_view head : heads) html_ += "<th scope=\"col\">" + spans(head, 0) + "</th>";
    html_ += "</tr></thead><tbody>";
    for (at_ += 2; at_ < lines_.size() && lines_[at_].find('|') != std::string_view::npos; ++at_) {
      const Lines cells = cells_of(lines_[at_]);
      html_ += "<tr>";
      for (std::size_t i = 0; i < heads.size(); ++i)
        html_ +=
            "<td data-label=\"" + html_text(heads[i]) + "\">" + (i < cells.size() ? spans(cells[i], 0) : "") + "</td>";
      html_ += "</tr>";
    }
    html_ += "</tbody></table></div>";
  }

  void paragraph() {
    std::string text;
    for (std::size_t lines = 0; at_ < lines_.size() && !blank(lines_[at_]); ++at_, ++lines) {
      const std::string_view line = lines_[at_];
      if (lines > 0 &&
          (!fence_of(line).empty() || heading_mark(line) > 0 || line.starts_with('>') || begins_list(line)))
        break;
      if (lines > 0) text += '\n';
      text += trim(line);
    }
    html_ += "<p>" + spans(text, 0) + "</p>";
  }

  const Lines& lines_;
  int depth_;
  std::size_t at_ = 0;
  std::string html_{};
};

std::string blocks(const Lines& lines, int depth) { return Blocks(lines, depth).html(); }

}  // namespace
}  // namespace page

std::string prose_html(std::string_view markdown) { return page::blocks(page::lines_of(markdown), 0); }

}  // namespace gpuplan
