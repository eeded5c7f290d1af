// `gpuplan model` without a name: every network that is known, as a table and as JSON.
#pragma once

#include <string>

#include "domain/facts/catalogue.h"
#include "output/text/style.h"

namespace gpuplan {

std::string models_text(const Catalogue& catalogue, const Screen& screen);

/// Name, kind, parameters, context and bytes of cache a token; one row a network.
std::string models_csv(const Catalogue& catalogue);

/// Schema gpuplan/models@1: the same, `models` in the order of the catalogue.
std::string models_json(const Catalogue& catalogue);

}  // namespace gpuplan
