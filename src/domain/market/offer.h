// What can be rented or is at hand: a machine with a price and billing rules, a cluster pool, an own box.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/interval.h"
#include "base/names.h"
#include "base/units.h"
#include "base/word.h"
#include "domain/market/preemption.h"

namespace gpuplan {

/// `source` of what the job itself brings.
inline constexpr std::string_view kJobSource = "job";

enum class OfferKind { kRented, kPool, kOwn };

/// How use becomes money: each time a machine is taken, never less than the minimum, then rounded up to whole
/// increments.
struct Billing {
  Seconds minimum{0};
  Seconds increment{1};
  Seconds startup{0};          ///< from asking for a machine to its first use
  bool startup_billed = true;  ///< the same is paid for
  Seconds term{0};             ///< committed: paid for in whole terms from first to last use, used or not; 0: none

  constexpr auto operator<=>(const Billing&) const = default;
};

/// Whether it can be had, as its source said on the day of its price.
enum class Stock : std::uint8_t { kUnsaid, kSoldOut, kLow, kMedium, kHigh };

template <>
struct Names<Stock> {
  static constexpr std::array entries = {Named<Stock>{Stock::kUnsaid, "unsaid"},
                                         Named<Stock>{Stock::kSoldOut, "sold out"}, Named<Stock>{Stock::kLow, "low"},
                                         Named<Stock>{Stock::kMedium, "medium"}, Named<Stock>{Stock::kHigh, "high"}};
};

/// How far the price that one pays in the end lies from the listed one: standard deviations of its logarithm, two parts
/// that do not depend on each other.
struct PriceDoubt {
  double age = 0;    ///< what became of it since it was listed
  double place = 0;  ///< at another host, zone or region, where what is listed is gone
  bool any() const { return age > 0 || place > 0; }
  constexpr auto operator<=>(const PriceDoubt&) const = default;
};

struct Offer {
  OfferKind kind = OfferKind::kRented;
  Word provider, region, instance;
  Word zone;  ///< part of the region, where prices differ by it
  Word gpu;   ///< name in the catalogue
  int gpus = 1;
  std::optional<Interval<DollarsPerSecond>> price;       ///< whole offer; absent: not offered on demand
  std::optional<Interval<DollarsPerSecond>> spot_price;  ///< whole offer; absent: not offered as spot
  std::optional<Interval<PerSecond>> interruptions;      ///< of one machine on spot or in a preemptible pool
  std::optional<SpotBand> band;                          ///< where no rate is stated
  Word availability;                                     ///< as the source words it
  Stock stock = Stock::kUnsaid;
  PriceDoubt price_doubt, spot_doubt;  ///< of price and spot_price
  double reliability = 0;              ///< share of the time (0..1) that the host was up; 0: not said
  Billing billing;
  std::optional<DollarsPerByteSecond> disk_price;
  std::optional<DollarsPerByte> egress_price;
  Word label;  ///< how the user calls it; empty: "4x RTX 3090"
  Word source, as_of;
  std::string notes;  ///< what the job says of it, Markdown (domain/work/prose.h); never counted
  int vcpus = 0;
  Bytes ram{};

  // Pools and own boxes.
  Bytes disk{};                             ///< room on the disk of one machine; zero: not said
  int nodes = 1;                            ///< pools: machines; own boxes are one
  int max_nodes = 0;                        ///< pools: most machines that one job may take; 0: all
  BytesPerSecond network{};                 ///< pools: between machines, of one machine, one direction; zero: not said
  std::optional<Seconds> max_time;          ///< longest a job may run
  std::optional<Interval<Seconds>> wait{};  ///< before a job starts; no part of the hours, counts against a deadline
  Word partition, account, qos, queue;
  bool preemptible = false;
  double leave_free = 0;   ///< share of the pool (0..1) or, from 1 up, GPUs that others keep
  double watts = 0;        ///< own boxes: draw under load
  double usd_per_kwh = 0;  ///< own boxes: price of electricity, part of `price` already

  bool operator==(const Offer&) const = default;
};

/// A pool whose machines are taken by jobs in a queue, one for each phase: Slurm's, or a Kubernetes cluster's.
inline bool is_queued(const Offer& offer) {
  return offer.kind == OfferKind::kPool && (offer.wait || offer.max_time || !offer.partition.empty() ||
                                            !offer.account.empty() || !offer.qos.empty() || !offer.queue.empty());
}

/// One machine of one host, which somebody has taken or withdrawn within weeks, as sources word it: there is no second.
inline bool is_single(const Offer& offer) { return offer.availability.find("single machine") != std::string::npos; }

}  // namespace gpuplan
