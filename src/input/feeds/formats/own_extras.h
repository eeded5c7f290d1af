// What a list of one's own says of a machine beside its price and its size: how much of the time its host is up, what
// disks and traffic out cost. Tables and JSON are read by the same rules.
#pragma once

#include <string_view>

#include "input/feeds/formats/own_columns.h"
#include "input/feeds/rows/feed_rows.h"
#include "input/text/untidy/loose_number.h"

namespace gpuplan {

/// A cell of any column, after the prices of its row; what is no such figure is left out and told as corrected.
void read_own_extra(const OwnColumn& column, std::string_view cell, LooseNumbers& numbers, FeedRow& row);

}  // namespace gpuplan
