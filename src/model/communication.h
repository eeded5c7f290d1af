// Time of transfers between GPUs: bus rates of a machine and its network, collectives, and how much of a transfer
// shows when computation runs beside it.
#pragma once

#include <algorithm>

#include "base/units.h"
#include "domain/hardware.h"

namespace gpuplan {

/// A link as collectives see it.
struct LinkRate {
  BytesPerSecond bus{};  ///< bytes a second that one GPU sends in a ring; zero: there is no link
  Seconds latency{};     ///< of one collective
};

/// Between the GPUs of one machine.
LinkRate intra_rate(const NodeShape& node);

/// Between machines; the rate is that of one whole machine. A machine whose network nobody states is taken to have
/// 10 Gbit/s Ethernet, which every rented machine has.
LinkRate network_rate(const NodeShape& node);

/// One direction of host memory traffic over PCIe.
BytesPerSecond host_rate(const Gpu& gpu);

/// Reduce and broadcast over `ranks` GPUs, each holding `size` bytes. Ring: 2 (n-1)/n of them pass each link
/// (Patarasuk and Yuan 2009). One rank has nobody to talk to.
inline Seconds all_reduce_time(LinkRate link, Bytes size, double ranks) {
  if (ranks <= 1) return {};
  return size * (2 * (ranks - 1) / ranks) / link.bus + link.latency;
}

/// All-gather or reduce-scatter of `size` bytes in all: (n-1)/n of them pass each link.
inline Seconds all_gather_time(LinkRate link, Bytes size, double ranks) {
  if (ranks <= 1) return {};
  return size * ((ranks - 1) / ranks) / link.bus + link.latency;
}

/// What shows of a transfer when up to `cover` of computation runs beside it: the rest, and a share `leak` of the
/// hidden part, because transfers take memory bandwidth and multiprocessors from the computation.
inline Seconds exposed(Seconds transfer, Seconds cover, double leak) {
  const Seconds hidden = std::min(transfer, cover);
  return transfer - hidden + hidden * leak;
}

}  // namespace gpuplan
