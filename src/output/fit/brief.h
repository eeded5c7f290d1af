// The short answer of `gpuplan fit`: what fits, in a sentence or a line each.
#pragma once

#include <string>
#include <vector>

#include "output/fit/report.h"
#include "output/text/table.h"

namespace gpuplan {

std::string row_label(const FitRow& row);      ///< "2x RTX 4090"
bool offloads(const FitRow& row);              ///< what a reader must know before believing that it fits
std::string context_words(const FitRow& row);  ///< "131,072", "131,072; 8,200 at 16"; empty for training

/// The only GPU asked about; null when there are several.
const Gpu* only_gpu(const FitReport& report);
/// Does it fit, a sentence for each question, for those who ask about one card; empty for several.
std::string verdicts(const FitReport& report, const FitLook& look);
/// The smallest machine for each question, in a line: what those ask who have not named a card.
std::string smallest_machines(const FitReport& report, const FitLook& look);
/// Questions down, numbers of GPUs across: memory and the largest batch on one kind of card.
std::string counts_text(const FitReport& report, const FitLook& look);

std::vector<Column> short_columns();
/// A line of the answer: memory, the largest batch, and what it costs.
void add_short(const FitRow& row, Table& table);

}  // namespace gpuplan
