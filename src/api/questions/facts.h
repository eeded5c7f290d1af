// What gpuplan knows: the tables compiled in, or others in their place.
#pragma once

#include <optional>
#include <span>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/tables/catalogue_files.h"

namespace gpuplan::api {

/// The tables compiled in, as the build read them; nullopt where it could not run what reads.
std::optional<Catalogue> packed_facts();

/// The tables compiled in, those of `own` in place of the ones of the same name. The error names file and line.
Result<Catalogue> read_facts(std::span<const DataFile> own = {});

}  // namespace gpuplan::api
