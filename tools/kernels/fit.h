// The parts of gpuplan_fit_kernels. Each reads its tables below data/measured/kernels, prints errors, and writes the
// constants to the folder `data` unless `dry`. Throws std::runtime_error when a table cannot be read.
#pragma once

#include <string>

#include "domain/facts/catalogue.h"

namespace gpuplan::kernels {

void fit_products(const std::string& data, const Catalogue& catalogue, bool dry);
void fit_attention(const std::string& data, const Catalogue& catalogue, bool dry);
void fit_serving(const std::string& data, const Catalogue& catalogue, bool dry);
void fit_links(const std::string& data, const Catalogue& catalogue, bool dry);

}  // namespace gpuplan::kernels
