// What the terminal at stdout can show.
#pragma once

#include <optional>

#include "cli/io/system.h"
#include "output/text/style.h"

namespace gpuplan::cli {

/// Width and colour for text that goes to stdout. COLUMNS rules over the terminal's own width; off a terminal lines
/// have 120 columns. Colour is used on terminals, but not with TERM=dumb or CLICOLOR=0; off a terminal only with
/// FORCE_COLOR or CLICOLOR_FORCE, which also rule over TERM. Never with `no_colour` or NO_COLOR (no-color.org).
Screen screen(System& system, bool no_colour);

/// Lines of the terminal at stdout; nullopt when it is none, or one that can not move its cursor (TERM=dumb).
std::optional<int> screen_lines(System& system);

/// True when stderr is a terminal that can write over its last line.
bool can_show_progress(System& system);

}  // namespace gpuplan::cli
