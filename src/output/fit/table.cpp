#include "base/sorting.h"
#include "output/fit/report.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/parts/remedy_table.h"
#include "output/fit/brief.h"
#include "output/text/table.h"
#include "output/words/collection_words.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// A part of the memory; nothing when there is none, so that columns that nobody needs vanish. What offload moved away
/// says so where nothing of it is left.
std::string part(Bytes size, bool moved = false) {
  if (size > 0.005 * units::GiB) return gib_text(size);
  return moved ? "CPU" : std::string();
}

bool moved(const PhaseEstimate& estimate, Offload what) { return includes(estimate.strategy.offload, what); }

/// "activations 61.0": the part that keeps one sequence more from fitting; nothing when memory does not.
std::string limit_words(const FitRow& row) {
  return row.limit ? std::string(row.limit->part) + " " + gib_text(row.limit->size) : std::string();
}

constexpr std::size_t kStopColumn = 13;  ///< of the breakdown

std::vector<Column> breakdown_columns() {
  return {{.title = "GPUS", .narrowest = 24},
          {.title = "MEMORY", .align = Align::kRight, .around = " of ", .unit = "GiB per GPU"},
          {.title = "P10–P90", .align = Align::kRight, .drop = 8},
          {.title = "WEIGHTS", .align = Align::kRight, .drop = 1},
          {.title = "GRADIENTS", .align = Align::kRight, .drop = 4},
          {.title = "OPTIMIZER", .align = Align::kRight, .drop = 3},
          {.title = "ACTIVATIONS", .align = Align::kRight, .drop = 2},
          {.title = "LOGITS", .align = Align::kRight, .drop = 5},
          {.title = "KV CACHE", .align = Align::kRight, .drop = 2},
          {.title = "BUFFERS", .align = Align::kRight, .drop = 6},
          {.title = "OTHER", .align = Align::kRight, .drop = 7},
          {.title = "MAX BATCH", .align = Align::kRight, .drop = 1},
          {.title = "MAX CONTEXT", .align = Align::kRight, .drop = 3},
          {.title = "LIMITED BY", .drop = 9, .around = " ", .unit = "GiB"},
          {.title = "HOW", .drop = 10, .narrowest = 24, .wrap = true}};
}

void add_breakdown(const FitSection& section, const FitRow& row, Table& table) {
  const Bytes usable = row.node.gpu->usable;
  const std::string label = row_label(row);
  if (!row.best) {
    const std::string needs =
        row.nearest.phase >= 0 ? gib_text(row.nearest.needed) + " of " + gib_text(usable) : "not supported";
    std::vector<Cell> cells = {{label, Paint::kDim}, {needs, Paint::kYellow}};
    cells.resize(kStopColumn);
    cells.emplace_back(limit_words(row), Paint::kDim);
    table.add(std::move(cells));
    return;
  }
  const PhaseEstimate& estimate = *row.best;
  const MemoryUse& use = estimate.memory;
  const bool fits = holds(row);
  std::string largest = row.largest_micro_batch > 0 ? std::to_string(row.largest_micro_batch) : "";
  if (!fits) largest = "OOM risk";
  const std::string how = strategy_words(estimate, phase_of(section, row)) + (fits ? "" : "; fits at P50, not at P90");
  table.add({{label, fits ? Paint::kPlain : Paint::kYellow},
             {gib_text(estimate.memory_total.p50) + " of " + gib_text(usable)},
             {gib_text(estimate.memory_total.p10) + "–" + gib_text(estimate.memory_total.p90), Paint::kDim},
             {part(use.weights, moved(estimate, Offload::kParams))},
             {part(use.gradients, moved(estimate, Offload::kOptimizer) || moved(estimate, Offload::kParams))},
             {part(use.optimizer, moved(estimate, Offload::kOptimizer))},
             {part(use.activations)},
             {part(use.logits)},
             {part(use.kv_cache)},
             {part(use.buffers)},
             {part(use.context())},
             {largest},
             {context_words(row)},
             {limit_words(row), Paint::kDim},
             {how, Paint::kDim}});
}

/// "2x 56.0 GiB, batch 3, CPU offload", or in brief "2x / 3 *".
std::string cell_text(const FitRow& row, bool brief) {
  std::string text = std::to_string(row.gpus) + "x";
  const std::string batch = std::to_string(row.largest_micro_batch);
  if (brief) return text + " / " + batch + (offloads(row) ? " *" : "");
  text += " " + gib_text(row.best->memory_total.p50) + " GiB";
  if (row.largest_micro_batch > 1) text += ", batch " + batch;
  return text + (offloads(row) ? ", CPU offload" : row.best->lighter ? ", 8-bit AdamW" : "");
}

/// Parts down, questions across: the memory of the smallest machine for each.
std::string parts_text(const FitReport& report, const FitLook& look) {
  std::vector<Column> columns = {{.title = "PART"}};
  std::vector<const FitRow*> rows;
  std::string how;
  for (const FitSection& section : report.sections) {
    const FitRow* row = smallest(section);
    if (row == nullptr) continue;
    const std::string name = printable(section.name, 40);
    columns.push_back({.title = name, .align = Align::kRight, .unit = row_label(*row)});
    rows.push_back(row);
    how += paragraph(name + ": " + strategy_words(*row->best, phase_of(section, *row)), look.screen, 4, 6);
  }
  if (rows.empty()) return "";
  Table table(std::move(columns));
  const auto add = [&](std::string_view name, Paint paint, auto&& text) {
    std::vector<Cell> cells = {{std::string(name), paint}};
    bool any = false;
    for (const FitRow* row : rows) {
      cells.emplace_back(text(*row), paint);
      any = any || !cells.back().text.empty();
    }
    if (any) table.add(std::move(cells));
  };
  for (const MemoryPart& one : kMemoryParts)
    add(one.name, Paint::kPlain, [&](const FitRow& row) { return part(row.best->memory.*one.size); });
  add("needed", Paint::kBold, [](const FitRow& row) { return gib_text(row.best->memory_total.p50); });
  add("P10–P90", Paint::kDim, [](const FitRow& row) {
    return gib_text(row.best->memory_total.p10) + "–" + gib_text(row.best->memory_total.p90);
  });
  add("usable", Paint::kPlain, [](const FitRow& row) { return gib_text(row.node.gpu->usable); });
  add("limited by", Paint::kDim, [](const FitRow& row) { return limit_words(row); });
  return paragraph("Memory by component on the smallest machine, in GiB per GPU", look.screen) +
         table.text(look.screen) + how + '\n';
}

/// "H100 SXM", "A40, L40S and 2 more": cards that answer alike.
std::string names_of_cards(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  if (names.size() <= kNamed + 1) return join(names, ", ");
  return join(std::vector<std::string>(names.begin(), names.begin() + kNamed), ", ") + " and " +
         std::to_string(names.size() - kNamed) + " more";
}

/// Cards with the same answer to every question share a line.
struct CardGroup {
  std::vector<std::string> names;
  std::string usable;
  std::vector<Cell> cells;

  bool answers_like(const std::vector<Cell>& others) const {
    return std::ranges::equal(cells, others, [](const Cell& a, const Cell& b) { return a.text == b.text; });
  }
};

/// GPUs down, questions across: the smallest machine for each.
Table matrix(const FitReport& report, const FitLook& look, bool brief) {
  std::vector<Column> columns = {{.title = "GPU", .narrowest = 16, .wrap = true},
                                 {.title = "USABLE", .align = Align::kRight, .drop = 1}};
  for (const FitSection& section : report.sections) columns.push_back({.title = printable(section.name, 40)});
  Table table(std::move(columns));
  std::vector<const Gpu*> gpus;
  for (const FitSection& section : report.sections)
    for (const FitRow& row : section.rows)
      if (std::ranges::find(gpus, row.node.gpu) == gpus.end()) gpus.push_back(row.node.gpu);
  sort_stably(gpus, [](const Gpu* a, const Gpu* b) { return a->usable > b->usable; });
  std::vector<CardGroup> groups;
  for (const Gpu* gpu : gpus) {
    std::vector<Cell> cells;
    bool any = false;
    for (const FitSection& section : report.sections) {
      const auto row =
          std::ranges::find_if(section.rows, [&](const FitRow& r) { return r.node.gpu == gpu && holds(r); });
      any = any || row != section.rows.end();
      cells.push_back(row == section.rows.end() ? Cell("–", Paint::kDim) : Cell(cell_text(*row, brief)));
    }
    if (!any && !look.all) continue;
    if (!look.details && !look.all && !groups.empty() && groups.back().answers_like(cells))
      groups.back().names.push_back(gpu->name);
    else groups.push_back({{gpu->name}, gib_text(gpu->usable) + " GiB", std::move(cells)});
  }
  for (CardGroup& group : groups) {
    std::vector<Cell> cells = {{names_of_cards(group.names)}, {group.usable, Paint::kDim}};
    std::ranges::move(group.cells, std::back_inserter(cells));
    table.add(std::move(cells));
  }
  return table;
}

std::string matrix_text(const FitReport& report, const FitLook& look) {
  const std::string most = std::to_string(std::ranges::max(report.counts));
  const std::string heading = "Fewest GPUs that it fits on (up to " + most + "): ";
  const Table full = matrix(report, look, false);
  if (full.empty()) return "";
  if (full.width() <= look.screen.columns)
    return paragraph(heading + "GPUs, memory per GPU, max batch per GPU or replica if more than 1", look.screen) +
           full.text(look.screen);
  const bool any_offload = std::ranges::any_of(report.sections, [](const FitSection& section) {
    return std::ranges::any_of(section.rows, [](const FitRow& row) { return holds(row) && offloads(row); });
  });
  return paragraph(heading + "GPUs / max batch per GPU or replica" + (any_offload ? "; * with CPU offload" : ""),
                   look.screen) +
         matrix(report, look, true).text(look.screen);
}

/// "; most of it is activations (61.0 GiB)"; nothing when the parts are not known.
std::string most_of_it(const MemoryUse& use) {
  const MemoryPart& part = largest_part(use);
  if (use.*part.size <= Bytes{}) return "";
  return "; most of it is " + std::string(part.name) + " (" + gib_text(use.*part.size) + " GiB)";
}

void nothing(const FitSection& section, const FitReport& report, const FitLook& look, std::string& text) {
  const NearMiss* nearest = nullptr;
  for (const FitRow& row : section.rows)
    if (row.nearest.phase >= 0 && (nearest == nullptr || row.nearest.shortfall() < nearest->shortfall()))
      nearest = &row.nearest;
  const FitRow* tight = nullptr;
  for (const FitRow& row : section.rows)
    if (row.best && (tight == nullptr || row.gpus < tight->gpus)) tight = &row;
  const int most = std::ranges::max(report.counts);
  std::string words = printable(section.name, 60) + ": does not fit on " +
                      (most > 1 ? "up to " + std::to_string(most) + " GPUs." : "1 GPU.");
  if (tight != nullptr)
    words += " OOM risk on " + row_label(*tight) + ": " + gib_text(tight->best->memory_total.p50) + " GiB typical, " +
             gib_text(tight->best->memory_total.p90) + " at P90, " + gib_text(tight->node.gpu->usable) + " usable.";
  else if (nearest != nullptr)
    words += " Closest: " + std::to_string(nearest->gpus) + "x " + nearest->gpu->name + " is " +
             gib_text(nearest->needed - nearest->usable) + " GiB short (" + gib_text(nearest->needed) + " needed, " +
             gib_text(nearest->usable) + " usable per GPU)" + most_of_it(nearest->memory) + ".";
  const FitRow* host = nullptr;
  for (const FitRow& row : section.rows)
    if (row.host.phase >= 0 && (host == nullptr || row.host.shortfall() < host->host.shortfall())) host = &row;
  if (host != nullptr && host->host.may_be_had() && tight == nullptr)
    words += " " + host_miss_words(row_label(*host), host->host);
  text += paragraph(words, look.screen, 2, 4);
  if (nearest != nullptr) text += remedy_table(section.remedies, *nearest, look.screen);
}

}  // namespace

std::string fit_table(const FitReport& report, const Catalogue& catalogue, const FitLook& asked) {
  FitLook look = asked;
  look.details = look.details || look.explain;
  std::string text = fit_heading(report, look.screen) + '\n';
  const std::string answer = verdicts(report, look);
  text += answer.empty() ? smallest_machines(report, look) : answer;

  const bool one_card = !look.details && report.sections.size() > 1 && only_gpu(report) != nullptr;
  const bool across = report.sections.size() > 1 && (!report.every_count || one_card);
  if (one_card) {
    text += counts_text(report, look);
  } else if (across) {
    if (const std::string rows = matrix_text(report, look); !rows.empty()) text += rows + '\n';
    if (look.details) text += parts_text(report, look);
  }
  for (const FitSection& section : report.sections) {
    if (!across) {
      text += paragraph(printable(section.name, 60) + ": " + section.title, look.screen, 2, 4);
      Table table(look.details ? breakdown_columns() : short_columns());
      for (const FitRow& row : section.rows)
        if (holds(row) || look.all || report.every_count)
          look.details ? add_breakdown(section, row, table) : add_short(row, table);
      if (!table.empty()) text += table.text(look.screen) + '\n';
    }
    if (section.held()) continue;
    nothing(section, report, look, text);
    text += '\n';
  }
  if (across)
    for (const FitSection& section : report.sections)
      text += paragraph(printable(section.name, 60) + ": " + section.title, look.screen, 2, 4);
  for (const FitSection& section : report.sections)
    if (const FitRow* row = smallest(section); row != nullptr)
      if (const std::string words = collection_need(*row->best, phase_of(section, *row)); !words.empty())
        text += paragraph((across ? printable(section.name, 60) + ": " : "") + words, look.screen, 2, 4) + '\n';
  if (!look.details) text += paragraph("Memory by component and how each one runs: --details", look.screen);
  while (text.ends_with("\n\n")) text.pop_back();
  if (!look.explain) return text;
  for (const FitSection& section : report.sections) {
    const FitRow* row = smallest(section);
    if (row == nullptr) continue;
    Plan storage;
    for (const PhaseTerms& terms : terms_of(section, *row, catalogue, storage))
      text += '\n' +
              paragraph(printable(section.name, 60) + ": " + section.title + ", " + row_label(*row), look.screen) +
              terms_table(terms, look.screen);
  }
  return text;
}

}  // namespace gpuplan
