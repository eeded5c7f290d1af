// A store in a folder of its own, and lists to fill it with.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "store/price_store.h"

namespace gpuplan {

inline constexpr DollarsPerSecond kAnHour{1.0 / 3600};  // a dollar an hour

inline Offer offer_at(const std::string& provider, const std::string& region, double price, const std::string& day) {
  Offer offer;
  offer.provider = provider;
  offer.region = region;
  offer.instance = "m8";
  offer.gpu = "H100 SXM";
  offer.gpus = 8;
  offer.price = exactly(kAnHour * price);
  offer.source = "a list";
  offer.as_of = day;
  return offer;
}

inline Feed list_of(std::vector<Offer> offers, const std::string& file = "list.csv") {
  Feed feed;
  feed.format = "a list";
  feed.file = file;
  feed.rows = feed.kept = offers.size();
  feed.offers = std::move(offers);
  return feed;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    static int number = 0;
    folder = std::filesystem::temp_directory_path() /
             ("gpuplan-store-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
    std::filesystem::create_directories(folder);
    file = (folder / "prices.db").string();
  }
  ~StoreTest() override { std::filesystem::remove_all(folder); }

  PriceStore store() {
    auto opened = PriceStore::open(file, PriceStore::Use::kWrite);
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }
  ImportRecord import(std::vector<Offer> offers, const std::string& today) {
    auto record = store().import({list_of(std::move(offers))}, {today, "12:00:00", "test"});
    EXPECT_TRUE(record) << record.error().message;
    return record ? *record : ImportRecord();
  }
  std::vector<Offer> known(const std::string& as_of = "") {
    auto offers = store().offers(as_of);
    EXPECT_TRUE(offers) << offers.error().message;
    return offers ? *offers : std::vector<Offer>();
  }
  /// Dollars an hour of each offer, in order.
  std::vector<double> prices(const std::string& as_of = "") {
    std::vector<double> all;
    for (const Offer& offer : known(as_of)) all.push_back(offer.price->p50 / kAnHour);
    return all;
  }
  static std::string bytes_in(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write(const std::string& name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::filesystem::path folder;
  std::string file;
};

}  // namespace gpuplan
