// Price lists of any bytes: an answer or an error, never a crash; what is accepted has prices above zero.
// seeds: fuzz/seeds/prices.csv data/offers.csv
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "input/prices/price_file.h"
#include "one_line.h"

namespace {

gpuplan::Catalogue small_catalogue() {
  gpuplan::Catalogue catalogue;
  for (const char* name : {"H100 SXM", "A100 SXM 80GB", "RTX 4090"}) {
    catalogue.gpu_names.add(name, static_cast<int>(catalogue.gpus.size()));
    catalogue.gpus.emplace_back().name = name;
  }
  return catalogue;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuplan::Catalogue catalogue = small_catalogue();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto rate = gpuplan::parse_rate(text); rate && !(rate->dollars > 0)) std::abort();
  const auto offers = gpuplan::read_prices(text, "offers.csv", {{"EUR", 1.08}}, catalogue);
  if (!offers) {
    check_error(offers.error());
    return 0;
  }
  for (const gpuplan::Offer& offer : *offers) {
    const auto& price = offer.price ? offer.price : offer.spot_price;
    if (!price || !(price->p10 > gpuplan::DollarsPerSecond{}) || !(price->p90 >= price->p10) || offer.gpus < 1)
      std::abort();
  }
  return 0;
}
