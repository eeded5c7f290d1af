#include "evidence/log/gpu_trace.h"

#include <algorithm>
#include <span>

#include "base/sorting.h"
#include "base/text.h"

namespace gpuplan {
namespace {

/// Nanoseconds in which something runs that `counts`; pieces are in the order of their starts.
template <class Counts>
double covered(std::span<const GpuTrace::Piece> pieces, Counts counts) {
  std::int64_t total = 0;
  std::int64_t end = pieces.front().start;
  for (const GpuTrace::Piece& piece : pieces) {
    if (!counts(piece.kind)) continue;
    const std::int64_t stop = piece.start + piece.length;
    if (stop <= end) continue;
    total += stop - std::max(end, piece.start);
    end = stop;
  }
  return static_cast<double>(total);
}

}  // namespace

KernelKind kind_of_kernel(std::string_view name) {
  if (has_any(name, {"nccl", "rccl", "nvshmem"})) return KernelKind::kCommunication;
  if (has_any(name, {"flash", "fmha", "attention", "attn", "sdpa"})) return KernelKind::kAttention;
  if (has_any(name, {"gemm", "GEMM", "nvjet", "cutlass", "wgmma", "gemv", "_mm_", "cublas"}))
    return KernelKind::kMatmul;
  if (has_any(name, {"elementwise", "triton_", "reduce", "norm", "Norm", "softmax", "SoftMax", "multi_tensor",
                     "CatArray", "index", "scatter", "gather", "embedding", "Adam", "adam", "dropout", "copy"}))
    return KernelKind::kElementwise;
  return KernelKind::kOther;
}

TraceShares shares_of(GpuTrace& trace) {
  sort_stably(trace.pieces, [](const GpuTrace::Piece& a, const GpuTrace::Piece& b) {
    return a.device != b.device ? a.device < b.device : a.start < b.start;
  });
  TraceShares shares;
  for (std::size_t from = 0; from < trace.pieces.size();) {
    std::size_t to = from;
    std::int64_t end = 0;
    for (; to < trace.pieces.size() && trace.pieces[to].device == trace.pieces[from].device; ++to) {
      const std::int64_t stop = trace.pieces[to].start + trace.pieces[to].length;
      end = to == from ? stop : std::max(end, stop);
    }
    const std::span<const GpuTrace::Piece> pieces(trace.pieces.data() + from, to - from);
    const double span = std::max(static_cast<double>(end - pieces.front().start), 1.0);
    const double all = covered(pieces, [](KernelKind) { return true; });
    const double computing = covered(pieces, [](KernelKind kind) { return kind < KernelKind::kCommunication; });
    const double both = covered(pieces, [](KernelKind kind) { return kind <= KernelKind::kCommunication; });
    for (std::size_t kind = 0; kind < kKernelKinds; ++kind)
      shares.kinds[kind] +=
          covered(pieces, [&](KernelKind one) { return one == static_cast<KernelKind>(kind); }) / span;
    shares.idle += 1 - all / span;
    shares.exposed += (both - computing) / span;
    shares.computing += computing / span;
    shares.span += span * 1e-9 * units::second;
    ++shares.devices;
    from = to;
  }
  const double devices = static_cast<double>(std::max<std::size_t>(shares.devices, 1));
  for (double& share : shares.kinds) share /= devices;
  shares.idle /= devices;
  shares.exposed /= devices;
  shares.computing /= devices;
  shares.span = shares.span / devices;
  if (!trace.steps.empty()) {
    std::vector<Seconds> steps = trace.steps;
    std::ranges::sort(steps);
    shares.step = steps[steps.size() / 2];
  }
  return shares;
}

}  // namespace gpuplan
