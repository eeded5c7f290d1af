// What phases take beside their work, in words and in data: terms of time with where each comes from, jobs in a row,
// and the bytes that machines fetch, write and keep.
#pragma once

#include <string>
#include <vector>

#include "output/text/json_writer.h"
#include "output/text/table.h"
#include "output/words/plan_report.h"

namespace gpuplan {

std::string_view term_words(TimeTerm term);  ///< "loading weights"

/// The disk that the provider's data sheet gives the machine; zero: not known.
Bytes built_in_disk(const PlanReport& report, const Offer& offer);

/// One row a term that takes time: its range, how it comes about, and who says so. Empty when the phase only works.
Table beside_table(const Job& job, const Catalogue& catalogue, const PhaseEstimate& estimate);

/// What a reader must know of the pick: time that gpuplan assumed where it is a large part of the hours, jobs in a row,
/// checkpoints that fill disks. One paragraph a string.
std::vector<std::string> beside_words(const PlanReport& report);
/// Of these, jobs in a row and checkpoints; a line begins with "! " where the disk is too small.
std::vector<std::string> kept_checkpoint_words(const PlanReport& report);

/// The members "time_terms", "jobs" and "bytes" of a phase.
void write_beside(JsonWriter& json, const PhaseEstimate& estimate);

}  // namespace gpuplan
