#include "output/report/guide.h"

#include <algorithm>

#include "base/safe_text.h"
#include "base/text.h"
#include "output/report/prose_markdown.h"
#include "output/text/markdown_sign.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Control characters replaced, blanks made single.
std::string one_line(std::string_view text) {
  const std::string safe = safe_text(text);
  std::string result;
  for (const char c : trim(safe))
    if (!is_blank(c)) result += c == '\x1b' ? '?' : c;
    else if (!result.empty() && result.back() != ' ') result += ' ';
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

/// Whether an entity begins here: "&lt;" would be another sign.
bool begins_entity(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : ' ';
  return text[at] == '&' && (is_letter(next) || next == '#');
}

/// What would make a line something else: "1. ", "- ", "# ", "> ", "+ ", "---", "===". Where it stands, if anywhere.
std::size_t line_sign(std::string_view text) {
  const auto ends = [&](std::size_t at) { return at >= text.size() || text[at] == ' '; };
  std::size_t run = 0;
  while (run < text.size() && is_digit(text[run])) ++run;
  if (run > 0) {
    const bool entry = run < text.size() && (text[run] == '.' || text[run] == ')') && ends(run + 1);
    return entry ? run : std::string_view::npos;
  }
  if (text.empty() || !std::string_view("-+#>=").contains(text.front())) return std::string_view::npos;
  while (run < text.size() && text[run] == text.front()) ++run;
  return text.front() == '>' || ends(run) ? 0 : std::string_view::npos;
}

std::string inline_code(std::string_view text) {
  const std::string line = one_line(text);
  std::size_t longest = 0, run = 0;
  for (const char c : line) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string ticks(longest + 1, '`');
  const std::string gap = line.starts_with('`') || line.ends_with('`') ? " " : "";
  return ticks + gap + line + gap + ticks;
}

std::string strong(const std::string& text) { return text.empty() ? text : "**" + text + "**"; }

class Guide {
 public:
  explicit Guide(const std::vector<OwnText>& own) : own_(own), placed_(own.size(), false) {}

  std::string of(const ReportDocument& document) {
    head(document.head);
    for (const ReportSection& section : document.sections) {
      line("## " + guide_text(section.title));
      if (!section.finding.empty()) line(strong(guide_text(section.finding)));
      for (const ReportBlock& block : section.blocks) std::visit(*this, block);
      own_text(section.key);
    }
    orphans();
    // Whoever has read it to its end need not turn back to make it anew.
    again(document.head);
    return std::move(text_);
  }

  void operator()(const TextBlock& block) {
    line(block.strong ? strong(guide_text(block.text)) : guide_text(block.text));
  }
  void operator()(const NoteBlock& block) { line("> " + guide_text(block.text)); }
  void operator()(const ListBlock& block) {
    for (std::size_t i = 0; i < block.items.size(); ++i)
      text_ += (block.ordered ? std::to_string(i + 1) + ". " : "- ") + guide_text(block.items[i]) + '\n';
    text_ += '\n';
  }
  void operator()(const ChecksBlock& block) {
    for (const std::string& item : block.items) text_ += "- [ ] " + guide_text(item) + '\n';
    text_ += '\n';
  }
  void operator()(const CodeBlock& block) {
    std::size_t longest = 2, run = 0;
    for (const char c : block.text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
    const std::string fence(longest + 1, '`');
    text_ += fence + block.language + '\n';
    const std::string code = safe_text(block.text);
    for (std::size_t from = 0; from <= code.size();) {
      const std::size_t end = std::min(code.find('\n', from), code.size());
      text_ += guide_code(std::string_view(code).substr(from, end - from)) + '\n';
      from = end + 1;
    }
    text_ += fence + "\n\n";
  }
  void operator()(const ProseBlock& block) { text_ += prose_markdown(block.markdown) + '\n'; }
  void operator()(const ChartBlock& block) {
    if (!block.file.empty()) line("![" + guide_text(block.chart.alt) + "](" + block.file + ")");
  }
  void operator()(const LinksBlock& block) {
    std::vector<std::string> links;
    for (const auto& [name, path] : block.links) links.push_back("[" + guide_text(name) + "](" + path + ")");
    line(guide_text(block.text) + ": " + join(links, ", "));
  }
  void operator()(const FoldBlock& block) {
    text_ += "<details>\n<summary>" + html_text(block.title) + "</summary>\n\n";
    for (const ReportBlock& inner : block.blocks) std::visit(*this, inner);
    text_ += "</details>\n\n";
  }
  void operator()(const TableBlock& table) {
    if (!table.caption.empty()) line(strong(guide_text(table.caption)));
    std::vector<std::vector<std::string>> rows{{}};
    for (const TableColumn& column : table.columns) rows.front().push_back(guide_text(column.title));
    for (const TableRow& row : table.rows) {
      std::vector<std::string>& cells = rows.emplace_back();
      bool named = false;
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        std::string cell = i < row.cells.size() ? guide_text(row.cells[i]) : std::string();
        // Of the pick its name is bold, of a sum all.
        const bool bold = row.strong || (row.mark == RowMark::kPick && !named && !cell.empty());
        named = named || !cell.empty();
        cells.push_back(bold ? strong(cell) : std::move(cell));
      }
    }
    // Bars stand below each other for whoever reads the source; long texts would only tear the lines apart.
    constexpr int kWidest = 60;
    std::vector<int> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      int width = 3;
      for (const auto& row : rows) width = std::max(width, std::min(display_width(row[i]), kWidest));
      widths.push_back(width);
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        text_ += "| " + padded(rows[r][i], widths[i], table.columns[i].right ? Align::kRight : Align::kLeft) + ' ';
      text_ += "|\n";
      if (r > 0) continue;
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string dashes(static_cast<std::size_t>(widths[i] - 1), '-');
        text_ += "| " + dashes + (table.columns[i].right ? ": " : "- ");
      }
      text_ += "|\n";
    }
    text_ += '\n';
  }

 private:
  void line(const std::string& one) {
    if (!one.empty()) text_ += one + "\n\n";
  }

  static std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : one_line(text))
      result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return result;
  }

  void head(const ReportHead& head) {
    line("# " + guide_text(head.title));
    if (!head.goal.empty()) text_ += prose_markdown(head.goal) + '\n';
    std::string made = head.made.empty() ? "Made with gpuplan" : "Made on " + head.made + " with gpuplan";
    made += " " + head.version + (head.prices.empty() ? "." : ": " + head.prices + ".");
    line(guide_text(made));
    again(head);
  }

  void again(const ReportHead& head) {
    if (!head.command.empty()) line("To make this guide again: " + inline_code(head.command));
  }

  void own_text(std::string_view name) {
    text_ += own_text_begin(name) + '\n';
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (own_[i].name != name || placed_[i]) continue;
      text_ += own_[i].text;
      placed_[i] = true;
    }
    text_ += std::string(kOwnTextEnd) + "\n\n";
  }

  /// Own text of sections that this report has not.
  void orphans() {
    bool told = false;
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (placed_[i]) continue;
      if (!told) line("## Own text");
      told = true;
      own_text(own_[i].name);
    }
  }

  const std::vector<OwnText>& own_;
  std::vector<bool> placed_;
  std::string text_;
};

}  // namespace

std::string own_text_begin(std::string_view name) { return "<!-- own text: " + std::string(name) + " -->"; }

std::string guide_text(std::string_view text) {
  const std::string plain = one_line(text);
  const std::size_t sign = line_sign(plain);
  std::string result;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    if (at == sign || is_markdown_sign(plain, at) || begins_entity(plain, at)) result += '\\';
    result += plain[at];
  }
  return result;
}

std::string guide_markdown(const ReportDocument& document, const std::vector<OwnText>& own) {
  return Guide(own).of(document);
}

}  // namespace gpuplan
