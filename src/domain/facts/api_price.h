// What providers ask for tokens of a model that they serve: the other way to have a job of generation done.
#pragma once

#include <string>

#include "base/units.h"

namespace gpuplan {

/// A row of data/api_prices.csv.
struct ApiPrice {
  std::string model;  ///< name in the catalogue
  std::string provider;
  Dollars input{}, output{};  ///< of a million tokens
  std::string source, as_of;

  bool operator==(const ApiPrice&) const = default;
};

}  // namespace gpuplan
