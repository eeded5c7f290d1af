// GPUs as people write them into one cell.
#pragma once

#include <string_view>

#include "domain/facts/catalogue.h"
#include "input/feeds/rows/feed_rows.h"

namespace gpuplan {

/// Fills FeedRow::gpu, and what else stands in the cell: its number (8 of "8x H100 SXM"), its memory (80 of "A100 (80
/// GB)").
void read_list_gpu(std::string_view cell, const Catalogue& catalogue, FeedRow& row);

}  // namespace gpuplan
