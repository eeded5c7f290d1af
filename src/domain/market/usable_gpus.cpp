#include "domain/market/usable_gpus.h"

#include <cmath>

#include "base/whole.h"

namespace gpuplan {

int usable_gpus(const Offer& offer) {
  const int all = offer.nodes * offer.gpus;
  const int kept = offer.leave_free < 1 ? whole<int>(std::ceil(offer.leave_free * all)) : whole<int>(offer.leave_free);
  return all - kept;
}

}  // namespace gpuplan
