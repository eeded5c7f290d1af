// What `gpuplan validate` sums up beside errors: pairs of runs, own runs, first contact, and whether runs were said to
// fit.
#include <algorithm>
#include <set>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/scores/fits_judged.h"
#include "output/runs/validate_report.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

Cell count_cell(std::size_t count) { return {static_cast<double>(count), std::to_string(count)}; }
Cell error_cell(bool known, double error) {
  return known ? Cell(error, error_text(error)) : Cell(kNoValue, Paint::kDim);
}
Cell share_cell(bool known, double share) { return known ? Cell(share, percent(share)) : Cell(kNoValue, Paint::kDim); }

std::string difference_words(std::optional<Differs> differs) {
  if (!differs) return "any";
  switch (*differs) {
    case Differs::kGpu:
      return "GPU";
    case Differs::kCount:
      return "number of GPUs";
    case Differs::kStrategy:
      return "layout or software";
    case Differs::kBatch:
      return "batch or length";
  }
  return "";
}

void add_pairs(Table& table, const ValidationReport& report, const FigurePairs& of, std::optional<Differs> differs) {
  const PairSums sums = pair_sums(report.runs, of.pairs, differs);
  if (sums.pairs == 0) return;
  table.add({Cell(differs ? "" : std::string(figure_words(of.figure))), Cell(difference_words(differs)),
             count_cell(sums.pairs), count_cell(sums.sources), error_cell(true, sums.source_median),
             error_cell(true, sums.p90), share_cell(true, sums.source_inside),
             share_cell(sums.apart > 0, sums.source_named)});
}

/// "2% at P50 and 5% at P90".
std::string said_no(double median, double p90) { return percent(median) + " at P50 and " + percent(p90) + " at P90"; }

std::string fits_of(const ValidationReport& report, bool training) {
  const FitsJudged fits = fits_judged(report.runs, training);
  if (fits.runs == 0) return "";
  return (fits.runs == 1 ? "The " : "All ") +
         count_of(static_cast<double>(fits.runs), training ? "training run" : "generation run") +
         " did fit on their GPUs. Predicted not to fit: " + said_no(fits.no_median, fits.no_p90) +
         (fits.sources > 1
              ? " (" + said_no(fits.source_no_median, fits.source_no_p90) + " with every source counted alike)"
              : "") +
         ".";
}

}  // namespace

std::vector<ErrorFigure> figures_of(const ValidationReport& report) {
  std::vector<ErrorFigure> figures;
  for (const Judged what : report.judged)
    if (std::ranges::find(figures, error_figure(what)) == figures.end()) figures.push_back(error_figure(what));
  return figures;
}

std::string_view figure_words(ErrorFigure figure) {
  switch (figure) {
    case ErrorFigure::kTime:
      return "training time";
    case ErrorFigure::kMemory:
      return "training memory";
    case ErrorFigure::kRate:
      return "generation tokens/s";
    case ErrorFigure::kPrefill:
      return "prefill";
    case ErrorFigure::kPerToken:
      return "TPOT";
    case ErrorFigure::kFirstToken:
      return "TTFT under load";
    case ErrorFigure::kServingMemory:
      return "generation memory";
  }
  return "";
}

Table pair_table(const ValidationReport& report) {
  Table table({{.title = "METRIC"},
               {.title = "DIFFERENCE"},
               {.title = "PAIRS", .align = Align::kRight},
               {.title = "SOURCES", .align = Align::kRight, .drop = 1},
               {.title = "ERROR", .align = Align::kRight},
               {.title = "P90", .align = Align::kRight},
               {.title = "COVERAGE", .align = Align::kRight},
               {.title = "ORDER RIGHT", .align = Align::kRight}});
  for (const FigurePairs& of : report.pairs) {
    add_pairs(table, report, of, std::nullopt);
    for (const auto& [differs, name] : Names<Differs>::entries) add_pairs(table, report, of, differs);
  }
  return table;
}

Table own_run_table(const std::vector<FigureOwnRuns>& own) {
  Table table({{.title = "METRIC"},
               {.title = "OWN RUNS", .align = Align::kRight},
               {.title = "SOURCES", .align = Align::kRight},
               {.title = "ERROR", .align = Align::kRight, .unit = "without"},
               {.title = "ERROR", .align = Align::kRight, .unit = "with"},
               {.title = "P90", .align = Align::kRight, .unit = "with"},
               {.title = "COVERAGE", .align = Align::kRight, .unit = "without"},
               {.title = "COVERAGE", .align = Align::kRight, .unit = "with"}});
  const ErrorFigure* above = nullptr;
  for (const FigureOwnRuns& of : own) {
    const OwnRunSums& sums = of.sums;
    if (sums.sources == 0) continue;
    const bool first = above == nullptr || *above != of.figure;
    above = &of.figure;
    table.add({Cell(first ? std::string(figure_words(of.figure)) : ""), count_cell(static_cast<std::size_t>(sums.own)),
               count_cell(sums.sources), error_cell(true, sums.before), error_cell(true, sums.after),
               error_cell(true, sums.p90), share_cell(true, sums.inside_before), share_cell(true, sums.inside)});
  }
  return table;
}

Table contact_table(const FirstContact& contact, const std::vector<ErrorFigure>& figures) {
  Table table({{.title = "METRIC"},
               {.title = "RUNS", .align = Align::kRight},
               {.title = "SOURCES", .align = Align::kRight},
               {.title = "ERROR", .align = Align::kRight},
               {.title = "P90", .align = Align::kRight},
               {.title = "COVERAGE", .align = Align::kRight, .unit = "of sources"},
               {.title = "COVERAGE", .align = Align::kRight, .unit = "of runs"},
               {.title = "ERROR", .align = Align::kRight, .unit = "today"},
               {.title = "P90", .align = Align::kRight, .unit = "today"},
               {.title = "COVERAGE", .align = Align::kRight, .unit = "today"}});
  for (const ErrorFigure figure : figures) {
    const Headline then = headline(contact.then, figure), now = headline(contact.now, figure);
    if (then.stated == 0) continue;
    const bool met = then.predicted > 0, predicted = now.predicted > 0;
    table.add({Cell(std::string(figure_words(figure))), count_cell(then.stated), count_cell(then.sources),
               error_cell(met, then.source_median), error_cell(met, then.all.p90), share_cell(met, then.source_inside),
               share_cell(met, then.all.inside), error_cell(predicted, now.source_median),
               error_cell(predicted, now.all.p90), share_cell(predicted, now.source_inside)});
  }
  return table;
}

std::string fits_words(const ValidationReport& report) {
  std::vector<std::string> words;
  for (const bool training : {true, false})
    if (std::string text = fits_of(report, training); !text.empty()) words.push_back(std::move(text));
  return join(words, " ");
}

std::string contact_words(const FirstContact& contact) {
  std::set<std::string_view> sources;
  for (const PredictedRun& run : contact.then) sources.insert(run.run->source);
  const bool several = contact.versions.size() > 1;
  return count_of(static_cast<double>(contact.then.size()), "run") + " of " +
         count_of(static_cast<double>(sources.size()), "source") + ", predicted by " +
         (several ? "versions " : "version ") + join(contact.versions, " and ") + " before anybody had looked at them";
}

}  // namespace gpuplan
