// How many publishers have measured a GPU, a generation of GPUs, a framework or an engine: what is known of the errors
// that they bring along grows with that number (model/error/terms.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "evidence/validation/fitted_value.h"

namespace gpuplan {

/// One run that took part in a fit.
struct PublishedRun {
  std::string_view gpu, framework, publisher;
};

/// Columns of gpus.csv, efficiency.csv, training_software.csv or engines.csv, for everything that these runs of
/// training (else of generation) ran on and with, in the order of the names: also what only the publisher `without`
/// measured, whose runs do not count. Names that the catalogue does not know are passed over.
std::vector<FittedNumber> count_publishers(const Catalogue& catalogue, std::span<const PublishedRun> runs,
                                           bool training, std::string_view without = {});

}  // namespace gpuplan
