// Offers with near-duplicates, ranges, spot, increments, minima and start-ups; pools and own boxes.
#include <cmath>

#include "base/text.h"
#include "laws/draw.h"

namespace gpuplan::laws {
namespace {

struct Card {
  std::string_view name;
  double price;  ///< of one, dollars an hour, about
};
constexpr Card kCards[] = {{"RTX 3090", 0.3},
                           {"RTX 4090", 0.5},
                           {"RTX 5090", 0.8},
                           {"L4", 0.5},
                           {"L40S", 1.0},
                           {"A100 SXM 40GB", 1.3},
                           {"A100 SXM 80GB", 1.8},
                           {"H100 SXM", 2.8},
                           {"H200 SXM", 3.6},
                           {"B200", 5.5},
                           {"T4", 0.3},
                           {"V100 SXM2 16GB", 0.4},
                           {"RTX A6000", 0.6},
                           {"MI300X", 2.5},
                           {"H100 PCIe", 2.2},
                           {"RTX 3060", 0.15}};

const Card& drawn_card(Random& random) { return kCards[random.below(std::size(kCards))]; }

int drawn_count(Random& random) { return static_cast<int>(1U << random.below(4)); }

std::string price_of(Random& random, double about) {
  const double low = between(random, about * 0.6, about * 1.6);
  if (!chance(random, 0.2)) return number_text(low);
  return number_text(low) + "-" + number_text(low * (chance(random, 0.5) ? 1.25 : 2));
}

std::string_view drawn_rate(Random& random) {
  return one_of(random, {"5%/h", "20%/h", "1-4%/h", "0%/h", "<5%", ">20%", "0.5%/h"});
}

PriceRow drawn_row(Random& random) {
  const Card& card = drawn_card(random);
  const int gpus = drawn_count(random);
  const double dollars = card.price * gpus;
  PriceRow row{{"gpu", std::string(card.name)}, {"gpus", number_text(gpus)}};
  const bool spot = chance(random, 0.3);
  row.emplace_back("price_per_hour", price_of(random, spot ? dollars * 0.5 : dollars));
  if (chance(random, 0.8)) row.emplace_back("provider", one_of(random, {"p0", "p1", "p2", "vast", "aws"}));
  if (chance(random, 0.4)) row.emplace_back("region", one_of(random, {"us", "eu", "asia"}));
  if (chance(random, 0.2)) row.emplace_back("instance", one_of(random, {"small", "large"}));
  if (spot) {
    row.emplace_back("spot", "yes");
    if (chance(random, 0.8)) row.emplace_back("interruptions", drawn_rate(random));
  }
  if (chance(random, 0.25)) row.emplace_back("billing_minimum_minutes", one_of(random, {"1", "10", "60"}));
  if (chance(random, 0.25)) row.emplace_back("billing_increment_seconds", one_of(random, {"1", "60", "3600"}));
  if (chance(random, 0.2)) row.emplace_back("availability", one_of(random, {"low", "high"}));
  return row;
}

Tree drawn_billing(Random& random) {
  Tree billing = map_tree();
  if (chance(random, 0.5)) put(billing, "minimum", one_of(random, {"60 s", "10 min", "1 h"}));
  if (chance(random, 0.5)) put(billing, "increment", one_of(random, {"1 s", "60 s", "1 h"}));
  if (chance(random, 0.4)) put(billing, "startup", one_of(random, {"30 s", "4 min", "15 min"}));
  if (billing.find("startup") != nullptr && chance(random, 0.5)) put(billing, "startup_billed", "false");
  if (chance(random, 0.08)) put(billing, "term", one_of(random, {"24 h", "168 h"}));
  return billing;
}

Tree drawn_offer(Random& random) {
  const Card& card = drawn_card(random);
  const int gpus = drawn_count(random);
  Tree offer = map_tree();
  put(offer, "gpu", card.name);
  put(offer, "gpus", number_text(gpus));
  const bool demand = chance(random, 0.9);
  if (demand) put(offer, "price", "$" + price_of(random, card.price * gpus) + "/h");
  if (!demand || chance(random, 0.35)) {
    put(offer, "spot_price", "$" + price_of(random, card.price * gpus * 0.4) + "/h");
    if (chance(random, 0.8)) put(offer, "interruptions", drawn_rate(random));
  }
  if (chance(random, 0.7)) put(offer, "provider", one_of(random, {"p0", "p1", "vast", "aws"}));
  if (chance(random, 0.3)) put(offer, "region", one_of(random, {"us", "eu"}));
  if (chance(random, 0.4)) put(offer, "billing", drawn_billing(random));
  if (chance(random, 0.2)) put(offer, "disk_price", one_of(random, {"$0.1/GB/month", "$0.02/GB/month"}));
  if (chance(random, 0.2)) put(offer, "egress_price", one_of(random, {"$0.09/GB", "$0.01/GB"}));
  return offer;
}

Tree drawn_pool(Random& random, std::size_t number) {
  Tree pool = map_tree();
  put(pool, "name", "pool" + number_text(static_cast<double>(number)));
  put(pool, "gpu", drawn_card(random).name);
  put(pool, "gpus", number_text(drawn_count(random)));
  if (chance(random, 0.5)) put(pool, "price", one_of(random, {"$0.5/h", "$1.2/h"}));
  if (chance(random, 0.4)) put(pool, "max_time", one_of(random, {"4 h", "24 h", "48 h"}));
  if (chance(random, 0.4)) put(pool, "partition", one_of(random, {"gpu", "long"}));
  if (chance(random, 0.3)) put(pool, "wait", one_of(random, {"30 min", "1-6 h"}));
  if (chance(random, 0.3)) put(pool, "leave_free", one_of(random, {"1", "25%"}));
  if (chance(random, 0.2)) {
    put(pool, "preemptible", "true");
    put(pool, "interruptions", drawn_rate(random));
  }
  return pool;
}

Tree drawn_box(Random& random, std::size_t number) {
  Tree box = map_tree();
  put(box, "name", "box" + number_text(static_cast<double>(number)));
  put(box, "gpu", drawn_card(random).name);
  put(box, "gpus", number_text(drawn_count(random)));
  if (chance(random, 0.5)) put(box, "watts", one_of(random, {"800 W", "3000 W"}));
  if (chance(random, 0.5)) put(box, "usd_per_kwh", one_of(random, {"$0.3", "$0.12"}));
  return box;
}

/// The same machine a little dearer or cheaper, or elsewhere.
void make_neighbour(Random& random, PriceRow& row) {
  for (auto& [column, text] : row) {
    if (column == "price_per_hour" && chance(random, 0.8)) text = scaled(text, between(random, 0.9, 1.1));
    if (column == "provider" && chance(random, 0.3)) text = "p3";
  }
}
void make_neighbour(Random& random, Tree& offer) {
  for (const std::string_view key : {"price", "spot_price"})
    if (Tree* price = offer.find(key); price != nullptr && chance(random, 0.8))
      price->text = scaled(price->text, between(random, 0.9, 1.1));
  if (chance(random, 0.3)) put(offer, "provider", "p3");
}

}  // namespace

void add_offer(Random& random, Case& one) {
  const bool neighbour = chance(random, 0.3);
  if (!one.prices.empty()) {
    PriceRow row = one.prices[random.below(one.prices.size())];
    if (neighbour) make_neighbour(random, row);
    else row = drawn_row(random);
    one.prices.push_back(std::move(row));
    return;
  }
  Tree* market = one.job.find("market");
  if (market == nullptr) return;
  Tree* offers = market->find("offers");
  if (offers == nullptr) offers = &put(*market, "offers", list_tree());
  if (neighbour && !offers->children.empty()) {
    Tree offer = offers->children[random.below(offers->children.size())];
    make_neighbour(random, offer);
    offers->children.push_back(std::move(offer));
  } else {
    offers->children.push_back(drawn_offer(random));
  }
}

void draw_market(Random& random, Case& one) {
  const std::size_t offers = 2 + random.below(5);
  if (chance(random, 0.5)) {
    one.prices.push_back(drawn_row(random));
    while (one.prices.size() < offers) add_offer(random, one);
    return;
  }
  Tree& market = put(one.job, "market", map_tree());
  put(market, "use", "only");
  put(market, "offers", list_tree());
  for (std::size_t i = 0; i < offers; ++i) add_offer(random, one);
  Tree& grown = *one.job.find("market");
  if (chance(random, 0.3)) {
    Tree& pools = put(grown, "pools", list_tree());
    for (std::size_t i = 0; i < 1 + random.below(2); ++i) pools.children.push_back(drawn_pool(random, i));
  }
  if (chance(random, 0.25)) put(grown, "own", list_tree()).children.push_back(drawn_box(random, 0));
}

}  // namespace gpuplan::laws
