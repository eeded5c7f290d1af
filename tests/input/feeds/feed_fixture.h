// Price lists read at once and in pieces, against a small catalogue.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "input/feeds/read_feed.h"

namespace gpuplan {

inline const Catalogue& feed_catalogue() {
  static const Catalogue catalogue = [] {
    struct Row {
      const char* name;
      double gib;
      const char* form;
      std::vector<const char*> aliases;
    };
    Catalogue made;
    for (const Row& row : std::vector<Row>{{"B300", 288, "SXM6", {}},
                                           {"H200 SXM", 141, "SXM5", {"H200"}},
                                           {"H100 NVL", 94, "PCIe", {}},
                                           {"H100 SXM", 80, "SXM5", {"H100", "H100-80GB", "NVIDIA H100", "H100 HGX"}},
                                           {"H100 PCIe", 80, "PCIe", {}},
                                           {"A100 PCIe 80GB", 80, "PCIe", {}},
                                           {"A100 SXM 80GB", 80, "SXM4", {"A100-80GB"}},
                                           {"A100 SXM 40GB", 40, "SXM4", {"A100", "A100-40GB"}},
                                           {"A100 PCIe 40GB", 40, "PCIe", {}},
                                           {"V100 PCIe 32GB", 32, "PCIe", {}},
                                           {"V100 SXM2 16GB", 16, "SXM2", {"V100", "Tesla V100"}},
                                           {"V100 PCIe 16GB", 16, "PCIe", {"V100 PCIe"}},
                                           {"MI325X", 256, "OAM", {}},
                                           {"Quadro RTX 6000", 24, "PCIe", {"RTX6000"}},
                                           {"RTX 6000 Ada", 48, "PCIe", {}},
                                           {"RTX 4090", 24, "PCIe", {}},
                                           {"A10", 24, "PCIe", {}},
                                           {"L4", 24, "PCIe", {}},
                                           {"T4", 16, "PCIe", {}},
                                           {"GH200 96GB", 96, "", {"GH200", "GH200 480GB"}},
                                           {"TPU v3", 32, "", {}},
                                           {"TPU v6e", 32, "", {}}}) {
      const int position = static_cast<int>(made.gpus.size());
      made.gpu_names.add(row.name, position);
      for (const char* alias : row.aliases) made.gpu_names.add(alias, position);
      Gpu& gpu = made.gpus.emplace_back();
      gpu.name = row.name;
      gpu.memory = row.gib * units::GiB;
      gpu.form_factor = row.form;
    }
    Node& node = made.nodes.emplace_back();
    node.provider = "aws";
    node.instance = "p5.48xlarge";
    node.gpu = "H100 SXM";
    node.gpus = 8;
    return made;
  }();
  return catalogue;
}

/// Reads bytes in pieces of so many.
inline Result<std::vector<Feed>> read_feeds(std::string_view bytes, FeedTerms terms, std::string_view format = "",
                                            std::size_t piece = std::string_view::npos) {
  FeedSource source(std::move(terms), format, feed_catalogue());
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    if (auto taken = source.take(bytes.substr(0, piece)); !taken) return std::unexpected(taken.error());
  return source.finish();
}

/// What must hold of any list: each row is kept or rejected, each kept row is an offer with a price, each correction is
/// counted.
inline void expect_laws(const Feed& feed) {
  EXPECT_EQ(feed.offers.size(), feed.kept);
  EXPECT_LE(feed.kept, feed.rows);
  EXPECT_LE(feed.corrected, feed.kept);
  std::uint64_t rejected = 0;
  for (const auto& [reason, rows] : feed.rejections) rejected += rows;
  EXPECT_EQ(rejected, feed.rejected());
  for (const Offer& offer : feed.offers) {
    EXPECT_TRUE(offer.price || offer.spot_price);
    for (const auto& price : {offer.price, offer.spot_price}) EXPECT_TRUE(!price || price->p50.value > 0);
    EXPECT_GE(offer.gpus, 1);
    EXPECT_FALSE(offer.gpu.empty());
  }
}

inline FeedTerms terms_of(std::string file, std::string provider = "") {
  FeedTerms terms;
  terms.file = std::move(file);
  terms.provider = std::move(provider);
  terms.as_of = "2026-11-25";
  terms.source = "a test";
  terms.rates = {{"EUR", 1.1}};
  return terms;
}

/// One list that must be read, however it is cut into pieces.
inline Feed read_feed(std::string_view bytes, const FeedTerms& terms, std::string_view format = "") {
  auto feeds = read_feeds(bytes, terms, format);
  if (!feeds || feeds->size() != 1) {
    ADD_FAILURE() << (feeds ? "not one list" : feeds.error().message);
    return {};
  }
  Feed& feed = feeds->front();
  expect_laws(feed);
  for (const std::size_t piece : {1U, 7U}) {
    const auto again = read_feeds(bytes, terms, format, piece);
    EXPECT_TRUE(again && again->size() == 1);
    if (!again || again->size() != 1) continue;
    EXPECT_EQ(again->front().offers, feed.offers) << "in pieces of " << piece;
    EXPECT_EQ(again->front().rejections, feed.rejections);
    EXPECT_EQ(again->front().corrections, feed.corrections);
  }
  return std::move(feed);
}

inline double hourly_price(const Offer& offer) { return offer.price ? offer.price->p50.value * 3600 : 0; }
inline double hourly_spot(const Offer& offer) { return offer.spot_price ? offer.spot_price->p50.value * 3600 : 0; }

/// "8x H100 SXM $55.04 spot $20"; prices of none are left out.
inline std::string told(const Offer& offer) {
  const auto money = [](double value) { return '$' + number_text(std::round(value * 1e4) / 1e4); };
  std::string text = std::to_string(offer.gpus) + "x " + offer.gpu;
  if (offer.price) text += ' ' + money(hourly_price(offer));
  if (offer.spot_price) text += " spot " + money(hourly_spot(offer));
  return text;
}

inline std::vector<std::string> told(const Feed& feed) {
  std::vector<std::string> all;
  for (const Offer& offer : feed.offers) all.push_back(told(offer));
  return all;
}

using Strings = std::vector<std::string>;
using Reasons = std::map<std::string, std::uint64_t>;

}  // namespace gpuplan
