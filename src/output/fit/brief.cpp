#include "output/fit/brief.h"

#include <algorithm>
#include <string_view>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// "weights and optimizer states": what lies in CPU memory.
std::string in_host(Offload offload) {
  std::vector<std::string> parts;
  if (includes(offload, Offload::kParams)) parts.emplace_back("weights");
  if (includes(offload, Offload::kOptimizer)) parts.emplace_back("optimizer states");
  if (includes(offload, Offload::kActivations)) parts.emplace_back("activations");
  return listed(parts);
}

/// "torchtune and 8-bit AdamW in pure bf16": what a plan of larger micro-batches has that the fastest way has not; ""
/// where it is more CPU offload, with which nearly everything holds more.
std::string otherwise_words(const PhaseEstimate& other, const PhaseEstimate& best) {
  std::vector<std::string> parts;
  if (other.framework != nullptr && other.framework != best.framework) parts.push_back(other.framework->name);
  if (other.lighter && !best.lighter) parts.emplace_back("8-bit AdamW in pure bf16");
  const bool offload = other.strategy.offload != best.strategy.offload;
  return offload ? "" : listed(parts);
}

/// "max batch 2, limited by logits", "up to 14 concurrent sequences, max context 17,407 tokens": what the fewest GPUs
/// take, of training and of generation.
std::vector<std::string> capacity_words(const FitRow& row) {
  std::vector<std::string> parts;
  const std::string other = row.otherwise ? otherwise_words(*row.otherwise, *row.best) : "";
  const std::string more = other.empty() ? "" : " (more with " + other + ")";
  const bool generates = row.context.has_value();
  const std::string limit = row.limit ? ", limited by " + std::string(row.limit->part) : std::string();
  if (row.largest_micro_batch > 0)
    parts.push_back((generates ? "up to " + count_of(row.largest_micro_batch, "concurrent sequence")
                               : "max micro-batch " + count_text(row.largest_micro_batch)) +
                    limit + more);
  if (generates && row.context->tokens > 0)
    parts.push_back(row.context->whole ? "the full context of " + count_text(row.context->tokens) + " tokens fits"
                                       : "max context " + count_text(row.context->tokens) + " tokens");
  if (row.context_at_batch && row.context_at_batch->tokens > 0)
    parts.push_back(count_text(row.context_at_batch->tokens) + " tokens each with " +
                    count_text(row.context_at_batch->sequences) + " at a time");
  return parts;
}

/// "; with CPU offload yes, on a machine with 124 GiB of RAM instead of 72": of a way that machines as they usually are
/// have no room for, as plan tells it.
std::string host_words(const FitRow& row) {
  if (!row.host.may_be_had() || row.host.use != HostUse::kOffload) return "";
  return "; with CPU offload yes, on a machine with " + gib_text(row.host.needed) + " GiB of RAM instead of " +
         gib_text(row.host.room);
}

/// "pure bf16, 8-bit AdamW" in place of the optimizer that the line asks for.
bool is_lighter_way(const FitRow& row) { return row.best && row.best->lighter; }

/// Does it fit, in words: "yes; max micro-batch 27", "no on 1 GPU (24.3 of 23.9 GiB); yes on 2 GPUs, ...".
std::string verdict(const FitSection& section) {
  const FitRow* holding = smallest(section);
  const FitRow* least = &section.rows.front();
  const FitRow* largest = least;
  const FitRow* tight = nullptr;
  int most = 0;
  for (const FitRow& row : section.rows) {
    if (row.gpus < least->gpus) least = &row;
    if (row.gpus > largest->gpus) largest = &row;
    most = std::max(most, row.gpus);
    if (tight == nullptr && row.best && !holds(row) && (holding == nullptr || row.gpus < holding->gpus)) tight = &row;
  }
  const auto gpus = [](int count) { return count_of(count, "GPU"); };
  std::vector<std::string> parts;
  if (tight != nullptr)
    parts.push_back("OOM risk on " + gpus(tight->gpus) + " (" + gib_text(tight->best->memory_total.p50) +
                    " GiB typical, " + gib_text(tight->best->memory_total.p90) + " at P90, " +
                    gib_text(tight->node.gpu->usable) + " usable)");
  if (holding == nullptr)
    return parts.empty() ? "no, not on " + std::string(most > 1 ? "up to " : "") + gpus(most) + host_words(*largest)
                         : parts.front();
  if (tight == nullptr && holding->gpus > least->gpus)
    parts.push_back("no on " + gpus(least->gpus) +
                    (least->nearest.phase >= 0
                         ? " (" + gib_text(least->nearest.needed) + " of " + gib_text(least->node.gpu->usable) +
                               " GiB" + host_words(*least) + ")"
                         : std::string()));
  std::string yes = holding->gpus > least->gpus ? "yes on " + gpus(holding->gpus) : "yes";
  if (holding->best->lighter) yes += " with 8-bit AdamW in pure bf16";
  if (offloads(*holding))
    yes += ", with CPU offload of " + in_host(holding->best->strategy.offload) + " (machines with " +
           gib_text(holding->best->host_memory) + " GiB of RAM)";
  parts.push_back(std::move(yes));
  for (std::string& part : capacity_words(*holding)) parts.push_back(std::move(part));
  return join(parts, "; ");
}

}  // namespace

std::string row_label(const FitRow& row) { return std::to_string(row.gpus) + "x " + row.node.gpu->name; }

bool offloads(const FitRow& row) { return row.best && row.best->strategy.offload != Offload::kNone; }

std::string context_words(const FitRow& row) {
  if (!row.context) return "";
  std::string text = row.context->tokens > 0 ? count_text(row.context->tokens) : "none";
  if (row.context_at_batch)
    text += "; " + count_text(row.context_at_batch->tokens) + " at " + count_text(row.context_at_batch->sequences);
  return text;
}

const Gpu* only_gpu(const FitReport& report) {
  const Gpu* only = nullptr;
  for (const FitSection& section : report.sections)
    for (const FitRow& row : section.rows) {
      if (only != nullptr && row.node.gpu != only) return nullptr;
      only = row.node.gpu;
    }
  return only;
}

std::string verdicts(const FitReport& report, const FitLook& look) {
  const Gpu* gpu = only_gpu(report);
  if (gpu == nullptr) return "";
  std::string text = paragraph(gpu->name + ", " + gib_text(gpu->usable) + " GiB usable:", look.screen);
  for (const FitSection& section : report.sections)
    text += paragraph(printable(section.name, 40) + ": " + verdict(section) + ".", look.screen, 4, 6);
  return text + '\n';
}

std::string counts_text(const FitReport& report, const FitLook& look) {
  std::vector<int> counts;
  for (const FitSection& section : report.sections)
    for (const FitRow& row : section.rows)
      if (std::ranges::find(counts, row.gpus) == counts.end()) counts.push_back(row.gpus);
  std::ranges::sort(counts);
  std::vector<Column> columns = {{.title = "GiB PER GPU / MAX BATCH"}};
  for (const int count : counts) columns.push_back({.title = count_of(count, "GPU"), .align = Align::kRight});
  Table table(std::move(columns));
  bool any_offload = false, any_lighter = false;
  for (const FitSection& section : report.sections) {
    std::vector<Cell> cells = {{printable(section.name, 40)}};
    for (const int count : counts) {
      const auto row = std::ranges::find(section.rows, count, &FitRow::gpus);
      if (row == section.rows.end()) {
        cells.emplace_back();
      } else if (!row->best) {
        cells.emplace_back(row->nearest.phase >= 0 ? gib_text(row->nearest.needed) + " / no" : "no", Paint::kYellow);
      } else {
        any_offload = any_offload || offloads(*row);
        any_lighter = any_lighter || is_lighter_way(*row);
        cells.emplace_back(gib_text(row->best->memory_total.p50) + " / " +
                               (holds(*row) ? count_text(row->largest_micro_batch) : "OOM risk") +
                               (offloads(*row) ? " *" : "") + (is_lighter_way(*row) ? " \xE2\x80\xA0" : ""),
                           holds(*row) ? Paint::kPlain : Paint::kYellow);
      }
    }
    table.add(std::move(cells));
  }
  return table.text(look.screen) +
         (any_offload ? paragraph("* with CPU offload (slower)", look.screen, 2, 4, Paint::kDim) : "") +
         (any_lighter
              ? paragraph(
                    "\xE2\x80\xA0 with 8-bit AdamW in pure bf16, as fp32 AdamW has no room without offload or more "
                    "GPUs",
                    look.screen, 2, 4, Paint::kDim)
              : "") +
         '\n';
}

std::string smallest_machines(const FitReport& report, const FitLook& look) {
  std::vector<std::string> parts;
  for (const FitSection& section : report.sections)
    if (const FitRow* row = smallest(section); row != nullptr)
      parts.push_back((report.sections.size() > 1 ? printable(section.name, 40) + " " : "") + row_label(*row) +
                      (offloads(*row)       ? " (with CPU offload)"
                       : row->best->lighter ? " (with 8-bit AdamW)"
                                            : ""));
  return parts.empty() ? "" : paragraph("Smallest machine: " + join(parts, ", ") + ".", look.screen) + '\n';
}

std::vector<Column> short_columns() {
  return {{.title = "GPUS", .narrowest = 24},
          {.title = "MEMORY", .align = Align::kRight, .around = " of ", .unit = "GiB per GPU"},
          {.title = "P10–P90", .align = Align::kRight, .drop = 2},
          {.title = "MAX BATCH", .align = Align::kRight},
          {.title = "MAX CONTEXT", .align = Align::kRight, .drop = 3},
          {.title = "LIMITED BY", .drop = 1},
          {.title = "NOTE"}};
}

void add_short(const FitRow& row, Table& table) {
  const std::string usable = " of " + gib_text(row.node.gpu->usable);
  const std::string part(row.limit ? row.limit->part : "");
  if (!row.best) {
    const std::string needs = row.nearest.phase >= 0 ? gib_text(row.nearest.needed) + usable : "not supported";
    const bool host = row.host.may_be_had() && row.host.use == HostUse::kOffload;
    const std::string note = host ? "no, or CPU offload in " + gib_text(row.host.needed) + " GiB of RAM" : "no";
    table.add({{row_label(row), Paint::kDim}, {needs, Paint::kYellow}, {}, {}, {}, {part, Paint::kDim}, {note}});
    return;
  }
  const Interval<Bytes>& total = row.best->memory_total;
  const bool fits = holds(row);
  table.add({{row_label(row), fits ? Paint::kPlain : Paint::kYellow},
             {gib_text(total.p50) + usable},
             {gib_text(total.p10) + "–" + gib_text(total.p90), Paint::kDim},
             {row.largest_micro_batch > 0 ? count_text(row.largest_micro_batch) : ""},
             {context_words(row)},
             {part, Paint::kDim},
             {!fits               ? "OOM risk"
              : offloads(row)     ? "CPU offload"
              : row.best->lighter ? "8-bit AdamW, pure bf16"
                                  : "",
              Paint::kDim}});
}

}  // namespace gpuplan
