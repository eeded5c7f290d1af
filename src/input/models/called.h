// What to call a network that somebody asked for by name.
#pragma once

#include <string>
#include <string_view>

#include "domain/facts/catalogue.h"

namespace gpuplan {

/// A known one by the name it was asked for, without its organisation, or as the tables spell that: models of one shape
/// share a row there. Others as their files are called.
std::string called(const Catalogue& catalogue, std::string_view asked, const ModelShape& shape);

}  // namespace gpuplan
