// The file of the store: of other programs, damaged, of other versions; and what is laid out beside it.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <span>

#include "store/ready/ready.h"
#include "store/schema.h"
#include "store/sql/sql.h"
#include "store/store_fixture.h"

namespace gpuplan {
namespace {

class StoreFile : public StoreTest {
 protected:
  void refused(const std::string& part) {
    const std::string before = bytes_in(file);
    for (const auto use : {PriceStore::Use::kRead, PriceStore::Use::kWrite}) {
      auto opened = PriceStore::open(file, use);
      std::string said;
      if (!opened) said = opened.error().message;
      else if (use == PriceStore::Use::kRead)
        if (auto offers = opened->offers(""); !offers) said = offers.error().message;
      EXPECT_NE(said.find(part), std::string::npos) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos);
    }
    EXPECT_EQ(bytes_in(file), before);
  }
};

TEST_F(StoreFile, OfSomethingElseIsRefusedUntouched) {
  write(file, "gpu,gpus,price_per_hour\nH100,8,20\n" + std::string(500, 'x'));
  refused("is not a store of prices");
  write(file, "");
  {
    const auto other = Database::open(file, Database::Use::kWrite);
    ASSERT_TRUE((*other)->run("CREATE TABLE mine (x); PRAGMA application_id = 7"));
  }
  refused("belongs to another program");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  const auto folder_of_it = PriceStore::open(file, PriceStore::Use::kWrite);
  ASSERT_FALSE(folder_of_it);
  EXPECT_NE(folder_of_it.error().message.find("is a folder"), std::string::npos);
}

TEST_F(StoreFile, DamagedIsRefusedUntouched) {
  std::vector<Offer> offers;
  for (int i = 0; i < 3000; ++i) offers.push_back(offer_at("aws", "r" + std::to_string(i), i + 1, "2026-11-01"));
  import(offers, "2026-11-01");
  const std::string good = bytes_in(file);
  std::string bad = good;
  for (std::size_t at = 4096; at < bad.size(); at += 2) bad[at] = 'Z';
  write(file, bad);
  refused("damaged");
  write(file, good.substr(0, good.size() / 2));
  refused("damaged");
}

TEST_F(StoreFile, OfANewerVersionIsRefusedUntouched) {
  import({offer_at("aws", "x", 1, "2026-11-01")}, "2026-11-01");
  {
    ASSERT_TRUE((*Database::open(file, Database::Use::kWrite))->run("PRAGMA user_version = 99"));
  }
  refused("newer gpuplan");
}

TEST_F(StoreFile, OfAnOlderVersionIsBroughtUpToDate) {
  import({offer_at("aws", "x", 1, "2026-11-01")}, "2026-11-01");
  const auto database = Database::open(file, Database::Use::kWrite);
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back("ALTER TABLE imports ADD COLUMN remark TEXT NOT NULL DEFAULT 'none'");
  ASSERT_TRUE(bring_up_to_date(**database, steps));
  EXPECT_EQ((*database)->ask("PRAGMA user_version"), static_cast<std::int64_t>(steps.size()));
  EXPECT_EQ((*database)->ask("SELECT count(*) FROM imports WHERE remark = 'none'"), 1);
  steps.push_back("CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)");
  EXPECT_FALSE(bring_up_to_date(**database, steps));
  EXPECT_EQ((*database)->ask("PRAGMA user_version"), static_cast<std::int64_t>(steps.size()) - 1);
  EXPECT_EQ((*database)->ask("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), 0) << "whole or not at all";
  EXPECT_EQ((*database)->ask("SELECT count(*) FROM prices"), 1);
}

TEST_F(StoreFile, OfTheFirstVersionIsReadAsItWas) {
  {
    const auto old = Database::open(file, Database::Use::kWrite);
    ASSERT_TRUE(bring_up_to_date(**old, migrations().first(1)));
    ASSERT_TRUE((*old)->run(
        "INSERT INTO texts VALUES (1, 'a list'), (2, 'aws'), (3, 'x'), (4, 'H100 SXM'), (5, 'm8'), (6, '');"
        "INSERT INTO imports VALUES (1, '2026-11-20', '12:00:00', 'test');"
        "INSERT INTO groups VALUES (1, 1, 2, 3, 4); INSERT INTO listings VALUES (1, 20261120, 1);"
        "INSERT INTO details VALUES (1, 0, 0, 0, 1, 0, 1, 0, NULL, NULL, 6, 6, 0, NULL, NULL, NULL);"
        "INSERT INTO series VALUES (1, 1, 5, 6, 8, 0);"
        "INSERT INTO prices VALUES (1, 20261120, 1, 20261120, 1, 0.002, NULL, 0, 0, 1, NULL, NULL, NULL, NULL)"));
  }
  const auto planner = stored_offers(file, "");
  ASSERT_TRUE(planner) << planner.error().message;
  ASSERT_EQ(planner->offers.size(), 1U);
  EXPECT_EQ(planner->offers.front(), offer_at("aws", "x", 7.2, "2026-11-20"));
  import({offer_at("aws", "x", 3, "2026-11-20")}, "2026-11-20");
  EXPECT_EQ(prices(), std::vector<double>{3}) << "a list of that day takes its place, as it did then";
}

TEST_F(StoreFile, FullDiskLosesNothing) {
  import({offer_at("aws", "x", 1, "2026-11-01")}, "2026-11-01");
  const auto database = Database::open(file, Database::Use::kWrite);
  ASSERT_TRUE((*database)->run("PRAGMA max_page_count = 20"));
  ASSERT_TRUE((*database)->begin());
  EXPECT_FALSE(
      (*database)->run("CREATE TABLE big AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n "
                       "WHERE x < 100000) SELECT x, hex(randomblob(50)) FROM n"));
  EXPECT_EQ((*database)->error().message, "the disk is full; nothing was changed");
  (*database)->roll_back();
  EXPECT_EQ(prices(), std::vector<double>{1});
}

TEST_F(StoreFile, WhatLiesBesideAnotherStateIsNotTaken) {
  import({offer_at("aws", "x", 1, "2026-11-01")}, "2026-11-01");
  const std::string stale = bytes_in(ready_file(file));
  ASSERT_FALSE(stale.empty());
  import({offer_at("aws", "x", 2, "2026-11-02")}, "2026-11-02");
  write(ready_file(file), stale);
  EXPECT_EQ(stored_offers(file, "")->offers.front().price->p50 / kAnHour, 2);
  std::filesystem::remove(ready_file(file));
  EXPECT_EQ(stored_offers(file, "")->offers.front().price->p50 / kAnHour, 2);
  EXPECT_FALSE(std::filesystem::exists(ready_file(file))) << "who reads makes no file";
}

TEST_F(StoreFile, WhatNoPlanMayWantIsLeftOut) {
  std::vector<Offer> offers;
  for (int i = 0; i < 20; ++i) offers.push_back(offer_at("aws", "region " + std::to_string(i), i + 1, "2026-11-01"));
  offers.push_back(offer_at("aws", "elsewhere", 30, "2026-10-01"));  // of another day: it may be all that is left
  offers.back().as_of = "2026-10-01";
  offers[7].spot_price = exactly(offers[7].price->p50 * 0.5);
  const ReadyState state{3, 4, 5};
  Places places = places_of(std::span(offers).subspan(12, 1));
  EXPECT_EQ(unpack_ready(pack_ready(offers, {}, state), state, &places)->offers, offers)
      << "a short list has all places";
  std::vector<Offer> left{offers[0], offers[1], offers[7], offers[12], offers[20]};
  for (std::size_t i = 0; i < kDearerFrom; ++i) {
    offers.push_back(offer_at("p" + std::to_string(i), "r", 1, "2026-11-01"));
    left.push_back(offers.back());
  }
  const std::string bytes = pack_ready(offers, {}, state);
  const auto wanted = unpack_ready(bytes, state, &places);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->offers, left)
      << "the cheapest two, spot, what somebody else tells of too, and what is of another day";
  EXPECT_EQ(wanted->left_out.offers, 16U);
  EXPECT_EQ(wanted->left_out.months.size(), 1U);
  EXPECT_EQ(unpack_ready(bytes, state)->left_out.offers, 0U);
}

/// Ten weeks in which one price rises by a tenth every second week and another stays.
TEST_F(StoreFile, TellsHowFarPricesMoved) {
  constexpr int kWeeks = 10;
  double price = 20;
  for (int week = 0; week <= kWeeks; ++week) {
    const std::string day =
        "2026-" +
        std::to_string(week < 5   ? 10
                       : week < 9 ? 11
                                  : 12) +
        "-" +
        std::vector<std::string>{
            "01", "08", "15", "22", "29", "05", "12", "19", "26", "03", "10"}[static_cast<std::size_t>(week)];
    if (week > 0 && week % 2 == 0) price *= 1.1;
    import({offer_at("aws", "r", price, day), offer_at("lambda", "r", 24, day)}, day);
  }
  for (const char* as_of : {"", "2026-12-10", "2026-12"}) {
    const auto found = stored_offers(file, as_of);
    ASSERT_TRUE(found) << as_of;
    ASSERT_EQ(found->scatter.size(), 2U) << as_of;
    const OwnScatter& aws = found->scatter[0];
    EXPECT_EQ(aws.provider, "aws");
    EXPECT_EQ(aws.gpu, "H100 SXM");
    EXPECT_EQ(aws.terms, PriceTerms::kOnDemand);
    EXPECT_EQ(aws.moves.prices, kWeeks + 1);
    EXPECT_EQ(aws.moves.days, 7 * kWeeks);
    const double step = std::log(1.1);
    EXPECT_NEAR(aws.moves.variance, 5 * step * step / (7 * kWeeks / (365.25 / 12)), 1e-9);
    EXPECT_NEAR(aws.moves.months, 7 * kWeeks / (365.25 / 12), 1e-9);
    EXPECT_EQ(found->scatter[1].moves.variance, 0) << "a price that stays tells of no moves";
    EXPECT_EQ(found->scatter[1].moves.days, 7 * kWeeks);
  }
  const auto before = stored_offers(file, "2026-10-29");
  ASSERT_TRUE(before);
  EXPECT_EQ(before->scatter[0].moves.days, 28) << "what came later was not known";
  const auto first = stored_offers(file, "2026-10-08");
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->scatter.empty()) << "one week may be any";
}

TEST_F(StoreFile, HostsMoveToOtherHosts) {
  for (const char* day : {"2026-10-01", "2026-10-08", "2026-10-15", "2026-10-22"}) {
    Offer host = offer_at("vast", "DE", day[9] == '8' ? 10 : 20, day), other = offer_at("vast", "US", 16, day);
    host.availability = other.availability = "single machine of one host";
    import({host, other}, day);
  }
  const auto found = stored_offers(file, "");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->scatter.size(), 1U);
  EXPECT_EQ(found->scatter[0].moves.months, 0) << "two days have two hosts";
  EXPECT_EQ(found->scatter[0].of(SpreadOver::kHosts).prices, 2) << "those of today lie apart";
}

TEST_F(StoreFile, ALongListIsReadAsItWasWritten) {
  std::vector<Offer> offers;
  constexpr int kOffers = 9000;  // more than one thread takes at once
  for (int i = 0; i < kOffers; ++i) {
    const std::string number = std::to_string(i);
    const std::string day = "2026-" + std::string(i % 3 == 0 ? "09" : "11") + (i % 2 == 0 ? "-01" : "");
    offers.push_back(offer_at("p" + std::to_string(i % 40), "region " + number, 1 + i % 50, day));
    offers.back().as_of = day;
    offers.back().instance = "machine " + std::to_string(i % 700);
    if (i % 5 == 0) offers.back().spot_price = exactly(offers.back().price->p50 * 0.5);
  }
  const ReadyState state{3, 4, 5};
  const std::string bytes = pack_ready(offers, {}, state);
  const auto found = unpack_ready(bytes, state);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offers, offers);
  ASSERT_EQ(found->places.size(), offers.size());
  for (std::size_t i = 0; i < offers.size(); ++i) ASSERT_EQ(found->places[i], place_hash(offers[i])) << i;
  for (const std::size_t at : {bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_FALSE(unpack_ready(bad, state)) << at;
  }
}

TEST_F(StoreFile, DamagedBesideItIsNotTaken) {
  std::vector<Offer> offers;
  for (int i = 0; i < 20; ++i) offers.push_back(offer_at("aws", "region " + std::to_string(i), i + 1, "2026-11-01"));
  const ReadyState state{3, 4, 5};
  const std::string good = pack_ready(offers, {}, state);
  ASSERT_EQ(unpack_ready(good, state)->offers, offers);
  EXPECT_FALSE(unpack_ready(good, {3, 4, 6}));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    EXPECT_FALSE(unpack_ready(bad, state)) << at;
    EXPECT_FALSE(unpack_ready(good.substr(0, at), state)) << at;
  }
}

}  // namespace
}  // namespace gpuplan
