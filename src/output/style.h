// How text looks on a terminal: what it can show, and weights and colours that vanish where it can not.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// What the reader's screen can show.
struct Screen {
  int columns = 120;
  bool colour = false;
};

enum class Paint { kPlain, kBold, kDim, kGreen, kYellow, kRed, kCyan };

/// The text in this paint; unchanged without colour. Only the eight colours every terminal lets its user choose.
inline std::string painted(std::string_view text, Paint paint, const Screen& screen) {
  constexpr std::string_view kStart[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[36m"};
  if (!screen.colour || paint == Paint::kPlain || text.empty()) return std::string(text);
  std::string result(kStart[static_cast<int>(paint)]);
  result += text;
  result += "\x1b[0m";
  return result;
}

}  // namespace gpuplan
