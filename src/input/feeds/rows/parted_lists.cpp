#include "input/feeds/rows/parted_lists.h"

#include "base/text.h"

namespace gpuplan {

std::optional<Error> PartedLists::missing() const {
  constexpr const char* kTogether =
      "; import both together: gpuplan prices import shapes.json products.json, or fetch them: gpuplan prices fetch "
      "oci";
  if (!machines.empty())
    return failure(std::string("is the list of shapes of Oracle Cloud, whose prices stand in its list of products") +
                       kTogether,
                   {machines_file})
        .error();
  if (!prices.empty() && !joined)
    return failure(std::string("is the list of products of Oracle Cloud, whose machines stand in its list of shapes") +
                       kTogether,
                   {prices_file})
        .error();
  if (!bands.empty() && !banded)
    return failure(
               "is the AWS Spot Advisor: it says how often machines are interrupted (in bands), not what they cost; "
               "import "
               "it together with a list of AWS that has spot prices, or fetch both: gpuplan prices fetch aws-spot",
               {bands_file})
        .error();
  return std::nullopt;
}

void PartedLists::give_band(Offer& offer) {
  if (bands.empty() || !offer.spot_price || offer.band || offer.interruptions || !iequals(offer.provider, "aws"))
    return;
  const auto found = bands.find(to_lower(offer.region + '\n' + offer.instance));
  if (found == bands.end()) return;
  offer.band = found->second;
  banded = true;
}

void PartedLists::give_bands(std::vector<Feed>& lists) {
  for (Feed& list : lists)
    for (Offer& offer : list.offers) give_band(offer);
}

}  // namespace gpuplan
