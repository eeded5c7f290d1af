// Machines of a provider by their names, for price lists that do not say what is in them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "domain/facts/catalogue.h"

namespace gpuplan {

struct KnownMachine {
  std::string gpu;  ///< name in the catalogue
  int gpus = 0;
  double vcpus = 0, ram_gib = 0;  ///< 0: not known
};

/// All that the catalogue knows: data/nodes.csv first, then offers.
class KnownMachines {
 public:
  KnownMachines(const Catalogue& catalogue, std::string_view provider);

  /// Without regard to case; null: not known.
  const KnownMachine* find(std::string_view instance) const;
  const std::map<std::string, KnownMachine>& all() const { return by_name_; }  ///< names in lower case

 private:
  std::map<std::string, KnownMachine> by_name_;
};

}  // namespace gpuplan
