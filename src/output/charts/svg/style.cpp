#include "output/charts/svg/style.h"

#include <array>
#include <string_view>

namespace gpuplan {
namespace {

struct Colour {
  std::string_view name, light, dark;
};

/// c1 to c8 are those of Okabe and Ito (2008), which people who see few colours tell apart, with yellow and grey darker
/// on white and all lighter on black. on1 and on: figures inside of bars of c1 and of the others.
constexpr std::array kColours = {
    Colour{"bg", "#ffffff", "#0e1116"},     Colour{"panel", "#e9ecf0", "#252d38"}, Colour{"ink", "#14171c", "#e8ebef"},
    Colour{"ink2", "#49515e", "#b3bcc8"},   Colour{"ink3", "#6b7482", "#8b96a5"},  Colour{"line", "#dfe3e8", "#2a313b"},
    Colour{"accent", "#0b5cad", "#6fb7ff"}, Colour{"dim", "#858f9c", "#6b7686"},   Colour{"c1", "#0072b2", "#3d9be0"},
    Colour{"c2", "#56b4e9", "#8fd0f7"},     Colour{"c3", "#cc79a7", "#e0a0c4"},    Colour{"c4", "#e69f00", "#f0b33a"},
    Colour{"c5", "#b9a300", "#dccb4a"},     Colour{"c6", "#009e73", "#35c197"},    Colour{"c7", "#9aa3ae", "#78828f"},
    Colour{"c8", "#d55e00", "#f08a4b"},     Colour{"on1", "#ffffff", "#0e1116"},   Colour{"on", "#14171c", "#0e1116"},
};

/// "@name" stands for a colour.
constexpr std::string_view kStyleRules =
    ".gpchart text{font:12px ui-sans-serif,system-ui,-apple-system,\"Segoe UI\",\"Helvetica Neue\",Arial,"
    "sans-serif;font-variant-numeric:tabular-nums;fill:@ink3}"
    ".gpchart .bg{fill:@bg}.gpchart .panel{fill:@panel}.gpchart .hit{fill:@bg;opacity:0}"
    ".gpchart path{fill:none}.gpchart .grid{stroke:@line}"
    ".gpchart .h{paint-order:stroke;stroke:@bg;stroke-width:3px;stroke-linejoin:round}"
    ".gpchart .l{fill:@ink}.gpchart .b{fill:@ink;font-weight:600}.gpchart .pt{fill:@accent;font-weight:600}"
    ".gpchart .i1{fill:@on1;font-size:11px}.gpchart .in{fill:@on;font-size:11px}"
    ".gpchart .pick{fill:@accent}.gpchart .best{fill:@bg;stroke:@accent;stroke-width:2}"
    ".gpchart .beaten{fill:@bg;stroke:@dim;stroke-width:1.5}.gpchart .dot{fill:@dim}"
    ".gpchart .rpick{stroke:@accent;stroke-width:2}.gpchart .rbest{stroke:@accent;stroke-width:1.2;opacity:.75}"
    ".gpchart .rbeaten{stroke:@dim;stroke-width:1.2;opacity:.6}.gpchart .rref{stroke:@ink2;stroke-width:1.3}"
    ".gpchart .lpick{stroke:@accent;stroke-width:2.5}.gpchart .lbest{stroke:@accent;stroke-width:1.5;opacity:.55}"
    ".gpchart .lbeaten{stroke:@dim;stroke-width:1.5;stroke-dasharray:6 3}"
    ".gpchart .lref{stroke:@accent;stroke-width:1.2;stroke-dasharray:2 4}"
    ".gpchart .apick{fill:@accent;opacity:.1}.gpchart .end{stroke:@ink;stroke-width:2}"
    ".gpchart .lead{stroke:@ink3}.gpchart .now{stroke:@ink;stroke-width:1.2}.gpchart "
    ".limit{stroke:@c8;stroke-width:1.5;stroke-dasharray:5 3}"
    ".gpchart .c1{fill:@c1}.gpchart .c2{fill:@c2}.gpchart .c3{fill:@c3}.gpchart .c4{fill:@c4}"
    ".gpchart .c5{fill:@c5}.gpchart .c6{fill:@c6}.gpchart .c7{fill:@c7}.gpchart .c8{stroke:@c8;stroke-opacity:.6}"
    ".gpchart .tried{fill:@dim;opacity:.55}.gpchart .hatch{stroke:@c8;stroke-width:2.2;opacity:.6}";

/// The rules with a text in the place of each colour.
template <class ColourText>
std::string rules(ColourText&& text_of) {
  std::string text;
  for (std::size_t at = 0; at < kStyleRules.size();) {
    if (kStyleRules[at] != '@') {
      text += kStyleRules[at++];
      continue;
    }
    // The longest name that stands there: "c1" and not "c", "ink3" and not "ink".
    const Colour* found = nullptr;
    for (const Colour& colour : kColours)
      if (kStyleRules.substr(at + 1).starts_with(colour.name) &&
          (found == nullptr || colour.name.size() > found->name.size()))
        found = &colour;
    text += text_of(*found);
    at += 1 + found->name.size();
  }
  return text;
}

std::string variables(std::string_view Colour::* shade) {
  std::string text = ".gpchart{";
  for (const Colour& colour : kColours)
    text += "--gp-" + std::string(colour.name) + ":" + std::string(colour.*shade) + ";";
  text.back() = '}';
  return text;
}

}  // namespace

std::string chart_style(ChartTheme theme) {
  if (theme == ChartTheme::kLight) return rules([](const Colour& colour) { return std::string(colour.light); });
  if (theme == ChartTheme::kDark) return rules([](const Colour& colour) { return std::string(colour.dark); });
  return variables(&Colour::light) + "@media(prefers-color-scheme:dark){" + variables(&Colour::dark) + "}" +
         rules([](const Colour& colour) { return "var(--gp-" + std::string(colour.name) + ")"; });
}

std::string hatch_pattern(const std::string& id) {
  return "<pattern id=\"" + id +
         "\" width=\"6\" height=\"6\" patternTransform=\"rotate(45)\" patternUnits=\"userSpaceOnUse\"><rect "
         "width=\"6\" height=\"6\" class=\"bg\"/><path d=\"M0 0V6\" class=\"hatch\"/></pattern>";
}

}  // namespace gpuplan
