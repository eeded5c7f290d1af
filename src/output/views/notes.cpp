// plan --show notes: what the job file says in words.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "output/prose/prose_text.h"
#include "output/views/plan_views.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// Whether a line begins something of its own in Markdown: an entry, a heading, a row, a quotation, a fence.
bool begins_anew(std::string_view line) {
  for (const std::string_view mark : {"- ", "* ", "+ ", "#", "|", ">", "```", "~~~"})
    if (line.starts_with(mark)) return true;
  const std::size_t digits = line.find_first_not_of("0123456789");
  return digits > 0 && digits != std::string_view::npos && (line[digits] == '.' || line[digits] == ')');
}

/// The user's Markdown wrapped to the screen: lines of one paragraph flow, what stands for itself stays a line, and
/// what indents it stays.
std::string lines_text(std::string_view text, const Screen& screen) {
  constexpr std::size_t kCode = 4;  // so many blanks make code of a line
  std::string out, open;
  std::size_t indent = 0;
  const auto close = [&] {
    const int column = 4 + static_cast<int>(std::min<std::size_t>(indent, 20));
    const bool entry = open.starts_with("- ") || open.starts_with("* ");
    if (!open.empty()) out += paragraph(open, screen, column, entry ? column + 2 : column);
    open.clear();
  };
  bool fence = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(blanks);
    if (line.empty()) {
      close();
      out += '\n';
      continue;
    }
    const bool mark = line.starts_with("```");
    const bool alone = fence || mark || (open.empty() && blanks >= kCode) || line.front() == '|' || line.front() == '#';
    if (mark) fence = !fence;
    if (alone || open.empty() || begins_anew(line)) {
      close();
      indent = blanks;
      open = line;
      if (alone) close();
    } else {
      open.append(" ").append(line);
    }
  }
  close();
  return out;
}

}  // namespace

ViewContent notes_view(const PlanReport& report, const Screen& screen) {
  ViewContent view{"What the job file says in words",
                   Table({{.title = "ABOUT", .key = "about"},
                          {.title = "KEY", .key = "key"},
                          {.title = "TEXT", .narrowest = 40, .wrap = true, .key = "text"}}),
                   {}};
  std::string about;
  for (const ProsePiece& piece : prose_pieces(report.job)) {
    const std::string name = printable(piece.about, 100);
    std::string line = terminal_prose(piece.text);
    std::ranges::replace(line, '\n', ' ');  // the text as it is: member "prose" of plan --json
    view.table.add({{name}, {std::string(piece.key)}, {std::move(line)}});
    if (name != about)
      view.drawing += (about.empty() ? "" : "\n") + paragraph(upper_first(name), screen, 0, 0, Paint::kBold);
    about = name;
    view.drawing += paragraph(std::string(piece.key) + ":", screen, 2, 2, Paint::kDim);
    view.drawing += lines_text(terminal_prose(piece.text), screen);
  }
  if (view.drawing.empty())
    view.notes.emplace_back(
        "Nothing. title, purpose, notes, tasks, expect and quality in the job file tell what it is about "
        "(docs/job-file.md).");
  return view;
}

}  // namespace gpuplan
