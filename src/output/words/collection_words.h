// Activations that `collect` phases keep, in words: how much, where it goes, what it takes and costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/text/json_writer.h"
#include "output/words/plan_report.h"

namespace gpuplan {

std::string disk_text(Bytes size);  ///< as disks are sold, in powers of ten: "93.3 MB", "560 GB", "1.2 TB"

/// "16 layers x 4096 x 2 bytes x 712 tokens = 93.3 MB per sample, 560 GB total". REQUIRES: the phase keeps activations.
std::string kept_words(const CollectionUse& use, const Phase& phase);

/// What a reader must know of the pick: how much its `collect` phases keep, the time that takes, and the disk or memory
/// it needs. One paragraph a string, with "! " before it where there is too little; empty when nothing is kept.
std::vector<std::string> collection_words(const PlanReport& report);

/// What another order of work would save; empty: not much.
std::string faster_words(const PlanReport& report);

/// The sentence of kept_words() with what it takes of a machine, for questions without offers: "... Each machine needs
/// 618 GB of disk, 58.4 GB of it for checkpoints." Empty when nothing is kept.
std::string collection_need(const PhaseEstimate& estimate, const Phase& phase);

/// "activations_kept": null, or an object with the sizes in GB (disks, powers of ten) and GiB (memory), the times, and
/// what the disks cost where there are prices.
void write_collection(JsonWriter& json, const PhaseEstimate& estimate, std::optional<Dollars> disk);

}  // namespace gpuplan
