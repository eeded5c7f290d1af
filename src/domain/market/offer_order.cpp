#include "domain/market/offer_order.h"

#include <compare>
#include <limits>
#include <tuple>

namespace gpuplan {

namespace {

/// What a list is looked up by.
auto place_of(const Offer& o) { return std::tie(o.gpu, o.gpus, o.kind, o.provider, o.region, o.zone, o.instance); }

double median(const std::optional<Interval<DollarsPerSecond>>& price) {
  return price ? price->p50.value : std::numeric_limits<double>::infinity();
}

/// All of it: a new field does not compile until it is here. Words about an offer make it no other one.
auto all_of(const Offer& o) {
  const auto& [kind, provider, region, instance, zone, gpu, gpus, price, spot_price, interruptions, band, availability,
               stock, price_doubt, spot_doubt, reliability, billing, disk_price, egress_price, label, source, as_of,
               notes, vcpus, ram, disk, nodes, max_nodes, network, max_time, wait, partition, account, qos, queue,
               preemptible, leave_free, watts, usd_per_kwh] = o;
  static_cast<void>(notes);
  return std::tie(kind, provider, region, instance, zone, gpu, gpus, price, spot_price, interruptions, band,
                  availability, stock, price_doubt, spot_doubt, reliability, billing, disk_price, egress_price, label,
                  source, as_of, vcpus, ram, disk, nodes, max_nodes, network, max_time, wait, partition, account, qos,
                  queue, preemptible, leave_free, watts, usd_per_kwh);
}

}  // namespace

bool before(const Offer& a, const Offer& b) {
  if (const auto order = place_of(a) <=> place_of(b); order != 0) return order < 0;
  const auto prices = [](const Offer& o) { return std::pair(median(o.price), median(o.spot_price)); };
  if (const auto order = prices(a) <=> prices(b); order != 0) return order < 0;
  if (all_of(a) != all_of(b)) return all_of(a) < all_of(b);
  return b.notes < a.notes;  // of two that are the same the first is kept: one with words
}

bool same_place(const Offer& a, const Offer& b) { return place_of(a) == place_of(b); }

bool same_offer(const Offer& a, const Offer& b) {
  // Lists have neighbours compared: what most of them differ in first.
  return a.price == b.price && a.spot_price == b.spot_price && all_of(a) == all_of(b);
}

}  // namespace gpuplan
