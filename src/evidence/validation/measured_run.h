// What every measured run states: where it comes from, on what it ran, and how much memory it took.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "base/units.h"
#include "domain/hardware/hardware.h"
#include "domain/work/model_use.h"

namespace gpuplan {

/// What a figure of memory counts. kUnknown: the source does not say.
enum class MemoryKind { kUnknown, kAllocated, kActive, kReserved, kDevice };
template <>
struct Names<MemoryKind> {
  static constexpr std::array entries = {
      Named<MemoryKind>{MemoryKind::kUnknown, "unknown"}, Named<MemoryKind>{MemoryKind::kAllocated, "allocated"},
      Named<MemoryKind>{MemoryKind::kActive, "active"},   Named<MemoryKind>{MemoryKind::kReserved, "reserved"},
      Named<MemoryKind>{MemoryKind::kDevice, "device"},
  };
};

/// A field without a value was not stated.
struct MeasuredRun {
  std::string id, source;
  Place place;      ///< of its row
  std::string gpu;  ///< as written
  std::optional<double> gpu_power_w;
  std::optional<int> gpus, gpus_per_node;
  std::optional<bool> nvlink;             ///< inside a machine; false: PCIe
  std::optional<double> inter_node_gbps;  ///< Gbit/s of one machine
  std::string framework, model;
  std::optional<ModelShape> shape;  ///< complete; nullopt: not even the size is known

  std::optional<Bytes> memory;  ///< of the fullest GPU, at its peak
  MemoryKind memory_kind = MemoryKind::kUnknown;

  // What plans say and publications do not (own runs, evidence/own).
  std::vector<ModelUse> networks;      ///< all that take part, in full; empty: `shape` is the only one
  std::optional<LinkKind> link_kind;   ///< inside a machine; machines are then as stated, with nothing assumed
  std::optional<BytesPerSecond> link;  ///< per GPU, both directions
  std::optional<bool> peer_access;

  std::string distrust;                  ///< why the run cannot have been as labelled; "" for all others
  std::vector<std::string> assumptions;  ///< what reading had to assume, such as a shape from the size alone
};

}  // namespace gpuplan
