// How far predictions may be off, and what of that two of them have in common (domain/facts/error_model.h). All figures
// are of ln(measured / predicted); variances add up.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/math.h"
#include "domain/facts/error_model.h"

namespace gpuplan {

/// Numbers of networks and amounts for ErrorLabels. Networks are one where their parameters differ by no more than
/// adapters do, 4 %. Amounts: tokens of a micro-batch on one GPU (training), sequences at work at once (generation).
int model_number(double parameters);
int amount_octave(double amount);

/// The error that is expected of one figure: own runs shift it and make it narrower.
struct ExpectedError {
  double shift = 0;     ///< mean of ln(measured / predicted): 0 without own runs
  double variance = 0;  ///< of it
};
/// What the median is multiplied by.
inline double factor_of(const ExpectedError& error) { return error.shift == 0 ? 1 : math::exp(error.shift); }
/// Variance before any own run.
double prior_variance(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);
ExpectedError expected_error(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);

/// How many of the user's own runs tell something of such a prediction.
int own_runs_on(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);
/// How many figures of the job do.
int given_on(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);

/// Variance of the error of the ratio of two predictions: what they have in common cancels.
double ratio_variance(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& a, const ErrorLabels& b);

/// Variance of the error of `of` that is left once a run with the labels `run` states the figure: what they share is
/// learned as far as the rest of that run's error lets it be seen.
double variance_after(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& of, const ErrorLabels& run);

/// One part of a variance and its words, for explanations.
struct ErrorShare {
  ErrorPart part = ErrorPart::kSite;
  double variance = 0;
};
/// Parts of expected_error().variance, the largest first. With own runs, what is left of each part; what parts have in
/// common counts half for either.
std::vector<ErrorShare> error_shares(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);
/// The circumstance or label that adds most, in words: "mixture of experts", "GPU older than Ampere". Static text.
std::string_view words_of(ErrorPart part);
/// The widest circumstance's words; those of a plain run when it has none.
std::string_view regime_of(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);

/// A factor of a joint sample: predictions with the same key draw the same score, and its load is what that score
/// weighs in ln(measured / predicted). Squares of all loads of a prediction add up to its variance.
struct ErrorLoad {
  ErrorPart part = ErrorPart::kSite;
  std::string_view label{}, more{};  ///< more: the second half of a generation's name
  int number = 0;                    ///< of a model or an amount
  int learned = -1;                  ///< of own runs: the number of the factor
  double load = 0;
};
std::vector<ErrorLoad> error_loads(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);
/// The same as shares of the deviation: their squares add up to 1. Empty where nothing is uncertain.
std::vector<ErrorLoad> unit_error_loads(const ErrorModel& model, ErrorFigure figure, const ErrorLabels& labels);

/// One of the user's own runs: what was measured, over what is predicted without any own run.
struct OwnRun {
  ErrorLabels labels;
  std::array<bool, kErrorFigures> states{};
  std::array<double, kErrorFigures> error{};  ///< ln(measured / predicted) of the figures that it states
  double noise = 0;                           ///< variance of the measurements themselves
};
/// The model with what these runs tell (a robust Gaussian update: shrinks; a run that is far from what the others say
/// counts little; runs of one setup that contradict each other make it wider). Earlier learning is forgotten. At most
/// kMostOwnRuns, the newest, count. O(runs^3).
inline constexpr std::size_t kMostOwnRuns = 64;
void learn(ErrorModel& model, const std::vector<OwnRun>& runs);
/// The same of figures that a job states, beside what own runs have told.
void learn_given(ErrorModel& model, const std::vector<OwnRun>& figures);

}  // namespace gpuplan
