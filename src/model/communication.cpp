#include "model/communication.h"

namespace gpuplan {

namespace {

/// One direction of a PCIe slot: 16 GB/s in generation 4 with 8 lanes, doubling with each generation (PCI-SIG).
BytesPerSecond pcie_direction(const Gpu& gpu) {
  const int generation = gpu.pcie_gen > 0 ? gpu.pcie_gen : 4;
  const int lanes = gpu.pcie_lanes > 0 ? gpu.pcie_lanes : 16;
  double lane = 2e9;  // generation 4
  for (int i = 4; i < generation; ++i) lane *= 2;
  for (int i = 4; i > generation; --i) lane /= 2;
  return BytesPerSecond{lane * lanes};
}

/// The row for this path, speed and number of GPUs; one without numbers when the catalogue is not complete.
const LinkEfficiency& efficiency_on(const Catalogue& catalogue, LinkPath path, BytesPerSecond speed, int gpus) {
  static const LinkEfficiency kNone{};
  for (const LinkEfficiency& row : catalogue.links)
    if (row.path == path && row.fits(speed, gpus)) return row;
  return kNone;
}

LinkRate rate_on(const LinkEfficiency& efficiency, BytesPerSecond direction) {
  LinkRate rate;
  rate.bus = direction * efficiency.gather;
  rate.reduce = efficiency.reduce / efficiency.gather;
  rate.exchange = efficiency.exchange / efficiency.gather;
  rate.own = efficiency.own;
  rate.latency = efficiency.latency_us * units::microsecond;
  rate.hop = efficiency.hop_us * units::microsecond;
  rate.fill = efficiency.fill_us * units::microsecond;
  rate.fill_half = efficiency.fill_half_us * units::microsecond;
  return rate;
}

}  // namespace

LinkRate intra_rate(const Catalogue& catalogue, const NodeShape& node) {
  if (node.talking() <= 1) return {};
  // Pairs joined by a bridge talk over PCIe as soon as more than two take part.
  if (node.direct_link() && (node.link_kind != LinkKind::kNvlinkPairs || node.gpus == 2))
    return rate_on(efficiency_on(catalogue, LinkPath::kDirect, node.link, node.talking()), node.link / 2);
  // Without peer access every byte passes host memory twice, and more GPUs share it.
  const BytesPerSecond direction = pcie_direction(*node.gpu);
  const LinkPath path = node.peer_access ? LinkPath::kPeer : LinkPath::kHost;
  return rate_on(efficiency_on(catalogue, path, direction * 2, node.talking()), direction);
}

LinkRate network_rate(const Catalogue& catalogue, const NodeShape& node) {
  const BytesPerSecond rate = node.network.value > 0 ? node.network : kUnknownNetwork;
  return rate_on(efficiency_on(catalogue, LinkPath::kNetwork, rate * 2, node.gpus), rate);
}

BytesPerSecond host_rate(const Gpu& gpu) { return pcie_direction(gpu) * 0.75; }

}  // namespace gpuplan
