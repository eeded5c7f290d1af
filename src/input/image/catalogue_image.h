// A whole catalogue as bytes. The build reads and checks the tables of data/ once and packs what it read
// (tools/pack_facts), so that a start takes the rows as they are: an eighth of the instructions.
#pragma once

#include <string>
#include <string_view>

#include "domain/facts/catalogue.h"

namespace gpuplan {

std::string pack_catalogue(const Catalogue& catalogue);

/// REQUIRES: what pack_catalogue() of the same version wrote on the same kind of machine; nothing is checked.
Catalogue unpack_catalogue(std::string_view image);

}  // namespace gpuplan
