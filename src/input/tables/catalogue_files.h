// The tables of data/ together as one catalogue, wherever their texts come from.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// The tables that make up a catalogue, in the order in which they are read: later ones name rows of earlier ones.
inline constexpr std::array<std::string_view, 21> kDataFiles = {"gpus.csv",
                                                                "nodes.csv",
                                                                "models.csv",
                                                                "frameworks.csv",
                                                                "framework_limits.csv",
                                                                "offers.csv",
                                                                "interruptions.csv",
                                                                "efficiency.csv",
                                                                "training_software.csv",
                                                                "optimizers.csv",
                                                                "training_constants.csv",
                                                                "engines.csv",
                                                                "generation_constants.csv",
                                                                "practice_constants.csv",
                                                                "error_components.csv",
                                                                "answer_constants.csv",
                                                                "assumptions.csv",
                                                                "links.csv",
                                                                "known_problems.csv",
                                                                "api_prices.csv",
                                                                "price_spreads.csv"};

struct DataFile {
  std::string_view name;  ///< one of kDataFiles
  std::string label;      ///< what messages call it: "data/gpus.csv"
  std::string_view text;
};

/// Reads the files, given in any order, and checks that together they say all that the models need
/// (input/tables/complete.h). The error names the file, and the line where there is one. REQUIRES: every name is one of
/// kDataFiles.
Result<Catalogue> parse_catalogue(std::span<const DataFile> files);

/// The same for some of the tables alone, complete or not: what no table fills is kUnset.
Result<Catalogue> read_tables(std::span<const DataFile> files);

}  // namespace gpuplan
