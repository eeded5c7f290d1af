// How text looks: what a terminal can show, weights and colours that vanish where it can not, and Markdown.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// What the signs in a text mean.
enum class Markup {
  kTerminal,  ///< lines as wide as the screen, aligned by blanks
  kMarkdown,  ///< GitHub's: tables with bars, paragraphs on one line and with an empty line after each
};

/// What the reader's screen can show.
struct Screen {
  int columns = 120;
  bool colour = false;
  Markup markup = Markup::kTerminal;

  bool markdown() const { return markup == Markup::kMarkdown; }
};

/// kPick is for the row of a table that is recommended: green, and bold in Markdown.
enum class Paint { kPlain, kBold, kDim, kGreen, kYellow, kRed, kCyan, kPick };

/// The text in this paint; unchanged without colour. Only the eight colours every terminal lets its user choose.
inline std::string painted(std::string_view text, Paint paint, const Screen& screen) {
  constexpr std::string_view kStart[] = {"",         "\x1b[1m",  "\x1b[2m",  "\x1b[32m",
                                         "\x1b[33m", "\x1b[31m", "\x1b[36m", "\x1b[32m"};
  if (!screen.colour || paint == Paint::kPlain || text.empty()) return std::string(text);
  std::string result(kStart[static_cast<int>(paint)]);
  result += text;
  result += "\x1b[0m";
  return result;
}

}  // namespace gpuplan
