#include "output/explain/explain.h"

#include <algorithm>
#include <array>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "model/generation/generation.h"
#include "model/training/rollouts.h"
#include "model/training/training.h"
#include "output/explain/own_terms_words.h"
#include "output/explain/range_table.h"
#include "output/text/table.h"
#include "output/words/beside_words.h"
#include "output/words/collection_words.h"
#include "output/words/gate_words.h"
#include "output/words/plan_words.h"
#include "output/words/spot_words.h"
#include "output/words/strategy_reasons.h"
#include "plan/strategy/practice.h"
#include "plan/strategy/software.h"

namespace gpuplan {
namespace {

std::vector<Term> training_terms(const TrainPhase& asked, const PhaseEstimate& estimate, const Catalogue& catalogue,
                                 const ErrorModel& errors) {
  const TrainPhase train = as_run(asked, estimate);
  auto work = training_work(train);
  if (!work || estimate.framework == nullptr) return {};
  pad_answers(*work, static_cast<double>(estimate.strategy.micro_batch) * estimate.strategy.grad_accum);
  const Strategy& s = estimate.strategy;
  TrainingRates rates = training_rates(catalogue, *estimate.node, *estimate.framework, s.precision, s.compile, *work);
  rates.errors = &errors;
  const LayerCut cut{s.tp, s.cp, s.ep, s.micro_batch, s.recompute, s.attention};
  return explain_training(*work, rates, layer_cost(*work, rates, cut), s, estimate.nodes);
}

std::vector<Term> generation_terms(const GeneratePhase& generate, const PhaseEstimate& estimate,
                                   const Catalogue& catalogue, const ErrorModel& errors) {
  const auto work = generation_work(generate);
  if (!work || estimate.framework == nullptr) return {};
  auto rates = serving_rates(catalogue, *estimate.node, *estimate.framework, generate, estimate.strategy.weights);
  if (rates) rates->errors = &errors;
  return rates ? explain_generation(*work, *rates, estimate.strategy) : std::vector<Term>{};
}

std::string heading(const PhaseTerms& explained) {
  const PhaseEstimate& estimate = explained.part->estimate;
  std::string text = printable(explained.phase->name, 60);
  if (estimate.node) text += " on " + std::to_string(estimate.gpus) + "x " + estimate.node->gpu->name;
  if (const std::string how = strategy_words(estimate, *explained.phase); !how.empty()) text += ": " + how;
  return text;
}

/// " 2.0 samples/s, 41.7 min an epoch."; empty for what does not train.
std::string pace_words(const Phase& phase, const PhaseEstimate& estimate) {
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  if (train == nullptr || estimate.units <= 0 || estimate.work.p50 <= Seconds{}) return "";
  const Seconds work = estimate.work.p50 / (1 + estimate.overhead_share);
  std::string text = " " + rate_text(estimate.units / work.value) + " samples/s";
  if (train->epochs && *train->epochs > 0) text += ", " + hours_words(work / *train->epochs) + " per epoch";
  return text + ".";
}

/// Where the working time of a phase comes from, and what the job added.
std::string time_words(const PhaseEstimate& estimate) {
  std::string text =
      "Working time " + range_words(estimate.work) + ", source: " + std::string(name_of(estimate.evidence));
  if (estimate.evidence == Evidence::kGiven && estimate.work_by_model > Seconds{}) {
    text += "; predicted " + to_text(estimate.work_by_model * (1 + estimate.overhead_share));
    if (estimate.model_interval)
      text += " (" + range_text(to_text(estimate.model_interval->p10), to_text(estimate.model_interval->p90)) +
              "): far apart";
  } else if (estimate.work_is_model && !estimate.regime.empty()) {
    text += "; range based on: " + std::string(estimate.regime);
  }
  if (estimate.overhead_share > 0)
    text += "; " + percent(estimate.overhead_share) + " overhead on top of the terms included";
  text += ".";
  if (estimate.extra.p50 > Seconds{}) text += " Overhead: " + range_words(estimate.extra) + ".";
  return text;
}

/// From phases to hours, and from hours to dollars.
std::vector<std::string> money_words(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> lines;
  std::string hours = "Hours " + hours_text(plan.hours.p50) + " (" + outcome_text(plan.hours) + ", mean " +
                      hours_text(plan.hours.mean) + "): from first boot to last result";
  if (plan.buffer > Seconds{})
    hours += ", " + hours_words(plan.buffer) + " of it the buffer of " + percent(report.job.buffer);
  if (plan.spot_loss > Seconds{})
    hours += ", interruptions and extra checkpoints take " + hours_words(plan.spot_loss) + " of it on average";
  lines.push_back(hours + ".");

  std::string dollars = "Cost " + to_text(plan.cost.p50) + " (" +
                        range_text(to_text(plan.cost.p10), to_text(plan.cost.p90)) + ", mean " +
                        to_text(plan.cost.mean) + "): ";
  if (plan.offer != nullptr) {
    dollars += hours_words(Seconds{plan.billed_gpu_hours / std::max(plan.gpus, 1) * units::hour.value}) + " held";
    if (plan.nodes > 1) dollars += " x " + std::to_string(plan.nodes) + " machines";
    dollars += " at " + paid_price_words(plan) + ", billed " + billing_words(plan.offer->billing);
    dollars += plan.kept ? "" : ", released while idle";
  } else {
    dollars += "each phase on its own offer";
  }
  for (const std::string& words : beside_machines_words(plan)) dollars += "; " + words;
  if (plan.idle >= Dollars{0.01}) dollars += "; " + to_text(plan.idle) + " of it while no phase runs";
  lines.push_back(dollars + ".");
  for (std::string& line : own_terms_words(report.job, plan)) lines.push_back(std::move(line));
  for (std::string& line : spot_words(report.job, plan)) lines.push_back(std::move(line));
  if (plan.billed_gpu_hours > 0) {
    lines.push_back(significant_text(plan.gpu_hours, 3) + " GPU-hours used of " +
                    significant_text(plan.billed_gpu_hours, 3) +
                    " paid for: " + percent(plan.gpu_hours / plan.billed_gpu_hours) + ", " +
                    to_text(plan.machines_cost() / std::max(plan.gpu_hours, 1e-9)) + " per GPU-hour used.");
  }
  for (std::string& line : gate_words(report, plan)) lines.push_back(std::move(line));
  return lines;
}

void add_terms(const PhaseTerms& phase, Term::Kind kind, const char* title, Table& table) {
  const double total = phase.total(kind);
  if (total <= 0) return;
  std::vector<const Term*> parts;
  for (const Term& term : phase.terms)
    if (term.kind == kind && term.part_of_total && term.value != 0) parts.push_back(&term);
  sort_stably(parts, [](const Term* a, const Term* b) { return a->value > b->value; });
  for (const Term* term : parts)
    table.add({{std::string(term->name)},
               {term_value(*term)},
               {percent(term->value / total)},
               {std::string(term->formula), Paint::kDim},
               {std::string(term->source), Paint::kDim}});
  const Term sum{kind, title, total, "", "", true};
  table.add({{title, Paint::kBold}, {term_value(sum), Paint::kBold}, {"100%"}});
}

std::vector<Column> term_columns() {
  return {{.title = "TERM", .narrowest = 16, .wrap = true},
          {.title = "VALUE", .align = Align::kRight},
          {.title = "SHARE", .align = Align::kRight, .drop = 2},
          {.title = "FORMULA", .narrowest = 20, .wrap = true},
          {.title = "SOURCE", .drop = 1, .narrowest = 20, .wrap = true}};
}

std::string_view kind_name(Term::Kind kind) {
  switch (kind) {
    case Term::Kind::kTime:
      return "time";
    case Term::Kind::kMemory:
      return "memory";
    case Term::Kind::kDisk:
      return "disk";
    case Term::Kind::kTokenRate:
    case Term::Kind::kByteRate:
    case Term::Kind::kOperationRate:
      return "rate";
    case Term::Kind::kShare:
      return "share";
    case Term::Kind::kCount:
      return "count";
  }
  return "";
}

void write_interval(JsonWriter& json, std::string_view name, const Interval<Seconds>& time) {
  json.key(name).begin_object(true);
  json.member("p10", time.p10.value).member("p50", time.p50.value).member("p90", time.p90.value).end();
}

}  // namespace

double PhaseTerms::total(Term::Kind kind) const {
  double sum = 0;
  for (const Term& term : terms)
    if (term.kind == kind && term.part_of_total) sum += term.value;
  return sum;
}

const Term* PhaseTerms::largest(Term::Kind kind) const {
  const Term* best = nullptr;
  for (const Term& term : terms)
    if (term.kind == kind && term.part_of_total && (best == nullptr || term.value > best->value)) best = &term;
  return best;
}

std::vector<PhaseTerms> explain_phases(const Plan& plan, const Job& job, const Catalogue& catalogue,
                                       const ErrorModel& errors) {
  std::vector<PhaseTerms> result;
  for (const PhasePlan& part : plan.phases) {
    // Beside a figure of the user's stands what is predicted without it.
    const ErrorModel& its = part.estimate->work_is_model ? errors : catalogue.errors;
    PhaseTerms explained;
    explained.part = &part;
    explained.phase = &job.phases[static_cast<std::size_t>(part.estimate->phase)];
    if (part.estimate->node) {
      if (const auto* train = std::get_if<TrainPhase>(&explained.phase->work)) {
        explained.per_step = true;
        explained.terms = training_terms(*train, part.estimate, catalogue, its);
      } else if (const auto* generate = std::get_if<GeneratePhase>(&explained.phase->work)) {
        explained.terms = generation_terms(*generate, part.estimate, catalogue, its);
      }
    }
    result.push_back(std::move(explained));
  }
  return result;
}

std::string terms_table(const PhaseTerms& phase, const Screen& screen) {
  std::string text;
  Table time(term_columns());
  add_terms(phase, Term::Kind::kTime, phase.per_step ? "one step" : "whole phase", time);
  if (!time.empty()) text += time.text(screen, 4);
  Table memory(term_columns());
  add_terms(phase, Term::Kind::kMemory, "memory per GPU", memory);
  if (!memory.empty()) text += (text.empty() ? "" : "\n") + memory.text(screen, 4);
  Table others(term_columns());
  for (const Term& term : phase.terms)
    if (!term.part_of_total && term.value != 0)
      others.add({{std::string(term.name)},
                  {term_value(term)},
                  {},
                  {std::string(term.formula), Paint::kDim},
                  {std::string(term.source), Paint::kDim}});
  if (!others.empty()) text += (text.empty() ? "" : "\n") + others.text(screen, 4);
  return text;
}

std::string explain_plan(const PlanReport& report, const Plan& plan, const Screen& screen) {
  std::string text = gpuplan::heading("How the numbers for " + report.name(plan) + " are computed", screen);
  for (const PhaseTerms& explained : explain_phases(plan, report.job, report.catalogue, report.errors())) {
    text += '\n' + paragraph(heading(explained), screen, 2, 4);
    text += paragraph(time_words(explained.part->estimate) + pace_words(*explained.phase, explained.part->estimate),
                      screen, 4, 4);
    if (!explained.terms.empty()) text += '\n' + terms_table(explained, screen);
    const PhaseEstimate& estimate = explained.part->estimate;
    const Table ranges = range_table(range_parts(report.errors(), *explained.phase, estimate));
    if (!ranges.empty()) text += '\n' + ranges.text(screen, 4);
    if (const Table beside = beside_table(report.job, report.catalogue, estimate); !beside.empty())
      text += '\n' + beside.text(screen, 4);
    const auto others =
        &plan == report.pick() ? alternatives(report.job, estimate, report.catalogue) : std::vector<Alternative>{};
    if (others.empty()) continue;
    Table table = alternatives_table();
    add_alternatives(others, estimate, *explained.phase, table);
    text += '\n' + table.text(screen, 4);
    const std::string complexity = complexity_words(others, estimate, report.catalogue.practice_constants);
    if (!complexity.empty()) text += paragraph(complexity, screen, 4, 4);
  }
  text += '\n';
  for (const std::string& line : money_words(report, plan)) text += paragraph(line, screen);
  const Table costs = cost_range_table(cost_range(plan, report.catalogue, report.job.market.scatter));
  if (!costs.empty()) text += '\n' + costs.text(screen, 4);
  return text;
}

void write_term_list(JsonWriter& json, const std::vector<Term>& terms) {
  PhaseTerms of;
  of.terms = terms;
  json.begin_array();
  for (const Term& term : terms) {
    json.begin_object(true).member("kind", kind_name(term.kind));
    json.member("name", term.name).member("value", term.value).member("unit", unit_of(term.kind));
    const double total = of.total(term.kind);
    if (term.part_of_total && total > 0) json.member("share", term.value / total);
    else json.null_member("share");
    json.member("formula", term.formula)
        .member("source", term.source)
        .member("part_of_total", term.part_of_total)
        .end();
  }
  json.end();
}

void write_terms(JsonWriter& json, const std::vector<PhaseTerms>& phases, const ErrorModel& errors) {
  json.begin_array();
  for (const PhaseTerms& explained : phases) {
    const PhaseEstimate& estimate = explained.part->estimate;
    json.begin_object().member("name", explained.phase->name);
    json.member("per_step", explained.per_step);
    write_interval(json, "work_seconds", estimate.work);
    write_interval(json, "extra_seconds", estimate.extra);
    if (estimate.work_by_model > Seconds{})
      json.member("work_seconds_by_model", (estimate.work_by_model * (1 + estimate.overhead_share)).value);
    else json.null_member("work_seconds_by_model");
    if (estimate.model_interval) write_interval(json, "given_is_outside_of", *estimate.model_interval);
    else json.null_member("given_is_outside_of");
    json.member("regime", estimate.regime);
    json.key("terms");
    write_term_list(json, explained.terms);
    json.key("ranges");
    write_ranges(json, range_parts(errors, *explained.phase, estimate));
    json.end();
  }
  json.end();
}

void write_explanation(JsonWriter& json, const PlanReport& report, const Plan& plan) {
  json.begin_object().member("plan", plan.id).key("phases");
  write_terms(json, explain_phases(plan, report.job, report.catalogue, report.errors()), report.errors());
  json.key("words").begin_array();
  for (const std::string& line : money_words(report, plan)) json.value(line);
  json.end().key("cost_range");
  write_cost_range(json, cost_range(plan, report.catalogue, report.job.market.scatter));
  json.end();
}

std::string term_value(const Term& term) {
  switch (term.kind) {
    case Term::Kind::kTime:
      return to_text(Seconds{term.value});
    case Term::Kind::kMemory:
      return to_text(Bytes{term.value});
    case Term::Kind::kDisk:
      return disk_text(Bytes{term.value});
    case Term::Kind::kTokenRate:
      return significant_text(term.value, 3) + " tokens/s";
    case Term::Kind::kByteRate:
      return to_text(BytesPerSecond{term.value});
    case Term::Kind::kOperationRate:
      return to_text(FlopsPerSecond{term.value});
    case Term::Kind::kShare:
      return percent(term.value);
    case Term::Kind::kCount:
      return term.value < 10000 ? significant_text(term.value, 4) : count_short(term.value);
  }
  return number_text(term.value);
}

std::string_view unit_of(Term::Kind kind) {
  switch (kind) {
    case Term::Kind::kTime:
      return "s";
    case Term::Kind::kMemory:
    case Term::Kind::kDisk:
      return "byte";
    case Term::Kind::kTokenRate:
      return "token/s";
    case Term::Kind::kByteRate:
      return "byte/s";
    case Term::Kind::kOperationRate:
      return "operation/s";
    case Term::Kind::kShare:
      return "share";
    case Term::Kind::kCount:
      return "count";
  }
  return "";
}

}  // namespace gpuplan
