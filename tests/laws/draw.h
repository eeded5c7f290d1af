// Random jobs and markets: every kind of phase and every rule of billing, small enough to plan in a millisecond.
#pragma once

#include "laws/case.h"

namespace gpuplan::laws {

/// The job without its market, and the market: rows of a price list, or offers, pools and boxes in the job.
Tree drawn_job(Random& random);
void draw_market(Random& random, Case& one);
/// One more offer of the kind that the case has: near one that is there, or another.
void add_offer(Random& random, Case& one);

Case drawn_case(std::uint64_t seed, std::uint64_t number);

}  // namespace gpuplan::laws
