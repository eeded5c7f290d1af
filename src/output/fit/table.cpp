#include "output/fit/report.h"

#include <algorithm>
#include <string_view>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/remedy_table.h"
#include "output/text/table.h"
#include "output/words/collection_words.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string row_label(const FitRow& row) { return std::to_string(row.gpus) + "x " + row.node.gpu->name; }

/// What a reader must know before he believes that it fits.
bool offloads(const FitRow& row) { return row.best && row.best->strategy.offload != Offload::kNone; }

/// "weights and optimizer states": what lies in the host's memory.
std::string in_host(Offload offload) {
  std::vector<std::string> parts;
  if (includes(offload, Offload::kParams)) parts.emplace_back("weights");
  if (includes(offload, Offload::kOptimizer)) parts.emplace_back("optimizer states");
  if (includes(offload, Offload::kActivations)) parts.emplace_back("activations");
  return listed(parts);
}

/// A part of the memory; nothing when there is none, so that columns that nobody needs vanish. What offload moved away
/// says so where nothing of it is left.
std::string part(Bytes size, bool moved = false) {
  if (size > 0.005 * units::GiB) return gib_text(size);
  return moved ? "host" : std::string();
}

bool moved(const PhaseEstimate& estimate, Offload what) { return includes(estimate.strategy.offload, what); }

/// Whether a part's name is a plural: "weights stop it", "fragmentation stops it".
bool plural(std::string_view part) { return part.ends_with('s'); }

/// "activations 61.0": the part that keeps one sequence more from fitting; nothing when memory does not.
std::string limit_words(const FitRow& row) {
  return row.limit ? std::string(row.limit->part) + " " + gib_text(row.limit->size) : std::string();
}

/// "131,072", "131,072; 8,200 at 16": with one sequence at a time, and with as many as the phase asks for.
std::string context_words(const FitRow& row) {
  if (!row.context) return "";
  std::string text = row.context->tokens > 0 ? count_text(row.context->tokens) : "none";
  if (row.context_at_batch)
    text += "; " + count_text(row.context_at_batch->tokens) + " at " + count_text(row.context_at_batch->sequences);
  return text;
}

constexpr std::size_t kStopColumn = 13;  ///< of the breakdown

std::vector<Column> breakdown_columns() {
  return {{.title = "GPUS", .narrowest = 24},
          {.title = "NEEDS", .align = Align::kRight, .around = " of ", .unit = "GiB a GPU"},
          {.title = "P10 … P90", .align = Align::kRight, .drop = 8, .around = " … "},
          {.title = "WEIGHTS", .align = Align::kRight, .drop = 1},
          {.title = "GRADIENTS", .align = Align::kRight, .drop = 4},
          {.title = "OPTIMIZER", .align = Align::kRight, .drop = 3},
          {.title = "ACTIVATIONS", .align = Align::kRight, .drop = 2},
          {.title = "LOGITS", .align = Align::kRight, .drop = 5},
          {.title = "KV CACHE", .align = Align::kRight, .drop = 2},
          {.title = "BUFFERS", .align = Align::kRight, .drop = 6},
          {.title = "CONTEXT", .align = Align::kRight, .drop = 7},
          {.title = "LARGEST", .align = Align::kRight, .drop = 1, .unit = "batch"},
          {.title = "LONGEST", .align = Align::kRight, .drop = 3, .unit = "context"},
          {.title = "STOPPED BY", .drop = 9, .around = " ", .unit = "GiB"},
          {.title = "HOW", .drop = 10, .narrowest = 24, .wrap = true}};
}

void add_breakdown(const FitSection& section, const FitRow& row, Table& table) {
  const Bytes usable = row.node.gpu->usable;
  const std::string label = row_label(row);
  if (!row.best) {
    const std::string needs =
        row.nearest.phase >= 0 ? gib_text(row.nearest.needed) + " of " + gib_text(usable) : "can not run";
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
  if (!fits) largest = "tight";
  const std::string how = strategy_words(estimate, phase_of(section, row)) + (fits ? "" : "; only the median fits");
  table.add({{label, fits ? Paint::kPlain : Paint::kYellow},
             {gib_text(estimate.memory_total.p50) + " of " + gib_text(usable)},
             {gib_text(estimate.memory_total.p10) + " … " + gib_text(estimate.memory_total.p90), Paint::kDim},
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

/// "2x 56.0 GiB, batch 3, offload", or in brief "2x / 3 *".
std::string cell_text(const FitRow& row, bool brief) {
  std::string text = std::to_string(row.gpus) + "x";
  const std::string batch = std::to_string(row.largest_micro_batch);
  if (brief) return text + " / " + batch + (offloads(row) ? " *" : "");
  text += " " + gib_text(row.best->memory_total.p50) + " GiB";
  if (row.largest_micro_batch > 1) text += ", batch " + batch;
  return text + (offloads(row) ? ", offload" : "");
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
  add("P10 … P90", Paint::kDim, [](const FitRow& row) {
    return gib_text(row.best->memory_total.p10) + " … " + gib_text(row.best->memory_total.p90);
  });
  add("usable", Paint::kPlain, [](const FitRow& row) { return gib_text(row.node.gpu->usable); });
  add("stopped by", Paint::kDim, [](const FitRow& row) { return limit_words(row); });
  return paragraph("By part, on the smallest of them, in GiB a GPU", look.screen) + table.text(look.screen) + how +
         '\n';
}

/// GPUs down, questions across: the smallest machine for each.
Table matrix(const FitReport& report, const FitLook& look, bool brief) {
  std::vector<Column> columns = {{.title = "GPU"}, {.title = "USABLE", .align = Align::kRight, .drop = 1}};
  for (const FitSection& section : report.sections) columns.push_back({.title = printable(section.name, 40)});
  Table table(std::move(columns));
  std::vector<const Gpu*> gpus;
  for (const FitSection& section : report.sections)
    for (const FitRow& row : section.rows)
      if (std::ranges::find(gpus, row.node.gpu) == gpus.end()) gpus.push_back(row.node.gpu);
  std::ranges::stable_sort(gpus, [](const Gpu* a, const Gpu* b) { return a->usable > b->usable; });
  for (const Gpu* gpu : gpus) {
    std::vector<Cell> cells = {{gpu->name}, {gib_text(gpu->usable) + " GiB", Paint::kDim}};
    bool any = false;
    for (const FitSection& section : report.sections) {
      const auto row =
          std::ranges::find_if(section.rows, [&](const FitRow& r) { return r.node.gpu == gpu && holds(r); });
      any = any || row != section.rows.end();
      cells.push_back(row == section.rows.end() ? Cell("–", Paint::kDim) : Cell(cell_text(*row, brief)));
    }
    if (any || look.all) table.add(std::move(cells));
  }
  return table;
}

std::string matrix_text(const FitReport& report, const FitLook& look) {
  const std::string most = std::to_string(std::ranges::max(report.counts));
  const std::string heading = "Smallest machine that holds it, with up to " + most + " GPUs: ";
  const Table full = matrix(report, look, false);
  if (full.empty()) return "";
  if (full.width() <= look.screen.columns)
    return paragraph(heading + "GPUs, memory needed on each, largest batch a GPU or replica if more than 1",
                     look.screen) +
           full.text(look.screen);
  const bool any_offload = std::ranges::any_of(report.sections, [](const FitSection& section) {
    return std::ranges::any_of(section.rows, [](const FitRow& row) { return holds(row) && offloads(row); });
  });
  return paragraph(heading + "GPUs / largest batch a GPU or replica" +
                       (any_offload ? "; * with parts of it in the host's memory" : ""),
                   look.screen) +
         matrix(report, look, true).text(look.screen);
}

/// The only GPU asked about; null when there are several.
const Gpu* only_gpu(const FitReport& report) {
  const Gpu* only = nullptr;
  for (const FitSection& section : report.sections)
    for (const FitRow& row : section.rows) {
      if (only != nullptr && row.node.gpu != only) return nullptr;
      only = row.node.gpu;
    }
  return only;
}

/// Does it fit, in words: "yes, up to 27 sequences at once", "tight on 1 GPU ...; 2 GPUs hold it".
std::string verdict(const FitSection& section) {
  const FitRow* holding = smallest(section);
  int least = section.rows.front().gpus, most = 0;
  const FitRow* tight = nullptr;
  for (const FitRow& row : section.rows) {
    least = std::min(least, row.gpus);
    most = std::max(most, row.gpus);
    if (tight == nullptr && row.best && !holds(row) && (holding == nullptr || row.gpus < holding->gpus)) tight = &row;
  }
  const auto gpus = [](int count) { return count_of(count, "GPU"); };
  std::string text;
  if (tight != nullptr)
    text = "tight on " + gpus(tight->gpus) + " (" + gib_text(tight->best->memory_total.p50) + " of " +
           gib_text(tight->node.gpu->usable) + " GiB, P90 " + gib_text(tight->best->memory_total.p90) + ")";
  if (holding == nullptr)
    return text.empty() ? "no, not on " + std::string(most > 1 ? "up to " : "") + gpus(most) : text;
  if (!text.empty()) text += "; ";
  if (holding->gpus > least) text += gpus(holding->gpus) + " hold it";
  else text += "yes";
  if (offloads(*holding)) text += ", with " + in_host(holding->best->strategy.offload) + " in the host's memory";
  if (holding->largest_micro_batch > 1)
    text += ", up to " + count_text(holding->largest_micro_batch) + " sequences at once";
  if (holding->limit)
    text += "; " + std::string(holding->limit->part) + " stop" + (plural(holding->limit->part) ? "" : "s") + " " +
            (holding->largest_micro_batch > 1 ? "more" : "a second") + ": " + gib_text(holding->limit->size) + " of " +
            gib_text(holding->limit->usable) + " GiB";
  if (holding->context && holding->context->tokens > 0)
    text += "; one sequence may have " + std::string(holding->context->whole ? "all the " : "up to ") +
            count_text(holding->context->tokens) + " tokens" + (holding->context->whole ? " that the model reads" : "");
  if (holding->context_at_batch && holding->context_at_batch->tokens > 0)
    text += ", " + count_text(holding->context_at_batch->sequences) + " of them " +
            count_text(holding->context_at_batch->tokens) + " each";
  return text;
}

/// The answer before the tables, for those who ask about one card.
std::string verdicts(const FitReport& report, const FitLook& look) {
  const Gpu* gpu = only_gpu(report);
  if (gpu == nullptr) return "";
  std::string text = paragraph("On " + gpu->name + ":", look.screen);
  for (const FitSection& section : report.sections)
    text += paragraph(printable(section.name, 40) + ": " + verdict(section) + ".", look.screen, 4, 6);
  return text + '\n';
}

/// "; activations take most of it, 61.0 GiB"; nothing when the parts are not known.
std::string most_of_it(const MemoryUse& use) {
  const MemoryPart& part = largest_part(use);
  if (use.*part.size <= Bytes{}) return "";
  return "; " + std::string(part.name) + (plural(part.name) ? " take" : " takes") + " most of it, " +
         gib_text(use.*part.size) + " GiB";
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
  std::string words = printable(section.name, 60) + ": nothing holds it with " +
                      (most > 1 ? "up to " + std::to_string(most) + " GPUs." : "1 GPU.");
  if (tight != nullptr)
    words += " " + row_label(*tight) + " is tight: the median of what it needs, " +
             gib_text(tight->best->memory_total.p50) + " GiB a GPU, is below the usable " +
             gib_text(tight->node.gpu->usable) + ", P90 with " + gib_text(tight->best->memory_total.p90) + " is not.";
  else if (nearest != nullptr)
    words += " Closest: " + std::to_string(nearest->gpus) + "x " + nearest->gpu->name + " needs " +
             gib_text(nearest->needed) + " GiB a GPU where " + gib_text(nearest->usable) + " are usable, " +
             gib_text(nearest->needed - nearest->usable) + " GiB too much" + most_of_it(nearest->memory) + ".";
  text += paragraph(words, look.screen, 2, 4);
  if (nearest != nullptr) text += remedy_table(section.remedies, *nearest, look.screen);
}

}  // namespace

std::string fit_table(const FitReport& report, const Catalogue& catalogue, const FitLook& look) {
  std::string text = fit_heading(report, look.screen) + '\n' + verdicts(report, look);

  const bool across = report.sections.size() > 1 && !report.every_count;
  if (across) {
    if (const std::string rows = matrix_text(report, look); !rows.empty()) text += rows + '\n';
    text += parts_text(report, look);
  }
  for (const FitSection& section : report.sections) {
    if (!across) {
      text += paragraph(printable(section.name, 60) + ": " + section.title, look.screen, 2, 4);
      Table table(breakdown_columns());
      for (const FitRow& row : section.rows)
        if (holds(row) || look.all || report.every_count) add_breakdown(section, row, table);
      if (!table.empty()) text += table.text(look.screen);
      if (!table.empty()) text += left_out_words(table, look.screen);
      if (!table.empty()) text += '\n';
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
