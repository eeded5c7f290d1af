// The store: what is put in comes out, now and as it was known on any day; imports change what they must and no more.
#include "store/price_store.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "domain/market/offer_order.h"
#include "store/store_fixture.h"

namespace gpuplan {
namespace {

using StoredPrices = StoreTest;

Offer full_offer() {
  Offer offer = offer_at("vast", "Île-de-France, FR", 2.49, "2026-11-20");
  offer.zone = "b";
  offer.spot_price = exactly(kAnHour * 1.25);
  offer.interruptions = Interval<PerSecond>{PerSecond{1e-6}, PerSecond{2e-6}, PerSecond{5e-6}};
  offer.band = SpotBand::k10To15;
  offer.availability = "on request";
  offer.stock = Stock::kLow;
  offer.reliability = 0.987;
  offer.billing = {Seconds{60}, Seconds{1}, Seconds{90}, false, Seconds{3600}};
  offer.disk_price = DollarsPerByteSecond{1e-20};
  offer.egress_price = DollarsPerByte{1e-11};
  offer.label = "a label";
  offer.vcpus = 192;
  offer.ram = Bytes{2048.0 * 1024 * 1024 * 1024};
  return offer;
}

TEST_F(StoredPrices, ComeBackWithEverythingThatWasSaid) {
  Offer plain = offer_at("aws", "us-east-1", 55.04, "2026-11");
  Offer spot_only = offer_at("aws", "us-east-2", 1, "2026-11-19");
  spot_only.price.reset();
  spot_only.spot_price = exactly(kAnHour * 20.3242);
  std::vector<Offer> offers = {full_offer(), plain, spot_only};
  import(offers, "2026-11-22");
  std::ranges::sort(offers, before);
  EXPECT_EQ(known(), offers);
  const auto for_planner = stored_offers(file, "");
  ASSERT_TRUE(for_planner) << for_planner.error().message;
  EXPECT_EQ(for_planner->offers, offers);
}

TEST_F(StoredPrices, ThatStayTakeOneRow) {
  for (const char* day : {"2026-11-01", "2026-11-02", "2026-11-05"}) import({offer_at("aws", "x", 10, day)}, day);
  EXPECT_EQ(store().status()->prices, 1U);
  EXPECT_EQ(known().front().as_of, "2026-11-05");
  EXPECT_EQ(known("2026-11-04").front().as_of, "2026-11-02") << "nobody had looked since";
  import({offer_at("aws", "x", 11, "2026-11-06")}, "2026-11-06");
  EXPECT_EQ(store().status()->prices, 2U);
  EXPECT_EQ(prices("2026-11-05"), std::vector<double>{10});
}

TEST_F(StoredPrices, GoWithTheListThatNoLongerNamesThem) {
  import({offer_at("aws", "x", 10, "2026-11-01"), offer_at("aws", "y", 20, "2026-11-01")}, "2026-11-01");
  Offer other = offer_at("aws", "x", 12, "2026-11-02");
  other.instance = "m9";
  import({other}, "2026-11-02");
  EXPECT_EQ(prices(), (std::vector<double>{12, 20})) << "the list told nothing of y";
  EXPECT_EQ(prices("2026-11-01"), (std::vector<double>{10, 20}));
  import({offer_at("aws", "x", 10, "2026-11-03"), other}, "2026-11-03");
  EXPECT_EQ(prices("2026-11-02"), (std::vector<double>{12, 20})) << "it came back the next day";
}

TEST_F(StoredPrices, OfAnOlderListShadowNothing) {
  import({offer_at("aws", "x", 10, "2026-11-20")}, "2026-11-20");
  import({offer_at("aws", "x", 99, "2026-10-01")}, "2026-11-21");
  EXPECT_EQ(prices(), std::vector<double>{10});
  EXPECT_EQ(prices("2026-10-15"), std::vector<double>{99});
  EXPECT_EQ(stored_offers(file, "")->offers.front().as_of, "2026-11-20");
  import({offer_at("aws", "x", 10, "2026-11-22")}, "2026-11-22");
  EXPECT_EQ(prices(), std::vector<double>{10});
  EXPECT_EQ(prices("2026-11-20"), std::vector<double>{10});
}

TEST_F(StoredPrices, OfALaterListOfTheSameDayCorrectTheFirst) {
  import({offer_at("aws", "x", 10, "2026-11-20")}, "2026-11-20");
  import({offer_at("aws", "x", 1, "2026-11-20")}, "2026-11-20");
  EXPECT_EQ(prices(), std::vector<double>{1});
  EXPECT_EQ(prices("2026-11-20"), std::vector<double>{1});
}

TEST_F(StoredPrices, ThatWereCorrectedCountOnceInTheHistory) {
  const auto past = [&](const std::string& day) {
    std::multiset<double> found;
    const auto history = store().history({{"H100 SXM"}, "", 0, false});
    for (const PastPrice& one : history->prices)
      if (one.from <= day && (one.to.empty() || day < one.to)) found.insert(std::round(one.price * one.gpus));
    return found;
  };
  import({offer_at("aws", "x", 20, "2026-11-01"), offer_at("aws", "y", 22, "2026-11-01")}, "2026-11-01");
  import({offer_at("aws", "x", 10, "2026-11-10")}, "2026-11-10");
  import({offer_at("aws", "x", 12, "2026-11-10")}, "2026-11-10");
  EXPECT_EQ(past("2026-11-01"), (std::multiset<double>{20, 22}));
  EXPECT_EQ(past("2026-11-10"), (std::multiset<double>{12, 22}));
  // The same price again, then corrected: it counts until then.
  import({offer_at("aws", "x", 12, "2026-11-12")}, "2026-11-12");
  import({offer_at("aws", "x", 13, "2026-11-12")}, "2026-11-12");
  EXPECT_EQ(past("2026-11-11"), (std::multiset<double>{12, 22}));
  EXPECT_EQ(past("2026-11-12"), (std::multiset<double>{13, 22}));
  // A correction that no longer names the machine.
  Offer other = offer_at("aws", "x", 30, "2026-11-12");
  other.instance = "m9";
  import({other}, "2026-11-12");
  EXPECT_EQ(past("2026-11-12"), (std::multiset<double>{22, 30}));
  EXPECT_EQ(past("2026-11-10"), (std::multiset<double>{12, 22}));
}

TEST_F(StoredPrices, OfALedgerAreKnownOnEachOfItsDays) {
  std::vector<Offer> ledger;
  for (int day = 10; day < 20; ++day) ledger.push_back(offer_at("aws", "x", day / 2, "2026-11-" + std::to_string(day)));
  import(ledger, "2026-11-20");
  EXPECT_EQ(store().status()->prices, 5U) << "each price held for two days";
  ledger.push_back(offer_at("aws", "x", 50, "2026-11-20"));
  import(ledger, "2026-11-21");
  EXPECT_EQ(store().status()->prices, 6U) << "the past is known already";
  EXPECT_EQ(prices("2026-11-13"), std::vector<double>{6});
  EXPECT_EQ(prices(), std::vector<double>{50});
}

TEST_F(StoredPrices, OfEqualNamesAreAllKept) {
  std::vector<Offer> hosts;
  for (const double price : {3.0, 1.0, 2.0, 2.0}) hosts.push_back(offer_at("vast", "US", price, "2026-11-20"));
  hosts[2].vcpus = 16;
  import(hosts, "2026-11-20");
  EXPECT_EQ(prices(), (std::vector<double>{1, 2, 2, 3}));
  EXPECT_EQ(stored_offers(file, "")->offers.size(), 4U);
}

/// What the store must say, worked out from all imports by the rule alone.
class Remembered {
 public:
  void import(const std::vector<Offer>& offers) { imports_.push_back(offers); }
  std::vector<Offer> known(const std::string& as_of) const {
    // Of each group the last import that told of it up to that day.
    std::map<std::pair<std::string, std::string>, std::size_t> last;
    for (std::size_t i = 0; i < imports_.size(); ++i)
      for (const Offer& offer : imports_[i])
        if (offer.as_of <= as_of) last[{offer.provider, offer.region}] = i;
    std::vector<Offer> found;
    for (const auto& [group, import] : last)
      for (const Offer& offer : imports_[import])
        if (std::pair(offer.provider.str(), offer.region.str()) == group) found.push_back(offer);
    std::ranges::sort(found, before);
    return found;
  }

 private:
  std::vector<std::vector<Offer>> imports_;
};

TEST_F(StoredPrices, AreKnownOnEveryDayAsTheyWereThen) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::filesystem::remove(file);
    std::mt19937 random(seed);
    const auto any = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
    Remembered remembered;
    for (int day = 10; day < 30; ++day) {
      if (any(3) == 0) continue;
      const std::string date = "2026-11-" + std::to_string(day);
      std::vector<Offer> offers;
      for (const char* region : {"x", "y"})
        for (const char* instance : {"a", "b", "c"})
          for (unsigned copy = any(3); copy > 0; --copy) {
            Offer offer = offer_at("aws", region, 1 + any(3), date);
            offer.instance = instance;
            offer.vcpus = static_cast<int>(any(2));
            if (any(4) == 0) offer.spot_price = exactly(kAnHour * 0.5);
            if (std::ranges::find(offers, offer) == offers.end()) offers.push_back(offer);
          }
      import(offers, date);
      remembered.import(offers);
    }
    for (int day = 9; day < 32; ++day) {
      const std::string date = day < 10 ? "2026-11-09" : "2026-11-" + std::to_string(day);
      EXPECT_EQ(known(date), remembered.known(date)) << date << ", seed " << seed;
    }
    EXPECT_EQ(known(), remembered.known("9999"));
  }
}

TEST_F(StoredPrices, AreTheSameFromOneImportAndFromMany) {
  for (unsigned seed = 1; seed <= 16; ++seed) {
    std::mt19937 random(seed);
    const auto any = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
    // Lists of a few days, often several of one, each of which leaves machines out and brings them back.
    std::vector<std::vector<Offer>> lists;
    for (int day = 10; day < 22; day += static_cast<int>(any(4))) {
      std::vector<Offer> offers;
      for (const char* region : {"x", "y"})
        for (const char* instance : {"a", "b", "c"})
          for (unsigned copy = any(3); copy > 0; --copy) {
            Offer offer = offer_at("aws", region, 1 + any(2), "2026-11-" + std::to_string(day));
            offer.instance = instance;
            if (std::ranges::find(offers, offer) == offers.end()) offers.push_back(offer);
          }
      // One that tells of more days than one.
      for (int ago = 1; any(5) == 0 && ago < 4; ++ago)
        offers.push_back(offer_at("aws", "x", 1 + any(2), "2026-11-" + std::to_string(day - ago)));
      lists.push_back(std::move(offers));
    }
    const auto told = [&](const std::string& as_of) {
      std::string text;
      for (const Offer& one : known(as_of))
        text += one.region + one.instance + number_text(std::round(one.price->p50 / kAnHour)) + ' ';
      return text;
    };
    std::map<std::string, std::string> wanted;  // one list a call, the oldest first
    for (int way = 0; way < 6; ++way) {
      std::filesystem::remove(file);
      std::vector<Feed> feeds;
      for (const std::vector<Offer>& list : lists)
        feeds.push_back(list_of(list, "list" + std::to_string(feeds.size()) + ".csv"));
      if (way > 1) std::ranges::shuffle(feeds, random);
      while (!feeds.empty()) {
        const std::size_t together = way == 0   ? 1
                                     : way == 1 ? feeds.size()
                                                : 1 + any(static_cast<unsigned>(feeds.size()));
        const std::vector<Feed> call(feeds.end() - static_cast<std::ptrdiff_t>(together), feeds.end());
        ASSERT_TRUE(store().import(way == 0 ? std::vector{feeds.front()} : call, {"2026-11-25", "12:00:00", "test"}));
        if (way == 0) feeds.erase(feeds.begin());
        else feeds.resize(feeds.size() - together);
      }
      for (int day = 10; day < 26; ++day) {
        const std::string date = "2026-11-" + std::to_string(day);
        if (way == 0) wanted[date] = told(date);
        else EXPECT_EQ(told(date), wanted[date]) << date << ", seed " << seed << ", way " << way;
      }
      if (way == 0) wanted[""] = told("");
      else EXPECT_EQ(told(""), wanted[""]) << "seed " << seed << ", way " << way;
    }
  }
}

TEST_F(StoredPrices, OfSeveralListsOfOneDayCountTogether) {
  const auto add = [&](const std::string& name, std::vector<Offer> offers) {
    ASSERT_TRUE(store().import({list_of(std::move(offers), name)}, {"2026-11-20", "12:00:00", "test"}));
  };
  const auto machine = [](const std::string& instance, double price, const std::string& day) {
    Offer offer = offer_at("aws", "x", price, day);
    offer.instance = instance;
    return offer;
  };
  add("v3.csv", {machine("a", 1, "2026-11-20"), machine("b", 2, "2026-11-20")});
  add("v5.csv", {machine("b", 2, "2026-11-20"), machine("c", 3, "2026-11-20")});
  EXPECT_EQ(prices(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(store().status()->lists.front().offers, 3U) << "what both say is one offer";
  add("v3.csv", {machine("a", 4, "2026-11-20")});
  EXPECT_EQ(prices(), (std::vector<double>{4, 2, 3})) << "the same list again takes its own place only";
  add("v5.csv", {machine("c", 3, "2026-11-20")});
  EXPECT_EQ(prices(), (std::vector<double>{4, 3}));
  // Of the next day, in the other order: each machine goes on.
  add("v5-21.csv", {machine("c", 3, "2026-11-21")});
  add("v3-21.csv", {machine("a", 4, "2026-11-21")});
  EXPECT_EQ(prices(), (std::vector<double>{4, 3}));
  EXPECT_EQ(prices("2026-11-20"), (std::vector<double>{4, 3}));
  add("v5-22.csv", {machine("c", 3, "2026-11-22")});
  EXPECT_EQ(prices(), std::vector<double>{3}) << "of a new day only what its lists name";
  std::map<std::string, int> days;
  const auto history = store().history({{"H100 SXM"}, "", 0, false});
  for (const PastPrice& one : history->prices)
    if (one.instance == "a") ++days[one.from + ' ' + one.to];
  EXPECT_EQ(days, (std::map<std::string, int>{{"2026-11-20 2026-11-21", 1}, {"2026-11-21 2026-11-22", 1}}));
}

TEST_F(StoredPrices, OfLedgersThatBringTheirPastAreStoredOnce) {
  std::vector<Offer> ledger;
  for (int day = 10; day < 28; ++day) {
    const std::string date = "2026-11-" + std::to_string(day);
    ledger.push_back(offer_at("aws", "x", day, date));
    ASSERT_TRUE(store().import({list_of(ledger, "ledger-" + date + ".csv")}, {date, "12:00:00", "test"}));
  }
  EXPECT_EQ(store().status()->prices, 18U);
  EXPECT_EQ(prices(), std::vector<double>{27});
  EXPECT_EQ(prices("2026-11-15"), std::vector<double>{15});
}

TEST_F(StoredPrices, OfLongListsAreThoseOfTheSameListsHeld) {
  std::mt19937 random(7);
  const auto any = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
  std::vector<Offer> offers;
  for (int i = 0; i < 60'000; ++i) {  // one group, of more machines than are held at once, some on several days
    Offer offer = offer_at("aws", i % 10 == 0 ? "y" : "x", 1 + any(4), "2026-11-" + std::to_string(10 + any(9)));
    offer.instance = "m" + std::to_string(any(40'000));
    offer.vcpus = static_cast<int>(any(2));
    if (any(3) == 0) offer.spot_price = exactly(kAnHour * (0.1 + any(2)));
    offers.push_back(std::move(offer));
  }
  const std::vector<Offer> other = {offer_at("aws", "x", 9, "2026-11-18")};
  import(other, "2026-11-18");  // a list of its own part
  const auto copy = std::filesystem::path(file + ".copy");
  std::filesystem::copy_file(file, copy);
  const ImportTerms terms{"2026-11-25", "12:00:00", "test"};
  const auto all_of = [&](const std::string& as_of) { return known(as_of); };
  ASSERT_TRUE(store().import({list_of(offers, "long.csv")}, terms));
  const std::vector<Offer> now = all_of(""), then = all_of("2026-11-14");
  std::filesystem::rename(copy, file);

  Feed feed = list_of({}, "long.csv");
  struct Judge final : StagedJudge {
    OfferVerdict look_at(std::string_view, const Offer& offer, const OfferRow& row) override {
      EXPECT_GT(row.row, 0U);
      EXPECT_EQ(offer.gpu, "H100 SXM");
      return {};
    }
    void twice(std::string_view list, const OfferRow&) override {
      EXPECT_EQ(list, "long.csv");
      ++again;
    }
    std::uint64_t again = 0;
  } judge;
  PriceStore target = store();
  for (std::size_t at = 0; at < offers.size(); at += 7000) {
    const auto part = std::span(offers).subspan(at, std::min<std::size_t>(7000, offers.size() - at));
    std::vector<OfferRow> rows(part.size(), OfferRow{at + 1});
    ASSERT_TRUE(target.stage("long.csv", part, rows));
  }
  ASSERT_TRUE(target.import({feed}, terms, &judge));
  EXPECT_EQ(all_of(""), now);
  EXPECT_EQ(all_of("2026-11-14"), then);
  std::ranges::sort(offers, before);
  const auto rest = std::ranges::unique(offers, same_offer);
  EXPECT_EQ(judge.again, rest.size());
}

TEST_F(StoredPrices, ThatAJudgeLeavesOutAreNotStored) {
  PriceStore target = store();
  std::vector<Offer> offers = {offer_at("aws", "x", 1, "2026-11-20"), offer_at("aws", "y", 2, "2026-11-20")};
  offers[1].spot_price = exactly(kAnHour * 1.5);
  const std::vector<OfferRow> rows = {{1}, {2}};
  ASSERT_TRUE(target.stage("long.csv", offers, rows));
  struct Judge final : StagedJudge {
    OfferVerdict look_at(std::string_view, const Offer&, const OfferRow& row) override {
      return {row.row != 1, row.row != 2};
    }
    void twice(std::string_view, const OfferRow&) override {}
  } judge;
  ASSERT_TRUE(target.import({list_of({}, "long.csv")}, {"2026-11-25", "12:00:00", "test"}, &judge));
  ASSERT_EQ(known().size(), 1U);
  EXPECT_EQ(known().front().region, "y");
  EXPECT_FALSE(known().front().spot_price);
  // What was staged and never imported leaves nothing.
  {
    PriceStore other = store();
    ASSERT_TRUE(other.stage("long.csv", offers, rows));
  }
  EXPECT_EQ(known().size(), 1U);
}

TEST_F(StoredPrices, ThatMovedFromOneListToAnotherDidNotChange) {
  const auto add = [&](const std::string& name, double price, const std::string& region, const std::string& day) {
    Offer offer = offer_at("aws", "x", price, day);
    offer.instance = region;
    ASSERT_TRUE(store().import({list_of({offer}, name)}, {day, "12:00:00", "test"}));
  };
  add("a", 1, "a", "2026-11-20");
  add("b", 2, "b", "2026-11-20");
  add("b21", 2, "b", "2026-11-21");
  const auto changes = store().changes();
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 1U);
  EXPECT_EQ(changes->front().kind, PriceChange::Kind::kGone);
  EXPECT_EQ(changes->front().offer.instance, "a");
}

TEST_F(StoredPrices, TellWhatAnImportChanged) {
  const auto at = [](const char* region, double price, const char* day) { return offer_at("aws", region, price, day); };
  import({at("a", 10, "2026-11-01"), at("b", 10, "2026-11-01"), at("c", 10, "2026-11-01"), at("d", 10, "2026-11-01")},
         "2026-11-01");
  Offer gone = at("d", 10, "2026-11-02");
  gone.instance = "another";
  Offer fresh = at("e", 7, "2026-11-02");
  import({at("a", 12, "2026-11-02"), at("b", 5, "2026-11-02"), at("c", 10, "2026-11-02"), gone, fresh}, "2026-11-02");
  std::map<std::string, PriceChange::Kind> kinds;
  const auto changes = store().changes();
  ASSERT_TRUE(changes);
  for (const PriceChange& change : *changes) kinds[change.offer.region + change.offer.instance] = change.kind;
  using Kind = PriceChange::Kind;
  EXPECT_EQ(kinds, (std::map<std::string, Kind>{{"am8", Kind::kDearer},
                                                {"bm8", Kind::kCheaper},
                                                {"dm8", Kind::kGone},
                                                {"danother", Kind::kNew},
                                                {"em8", Kind::kNew}}));
}

TEST_F(StoredPrices, AreThinnedWhenTheyAreLongPast) {
  // Another price twice a day, every third day of 17 months.
  std::vector<std::string> days;
  for (int month = 1; month <= 17; ++month)
    for (int day = 1; day <= 28; day += 3) {
      const int year = 2025 + (month - 1) / 12, in_year = (month - 1) % 12 + 1;
      days.push_back(std::to_string(year) + (in_year < 10 ? "-0" : "-") + std::to_string(in_year) +
                     (day < 10 ? "-0" : "-") + std::to_string(day));
    }
  double price = 1;
  std::map<std::string, double> last_of_day;
  auto open = store();
  for (const std::string& day : days) {
    for (int twice = 0; twice < 2; ++twice)
      ASSERT_TRUE(open.import({list_of({offer_at("aws", "x", price += 1, day)})}, {day, "12:00:00", "test"}));
    last_of_day[day] = price;
  }
  import({offer_at("aws", "x", 0.5, "2026-05-29")}, "2026-05-29");
  const auto history = store().history({{"H100 SXM"}, "", 0, false});
  std::map<std::string, int> of_day;
  for (const PastPrice& one : history->prices) ++of_day[one.from];
  EXPECT_EQ(of_day["2026-05-19"], 1);
  constexpr std::size_t kLastMonth = 10;  // days of it, each told of twice
  EXPECT_EQ(store().status()->prices, history->prices.size() + kLastMonth) << "the last month is whole";
  EXPECT_EQ(of_day["2026-03-19"], 1);
  EXPECT_EQ(of_day["2025-07-16"], 1) << "one a day for a year";
  int weekly = 0;
  for (const auto& [day, count] : of_day) weekly += day < "2025-05-20" ? count : 0;
  EXPECT_GE(weekly, 18);
  EXPECT_LE(weekly, 21) << "one a week beyond";
  for (const std::string day : {"2026-05-19", "2026-03-19", "2025-07-16"})
    EXPECT_EQ(prices(day), std::vector<double>{last_of_day[day]}) << day;
}

}  // namespace
}  // namespace gpuplan
