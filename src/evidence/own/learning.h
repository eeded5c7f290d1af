// What the user's own runs teach: each beside what is predicted for it without any of them, and the facts with what
// they tell together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/own/own_row.h"
#include "evidence/validation/run_prediction.h"
#include "model/error/error.h"

namespace gpuplan {

/// What is predicted for an own run.
RunPrediction predict_own(const Catalogue& catalogue, const AnyRun& run);

/// A row beside its prediction by the facts alone.
struct ComparedRow {
  const OwnRow* row = nullptr;
  RunPrediction prediction;  ///< refused: why it can not be used
  OwnRun run;

  bool used() const { return row->use && prediction.refused.empty(); }
};
/// In the order of their dates. `facts`: without own runs; it and the rows must outlive the answer.
std::vector<ComparedRow> compare_own(const Catalogue& facts, const std::vector<OwnRow>& rows);

/// The facts with what the rows in use tell.
void learn_own(Catalogue& catalogue, const std::vector<ComparedRow>& rows);

/// What the rows tell together of runs like one of theirs: ln(measured / predicted) with and without them.
struct Teaching {
  const ComparedRow* like = nullptr;  ///< the newest row of that software on those cards
  ErrorFigure figure = ErrorFigure::kTime;
  int runs = 0;  ///< of that software on those cards, which state the figure
  ExpectedError before, now;
  double wider = 1;  ///< variance of one configuration, over what it was before
};
std::vector<Teaching> teachings_of(const std::vector<ComparedRow>& rows, const ErrorModel& facts,
                                   const ErrorModel& learned);

/// Two runs of the same software on the same cards, of which one says ten times what the other says, relative to what
/// is predicted for each.
struct OwnContradiction {
  const OwnRow *one = nullptr, *other = nullptr;
  ErrorFigure figure = ErrorFigure::kTime;
  double times = 1;  ///< how much more `other` takes
};
std::vector<OwnContradiction> own_contradictions(const std::vector<ComparedRow>& rows);

/// From which factor on a run and its prediction, or two runs, are told to be odd.
inline constexpr double kOddFactor = 10;

/// Measured over predicted time or memory of the figure that counts first; nullopt: refused.
std::optional<double> ratio_of(const ComparedRow& row);

}  // namespace gpuplan
