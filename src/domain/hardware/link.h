// What collectives reach on the links between GPUs. Rows of data/links.csv, fitted by tools/kernels.
#pragma once

#include <array>
#include <limits>
#include <string>

#include "base/names.h"
#include "base/units.h"
#include "base/unset.h"

namespace gpuplan {

/// How bytes get from one GPU to another.
enum class LinkPath { kDirect, kPeer, kHost, kNetwork };

template <>
struct Names<LinkPath> {
  static constexpr std::array entries = {
      Named<LinkPath>{LinkPath::kDirect, "direct"},    // NVLink, xGMI and their like
      Named<LinkPath>{LinkPath::kPeer, "peer"},        // PCIe, from GPU to GPU
      Named<LinkPath>{LinkPath::kHost, "host"},        // PCIe, through host memory
      Named<LinkPath>{LinkPath::kNetwork, "network"},  // between machines
  };
};

/// Shares are of what the link carries in one direction. The rows of a path share out all speeds and numbers of GPUs
/// among themselves, so exactly one fits.
struct LinkEfficiency {
  LinkPath path = LinkPath::kDirect;
  BytesPerSecond least{};  ///< for links at least so fast, both directions together,
  BytesPerSecond below{std::numeric_limits<double>::infinity()};  ///< and slower than that
  int least_gpus = 1, most_gpus = 1'000'000;
  double gather = kUnset;        ///< share that all-gather and reduce-scatter reach with large vectors
  double reduce = kUnset;        ///< all-reduce; switches that add up themselves pass the rate of a ring
  double exchange = kUnset;      ///< all-to-all
  double own = kUnset;           ///< time of a rank's own part, which crosses no link, over that of a part that does
  double latency_us = kUnset;    ///< of the smallest collective
  double hop_us = kUnset;        ///< more for each step of the ring
  double fill_us = kUnset;       ///< more to fill the pipeline with long vectors
  double fill_half_us = kUnset;  ///< time on the link at which half of that is lost
  std::string source, as_of;

  bool fits(BytesPerSecond speed, int gpus) const {
    return speed >= least && speed < below && gpus >= least_gpus && gpus <= most_gpus;
  }
  bool operator==(const LinkEfficiency&) const = default;
};

}  // namespace gpuplan
