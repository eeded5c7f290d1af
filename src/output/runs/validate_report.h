// `gpuplan validate`: predicted against measured runs, in sum, by group and run by run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "evidence/scores/first_contact.h"
#include "evidence/scores/own_runs.h"
#include "evidence/scores/pairs.h"
#include "evidence/validation/validation.h"
#include "output/text/json_writer.h"
#include "output/text/style.h"
#include "output/text/table.h"

namespace gpuplan {

/// A run whose terms are told, in JSON for all kinds of figure.
struct ReportedRun {
  std::size_t run = 0;          ///< position in the report
  Judged what = Judged::kTime;  ///< why it is told
  std::vector<Term> terms;
};

/// Pairs of runs compared in one kind of figure.
struct FigurePairs {
  ErrorFigure figure = ErrorFigure::kTime;
  std::vector<RunPair> pairs;
};

/// Predictions with so many own runs, in one kind of figure.
struct FigureOwnRuns {
  ErrorFigure figure = ErrorFigure::kTime;
  OwnRunSums sums;
};

struct ValidationReport {
  std::string name;       ///< of the file; "" for the built-in runs
  bool left_out = false;  ///< each source was predicted with constants fitted without it
  std::vector<PredictedRun> runs;
  std::vector<Error> bad_lines;
  std::vector<Judged> judged;      ///< kinds of figure, in order
  std::vector<ReportedRun> told;   ///< the worst ones, or the one that is explained
  std::vector<FigurePairs> pairs;  ///< empty unless asked for; so are the next two
  std::vector<FigureOwnRuns> own;  ///< a figure may be there with several numbers of own runs
  std::optional<FirstContact> contact{};
};

/// Kinds of figure taken together, those that the report judges, in order.
std::vector<ErrorFigure> figures_of(const ValidationReport& report);

struct ValidationLook {
  std::vector<Grouping> by;
  bool all = false;        ///< every run in place of the worst
  bool sums_only = false;  ///< nothing below the sums; says how to see more
};

/// "9.4 %", "34 %", with its sign "+9.4 %": an error as ln(predicted / measured).
std::string error_text(double error);
std::string signed_error_text(double error);
/// "8x H100 SXM".
std::string machine_text(const PredictedRun& run);
/// "time of a step", "static batch".
std::string_view judged_words(Judged what);
/// "training time", "generation rate".
std::string_view figure_words(ErrorFigure figure);
/// "source", "framework known or not": what groups differ in.
std::string_view grouping_words(Grouping grouping);

/// The figures of the headlines: a column for each, or a row for each where they are many.
Table headline_table(const std::vector<Headline>& headlines);
/// A row for each group.
Table group_table(const std::vector<PredictedRun>& runs, Judged what, Grouping grouping);
/// A row for each measured figure of the runs at these positions, in their order; `once`: of a run's time only the
/// figure that is judged.
Table figure_table(const std::vector<PredictedRun>& runs, const std::vector<std::size_t>& order,
                   const std::vector<Judged>& judged, bool once = false);

/// Rows for each kind of figure: all pairs, then by what differs.
Table pair_table(const ValidationReport& report);
/// A row for each kind of figure and number of own runs.
Table own_run_table(const std::vector<FigureOwnRuns>& own);
/// A row for each kind of figure: as predicted at first contact, and as predicted today.
Table contact_table(const FirstContact& contact, const std::vector<ErrorFigure>& figures);
/// "All 604 training runs did fit on their GPUs: ..."; "" where there are none.
std::string fits_words(const ValidationReport& report);
/// What was met, and by which versions.
std::string contact_words(const FirstContact& contact);

/// "667 published runs of 24 sources".
std::string runs_words(const ValidationReport& report);

std::string validate_text(const ValidationReport& report, const ValidationLook& look, const Screen& screen);
/// One run alone: configuration, figures, what was assumed, terms. REQUIRES: one run is told.
std::string explained_text(const ValidationReport& report, const Screen& screen);
/// A row for each measured figure; with groupings one for each group.
std::string validate_csv(const ValidationReport& report, const std::vector<Grouping>& by);
/// Schema gpuplan/validate@1. Groups: those asked for, else all.
std::string validate_json(const ValidationReport& report, const std::vector<Grouping>& by);

}  // namespace gpuplan
