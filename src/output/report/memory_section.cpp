// What a plan needs of a GPU's memory: by part, by model and by batch, and what was tried instead.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/fit/views.h"
#include "output/report/report_words.h"
#include "output/report/said_once.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/strategy_reasons.h"
#include "plan/capacity/batch_memory.h"
#include "plan/capacity/largest_batch.h"
#include "plan/notes/batch_notes.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {
namespace {

/// What each of several models that lie on the same GPUs takes of their weights.
TableBlock weights_by_model(const PlanReport& report, const PhasePlan& part) {
  TableMaker table("weights", "Weights of each model in " + phase_name(report, part),
                   {{"model", "Model", false}, {"parameters", "Parameters", true}, {"weights_gib", "GiB", true}});
  const auto* train = std::get_if<TrainPhase>(&phase_of(report, part).work);
  if (train == nullptr || train->models.size() < 2) return table.take();
  // All of them frozen are stored alike, each parameter in as many bytes.
  if (!std::ranges::all_of(train->models, &ModelUse::frozen)) return table.take();
  constexpr double kStored = 2;  // bytes of a frozen parameter in 16 bits
  for (const ModelUse& model : train->models) {
    const Bytes size{model.params() * kStored};
    table.add({{printable(model.name, 60)},
               {model.params(), count_short(model.params())},
               {size / units::GiB, gib_text(size)}});
  }
  return table.take();
}

/// Tables of phases; those of phases that are set up alike are the same, and stand once.
class PhaseTables {
 public:
  explicit PhaseTables(ReportSection& section) : section_(section) {}
  void add(TableBlock block) {
    std::vector<std::string> cells;
    for (const TableRow& row : block.rows) cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    if (std::ranges::find(told_, cells) != told_.end()) return;
    told_.push_back(std::move(cells));
    section_.blocks.push_back(std::move(block));
  }

 private:
  ReportSection& section_;
  std::vector<std::vector<std::string>> told_;
};

/// "data parallel 8, CPU offload (optimizer, gradients)": at the commas outside of brackets.
std::vector<std::string_view> parts_of(std::string_view words) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    const char c = i < words.size() ? words[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ',' || depth > 0) continue;
    if (const std::string_view part = trim(words.substr(from, i - from)); !part.empty()) parts.push_back(part);
    from = i + 1;
  }
  return parts;
}

/// Of how a way runs what is neither chosen nor named by it: what else changes where it is taken.
void keep_other_changes(TableBlock& tried) {
  const auto column = std::ranges::find(tried.columns, "how", &TableColumn::key);
  if (column == tried.columns.end() || tried.rows.empty()) return;
  const auto at = static_cast<std::size_t>(column - tried.columns.begin());
  const std::string chosen = tried.rows.front().cells[at];
  const std::vector<std::string_view> known = parts_of(chosen);
  for (TableRow& row : tried.rows) {
    std::string changes;
    for (const std::string_view part : parts_of(row.cells[at])) {
      const std::string_view way = row.cells.front();
      // Of the same batch it goes with the micro-batch.
      if (part.starts_with("gradient accumulation")) continue;
      if (std::ranges::find(known, part) != known.end() || way.contains(part) || part.contains(way)) continue;
      changes += (changes.empty() ? "" : ", ") + std::string(part);
    }
    row.cells[at] = std::move(changes);
  }
  if (std::ranges::all_of(tried.rows, [&](const TableRow& row) { return row.cells[at].empty(); }))
    tried.erase_column(at);
}

/// Sequences at once around those that are planned: from a 32nd to four times as many.
std::vector<int> batches_around(int planned) {
  constexpr int kFewer = 32, kMore = 4;
  std::vector<int> batches;
  for (int batch = std::max(1, planned / kFewer); batch <= kMore * planned; batch *= 2) batches.push_back(batch);
  return batches;
}

/// For each phase that computes what other batches would need, and which of the plans' GPUs hold them.
void add_batch_tables(const PlanReport& report, ReportSection& section) {
  std::vector<GpuChoice> offered;
  for (const Plan& plan : report.found.plans)
    if (plan.node.gpu != nullptr && std::ranges::find(offered, plan.node.gpu->name, &GpuChoice::gpu) == offered.end())
      offered.push_back({.gpu = plan.node.gpu->name});
  PhaseTables tables(section);
  for (const PhasePlan& part : report.pick()->phases) {
    const PhaseEstimate& estimate = part.estimate;
    if (!computes(phase_of(report, part)) || !estimate.node || fills_memory(phase_of(report, part))) continue;
    Job alone = report.job;
    alone.phases = {phase_of(report, part)};
    alone.where.gpus = offered;
    // In the software of the plan: what another would need stands among what was tried instead.
    if (auto* train = std::get_if<TrainPhase>(&alone.phases.front().work); train != nullptr && estimate.framework)
      train->framework = estimate.framework->name;
    const int count = std::max(1, estimate.gpus / std::max(estimate.nodes, 1));
    auto rows = memory_by_batch(alone, 0, report.catalogue, batches_around(estimate.strategy.micro_batch), count);
    if (!rows) continue;
    const BatchSection found{phase_name(report, part), "", count, *std::move(rows)};
    if (!found.held()) continue;
    TableBlock batches = table_block(batch_table(found, false), "batches",
                                     "By sequences in parallel on a GPU in " + phase_name(report, part) + ", in GiB" +
                                         (count > 1 ? " without sharding" : "") + ", and which GPUs hold them",
                                     {{"batch", "Sequences"},
                                      {"needed_gib", "Needs"},
                                      {"needed_gib~", kRunsHead},
                                      {"held_by", "Held by"},
                                      {"held_by_saving", "With checkpointing or offload by"}});
    // Where each of them is held by the same GPUs, the largest that fits, below, says more.
    const auto held = [&](const TableRow& row, std::size_t at) { return at < row.cells.size() ? row.cells[at] : ""; };
    bool differ = false;
    for (std::size_t c = 0; c < batches.columns.size(); ++c)
      if (batches.columns[c].key.starts_with("held_by"))
        for (const TableRow& row : batches.rows) differ = differ || held(row, c) != held(batches.rows.front(), c);
    if (differ) tables.add(std::move(batches));
  }
}

}  // namespace

ReportSection memory_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const ViewContent view = memory_view(report, Screen{});
  ReportSection section{"memory", "Does it fit in memory?", "", {}};
  if (view.table.empty()) return section;
  section.finding = view.notes.empty() ? std::string() : without_hints(view.notes.front());
  // Of machines of several kinds the fullest phase alone is meant.
  if (const Plan& pick = *report.pick(); pick.offer == nullptr && pick.fullest() != nullptr && !section.finding.empty())
    section.finding = "Fullest in " + phase_name(report, *pick.fullest()) + ": " + section.finding;
  TableBlock needs = table_block(view.table, "memory", "GiB of the fullest GPU",
                                 {{"plan", "Plan"},
                                  {"phase", "Phase"},
                                  {"NEEDS", "Needs"},
                                  {"NEEDS~", kRunsHead},
                                  {"used_share", "Used"},
                                  {"smallest_card", "Smallest GPU"}});
  TableBlock uses = table_block(view.table, "memory_parts", "By part, in GiB",
                                {{"plan", "Plan"},
                                 {"weights_gib", "Weights"},
                                 {"gradients_gib", "Gradients"},
                                 {"optimizer_gib", "Optimizer"},
                                 {"activations_gib", "Activations"},
                                 {"logits_gib", "Logits"},
                                 {"kv_cache_gib", "KV cache"},
                                 {"buffers_and_context_gib", "Other"}});
  // Of the plans that the answer compares; what of memory others use stands with the prices.
  std::vector<std::string> compared;
  for (const Plan* plan : answer_rows(report)) compared.push_back(report.name(*plan));
  for (TableBlock* table : {&needs, &uses}) {
    std::erase_if(table->rows, [&](const TableRow& row) {
      return row.mark != RowMark::kPick && std::ranges::find(compared, row.cells.front()) == compared.end();
    });
    join_alike(*table);
  }
  section.blocks.push_back(std::move(needs));
  section.blocks.push_back(std::move(uses));
  if (view.notes.size() > 1) add_list(section, {view.notes.begin() + 1, view.notes.end()});
  for (const PhasePlan& part : report.pick()->phases) section.blocks.push_back(weights_by_model(report, part));
  add_batch_tables(report, section);
  PhaseTables tables(section);
  for (const PhasePlan& part : report.pick()->phases) {
    const auto others = alternatives(report.job, part.estimate, report.catalogue);
    if (others.empty()) continue;
    Table ways = alternatives_table();
    add_alternatives(others, part.estimate, phase_of(report, part), ways);
    TableBlock tried = table_block(ways, "tried", "Tried instead in " + phase_name(report, part),
                                   {{"way", "Way"},
                                    {"how", "With it"},
                                    {"time_ratio", "Time (chosen = 1)"},
                                    {"memory_gib", "GiB per GPU"},
                                    {"memory_gib_p90", "9 in 10 runs need less than"},
                                    {"why_not", "Why not"}});
    keep_other_changes(tried);
    tables.add(std::move(tried));
  }
  std::vector<std::string> largest;
  for (const PhasePlan& part : report.pick()->phases) {
    const Phase& phase = phase_of(report, part);
    const PhaseEstimate& estimate = part.estimate;
    if (!computes(phase) || !estimate.node || estimate.node->gpu == nullptr || fills_memory(phase)) continue;
    Job alone = report.job;
    alone.phases = {phase};
    PhaseEstimate first = estimate;
    first.phase = 0;
    const Machines machines{*estimate.node, std::max(estimate.nodes, 1), estimate.gpus, true};
    const int most = OpenBatch(std::move(alone), 0, report.catalogue, machines, first).largest();
    if (most > 0)
      largest.push_back("Largest that fits in " + phase_name(report, part) + ": " + batch_count(estimate, most) +
                        " in parallel on each replica (planned: " + count_text(estimate.strategy.micro_batch) + ").");
  }
  if (!largest.empty())
    largest.emplace_back(
        "Largest: in 9 of 10 runs, on the plan's machines and in its layout, with as much checkpointing as it takes. "
        "gpuplan fit tries other layouts, too.");
  add_list(section, largest);
  return section;
}

}  // namespace gpuplan
