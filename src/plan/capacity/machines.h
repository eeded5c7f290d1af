// The machines a job may use: every offer in every number of machines and GPUs that the job allows.
#pragma once

#include <vector>

#include "domain/facts/catalogue.h"
#include "domain/work/job.h"
#include "plan/strategy/phase_search.h"

namespace gpuplan {

/// The most machines of a pool or an own box that one job may take.
int most_nodes(const Offer& offer);

/// The ways to take an offer: rented in each number of machines of `where.nodes`, of a single one that one alone; of a
/// pool or an own box each power of two of GPUs of one machine and of whole machines, what the job names, all that may
/// be used, and the even number below. Less what `where` (counts, quota, gpus) leaves out.
std::vector<Machines> machines_on(const Job& job, const Catalogue& catalogue, const Offer& offer);

/// Machines of a market by GPU, number of GPUs and number of machines, largest memory first; where offers differ in
/// what joins the GPUs, those of the cheapest.
std::vector<Machines> distinct_machines(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market);

/// A machine with so many of these GPUs, as they are commonly rented.
NodeShape common_box(const Catalogue& catalogue, const Gpu& gpu, int gpus);

/// The catalogue's GPUs that `where.gpus` names; all when it names none.
std::vector<const Gpu*> wanted_gpus(const Job& job, const Catalogue& catalogue);

/// GPUs worth trying where nobody has asked for offers: those `where.gpus` names, else those of the job's offers and,
/// unless the market is the job's alone, those the snapshot has an offer for (`all`: every one of the catalogue).
std::vector<GpuChoice> gpus_to_try(const Job& job, const Catalogue& catalogue, bool all);

}  // namespace gpuplan
