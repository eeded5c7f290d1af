// gpuplan fit --placements: copies, shares, cuts and models apart, side by side.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/fit/views.h"
#include "output/text/json_writer.h"
#include "output/words/columns.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// As people call it; JSON keeps the names of the enum.
std::string layout_words(Layout layout) {
  switch (layout) {
    case Layout::kOneGpu:
      return "1 GPU";
    case Layout::kReplicated:
      return "DDP";
    case Layout::kOptimizerSharded:
      return "ZeRO-1";
    case Layout::kFullySharded:
      return "FSDP (ZeRO-3)";
    case Layout::kModelsApart:
      return "one model per GPU";
    case Layout::kTensorParallel:
      break;
  }
  return "tensor parallel";
}

bool known(const PlacementRow& row) { return row.needed.p50 > Bytes{}; }

std::string fits_word(const PlacementRow& row) {
  if (!known(row)) return "–";
  return row.fits ? "yes" : row.tight ? "OOM risk" : "no";
}

const PlacementRow* find(const PlacementSection& section, Layout layout, int gpus) {
  for (const PlacementRow& row : section.found.rows)
    if (row.layout == layout && row.gpus == gpus && known(row)) return &row;
  return nullptr;
}

/// The fewest GPUs of several that a layout is shown for; 0: none.
int fewest_of_several(const PlacementSection& section) {
  int fewest = 0;
  for (const PlacementRow& row : section.found.rows)
    if (row.gpus > 1 && (fewest == 0 || row.gpus < fewest)) fewest = row.gpus;
  return fewest;
}

/// That of the first row that runs, which the heading names; null: none.
const Framework* common_framework(const PlacementSection& section) {
  for (const PlacementRow& row : section.found.rows)
    if (row.framework != nullptr) return row.framework;
  return nullptr;
}

/// How a row is worked out, where others are not.
std::string remark(const PlacementRow& row, const Framework* common) {
  std::vector<std::string> parts;
  if (row.recomputed) parts.emplace_back("with activation checkpointing");
  if (row.framework != nullptr && row.framework != common) parts.push_back("under " + row.framework->name);
  return join(parts, ", ");
}

/// What the rows say, in sentences with their figures.
std::vector<std::string> lessons(const PlacementSection& section) {
  std::vector<std::string> lines;
  const int several = fewest_of_several(section);
  const PlacementRow* one = find(section, Layout::kOneGpu, 1);
  const auto weights = [](const PlacementRow& row) { return gib_text(row.memory.weights) + " GiB"; };
  if (const PlacementRow* copy = find(section, Layout::kReplicated, several); copy != nullptr && one != nullptr)
    lines.push_back("DDP copies all weights to each of " + std::to_string(several) + " GPUs (" + weights(*copy) +
                    "): " + gib_text(copy->needed.p50) + " GiB each, not " + gib_text(one->needed.p50 / several) + ".");
  if (const PlacementRow* full = find(section, Layout::kFullySharded, several); full != nullptr)
    lines.push_back("FSDP (ZeRO-3): " + weights(*full) + " of weights per GPU, gathered layer by layer.");
  for (const PlacementRow& row : section.found.rows) {
    if (row.layout != Layout::kModelsApart || !known(row) || row.models.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& [name, needs] : row.models) parts.push_back(printable(name, 60) + " " + gib_text(needs) + " GiB");
    lines.push_back("One model per GPU: " + listed(parts) + "; the fullest GPU counts.");
    break;
  }
  return lines;
}

}  // namespace

bool PlacementSection::held() const { return std::ranges::any_of(found.rows, &PlacementRow::fits); }

Table placement_table(const PlacementSection& section) {
  Table table(
      {{.title = "GPUS", .align = Align::kRight, .key = "gpus"},
       {.title = "LAYOUT", .key = "layout"},
       {.title = "BATCH", .align = Align::kRight, .drop = 3, .key = "sequences_at_once"},
       {.title = "WEIGHTS", .align = Align::kRight, .drop = 4, .unit = "GiB", .key = "weights_gib"},
       {.title = "STATES", .align = Align::kRight, .drop = 6, .unit = "GiB", .key = "gradients_and_optimizer_gib"},
       {.title = "ACTIVATIONS", .align = Align::kRight, .drop = 7, .unit = "GiB", .key = "activations_gib"},
       {.title = "KV CACHE", .align = Align::kRight, .drop = 7, .unit = "GiB", .key = "kv_cache_gib"},
       {.title = "MEMORY", .align = Align::kRight, .around = " of ", .unit = "GiB per GPU"},
       {.title = "P10–P90", .align = Align::kRight, .drop = 8},
       {.title = "USED", .align = Align::kRight, .key = "used_share"},
       {.title = "FITS", .key = "fits"},
       {.title = "SETUP EFFORT", .drop = 2, .key = "complexity"},
       {.title = "REMARK", .narrowest = 12, .wrap = true, .key = "why_not"},
       {.title = "", .key = "needed_gib_p10"},
       {.title = "", .key = "needed_gib"},
       {.title = "", .key = "needed_gib_p90"},
       {.title = "", .key = "usable_gib"},
       {.title = "", .key = "framework"}});
  const Bytes usable = section.found.gpu->usable;
  const Framework* common = common_framework(section);
  for (const PlacementRow& row : section.found.rows) {
    const Paint paint = !known(row) ? Paint::kDim : row.fits ? Paint::kPlain : Paint::kYellow;
    std::vector<Cell> cells = {{static_cast<double>(row.gpus), std::to_string(row.gpus), paint},
                               {layout_words(row.layout), paint}};
    if (known(row)) {
      const double used = row.needed.p50 / usable;
      cells.push_back(row.micro_batch > 0 ? Cell(row.micro_batch, count_text(row.micro_batch)) : Cell());
      cells.push_back(gib_cell(row.memory.weights));
      cells.push_back(gib_cell(row.memory.gradients + row.memory.optimizer));
      cells.push_back(gib_cell(row.memory.activations + row.memory.logits));
      cells.push_back(gib_cell(row.memory.kv_cache));
      cells.emplace_back(gib_text(row.needed.p50) + " of " + gib_text(usable), paint);
      cells.emplace_back(row.needed.exact() ? "" : gib_text(row.needed.p10) + "–" + gib_text(row.needed.p90),
                         Paint::kDim);
      cells.emplace_back(used, percent(used), paint);
    } else {
      cells.resize(10);
    }
    cells.emplace_back(fits_word(row), paint);
    if (known(row)) {
      cells.emplace_back(std::string(grade_of(row.effort)));
      const std::string how = remark(row, common);
      cells.push_back(how.empty() ? Cell() : Cell(how, Paint::kDim));
      cells.emplace_back(row.needed.p10 / units::GiB);
      cells.emplace_back(row.needed.p50 / units::GiB);
      cells.emplace_back(row.needed.p90 / units::GiB);
      cells.emplace_back(usable / units::GiB);
      cells.emplace_back(row.framework != nullptr ? row.framework->name : std::string());
    } else {
      cells.emplace_back();
      cells.emplace_back(printable(row.why_not, 100), Paint::kDim);
    }
    table.add(std::move(cells));
  }
  return table;
}

std::string placements_text(const FitReport& report, const std::vector<PlacementSection>& sections,
                            const FitLook& look) {
  std::string text = fit_heading(report, look.screen);
  for (const PlacementSection& section : sections) {
    text += '\n' + paragraph(printable(section.name, 60) + ": " + section.title, look.screen, 2, 4);
    std::string same = section.found.gpu->name + ", one machine";
    if (const Framework* common = common_framework(section); common != nullptr) same += ", " + common->name;
    if (section.found.recompute != Recompute::kNone)
      same += ", activation checkpointing (" + std::string(name_of(section.found.recompute)) + ")";
    if (section.found.offload != Offload::kNone)
      same += ", CPU offload: " + std::string(name_of(section.found.offload));
    text += paragraph(same + ":", look.screen);
    const Table table = placement_table(section);
    text += table.text(look.screen);
    for (const std::string& line : lessons(section)) text += paragraph(line, look.screen, 2, 4);
  }
  return text;
}

std::string placements_json(const FitReport& report, const std::vector<PlacementSection>& sections) {
  JsonWriter json;
  begin_fit_json(json, report);
  for (const PlacementSection& section : sections) {
    json.begin_object().member("name", section.name).member("title", section.title).member("held", section.held());
    json.member("gpu", section.found.gpu->name).member("recompute", name_of(section.found.recompute));
    json.member("offload", name_of(section.found.offload)).key("placements");
    placement_table(section).write_json(json);
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
