#include "output/answer/remedy_table.h"

#include "output/text/table.h"
#include "output/words/plan_words.h"

namespace gpuplan {

std::string_view remedy_verdict(const Remedy& remedy, Bytes usable) {
  if (remedy.enough) return "fits";
  return remedy.needed <= usable ? "tight: only the median fits" : "still too much";
}

std::string remedy_table(const std::vector<Remedy>& remedies, const NearMiss& miss, const Screen& screen) {
  if (remedies.empty() || miss.gpu == nullptr) return "";
  Table table({{.title = "CHANGE", .narrowest = 20, .wrap = true},
               {.title = "NEEDS", .align = Align::kRight, .around = " of ", .unit = "GiB a GPU"},
               {.title = "THEN"}});
  for (const Remedy& remedy : remedies)
    table.add({{remedy.change},
               {gib_text(remedy.needed) + " of " + gib_text(miss.usable)},
               {std::string(remedy_verdict(remedy, miss.usable)), remedy.enough ? Paint::kGreen : Paint::kYellow}});
  return paragraph("What would change it, on " + std::string(miss.gpu->name) + ":", screen) + table.text(screen, 4);
}

}  // namespace gpuplan
