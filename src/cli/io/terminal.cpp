#include "cli/io/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gpuplan::cli {
namespace {

std::string_view text_of(const char* name) { return environment(name).value_or(""); }

/// "0" and "false" turn off what the variable is about; an empty one says nothing.
bool is_on(std::string_view value) { return !value.empty() && value != "0" && value != "false"; }

bool plain_terminal() {
  const std::string_view kind = text_of("TERM");
  return kind.empty() || kind == "dumb";
}

int columns(bool terminal) {
  // Narrower than 40 no table is a table; wider than 1000 nobody has a screen.
  constexpr int kLeast = 40, kMost = 1000, kUsual = 120;
  int given = 0;
  const std::string_view text = text_of("COLUMNS");
  std::from_chars(text.data(), text.data() + text.size(), given);
  if (given > 0) return std::clamp(given, kLeast, kMost);
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<int>(size.ws_col, kLeast, kMost);
  return kUsual;
}

bool colour(bool terminal, bool no_colour) {
  if (no_colour || !text_of("NO_COLOR").empty()) return false;
  if (const std::string_view force = text_of("FORCE_COLOR"); !force.empty()) return is_on(force);
  if (is_on(text_of("CLICOLOR_FORCE"))) return true;
  return terminal && text_of("TERM") != "dumb" && text_of("CLICOLOR") != "0";
}

}  // namespace

std::optional<std::string_view> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets one
  return value != nullptr ? std::optional<std::string_view>(value) : std::nullopt;
}

Screen screen(bool no_colour) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  return {columns(terminal), colour(terminal, no_colour)};
}

std::optional<int> screen_lines() {
  constexpr int kUsual = 24;
  if (::isatty(STDOUT_FILENO) != 1 || plain_terminal()) return std::nullopt;
  int given = 0;
  const std::string_view text = text_of("LINES");
  std::from_chars(text.data(), text.data() + text.size(), given);
  if (given > 0) return given;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kUsual;
}

bool can_show_progress() { return ::isatty(STDERR_FILENO) == 1 && !plain_terminal(); }

}  // namespace gpuplan::cli
