// Does it fit, and what stops it: memory of a phase on every GPU, without prices.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/answer/plan.h"
#include "plan/answer/tally.h"
#include "plan/capacity/longest_context.h"

namespace gpuplan {

/// What keeps a GPU from holding one sequence more than it does: the largest part of the memory that would take.
struct Limit {
  int sequences = 1;      ///< at once, that do not fit with room to spare
  std::string_view part;  ///< "activations"
  Bytes size{};           ///< of that part
  Bytes needed{};         ///< the median of all of them
  Bytes usable{};
};

/// A phase on `gpus` GPUs of one kind in one machine.
struct FitRow {
  NodeShape node;
  int gpus = 1;
  std::optional<PhaseEstimate> best;  ///< fastest way that fits; nullopt: none does
  int largest_micro_batch = 0;  ///< sequences at once that still fit (p90) under some framework that the job allows,
                                ///< recomputing as much as that takes, else as in `best`
  std::optional<PhaseEstimate> otherwise;  ///< of training, one sequence more at once, where that fits run in another
                                           ///< way: by a framework or with formats that people do not begin with
  NearMiss nearest;                        ///< when nothing fits
  HostMiss host;                           ///< the same, where host memory alone was short
  std::optional<Limit> limit;              ///< nullopt: not memory, or nothing that computes
  std::optional<LongestContext> context;   ///< of generation: one sequence at a time
  std::optional<LongestContext> context_at_batch;  ///< with as many as the phase has in flight, when that is more
};

/// One row for each GPU of the catalogue (or those named in `where.gpus`) and each of `counts`.
Result<std::vector<FitRow>> fit_phase(const Job& job, int phase, const Catalogue& catalogue,
                                      const std::vector<int>& counts);

bool holds(const FitRow& row);  ///< with room to spare

/// For each GPU the smallest of `counts` (in rising order) that holds the phase with room to spare; of GPUs that none
/// is enough for, the last one tried, after the others.
Result<std::vector<FitRow>> smallest_counts(const Job& job, int phase, const Catalogue& catalogue,
                                            const std::vector<int>& counts);

/// What would make a candidate fit that needs too much: each line is a change that the model has tried on the same
/// GPU, with what it then needs. Empty when none of them helps.
struct Remedy {
  std::string change;  ///< "micro-batch 1 instead of 4", "recompute: full", "zero3 over 8 GPUs", "method: lora"
  Bytes needed{};
  bool enough = false;  ///< fits with room to spare (p90 of memory too)
};
/// `market`: what the machines are taken from, whatever numbers of GPUs the job asks for; empty: any common machine.
std::vector<Remedy> remedies(const Job& job, const Catalogue& catalogue, const NearMiss& miss,
                             std::span<const Offer> market = {});

}  // namespace gpuplan
