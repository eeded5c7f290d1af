#include "plan/machines/rooms.h"

#include <algorithm>

#include "base/text.h"
#include "domain/market/usable_gpus.h"

namespace gpuplan {

std::vector<int> Rooms::of(const Offer& offer) {
  std::vector<int> rooms;
  if (offer.kind != OfferKind::kRented) rooms.push_back(room(&offer, "", usable_gpus(offer)));
  else if (is_single(offer)) rooms.push_back(room(&offer, "", offer.gpus));
  for (const auto& [provider, most] : *quota_)
    if (iequals(provider, offer.provider)) rooms.push_back(room(nullptr, provider, most));
  return rooms;
}

int Rooms::room(const Offer* offer, const std::string& provider, int gpus) {
  const auto place = std::ranges::find(names_, std::pair(offer, provider));
  const auto number = static_cast<int>(place - names_.begin());
  if (place == names_.end()) {
    names_.emplace_back(offer, provider);
    sizes_.push_back(gpus);
  }
  return number;
}

std::optional<int> overbooked(const std::vector<int>& sizes, const std::vector<HeldMachines>& held) {
  constexpr Seconds kTouch{1};  // what ends when another begins
  for (std::size_t room = 0; room < sizes.size(); ++room) {
    const auto takes = [&](const HeldMachines& one) {
      return std::ranges::find(one.rooms, static_cast<int>(room)) != one.rooms.end();
    };
    // Most are held when one of them begins.
    for (const HeldMachines& one : held) {
      if (!takes(one)) continue;
      int gpus = 0;
      for (const HeldMachines& other : held)
        if (takes(other) && other.from <= one.from && (&other == &one || other.to > one.from + kTouch))
          gpus += other.gpus;
      if (gpus > sizes[room]) return static_cast<int>(room);
    }
  }
  return std::nullopt;
}

}  // namespace gpuplan
