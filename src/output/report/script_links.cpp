#include "output/report/script_links.h"

#include <utility>

#include "base/text.h"

namespace gpuplan {

std::optional<LinksBlock> script_links(const ReportParts& parts, std::string_view section) {
  constexpr std::string_view kPhases = "phases/";
  const bool all = section == "basis";
  if (section != "work" && section != "run" && !all) return std::nullopt;
  LinksBlock block{.text = section == "work" ? "Scripts of the phases"
                           : all             ? "Files in " + parts.run.folder
                                             : "Scripts that start it",
                   .links = {}};
  for (const RunPart::Script& script : parts.run.scripts) {
    const bool of_phase = script.path.starts_with(kPhases);
    if (!script.beside || (!all && of_phase != (section == "work"))) continue;
    const std::string name = of_phase && !all ? script.path.substr(kPhases.size()) : script.path;
    block.links.emplace_back(name, parts.run.folder + "/" + script.path);
  }
  if (block.links.empty()) return std::nullopt;
  return block;
}

}  // namespace gpuplan
