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

}  // namespace

LinkRate intra_rate(const NodeShape& node) {
  if (node.gpus <= 1) return {};
  const bool direct = node.link.value > 0 && node.link_kind != LinkKind::kPcie && node.link_kind != LinkKind::kNone;
  // Pairs joined by a bridge talk over PCIe as soon as more than two take part.
  if (direct && (node.link_kind != LinkKind::kNvlinkPairs || node.gpus == 2)) {
    // 76 % of one direction: 8-GPU all-reduce and all-gather on A100, H100 and B200 (published NCCL tables, 2026).
    return {node.link / 2 * 0.76, 20 * units::microsecond};
  }
  // Without peer access every byte passes host memory twice, and more GPUs share it: L40S hosts reach 18 GB/s with
  // two GPUs, 5 GB/s with four and 1 GB/s with eight; eight RTX PRO 6000 with peer access 21 to 25 (published NCCL
  // tables, 2026).
  const double share = node.peer_access ? 0.38 : node.gpus <= 2 ? 0.35 : node.gpus <= 4 ? 0.18 : 0.08;
  return {pcie_direction(*node.gpu) * share, 35 * units::microsecond};
}

LinkRate network_rate(const NodeShape& node) {
  const BytesPerSecond rate = node.network.value > 0 ? node.network : kUnknownNetwork;
  // 80 % of the advertised rate reaches the application (published NCCL tables, 2026).
  return {rate * 0.8, 45 * units::microsecond};
}

BytesPerSecond host_rate(const Gpu& gpu) { return pcie_direction(gpu) * 0.75; }

}  // namespace gpuplan
