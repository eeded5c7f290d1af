#include "output/runs/validate_report.h"

#include <algorithm>
#include <set>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/explain/explain.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostNamed = 4;  // runs named behind a reason

bool stated(const ValidationReport& report, Judged what) {
  return std::ranges::any_of(report.runs, [&](const PredictedRun& run) { return states(run, what); });
}

std::string groups_text(const ValidationReport& report, Grouping grouping, const Screen& screen) {
  std::string text;
  for (const Judged what : report.judged) {
    const Table table = group_table(report.runs, what, grouping);
    if (table.empty()) continue;
    text +=
        '\n' +
        heading(upper_first(std::string(judged_words(what))) + " by " + std::string(grouping_words(grouping)), screen);
    text += table.text(screen);
  }
  return text;
}

/// The parts that make up most of the figure: "products 62 %, host launches 21 %, optimizer 9 %".
std::string largest_parts(const ReportedRun& told) {
  const Term::Kind kind = is_memory(told.what) ? Term::Kind::kMemory : Term::Kind::kTime;
  PhaseTerms of;
  of.terms = told.terms;
  const double total = of.total(kind);
  std::vector<const Term*> parts;
  for (const Term& term : told.terms)
    if (term.kind == kind && term.part_of_total && term.value > 0) parts.push_back(&term);
  sort_stably(parts, std::greater<>{}, [](const Term* term) { return term->value; });
  constexpr std::size_t kParts = 4;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(kParts, parts.size()); ++i)
    words.push_back(std::string(parts[i]->name) + " " + percent(parts[i]->value / total));
  return join(words, ", ");
}

std::string told_words(const ValidationReport& report, const ReportedRun& told) {
  const PredictedRun& run = report.runs[told.run];
  std::string words = largest_parts(told);
  const std::string model = printable(run.run->model, 40);
  words = (model.empty() ? "" : model + " on ") + machine_text(run) + ": " + words;
  const auto assumed = assumptions_of(run);
  if (!assumed.empty()) words += "; assumed: " + printable(join(assumed, ", "), 400);
  return words + '.';
}

std::string worst_text(const ValidationReport& report, Judged what, const Screen& screen) {
  std::vector<std::size_t> order;
  std::string words;
  int width = 0;
  for (const ReportedRun& told : report.told)
    if (told.what == what) width = std::max(width, display_width(printable(report.runs[told.run].run->id, 40)) + 2);
  for (const ReportedRun& told : report.told) {
    if (told.what != what) continue;
    order.push_back(told.run);
    words += labelled(printable(report.runs[told.run].run->id, 40), told_words(report, told), screen, width);
  }
  if (order.empty()) return "";
  const Table table = figure_table(report.runs, order, {what}, true);
  return '\n' + heading("Largest errors, " + std::string(judged_words(what)), screen) + table.text(screen) + '\n' +
         paragraph("Breakdown:", screen) + words;
}

/// A line for each reason with the runs behind it.
std::string reasons_text(const std::vector<RefusedGroup>& groups, std::string_view title, const Screen& screen) {
  if (groups.empty()) return "";
  std::string text = '\n' + heading(title, screen);
  for (const RefusedGroup& group : groups) {
    std::vector<std::string> ids;
    for (const MeasuredRun* run : group.runs) ids.push_back(printable(run->id, 40));
    if (ids.size() > kMostNamed + 1) {
      ids.resize(kMostNamed);
      ids.emplace_back("…");
    }
    text += labelled(std::to_string(group.runs.size()), printable(group.reason, 400) + " (" + join(ids, ", ") + ")",
                     screen, 5);
  }
  return text;
}

std::string all_rows_text(const ValidationReport& report, const Screen& screen) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < report.runs.size(); ++i) order.push_back(i);
  const Table table = figure_table(report.runs, order, report.judged);
  const std::string text = '\n' + table.text(screen);
  return text + left_out_words(table, screen);
}

constexpr std::string_view kHowCounted = "Error = |ln(predicted / measured)|; 10% means about 10% too high or too low.";
constexpr std::string_view kTrainingCounts =
    " A run's time counts once: by its step time, else by its tokens per second.";
constexpr std::string_view kGenerationCounts =
    " A generation run counts once per metric, by the rate of output tokens before "
    "others.";

std::string how_counted(const ValidationReport& report) {
  const auto any = [&](auto member) {
    return std::ranges::any_of(report.runs, [&](const PredictedRun& run) { return run.*member != nullptr; });
  };
  std::string words(kHowCounted);
  if (any(&PredictedRun::training)) words += kTrainingCounts;
  if (any(&PredictedRun::generation)) words += kGenerationCounts;
  return words;
}

}  // namespace

std::string runs_words(const ValidationReport& report) {
  std::set<std::string_view> sources;
  for (const PredictedRun& run : report.runs) sources.insert(run.run->source);
  const auto count = static_cast<double>(report.runs.size());
  std::string text = report.name.empty() ? count_of(count, "published run")
                                         : printable(report.name, 60) + ": " + count_of(count, "run");
  if (sources.size() > 1) text += " of " + count_of(static_cast<double>(sources.size()), "source");
  return text;
}

namespace {

/// What was asked for in place of groups and single runs; "" when nothing was.
std::string asked_text(const ValidationReport& report, const Screen& screen) {
  std::string text;
  if (report.contact) {
    text += heading("First contact: " + contact_words(*report.contact), screen) + '\n';
    text += contact_table(*report.contact, figures_of(report)).text(screen) + '\n';
    text += paragraph(
        "ERROR is the median of the sources' median errors, P90 that of all runs; coverage is of the 80% range. "
        "Today's "
        "version was made with these runs in sight.",
        screen, 2, 2, Paint::kDim);
  }
  if (!report.pairs.empty()) {
    text += heading(runs_words(report) + ": pairs of one source and one model, predicted ratio against measured ratio",
                    screen) +
            '\n';
    text += pair_table(report).text(screen) + '\n';
    text += paragraph(
        "ERROR and COVERAGE count every source alike; P90 is that of all pairs. ORDER RIGHT: of pairs that differ by "
        "more than 15% per token, those whose faster (or smaller) run was predicted to be that.",
        screen, 2, 2, Paint::kDim);
  }
  if (!report.own.empty()) {
    if (!text.empty()) text += '\n';
    text += heading(runs_words(report) + ": each source's runs predicted with some of its own", screen) + '\n';
    text += own_run_table(report.own).text(screen) + '\n';
    text += paragraph(
        "ERROR: median over sources of the error that a run of the source has, for any choice of own runs. Sources "
        "with "
        "too few runs are left out.",
        screen, 2, 2, Paint::kDim);
  }
  return text;
}

}  // namespace

std::string validate_text(const ValidationReport& report, const ValidationLook& look, const Screen& screen) {
  if (std::string asked = asked_text(report, screen); !asked.empty()) return asked;
  std::string title = runs_words(report) + ", predicted from their configuration alone";
  title += report.left_out ? ", with constants fitted without their source" : "";
  std::string text = heading(title, screen) + '\n';
  std::vector<Headline> headlines;
  for (const Judged what : report.judged)
    if (stated(report, what)) headlines.push_back(headline(report.runs, what));
  if (headlines.empty()) return text + paragraph("None of them has the metric you asked for.", screen);
  text += headline_table(headlines).text(screen);
  if (const std::string fits = fits_words(report); !fits.empty()) text += '\n' + paragraph(fits, screen);
  if (look.sums_only)
    return text + '\n' + paragraph("More: --kind training or generation, --by GROUP, --metric METRIC, --all.", screen) +
           '\n' + paragraph(how_counted(report), screen, 2, 2, Paint::kDim);
  for (const Grouping grouping : look.by) text += groups_text(report, grouping, screen);
  if (look.all) text += all_rows_text(report, screen);
  else
    for (const Judged what : report.judged) text += worst_text(report, what, screen);
  text += reasons_text(refused_groups(report.runs), "Not predicted", screen);
  text += reasons_text(distrusted_groups(report.runs), "Excluded: labels contradict the measurements", screen);
  if (!report.bad_lines.empty())
    text += '\n' + paragraph(count_of(static_cast<double>(report.bad_lines.size()), "line") +
                                 " could not be read; see standard error.",
                             screen);
  return text + '\n' + paragraph(how_counted(report), screen, 2, 2, Paint::kDim);
}

std::string explained_text(const ValidationReport& report, const Screen& screen) {
  const ReportedRun& told = report.told.front();
  const PredictedRun& run = report.runs[told.run];
  const RunPrediction& p = run.prediction;
  std::string title = printable(run.run->id, 60);
  if (!run.run->model.empty()) title += ": " + printable(run.run->model, 60);
  if (p.parameters > 0) title += ", " + count_short(p.parameters) + " parameters";
  std::string text = heading(title, screen) + '\n';
  text += figure_table(report.runs, {told.run}, report.judged).text(screen);
  const std::string refused = refusal_of(run);
  if (!run.counts()) text += '\n' + paragraph("Excluded: " + printable(run.run->distrust, 400) + ".", screen);
  if (!refused.empty()) text += '\n' + paragraph("Not predicted: " + printable(refused, 400) + ".", screen);
  if (p.refused.empty()) {
    PhaseEstimate estimate;
    estimate.node.emplace();
    estimate.strategy = p.strategy;
    estimate.framework = p.framework;
    Phase phase;
    if (run.training != nullptr) phase.work = TrainPhase{};
    else phase.work = GeneratePhase{};
    text += '\n' + paragraph("Predicted as: " + strategy_words(estimate, phase) + ".", screen, 2, 4);
    if (!p.spread.regime.empty())
      text += paragraph("Range width based on: " + std::string(p.spread.regime) + ".", screen, 2, 4);
  }
  const auto assumed = assumptions_of(run);
  if (!assumed.empty()) {
    text += '\n' + paragraph("Assumed, since the row does not say:", screen);
    for (const std::string& each : assumed) text += paragraph("- " + printable(each, 400), screen, 4, 6);
  }
  if (told.terms.empty()) return text;
  PhaseTerms terms;
  terms.per_step = run.training != nullptr;
  terms.terms = told.terms;
  return text + '\n' + terms_table(terms, screen);
}

}  // namespace gpuplan
