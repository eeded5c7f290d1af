#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gpuplan::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets one
  return value != nullptr ? value : "";
}

int columns(bool terminal) {
  // Narrower than 40 no table is a table; wider than 1000 nobody has a screen.
  constexpr int kLeast = 40, kMost = 1000, kUsual = 120;
  int given = 0;
  const std::string_view text = environment("COLUMNS");
  std::from_chars(text.data(), text.data() + text.size(), given);
  if (given > 0) return std::clamp(given, kLeast, kMost);
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<int>(size.ws_col, kLeast, kMost);
  return kUsual;
}

bool colour(bool terminal, bool no_colour) {
  if (no_colour || !environment("NO_COLOR").empty()) return false;
  const std::string_view force = environment("FORCE_COLOR");
  if (!force.empty()) return force != "0" && force != "false";
  return terminal && environment("TERM") != "dumb";
}

}  // namespace

Screen screen(bool no_colour) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  return {columns(terminal), colour(terminal, no_colour)};
}

}  // namespace gpuplan::cli
