// What the model misses measured runs by, for any values of the parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/validation/run_prediction.h"
#include "fit/parameters.h"

namespace gpuplan::fit {

/// Measured runs of one kind of work; those that can not be as labelled take no part.
struct Evidence {
  std::vector<std::string> sources;     ///< of each run
  std::vector<std::string> publishers;  ///< who published it: sources by the same people, with the same software
  std::function<RunPrediction(const Catalogue& catalogue, std::size_t run)> predict;
};

/// One measured figure: ln(predicted / measured), how much it counts, and whose it is.
struct Residual {
  std::size_t run = 0;
  Judged kind = Judged::kTime;
  double error = 0;
  double weight = 1;
};

/// A source with many runs counts as much as one with this many.
inline constexpr double kSourceRows = 12;

/// Errors of every run but those of the publisher left out ("": none), with the numbers that the catalogue holds.
/// Weights are 1 for sources of up to kSourceRows figures and less for larger ones.
std::vector<Residual> residuals(const Catalogue& catalogue, const Evidence& evidence, const std::string& left_out);

/// Sets the weights of errors put together from several calls.
void weigh(const Evidence& evidence, std::vector<Residual>& all);

}  // namespace gpuplan::fit
