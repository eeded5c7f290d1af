#include "api/questions/facts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "input/text/embedded_data.h"

namespace gpuplan::api {

Result<Catalogue> read_facts(std::span<const DataFile> own) {
  std::vector<DataFile> files;
  for (const std::string_view name : kDataFiles) {
    const auto given = std::ranges::find(own, name, &DataFile::name);
    if (given != own.end()) files.push_back(*given);
    else files.push_back({name, "data/" + std::string(name), embedded_data(name)});
  }
  return parse_catalogue(files);
}

}  // namespace gpuplan::api
