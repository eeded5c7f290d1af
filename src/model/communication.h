// Time of transfers between GPUs: bus rates of a machine and its network, collectives, and how much of a transfer
// shows when computation runs beside it.
#pragma once

#include <algorithm>

#include "base/units.h"
#include "domain/facts/catalogue.h"

namespace gpuplan {

/// A link as collectives see it.
struct LinkRate {
  BytesPerSecond bus{};  ///< bytes a second that one GPU sends in a ring; zero: there is no link
  Seconds latency{};     ///< of one collective
  Seconds hop{};         ///< of each step of the ring
  Seconds fill{};        ///< to fill the pipeline of chunks when the vector is long
  Seconds fill_half{};   ///< time on the link at which half of that is lost
  double own = 0;        ///< time of a rank's own part over that of a part that crosses the link
  double reduce = 1;     ///< bus rate of all-reduce over `bus`
  double exchange = 1;   ///< bus rate of all-to-all over `bus`
};

/// Between the GPUs of one machine.
LinkRate intra_rate(const Catalogue& catalogue, const NodeShape& node);

/// Between machines; the rate is that of one whole machine. A machine whose network nobody states is taken to have
/// 10 Gbit/s Ethernet, which every rented machine has.
LinkRate network_rate(const Catalogue& catalogue, const NodeShape& node);

/// Bus rate of a ring over several machines: the slower of `network` and the links inside. One GPU a machine has none
/// inside, and their rate is zero.
inline BytesPerSecond ring_across(BytesPerSecond inside, BytesPerSecond network) {
  return inside.value > 0 ? std::min(inside, network) : network;
}

/// One direction of host memory traffic over PCIe.
BytesPerSecond host_rate(const Gpu& gpu);

namespace detail {

/// A piece of the vector passes each link in each of so many steps. Long vectors go in chunks, and the links are idle
/// until the first chunk has come round: chunks grow with the vector up to a largest size.
inline Seconds ring_time(const LinkRate& link, Bytes piece, double steps, double rate) {
  const Seconds moving = piece * (steps + link.own) / (link.bus * rate);
  const Seconds half = link.fill_half;
  const Seconds filling = half.value > 0 ? link.fill * (moving / (moving + half)) : Seconds{};
  return link.latency + link.hop * steps + moving + filling;
}

}  // namespace detail

/// Reduce and broadcast over `ranks` GPUs, each holding `size` bytes. Ring: 2 (n-1)/n of them pass each link
/// (Patarasuk and Yuan 2009). One rank has nobody to talk to.
inline Seconds all_reduce_time(const LinkRate& link, Bytes size, double ranks) {
  if (ranks <= 1) return {};
  return detail::ring_time(link, size / ranks, 2 * (ranks - 1), link.reduce);
}

/// All-gather or reduce-scatter of `size` bytes in all: (n-1)/n of them pass each link.
inline Seconds all_gather_time(const LinkRate& link, Bytes size, double ranks) {
  if (ranks <= 1) return {};
  return detail::ring_time(link, size / ranks, ranks - 1, 1);
}

/// Every rank sends another part of its `size` bytes to each other rank: (n-1)/n of them leave it. The parts are on
/// their way at the same time.
inline Seconds all_to_all_time(const LinkRate& link, Bytes size, double ranks) {
  if (ranks <= 1) return {};
  LinkRate direct = link;
  direct.hop = {};
  return detail::ring_time(direct, size / ranks, ranks - 1, link.exchange);
}

/// What shows of a transfer when up to `cover` of computation runs beside it: the rest, and a share `leak` of the
/// hidden part, because transfers take memory bandwidth and multiprocessors from the computation.
inline Seconds exposed(Seconds transfer, Seconds cover, double leak) {
  const Seconds hidden = std::min(transfer, cover);
  return transfer - hidden + hidden * leak;
}

}  // namespace gpuplan
