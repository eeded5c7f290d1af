// Sentences that may stand anywhere in a line, found in one pass however many there are.
#pragma once

#include <string_view>
#include <vector>

#include "input/logs/book/book.h"
#include "input/logs/fields/line_shape.h"

namespace gpuplan {

/// Calls the reader of every known sentence in the line.
void read_sentences(LogBook& book, const LogLine& line);
/// Adds what stands in the text: numbers of sentences, and behind them of rows of data/run_ends.csv.
void find_sentences(std::string_view text, std::vector<LineShapes::Finding>& found);

}  // namespace gpuplan
