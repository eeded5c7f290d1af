// Filters of offers in the words of SkyPilot and dstack, said in those of gpuplan.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gpuplan {

struct MeantOffers {
  std::vector<std::string> filter;   ///< output/text/row_filter.h
  std::vector<std::string> notes{};  ///< what was read in another sense than gpuplan's own, a sentence each
  bool spot = false;                 ///< prices of spot are asked for
};

/// "infra=aws/us-east-1/us-east-1a" (its parts; "*" is any), "backend=aws", "use_spot=true" (machines with a spot
/// price) and "memory=64+", which is the machine's memory there and that of its GPU here. Everything else stays as it
/// is.
MeantOffers meant_offers(std::span<const std::string> filter);

}  // namespace gpuplan
