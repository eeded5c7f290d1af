// How many GPUs of a pool or an own box may be taken.
#pragma once

#include "domain/market/offer.h"

namespace gpuplan {

/// GPUs of a pool or an own box that a job may take, over all of its machines: without those to be left free.
int usable_gpus(const Offer& offer);

}  // namespace gpuplan
