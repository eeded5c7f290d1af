// Constants as they come out when one source of measurements is left out of the fit: how good predictions are for runs
// of a source that the model has never seen.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/validation/fitted_value.h"

namespace gpuplan {

/// A number fitted without the runs of `source`.
struct LeftOutValue {
  std::string source;
  FittedAddress address;
  double value = 0;
};

class LeftOut {
 public:
  /// `values` as in data/measured/left_out.csv; addresses that the catalogue does not have are passed over.
  LeftOut(const Catalogue& catalogue, const std::vector<LeftOutValue>& values);

  /// The catalogue with the constants fitted without that source; the catalogue itself for one that took no part.
  const Catalogue& catalogue_for(std::string_view source) const;
  bool has(std::string_view source) const { return by_source_.contains(source); }

 private:
  const Catalogue* catalogue_;
  std::map<std::string, Catalogue, std::less<>> by_source_;
};

}  // namespace gpuplan
