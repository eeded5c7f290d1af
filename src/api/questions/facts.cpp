#include "api/questions/facts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "input/image/catalogue_image.h"
#include "input/text/embedded_data.h"

extern "C" {
// In facts_image.S (cmake/facts_image.cmake).
extern const char gpuplan_facts_image[];
extern const std::size_t gpuplan_facts_image_size;
}

namespace gpuplan::api {

std::optional<Catalogue> packed_facts() {
  if (gpuplan_facts_image_size == 0) return std::nullopt;
  return unpack_catalogue({gpuplan_facts_image, gpuplan_facts_image_size});
}

Result<Catalogue> read_facts(std::span<const DataFile> own) {
  if (own.empty())
    if (auto facts = packed_facts()) return *std::move(facts);
  std::vector<DataFile> files;
  for (const std::string_view name : kDataFiles) {
    const auto given = std::ranges::find(own, name, &DataFile::name);
    if (given != own.end()) files.push_back(*given);
    else files.push_back({name, "data/" + std::string(name), embedded_data(name)});
  }
  return parse_catalogue(files);
}

}  // namespace gpuplan::api
