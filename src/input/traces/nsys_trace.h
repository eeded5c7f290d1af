// Traces of NVIDIA Nsight Systems, exported to SQLite (nsys export --type sqlite).
#pragma once

#include "base/result.h"
#include "evidence/log/gpu_trace.h"
#include "input/traces/sqlite_file.h"

namespace gpuplan {

/// Kernels and copies of the tables CUPTI_ACTIVITY_KIND_*, names in StringIds. Steps are NVTX ranges whose text has
/// "step" or "iter" in it; without any, the times between two starts of the rarest kernel that comes regularly. Memory
/// grows by 20 bytes a kernel, up to a bound. Fails where nothing ran on a GPU in it, or it is another database.
Result<GpuTrace> read_nsys_trace(PlacedBytes& bytes);

}  // namespace gpuplan
