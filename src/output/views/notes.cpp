// plan --show notes: what the job file says in words.
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "output/prose/prose_text.h"
#include "output/views/plan_views.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// Lines of the user's own, wrapped where they are longer than the screen; what indents a line stays.
std::string lines_text(std::string_view text, const Screen& screen) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const int indent = 4 + static_cast<int>(std::min<std::size_t>(blanks, 20));
    if (blanks == line.size()) out += '\n';
    else out += paragraph(line.substr(blanks), screen, indent, indent);
    at = end + 1;
  }
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
