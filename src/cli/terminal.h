// What the terminal at stdout can show.
#pragma once

#include "output/style.h"

namespace gpuplan::cli {

/// Width and colour for text that goes to stdout. COLUMNS rules over the terminal's own width; off a terminal lines
/// have 120 columns. Colour is used on terminals, never with `no_colour`, NO_COLOR (no-color.org) or TERM=dumb, and off
/// a terminal only with FORCE_COLOR.
Screen screen(bool no_colour);

}  // namespace gpuplan::cli
