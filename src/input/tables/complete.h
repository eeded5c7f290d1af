// Tables that the program can not do without: a row that is missing is refused, never guessed.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// Fails when names are `missing` from a table that must have a row for each `kind` ("a constant of the ... model").
Result<void> every_row(std::string_view file, std::span<const std::string_view> missing, std::string_view kind);

/// What messages call the tables that others refer to.
struct TableLabels {
  std::string_view efficiency, software, engines, links;
};

/// Checks what tables say of each other: each architecture and memory of a GPU has its constants, each framework the
/// figures of its training and generation, each path, speed and number of GPUs one row of links. What a model would
/// otherwise look for in vain, or find in a row that was meant for others, is an error that names the table.
Result<void> check_complete(const Catalogue& catalogue, const TableLabels& labels);

}  // namespace gpuplan
