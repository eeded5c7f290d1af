// Sentences that may stand anywhere in a line, found in one pass however many there are.
#pragma once

#include "input/logs/book/book.h"

namespace gpuplan {

/// Calls the reader of every known sentence in the line.
void read_sentences(LogBook& book, const LogLine& line);

}  // namespace gpuplan
