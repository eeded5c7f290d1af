// What phases of one plan have in common of the model's errors (model/error/error.h): factors of joint samples, each
// with a number.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/facts/error_model.h"
#include "plan/answer/plan.h"
#include "plan/billing/samples.h"

namespace gpuplan {

/// What one factor's standard normal score weighs in a phase's.
struct ErrorWeight {
  std::size_t factor = 0;
  double weight = 1;
  auto operator<=>(const ErrorWeight&) const = default;
};
/// Their squares add up to 1.
using ErrorWeights = std::vector<ErrorWeight>;

/// Factors are numbered as they are met, from 0 on.
class ErrorFactors {
 public:
  /// `model`, and all estimates that it is asked of, must outlive it.
  explicit ErrorFactors(const ErrorModel& model) : model_(model) {}

  /// Of the time that a phase's work takes. By the model: what its labels share with other phases', and what is left
  /// to one configuration, which is the same for phases that run the same network in the same way. The user's own
  /// figure is a factor of its own.
  ErrorWeights of(const PhaseEstimate& estimate);
  std::size_t size() const { return factors_.size(); }

 private:
  struct Factor {
    ErrorFigure figure = ErrorFigure::kTime;
    ErrorPart part = ErrorPart::kConfiguration;
    std::string_view label{}, more{};
    int number = 0;
    int learned = -1;                         ///< of own runs: its number there
    const PhaseEstimate* estimate = nullptr;  ///< of a configuration: the first that has it
  };
  std::size_t number_of(const Factor& factor);

  const ErrorModel& model_;
  std::vector<Factor> factors_;
};

/// The joint samples of phases by their weights: the stratum of each sample, 0 ... kSamples - 1 in rising order of the
/// weighted score, so that every phase by itself takes each stratum once whatever it shares with others. Factor n draws
/// from the stream `first + n`.
Strata strata_of(const Scores& scores, const ErrorWeights& weights, int first);

/// Where `i`'s are as good as one factor, since whoever has any of its factors has all of them with the same weights:
/// the first that has them.
std::optional<std::size_t> one_factor(const std::vector<ErrorWeights>& all, std::size_t i);

}  // namespace gpuplan
