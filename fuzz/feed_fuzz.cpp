// Price lists of any bytes, at once and in pieces: the same lists or one clear line. Each row is kept or rejected, and
// what is kept has a price above zero and names that a terminal shows as they are.
// seeds: fuzz/seeds/feed* data/offers.csv
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/read_feed.h"
#include "one_line.h"

namespace {

gpuplan::Catalogue known_gpus() {
  gpuplan::Catalogue catalogue;
  const auto add = [&](const char* name, double gib, const char* alias) {
    catalogue.gpu_names.add(name, static_cast<int>(catalogue.gpus.size()));
    catalogue.gpu_names.add(alias, static_cast<int>(catalogue.gpus.size()));
    gpuplan::Gpu& gpu = catalogue.gpus.emplace_back();
    gpu.name = name;
    gpu.memory = gib * gpuplan::units::GiB;
    gpu.form_factor = "PCIe";
  };
  add("H100 SXM", 80, "H100");
  add("H100 PCIe", 80, "H100 PCIe 80GB");
  add("A100 SXM 80GB", 80, "A100-80GB");
  add("A100 SXM 40GB", 40, "A100");
  add("RTX 4090", 24, "4090");
  add("T4", 16, "Tesla T4");
  add("TPU v6e", 32, "v6e");
  return catalogue;
}

gpuplan::Result<std::vector<gpuplan::Feed>> read(std::string_view bytes, std::string_view format, std::uint64_t seed) {
  static const gpuplan::Catalogue catalogue = known_gpus();
  gpuplan::FeedTerms terms;
  terms.file = "list";
  terms.as_of = "2026-11-25";
  terms.rates = {{"EUR", 1.1}};
  gpuplan::FeedSource source(terms, format, catalogue);
  while (!bytes.empty()) {
    const std::size_t size = seed == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 1 + (seed >> 33U) % 97);
    seed = seed * 6364136223846793005ULL + (seed == 0 ? 0 : 1442695040888963407ULL);
    if (auto taken = source.take(bytes.substr(0, size)); !taken) return std::unexpected(taken.error());
    bytes.remove_prefix(size);
  }
  return source.finish();
}

void check(bool holds) {
  if (!holds) __builtin_trap();
}

void check_feed(const gpuplan::Feed& feed) {
  std::uint64_t rejected = 0;
  for (const auto& [reason, rows] : feed.rejections) {
    rejected += rows;
    check(gpuplan::printable(reason, 1000) == reason);
  }
  check(feed.rows == feed.kept + rejected && feed.offers.size() == feed.kept && feed.corrected <= feed.kept);
  for (const gpuplan::FeedNote& note : feed.notes) check(gpuplan::printable(note.words, 1000) == note.words);
  for (const gpuplan::Offer& offer : feed.offers) {
    check(offer.gpus >= 1 && (offer.price || offer.spot_price));
    for (const auto& price : {offer.price, offer.spot_price}) check(!price || price->p10.value > 0);
    for (const gpuplan::Word* name : {&offer.provider, &offer.region, &offer.zone, &offer.instance, &offer.gpu,
                                      &offer.label, &offer.availability, &offer.as_of, &offer.source})
      check(gpuplan::printable(*name, 1000) == *name);
  }
}

void check_alike(const std::vector<gpuplan::Feed>& a, const std::vector<gpuplan::Feed>& b) {
  check(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    check(a[i].offers == b[i].offers && a[i].rejections == b[i].rejections && a[i].corrections == b[i].corrections);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::uint64_t seed = gpuplan::hash_of(bytes) | 1U;
  // Half of the inputs are read as they are, the rest in a format that the caller names.
  const auto formats = gpuplan::feed_formats();
  const std::string_view format = seed >> 63U != 0 ? "" : formats[(seed >> 7U) % formats.size()].name;
  for (const std::string_view name : {std::string_view(), format}) {
    const auto whole = read(bytes, name, 0), pieces = read(bytes, name, seed);
    check(whole.has_value() == pieces.has_value());
    if (!whole) {
      check_error(whole.error());
      continue;
    }
    for (const gpuplan::Feed& feed : *whole) check_feed(feed);
    check_alike(*whole, *pieces);
  }
  return 0;
}
