#include "output/answer/parts/remedy_table.h"

#include "base/text.h"
#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {

std::string_view remedy_verdict(const Remedy& remedy, Bytes usable) {
  if (remedy.enough) return "fits";
  return remedy.needed <= usable ? "OOM risk" : "not enough";
}

std::string remedy_table(const std::vector<Remedy>& remedies, const NearMiss& miss, const Screen& screen) {
  if (remedies.empty() || miss.gpu == nullptr) return "";
  Table table({{.title = "CHANGE", .narrowest = 20, .wrap = true},
               {.title = "NEEDS", .align = Align::kRight, .around = " of ", .unit = "GiB per GPU"},
               {.title = "THEN"}});
  std::vector<std::string> vain;
  for (const Remedy& remedy : remedies) {
    // What fits neither is said once, in a line of its own.
    if (!remedy.enough && remedy.needed > miss.usable) {
      vain.push_back(remedy.change + " (" + gib_text(remedy.needed) + ")");
      continue;
    }
    table.add({{remedy.change},
               {gib_text(remedy.needed) + " of " + gib_text(miss.usable)},
               {std::string(remedy_verdict(remedy, miss.usable)), remedy.enough ? Paint::kGreen : Paint::kYellow}});
  }
  std::string text;
  if (!table.empty())
    text = paragraph("Any one of these makes it fit on " + std::string(miss.gpu->name) + ":", screen) +
           table.text(screen, 4);
  return vain.empty() ? text : text + paragraph("Not enough: " + join(vain, ", "), screen, 2, 4);
}

}  // namespace gpuplan
