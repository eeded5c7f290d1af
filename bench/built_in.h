// The facts that the program brings.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"

namespace gpuplan::bench {

inline const Catalogue& built_in() {
  static const Catalogue kAll = [] {
    std::vector<DataFile> files;
    for (const auto name : kDataFiles) files.push_back({name, std::string(name), embedded_data(name)});
    auto catalogue = parse_catalogue(files);
    if (catalogue) return *std::move(catalogue);
    std::cerr << "data: " << catalogue.error().message << '\n';
    std::exit(1);
  }();
  return kAll;
}

}  // namespace gpuplan::bench
