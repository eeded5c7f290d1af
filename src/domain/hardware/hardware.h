// Hardware as its data sheet says: a GPU, and the machine that holds several of them.
#pragma once

#include <string>
#include <vector>

#include "base/names.h"
#include "base/units.h"
#include "domain/hardware/precision.h"

namespace gpuplan {

/// What joins the GPUs of one machine.
enum class LinkKind { kNone, kPcie, kNvlinkPairs, kNvlinkMesh, kNvswitch, kXgmi, kIci };

template <>
struct Names<LinkKind> {
  static constexpr std::array entries = {
      Named<LinkKind>{LinkKind::kNone, "none"},
      Named<LinkKind>{LinkKind::kPcie, "pcie"},
      Named<LinkKind>{LinkKind::kNvlinkPairs, "nvlink-pairs"},
      Named<LinkKind>{LinkKind::kNvlinkMesh, "nvlink-mesh"},
      Named<LinkKind>{LinkKind::kNvswitch, "nvswitch"},
      Named<LinkKind>{LinkKind::kXgmi, "xgmi"},
      Named<LinkKind>{LinkKind::kIci, "ici"},
      // Relatives that the data names as their vendors do: a bridge joins two cards, Gaudi's Ethernet and Xe Link join
      // each with each, NeuronLink is a torus.
      Named<LinkKind>{LinkKind::kNvlinkPairs, "nvlink-bridge"},
      Named<LinkKind>{LinkKind::kXgmi, "roce-mesh"},
      Named<LinkKind>{LinkKind::kXgmi, "xelink"},
      Named<LinkKind>{LinkKind::kIci, "neuronlink"},
  };
};

/// An accelerator. Peaks are dense rates with 32-bit accumulation; zero means that the hardware has no such mode.
struct Gpu {
  std::string name;
  std::vector<std::string> aliases;
  std::string vendor;             ///< nvidia, amd, intel, google, aws, apple, ...
  std::string architecture;       ///< as the vendor calls the generation: Ampere, Hopper, CDNA3, ...
  double compute_capability = 0;  ///< CUDA compute capability, 0 for other vendors
  int year = 0;
  Bytes memory{};  ///< as labelled
  Bytes usable{};  ///< what programs and their CUDA context can really take
  bool usable_observed = false;
  std::string memory_type;  ///< "HBM3e", "GDDR6X", ... as the data sheet says
  BytesPerSecond bandwidth{};
  FlopsPerSecond fp32{}, tf32{}, bf16{}, fp16{}, fp16_acc16{}, fp8{}, fp4{}, int8{};
  BytesPerSecond link{};           ///< NVLink, xGMI, ICI: both directions together, as quoted; zero without
  bool link_needs_bridge = false;  ///< cards that have the link only through an optional bridge
  LinkKind link_kind = LinkKind::kNone;
  int link_domain = 0;  ///< GPUs that the link joins across machines (a rack); 0: those of one machine
  int pcie_gen = 0;
  int pcie_lanes = 0;
  double tdp_watts = 0;
  int sms = 0;  ///< streaming multiprocessors, compute units or cores; 0 unknown
  std::string form_factor;
  double training_publishers = 0, serving_publishers = 0;  ///< of runs on this GPU that took part in the fit
  std::string source, as_of, notes;

  bool operator==(const Gpu&) const = default;
};

/// A kind of machine that a provider rents, and how its GPUs are joined.
struct Node {
  std::string provider;  ///< "any" for common box shapes of marketplaces
  std::string instance;
  std::string gpu;  ///< name in the catalogue
  int gpus = 1;
  BytesPerSecond link{};  ///< per GPU, both directions
  LinkKind link_kind = LinkKind::kNone;
  bool peer_access = false;      ///< GPUs copy to each other without passing host memory
  BytesPerSecond network{};      ///< between machines: whole node, one direction, sustained
  BytesPerSecond gpu_network{};  ///< part of it that GPUs reach directly (RDMA)
  BytesPerSecond front{};        ///< to storage and the world, sustained; zero: not known
  int vcpus = 0;
  Bytes ram{};
  Bytes disk{};
  std::string source, as_of;

  bool operator==(const Node&) const = default;
};

/// Between machines where no row says: 10 Gbit/s, the least that machines with several GPUs are rented with.
inline constexpr BytesPerSecond kUnknownNetwork{1.25e9};

/// What the model needs to know of a machine; offers that share it share their estimates.
struct NodeShape {
  const Gpu* gpu = nullptr;
  int gpus = 1;
  int busy = 0;  ///< of them that take part, the others being idle; 0: all
  BytesPerSecond link{};
  LinkKind link_kind = LinkKind::kNone;
  bool peer_access = false;
  BytesPerSecond network{};  ///< between machines: whole machine, one direction; zero: not known
  BytesPerSecond front{};    ///< to storage and the world, which a fabric of the GPUs does not reach; zero: not known
  Bytes ram{};               ///< host memory; zero: not known
  Bytes disk{};  ///< room on the disk where it is fixed, as that of own machines; zero: as much as is asked for

  /// True where GPUs are joined by a link of their own, such as NVLink, in place of PCIe.
  bool direct_link() const { return link.value > 0 && link_kind != LinkKind::kPcie && link_kind != LinkKind::kNone; }
  /// GPUs that share its links.
  int talking() const { return busy > 0 ? busy : gpus; }
  /// Machines that so many GPUs need.
  int machines_for(int wanted) const { return (wanted + gpus - 1) / gpus; }
  bool operator==(const NodeShape&) const = default;
};

/// Dense peak of matrix products in this precision; zero when the hardware has no such mode.
FlopsPerSecond peak(const Gpu& gpu, Precision precision);

}  // namespace gpuplan
