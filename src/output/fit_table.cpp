#include "output/fit_table.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/explain.h"
#include "output/plan_words.h"
#include "output/table.h"

namespace gpuplan {
namespace {

bool holds(const FitRow& row) { return row.best && row.best->fit == Fit::kFits; }

const Phase& phase_of(const FitSection& section, const FitRow& row) {
  return section.job.phases[static_cast<std::size_t>(row.best ? row.best->phase : 0)];
}

std::string row_label(const FitRow& row) { return std::to_string(row.gpus) + "x " + row.node.gpu->name; }

/// What a reader must know before he believes that it fits.
bool offloads(const FitRow& row) { return row.best && row.best->strategy.offload != Offload::kNone; }

/// A part of the memory; nothing when there is none, so that columns that nobody needs vanish.
std::string part(Bytes size) { return size > 0.005 * units::GiB ? gib_text(size) : std::string(); }

/// The row a reader starts from: fewest GPUs, then the smallest card.
const FitRow* smallest(const FitSection& section) {
  const FitRow* best = nullptr;
  for (const FitRow& row : section.rows) {
    if (!holds(row)) continue;
    if (best == nullptr || row.gpus < best->gpus ||
        (row.gpus == best->gpus && row.node.gpu->usable < best->node.gpu->usable))
      best = &row;
  }
  return best;
}

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
          {.title = "HOW", .drop = 9, .narrowest = 24, .wrap = true}};
}

/// `apart`: how it runs goes below the row instead of into the last column.
void add_breakdown(const FitSection& section, const FitRow& row, Table& table, bool apart) {
  const Bytes usable = row.node.gpu->usable;
  const std::string label = (apart ? section.name + ": " : "") + row_label(row);
  if (!row.best) {
    const std::string needs =
        row.nearest.phase >= 0 ? gib_text(row.nearest.needed) + " of " + gib_text(usable) : "can not run";
    table.add({{label, Paint::kDim}, {needs, Paint::kYellow}});
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
             {part(use.weights)},
             {part(use.gradients)},
             {part(use.optimizer)},
             {part(use.activations)},
             {part(use.logits)},
             {part(use.kv_cache)},
             {part(use.buffers)},
             {part(use.context)},
             {largest},
             {apart ? std::string() : how, Paint::kDim}});
  if (apart) table.add_remark("  " + how);
}

/// GPUs down, questions across: the smallest machine for each.
std::string matrix(const FitReport& report, const FitLook& look) {
  std::vector<Column> columns = {{.title = "GPU", .narrowest = 12},
                                 {.title = "USABLE", .align = Align::kRight, .drop = 1, .around = " "}};
  for (const FitSection& section : report.sections) columns.push_back({.title = section.name});
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
      if (row == section.rows.end()) {
        cells.emplace_back("–", Paint::kDim);
        continue;
      }
      any = true;
      cells.emplace_back(std::to_string(row->gpus) + "x " + gib_text(row->best->memory_total.p50) + " GiB" +
                         (row->largest_micro_batch > 1 ? ", batch " + std::to_string(row->largest_micro_batch) : "") +
                         (offloads(*row) ? ", offload" : ""));
    }
    if (any || look.all) table.add(std::move(cells));
  }
  return table.text(look.screen);
}

void nothing(const FitSection& section, const FitReport& report, const FitLook& look, std::string& text) {
  const NearMiss* nearest = nullptr;
  for (const FitRow& row : section.rows)
    if (row.nearest.phase >= 0 && (nearest == nullptr || row.nearest.shortfall() < nearest->shortfall()))
      nearest = &row.nearest;
  std::string words =
      section.title + ": nothing holds it with up to " + std::to_string(std::ranges::max(report.counts)) + " GPUs";
  if (nearest != nullptr)
    words += ". Closest: " + std::to_string(nearest->gpus) + "x " + nearest->gpu->name + " needs " +
             gib_text(nearest->needed) + " of " + gib_text(nearest->usable) + " GiB a GPU, " +
             gib_text(nearest->needed - nearest->usable) + " GiB too much";
  text += paragraph(words + ".", look.screen);
  for (const Remedy& remedy : section.remedies)
    text += paragraph(remedy.change + ": needs " + gib_text(remedy.needed) + " GiB a GPU" +
                          (remedy.enough ? ", which fits" : ", still too much"),
                      look.screen, 4, 6);
}

std::vector<PhaseTerms> terms_of(const FitSection& section, const FitRow& row, const Catalogue& catalogue,
                                 Plan& storage) {
  storage.phases.push_back({.estimate = *row.best});
  return explain_phases(storage, section.job, catalogue);
}

void write_row(JsonWriter& json, const FitSection& section, const FitRow& row) {
  json.begin_object().member("gpu", row.node.gpu->name).member("gpus", row.gpus);
  json.member("fit", row.best ? std::optional<std::string_view>(name_of(row.best->fit)) : std::nullopt);
  json.member("usable_gib", row.node.gpu->usable / units::GiB);
  if (!row.best) {
    if (row.nearest.phase >= 0) json.member("needed_gib", row.nearest.needed / units::GiB);
    else json.null_member("needed_gib");
    json.null_member("memory_gib").null_member("largest_batch").null_member("how").end();
    return;
  }
  const Interval<Bytes>& total = row.best->memory_total;
  const MemoryUse& use = row.best->memory;
  json.member("needed_gib", total.p50 / units::GiB);
  json.key("memory_gib").begin_object();
  json.key("total").begin_object(true).member("p10", total.p10 / units::GiB).member("p50", total.p50 / units::GiB);
  json.member("p90", total.p90 / units::GiB).end();
  json.member("weights", use.weights / units::GiB).member("gradients", use.gradients / units::GiB);
  json.member("optimizer", use.optimizer / units::GiB).member("activations", use.activations / units::GiB);
  json.member("logits", use.logits / units::GiB).member("kv_cache", use.kv_cache / units::GiB);
  json.member("buffers", use.buffers / units::GiB).member("context", use.context / units::GiB).end();
  json.member("largest_batch", row.largest_micro_batch)
      .member("how", strategy_words(*row.best, phase_of(section, row)))
      .end();
}

}  // namespace

bool FitSection::held() const { return std::ranges::any_of(rows, holds); }

std::string fit_table(const FitReport& report, const Catalogue& catalogue, const FitLook& look) {
  std::string heading = printable(report.subject, 100);
  if (report.params > 0) heading += ": " + count_short(report.params) + " parameters";
  std::string text = paragraph(heading + " · memory by the model, no prices", look.screen, 0, 0) + '\n';

  const bool across = report.sections.size() > 1 && !report.every_count;
  if (across) {
    text += paragraph("Smallest machine that holds it (up to " + std::to_string(std::ranges::max(report.counts)) +
                          " GPUs): GPUs, memory a GPU, largest batch a GPU or replica",
                      look.screen);
    text += matrix(report, look) + '\n';
    Table table(breakdown_columns());
    for (const FitSection& section : report.sections)
      if (const FitRow* row = smallest(section)) add_breakdown(section, *row, table, true);
    if (!table.empty())
      text += paragraph("By part, on the smallest of them, in GiB a GPU", look.screen) + table.text(look.screen);
  }
  for (const FitSection& section : report.sections) {
    if (!across) {
      Table table(breakdown_columns());
      for (const FitRow& row : section.rows)
        if (holds(row) || look.all || report.every_count) add_breakdown(section, row, table, false);
      if (!table.empty())
        text +=
            paragraph(printable(section.name, 60) + ": " + section.title, look.screen) + table.text(look.screen) + '\n';
    }
    if (!section.held()) nothing(section, report, look, text);
  }
  if (across) {
    text += '\n';
    for (const FitSection& section : report.sections)
      text += paragraph(printable(section.name, 60) + ": " + section.title, look.screen, 2, 4);
  }
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

std::string fit_json(const FitReport& report, const Catalogue& catalogue, const FitLook& look) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/fit@1").member("subject", report.subject);
  if (report.params > 0) json.member("params", report.params);
  else json.null_member("params");
  json.key("counts").begin_array(true);
  for (const int count : report.counts) json.value(count);
  json.end().key("sections").begin_array();
  for (const FitSection& section : report.sections) {
    json.begin_object().member("name", section.name).member("title", section.title).member("held", section.held());
    json.key("rows").begin_array();
    for (const FitRow& row : section.rows)
      if (row.best || look.all || report.every_count || !section.held()) write_row(json, section, row);
    json.end().key("remedies").begin_array();
    for (const Remedy& remedy : section.remedies)
      json.begin_object(true)
          .member("change", remedy.change)
          .member("needed_gib", remedy.needed / units::GiB)
          .member("enough", remedy.enough)
          .end();
    json.end();
    if (const FitRow* row = smallest(section); look.explain && row != nullptr) {
      Plan storage;
      json.key("explain");
      write_terms(json, terms_of(section, *row, catalogue, storage));
    }
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
