// Numbers of the catalogue that are fitted to measurements, by their address in data/.
#pragma once

#include <string>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Table "training_constants", "generation_constants", "efficiency", "training_software" or "engines"; row: its name
/// ("Ampere/HBM/*" in efficiency); column: "value" of the constants, else the column's name.
struct FittedAddress {
  std::string table, row, column;
  bool operator==(const FittedAddress&) const = default;
};

/// Where that number lies; nullptr when there is none of that address.
/// What a fit puts there.
struct FittedNumber {
  FittedAddress address;
  double value = 0;
  bool operator==(const FittedNumber&) const = default;
};

double* fitted_value(Catalogue& catalogue, const FittedAddress& address);

}  // namespace gpuplan
