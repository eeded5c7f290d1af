// Any bytes as a profiler's trace: PyTorch's in pieces of any size, and Nsight Systems' database. An answer whose
// shares are shares, or an error; never a crash or an endless walk. seeds: fuzz/seeds/profiler.pt.trace.json
// fuzz/seeds/nsys.sqlite
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "evidence/check/trace_check.h"
#include "input/traces/nsys_trace.h"
#include "input/traces/torch_trace.h"
#include "one_line.h"

namespace {

using namespace gpuplan;

void check_shares(Result<GpuTrace> trace) {
  if (!trace) {
    check_error(trace.error());
    return;
  }
  const TraceShares shares = shares_of(*trace);
  double sum = 0;
  for (const double share : measured_shares(shares)) {
    if (!(share >= -1e-9 && share <= 1 + 1e-9)) std::abort();
    sum += share;
  }
  if (std::abs(sum - 1) > 1e-6) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TextBytes placed(bytes);
  check_shares(read_nsys_trace(placed));
  TorchTrace whole, pieces;
  whole.feed(bytes);
  const std::size_t piece = size % 7 + 1;
  for (std::size_t at = 0; at < size; at += piece) pieces.feed(bytes.substr(at, piece));
  auto a = whole.finish(), b = pieces.finish();
  if (a.has_value() != b.has_value()) std::abort();
  if (a && (a->pieces.size() != b->pieces.size() || a->events != b->events || a->steps != b->steps)) std::abort();
  check_shares(std::move(a));
  return 0;
}
