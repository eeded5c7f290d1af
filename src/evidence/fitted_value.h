// Numbers of the catalogue that are fitted to measurements, by their address in data/.
#pragma once

#include <string>

#include "domain/catalogue.h"

namespace gpuplan {

/// Table "training_constants", "efficiency" or "training_software"; row: its name ("Ampere/HBM/*" in efficiency);
/// column: "value" of training_constants, else the column's name.
struct FittedAddress {
  std::string table, row, column;
  bool operator==(const FittedAddress&) const = default;
};

/// Where that number lies; nullptr when there is none of that address.
double* fitted_value(Catalogue& catalogue, const FittedAddress& address);

}  // namespace gpuplan
