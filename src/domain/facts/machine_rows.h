// What the facts say of the machines of many offers, each GPU looked up once.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Rows of the facts by the GPU's name as offers have it. Not for two threads at once.
class MachineRows {
 public:
  /// The catalogue must outlive it, and so must the names that are asked for.
  explicit MachineRows(const Catalogue& catalogue) : catalogue_(catalogue) {}

  struct Rows {
    const Gpu* gpu = nullptr;  ///< nullptr: it is not known
    std::vector<const Node*> nodes;
  };
  const Rows& of(std::string_view gpu);

 private:
  const Catalogue& catalogue_;
  std::unordered_map<std::string_view, Rows> rows_;
};

/// The same as node_shape() without rows.
NodeShape node_shape(MachineRows& rows, const Offer& offer);

}  // namespace gpuplan
