// What runs, on which machines, what it needs and how fast it is.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/report/report_words.h"
#include "output/views/plan_views.h"
#include "output/words/beside_words.h"
#include "output/words/collection_words.h"
#include "output/words/columns.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/serving_words.h"
#include "output/words/strategy_reasons.h"
#include "plan/answer/phase_speed.h"
#include "plan/billing/interruptions.h"
#include "plan/capacity/largest_batch.h"
#include "plan/notes/command_text.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {
namespace {

const std::vector<ModelUse>* models_run(const Phase& phase) {
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) return &train->models;
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) return &generate->models;
  return nullptr;
}

std::string models_words(const Phase& phase) {
  std::vector<std::string> names;
  if (const auto* models = models_run(phase))
    for (const ModelUse& model : *models)
      names.push_back(printable(model.name, 60) + " (" + count_short(model.params()) + " parameters" +
                      (model.frozen ? ", frozen)" : ")"));
  return join(names, ", ");
}

std::string data_words(const Phase& phase, const PhaseEstimate& estimate) {
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) {
    std::string text;
    const std::string sample = sample_word(*train);
    if (train->data.samples) text = count_of(*train->data.samples, sample);
    else if (train->data.tokens) text = count_short(train->data.tokens->value) + " tokens";
    if (train->epochs) text += (text.empty() ? "" : ", ") + count_of(*train->epochs, "epoch");
    if (train->epochs && *train->epochs > 1 && train->data.samples)
      text += ", " + count_of(*train->epochs * *train->data.samples, sample) + " in all";
    return text;
  }
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) {
    double samples = 0;
    for (const Prompts& prompts : generate->data) samples += prompts.samples;
    std::string text = samples > 0 ? count_of(samples, "sample") : std::string();
    if (estimate.tokens > 0) text += (text.empty() ? "" : ", ") + count_short(estimate.tokens) + " tokens in all";
    return text;
  }
  return "";
}

std::string batch_in_words(const Phase& phase, const PhaseEstimate& estimate) {
  const std::string figures = batch_words(estimate, phase);
  if (figures.empty()) return "";
  return figures + (std::holds_alternative<TrainPhase>(phase.work)
                        ? " sequences (replicas x micro-batch x accumulation)"
                        : " sequences in parallel (replicas x each)");
}

std::string checkpoints_set(const PlanReport& report, const Phase& phase, const PhaseEstimate& estimate) {
  if (estimate.checkpoints < 1) return "";
  const CheckpointRule rule = defaults_of(report.job, phase).checkpoint;
  std::string text = count_of(estimate.checkpoints, "checkpoint") + " of " + disk_text(estimate.checkpoint_bytes);
  if (rule.every_time) text += ", every " + to_text(*rule.every_time);
  else if (rule.every_steps) text += ", every " + count_of(*rule.every_steps, "step");
  else if (estimate.checkpoints > 1) text += ", every " + count_of(steps_between_checkpoints(phase, estimate), "step");
  if (estimate.kept_checkpoints >= 1) text += ", " + count_text(estimate.kept_checkpoints) + " kept";
  return text;
}

struct Setting {
  std::string name;
  std::vector<std::string> values;  ///< by phase
};

/// A row for each thing that is set, a column for each phase that computes: what differs stands side by side.
TableBlock settings_table(const PlanReport& report, const std::vector<const PhasePlan*>& phases) {
  std::vector<Setting> rows;
  std::vector<PhaseEstimate> written;  // with the checkpoints of its scripts
  for (const PhasePlan* part : phases) written.push_back(with_due_checkpoints(report.job, *part));
  const auto row = [&](const char* name, auto&& value) {
    Setting setting{name, {}};
    for (std::size_t i = 0; i < phases.size(); ++i)
      setting.values.push_back(value(phase_of(report, *phases[i]), written[i]));
    rows.push_back(std::move(setting));
  };
  using P = const Phase&;
  using E = const PhaseEstimate&;
  row("Model", [](P phase, E) { return models_words(phase); });
  row("Data", [](P phase, E estimate) { return data_words(phase, estimate); });
  row("Method", [](P phase, E) {
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    return train == nullptr ? std::string() : std::string(name_of(train->method));
  });
  row("Trained", [](P phase, E) {
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    return train == nullptr || !train->trainable ? std::string() : count_short(*train->trainable) + " parameters";
  });
  row("Software and layout", [](P phase, E estimate) { return strategy_words(estimate, phase); });
  row("Batch", [](P phase, E estimate) { return batch_in_words(phase, estimate); });
  row("Steps", [](P, E estimate) { return estimate.steps > 0 ? count_text(estimate.steps) : std::string(); });
  row("Sequence", [](P, E estimate) {
    return estimate.sequence > 0 ? "up to " + count_text(estimate.sequence) + " tokens" : std::string();
  });
  row("Tokens", [](P phase, E estimate) {
    return std::holds_alternative<TrainPhase>(phase.work) && estimate.tokens > 0 ? count_short(estimate.tokens)
                                                                                 : std::string();
  });
  row("Checkpoints", [&](P phase, E estimate) { return checkpoints_set(report, phase, estimate); });
  row("Disk", [](P, E estimate) {
    return estimate.machine_disk_bytes > Bytes{} ? disk_text(estimate.machine_disk_bytes) + " a machine"
                                                 : std::string();
  });
  row("Host memory", [](P, E estimate) {
    return estimate.host_memory > Bytes{} ? gib_text(estimate.host_memory) + " GiB" : std::string();
  });
  std::vector<TableColumn> columns = {{"setting", "Setting", false}};
  for (const PhasePlan* part : phases)
    columns.push_back({"phase", phases.size() > 1 ? phase_name(report, *part) : std::string("Value"), false});
  TableMaker table("settings", phases.size() > 1 ? "How they are set up" : "How it is set up", std::move(columns));
  for (Setting& setting : rows) {
    if (std::ranges::all_of(setting.values, &std::string::empty)) continue;
    std::vector<Cell> cells = {{setting.name}};
    for (std::string& value : setting.values) cells.emplace_back(std::move(value));
    table.add(std::move(cells));
  }
  return table.take();
}

std::string gpus_words(const PhasePlan& part) {
  if (part.estimate->gpus == 0) return kNoValue;
  return std::to_string(part.gpus_used()) + " of " + std::to_string(std::max(part.gpus_billed, part.estimate->gpus));
}

std::string evidence_words(Evidence evidence) {
  switch (evidence) {
    case Evidence::kGiven:
      return "yours";
    case Evidence::kMeasured:
      return "measured";
    case Evidence::kCalibrated:
      return "predicted, calibrated on your figures";
    case Evidence::kModel:
      break;
  }
  return "predicted";
}

}  // namespace

ReportSection work_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportSection section{"work", "What runs?", "", {}};
  const Plan* pick = report.pick();
  if (pick == nullptr) {
    TableMaker table("phases", "", {{"phase", "Phase", false}, {"task", "What it does", false}});
    for (const Phase& phase : report.job.phases) table.add({{printable(phase.name, 40)}, {phase_words(phase)}});
    section.finding = count_of(static_cast<double>(report.job.phases.size()), "phase") + ".";
    section.blocks.push_back(table.take());
    return section;
  }
  section.finding = count_of(static_cast<double>(pick->phases.size()), "phase") + " in " + hours_words(pick->hours.p50);
  if (pick->billed_gpu_hours > 0) section.finding += ", " + rate_text(pick->gpu_hours) + " GPU-hours of work";
  section.finding += report.job.buffer > 0 ? "; a buffer of " + percent(report.job.buffer) + " is in all times." : ".";
  TableMaker table("phases", "",
                   {{"phase", "Phase", false},
                    {"needs", "Needs", false},
                    {"task", "What it does", false},
                    {"gpus_used", "GPUs used", true},
                    {"hours", "Time", true},
                    {"hours_range", kRunsHead, true}});
  std::vector<const PhasePlan*> computing;
  for (const PhasePlan& part : pick->phases) {
    const Phase& phase = phase_of(report, part);
    std::vector<std::string> needs;
    for (const std::string& need : phase.needs) needs.push_back(printable(need, 40));
    table.add({{phase_name(report, part)},
               {join(needs, ", ")},
               {phase_words(phase)},
               {static_cast<double>(part.gpus_used()), gpus_words(part)},
               time_cell(part.hours),
               {time_range(part.hours)}});
    add_ranges(part.hours, {}, table);
    if (computes(phase) && part.estimate->node) computing.push_back(&part);
  }
  section.blocks.push_back(table.take());
  constexpr std::size_t kBeside = 4;  // columns that a page has room for
  for (std::size_t from = 0; from < computing.size(); from += kBeside)
    section.blocks.push_back(settings_table(
        report, {computing.begin() + static_cast<std::ptrdiff_t>(from),
                 computing.begin() + static_cast<std::ptrdiff_t>(std::min(from + kBeside, computing.size()))}));
  for (const PhasePlan& part : pick->phases) {
    const auto* work = std::get_if<WorkPhase>(&phase_of(report, part).work);
    if (work == nullptr || work->each.empty()) continue;
    TableMaker stages("stages", phase_name(report, part) + ": stages of each of " + count_of(work->items, "item"),
                      {{"stage", "Stage", false}, {"seconds", "Time", true}});
    for (const auto& [name, time] : work->each)
      stages.add({{printable(name, 60)}, {time.range.p50.value, range_words(time.range)}});
    section.blocks.push_back(stages.take());
  }
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < report.job.phases.size(); ++i) {
    const Phase& phase = report.job.phases[i];
    const std::string name = printable(phase.name, 40);
    if (!phase.note.empty()) notes.push_back(name + ": " + printable(phase.note, 600));
    if (phase.before && !phase.before->text.empty())
      notes.push_back(name + ", by hand before it: " + printable(phase.before->text, 300) + " (" +
                      time_words(phase.before->time.range) + ")");
    if (!phase.yields.empty()) notes.push_back(name + " yields " + printable(phase.yields, 200) + ".");
  }
  add_list(section, notes);
  if (const std::string commands = commands_run(report, *pick); !commands.empty()) {
    section.blocks.push_back(TextBlock{"What is started on " + report.name(*pick), true});
    section.blocks.push_back(CodeBlock{"sh", commands});
  }
  return section;
}

ReportSection machines_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const ViewContent view = prices_view(report, Screen{});
  const Plan& pick = *report.pick();
  ReportSection section{"machines", "What do the machines cost?", offer_words(pick), {}};
  if (section.finding.empty()) section.finding = "The plan takes machines of several offers";
  section.finding = upper_first(section.finding) + ".";
  section.blocks.push_back(table_block(view.table, "prices", without_hints(view.title),
                                       {{"offer", "Offer"},
                                        {"memory_gib", "GiB per GPU"},
                                        {"architecture", "Architecture"},
                                        {"where", "Where"},
                                        {"spot_usd_per_hour", "Spot, $ an hour"},
                                        {"usd_per_hour", "On demand, $ an hour"},
                                        {"usd_per_gpu_hour", "Least per GPU-hour"},
                                        {"memory_share", "Memory used"},
                                        {"availability", "Availability"},
                                        {"as_of", "As of"}}));
  add_list(section, view.notes);
  return section;
}

ReportSection speed_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{"speed", "How fast is it?", "", {}};
  TableMaker table("speed", "",
                   {{"phase", "Phase", false},
                    {"seconds_per_step", "A step", true},
                    {"seconds_per_step_range", kRunsHead, true},
                    {"tokens_per_second", "Tokens/s", true},
                    {"tokens_per_second_range", kRunsHead, true},
                    {"samples_per_second", "Samples/s", true},
                    {"seconds_per_epoch", "An epoch", true},
                    {"model_seconds", "Predicted, a step or sample", true},
                    {"source", "Source", false}});
  std::vector<std::string> rates;
  for (const PhasePlan& part : pick.phases) {
    const Phase& phase = phase_of(report, part);
    const PhaseEstimate& estimate = part.estimate;
    if (!computes(phase) || !estimate.node) continue;
    const Interval<Seconds>& step = part.seconds_per_step;
    const Interval<TokensPerSecond>& rate = part.tokens_per_second;
    const bool stepped = estimate.steps > 0 && step.p50 > Seconds{};
    const bool rated = rate.p50 > TokensPerSecond{};
    const auto samples = samples_per_second(estimate);
    const auto epoch = epoch_time(phase, estimate);
    const auto model = model_unit_time(estimate);
    table.add({{phase_name(report, part)},
               stepped ? Cell(step.p50.value, to_text(step.p50)) : Cell(),
               {stepped && !step.exact() ? range_text(to_text(step.p10), to_text(step.p90)) : ""},
               rated ? Cell(rate.p50.value, rate_text(rate.p50.value)) : Cell(),
               {rated && !rate.exact() ? range_text(rate_text(rate.p10.value), rate_text(rate.p90.value)) : ""},
               samples ? Cell(*samples, rate_text(*samples)) : Cell(),
               epoch ? Cell(epoch->value, hours_words(*epoch)) : Cell(),
               model ? Cell(model->value, to_text(*model)) : Cell(),
               {evidence_words(estimate.evidence)}});
    if (const std::string words = rate_words(part, phase); !words.empty() && rates.size() < 3)
      rates.push_back((pick.phases.size() > 1 ? phase_name(report, part) + ": " : "") + words);
  }
  if (table.empty()) return section;
  section.finding = upper_first(join(rates, "; ")) + (rates.empty() ? "" : ".");
  section.blocks.push_back(table.take());
  if (report.by_model != nullptr) {
    const ViewContent evidence = evidence_view(report, Screen{});
    TableBlock block = table_block(evidence.table, "evidence", "Your figures beside the predictions",
                                   {{"plan", "Plan"},
                                    {"given_hours", "Hours with yours"},
                                    {"model_hours", "Hours, predicted"},
                                    {"given_cost_usd", "Cost with yours"},
                                    {"model_cost_usd", "Cost, predicted"},
                                    {"given_frontier", "Unbeaten with yours"},
                                    {"model_frontier", "Unbeaten, predicted"}});
    // Of plans that own figures move by nothing there is nothing to compare.
    std::erase_if(block.rows, [&](const TableRow& row) {
      const auto at = [&](std::string_view key) {
        const auto found = std::ranges::find(block.columns, key, &TableColumn::key);
        return found == block.columns.end() ? std::string()
                                            : row.cells[static_cast<std::size_t>(found - block.columns.begin())];
      };
      const bool given = std::ranges::any_of(report.found.plans, [&](const Plan& plan) {
        return plan.evidence == Evidence::kGiven && report.name(plan) == row.cells.front();
      });
      return !given && at("given_hours") == at("model_hours") && at("given_cost_usd") == at("model_cost_usd");
    });
    // Plans that something beats by either figures decide nothing.
    std::erase_if(block.rows, [](const TableRow& row) {
      return std::ranges::all_of(row.cells.end() - 2, row.cells.end(),
                                 [](const std::string& cell) { return cell.empty() || cell == kNoValue; });
    });
    for (TableRow& row : block.rows)
      for (auto cell = row.cells.end() - 2; cell != row.cells.end(); ++cell)
        *cell = cell->contains("pick") ? "recommended" : cell->empty() ? "not compared" : *cell;
    section.blocks.push_back(std::move(block));
  }
  std::vector<std::string> lines;
  for (const PhasePlan& part : pick.phases) {
    const std::string words = serving_words(part.estimate, phase_of(report, part));
    if (!words.empty()) lines.push_back(phase_name(report, part) + ": " + words + ".");
  }
  for (const std::string& line : target_lines(report)) lines.push_back(line);
  add_list(section, lines);
  constexpr double kLittle = 0.05;          // of a phase: nobody asks where so little comes from
  constexpr std::size_t kShortSource = 20;  // "the job"
  std::vector<std::string> told;            // sources, each once
  for (const PhasePlan& part : pick.phases) {
    const Table beside = beside_table(report.job, report.catalogue, part.estimate);
    if (beside.empty()) continue;
    const PhaseEstimate& estimate = part.estimate;
    std::string split;
    if (!estimate.whole_time_given && estimate.work.p50 > Seconds{})
      split = "Without the buffer, the work takes " + time_words(estimate.work) +
              (estimate.overhead_share > 0 ? ", with " + percent(estimate.overhead_share) + " that the job adds to it"
                                           : "") +
              "; what stands beside it takes " + time_words(estimate.extra) + ".";
    if (report.job.buffer <= 0 && !split.empty())
      split.replace(0, std::string_view("Without the buffer, t").size(), "T");
    TableBlock overheads = table_block(
        beside, "overheads", "",
        {{"OVERHEAD", "Overhead"}, {"VALUE", "Time"}, {"SAYS", "Says"}, {"FORMULA", "How"}, {"SOURCE", "Source"}});
    const bool little = estimate.extra.p50 < kLittle * (estimate.work.p50 + estimate.extra.p50);
    for (TableRow& row : overheads.rows) {
      std::string& source = row.cells.back();
      if (little) source.clear();
      else if (std::ranges::find(told, source) != told.end() && source.size() > kShortSource) source = "as above";
      else told.push_back(source);
    }
    section.blocks.push_back(
        FoldBlock{"Time beside the work: " + phase_name(report, part), {TextBlock{split}, std::move(overheads)}});
  }
  return section;
}

}  // namespace gpuplan
