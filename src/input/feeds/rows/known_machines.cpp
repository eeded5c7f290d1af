#include "input/feeds/rows/known_machines.h"

#include "base/text.h"

namespace gpuplan {

KnownMachines::KnownMachines(const Catalogue& catalogue, std::string_view provider) {
  using units::GiB;
  for (const Node& node : catalogue.nodes)
    if (!node.instance.empty() && iequals(node.provider, provider))
      by_name_.emplace(to_lower(node.instance),
                       KnownMachine{node.gpu, node.gpus, static_cast<double>(node.vcpus), node.ram / GiB});
  for (const Offer& offer : catalogue.offers)
    if (!offer.instance.empty() && iequals(offer.provider, provider))
      by_name_.emplace(to_lower(offer.instance),
                       KnownMachine{offer.gpu, offer.gpus, static_cast<double>(offer.vcpus), offer.ram / GiB});
}

const KnownMachine* KnownMachines::find(std::string_view instance) const {
  const auto known = by_name_.find(to_lower(instance));
  return known == by_name_.end() ? nullptr : &known->second;
}

}  // namespace gpuplan
