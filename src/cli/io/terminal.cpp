#include "cli/io/terminal.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace gpuplan::cli {
namespace {

std::string_view text_of(System& system, const char* name) { return system.environment(name).value_or(""); }

/// "0" and "false" turn off what the variable is about; an empty one says nothing.
bool is_on(std::string_view value) { return !value.empty() && value != "0" && value != "false"; }

bool plain_terminal(System& system) {
  const std::string_view kind = text_of(system, "TERM");
  return kind.empty() || kind == "dumb";
}

int columns(System& system, const std::optional<TerminalSize>& terminal) {
  // Narrower than 40 no table is a table; wider than 1000 nobody has a screen.
  constexpr int kLeast = 40, kMost = 1000, kUsual = 120;
  int given = 0;
  const std::string_view text = text_of(system, "COLUMNS");
  std::from_chars(text.data(), text.data() + text.size(), given);
  if (given > 0) return std::clamp(given, kLeast, kMost);
  return terminal && terminal->columns > 0 ? std::clamp(terminal->columns, kLeast, kMost) : kUsual;
}

bool colour(System& system, bool terminal, bool no_colour) {
  if (no_colour || !text_of(system, "NO_COLOR").empty()) return false;
  if (const std::string_view force = text_of(system, "FORCE_COLOR"); !force.empty()) return is_on(force);
  if (is_on(text_of(system, "CLICOLOR_FORCE"))) return true;
  return terminal && text_of(system, "TERM") != "dumb" && text_of(system, "CLICOLOR") != "0";
}

}  // namespace

Screen screen(System& system, bool no_colour) {
  const auto terminal = system.terminal(Stream::kOutput);
  return {columns(system, terminal), colour(system, terminal.has_value(), no_colour)};
}

std::optional<int> screen_lines(System& system) {
  constexpr int kUsual = 24;
  const auto terminal = system.terminal(Stream::kOutput);
  if (!terminal || plain_terminal(system)) return std::nullopt;
  int given = 0;
  const std::string_view text = text_of(system, "LINES");
  std::from_chars(text.data(), text.data() + text.size(), given);
  if (given > 0) return given;
  return terminal->lines > 0 ? terminal->lines : kUsual;
}

bool can_show_progress(System& system) {
  return system.terminal(Stream::kError).has_value() && !plain_terminal(system);
}

}  // namespace gpuplan::cli
