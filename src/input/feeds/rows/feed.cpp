#include "input/feeds/rows/feed.h"

#include <algorithm>

namespace gpuplan {
namespace {

constexpr std::size_t kBits = 64;  // the last stands for all reasons that come later

}  // namespace

OfferRow Feed::correct(std::uint64_t row, const std::vector<std::string>& reasons) {
  OfferRow counted{row, 0};
  if (!reasons.empty()) ++corrected;
  for (const std::string& reason : reasons) {
    ++corrections[reason];
    auto place = std::ranges::find(correction_names, reason);
    if (place == correction_names.end() && correction_names.size() + 1 < kBits)
      place = correction_names.insert(place, reason);
    counted.corrected |=
        std::uint64_t{1} << static_cast<std::size_t>(
            place == correction_names.end() ? kBits - 1 : static_cast<std::size_t>(place - correction_names.begin()));
  }
  return counted;
}

void Feed::reject(const OfferRow& row, const std::string& reason) {
  --kept;
  ++rejections[reason];
  if (row.corrected == 0) return;
  --corrected;
  for (std::size_t i = 0; i < correction_names.size(); ++i)
    if ((row.corrected >> i & 1U) != 0)
      if (const auto count = corrections.find(correction_names[i]); --count->second == 0) corrections.erase(count);
}

}  // namespace gpuplan
