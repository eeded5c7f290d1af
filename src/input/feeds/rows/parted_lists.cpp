#include "input/feeds/rows/parted_lists.h"

namespace gpuplan {

std::optional<Error> PartedLists::missing() const {
  constexpr const char* kTogether =
      "; import both together: gpuplan prices import shapes.json products.json, or fetch them: gpuplan prices fetch "
      "oci";
  if (!machines.empty())
    return failure(std::string("is the list of shapes of Oracle Cloud, whose prices stand in its list of products") +
                       kTogether,
                   {machines_file})
        .error();
  if (!prices.empty() && !joined)
    return failure(std::string("is the list of products of Oracle Cloud, whose machines stand in its list of shapes") +
                       kTogether,
                   {prices_file})
        .error();
  return std::nullopt;
}

}  // namespace gpuplan
