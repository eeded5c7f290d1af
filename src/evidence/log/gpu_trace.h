// What a profiler saw on GPUs: when kernels ran, of which kind, and how long steps took.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/units.h"

namespace gpuplan {

enum class KernelKind : std::uint8_t { kMatmul, kAttention, kElementwise, kOther, kCommunication, kCopy };
template <>
struct Names<KernelKind> {
  static constexpr std::array entries = {
      Named<KernelKind>{KernelKind::kMatmul, "matrix products"},
      Named<KernelKind>{KernelKind::kAttention, "attention"},
      Named<KernelKind>{KernelKind::kElementwise, "elementwise, norms"},
      Named<KernelKind>{KernelKind::kOther, "other kernels"},
      Named<KernelKind>{KernelKind::kCommunication, "communication"},
      Named<KernelKind>{KernelKind::kCopy, "copies"},
  };
};
inline constexpr std::size_t kKernelKinds = Names<KernelKind>::entries.size();

/// By the names that libraries give their kernels; kOther for names that say nothing.
KernelKind kind_of_kernel(std::string_view name);

enum class TraceSource : std::uint8_t { kTorch, kNsightSystems };
template <>
struct Names<TraceSource> {
  static constexpr std::array entries = {
      Named<TraceSource>{TraceSource::kTorch, "PyTorch profiler"},
      Named<TraceSource>{TraceSource::kNsightSystems, "Nsight Systems"},
  };
};

struct GpuTrace {
  /// One kernel or copy. Small, since a trace of 1 GB has millions of them.
  struct Piece {
    std::int64_t start = 0;  ///< nanoseconds
    std::uint32_t length = 0;
    std::uint16_t device = 0;
    KernelKind kind = KernelKind::kOther;
  };
  std::vector<Piece> pieces;
  std::vector<Seconds> steps;  ///< as the profiler marked them
  std::uint64_t events = 0;    ///< of any kind
  std::uint64_t left_out = 0;  ///< kernels beyond what is kept
  bool cut_off = false;        ///< it ends in the middle
  TraceSource profiler = TraceSource::kTorch;
  std::string gpu;  ///< as the trace spells it; empty: it does not say
  std::optional<double> processes;
};

/// Shares of the time from the first kernel of a GPU to the end of its last one, the mean of all GPUs.
struct TraceShares {
  std::size_t devices = 0;
  Seconds span{};                            ///< mean
  std::array<double, kKernelKinds> kinds{};  ///< something of the kind runs; kinds overlap
  double idle = 0;                           ///< nothing runs
  double exposed = 0;                        ///< communication runs and no computation
  double computing = 0;                      ///< any kernel that computes
  std::optional<Seconds> step;               ///< median
};

/// REQUIRES: there are pieces. Sorts them.
TraceShares shares_of(GpuTrace& trace);

}  // namespace gpuplan
