// What collectives reach on the links between GPUs. Rows of data/links.csv, fitted by tools/kernels.
#pragma once

#include <array>
#include <string>

#include "base/names.h"
#include "base/units.h"

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

/// Shares are of what the link carries in one direction. The defaults serve where no row fits.
struct LinkEfficiency {
  LinkPath path = LinkPath::kDirect;
  BytesPerSecond least{};  ///< for links at least so fast, both directions together
  int most_gpus = 1'000'000;
  double gather = 0.7;      ///< share that all-gather and reduce-scatter reach with large vectors
  double reduce = 0.75;     ///< all-reduce; switches that add up themselves pass the rate of a ring
  double exchange = 0.6;    ///< all-to-all
  double own = 0;           ///< time of a rank's own part, which crosses no link, over that of a part that does
  double latency_us = 20;   ///< of the smallest collective
  double hop_us = 0;        ///< more for each step of the ring
  double fill_us = 0;       ///< more to fill the pipeline with long vectors
  double fill_half_us = 0;  ///< time on the link at which half of that is lost
  std::string source, as_of;
};

}  // namespace gpuplan
