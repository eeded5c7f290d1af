// Traces of the PyTorch profiler (*.pt.trace.json, also gzip): Chrome's trace events, read as they come.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "evidence/log/gpu_trace.h"
#include "input/text/gunzip.h"

namespace gpuplan {

/// Takes a trace in pieces of any size. Memory grows by 16 bytes a kernel, up to a bound; the rest of the text is not
/// kept.
class TorchTrace {
 public:
  /// Whether a file that begins so is one.
  static bool begins(std::string_view bytes);

  void feed(std::string_view bytes);
  /// Fails where nothing ran on a GPU in it, or it is no such trace.
  Result<GpuTrace> finish();

 private:
  void take(char c);
  void event(std::string_view text);

  GpuTrace trace_;
  MaybeGzip bytes_;
  int depth_ = 0;  ///< of brackets; events are at 2
  bool in_string_ = false, escaped_ = false;
  bool in_events_ = false, ended_ = false, seen_ = false;
  std::string text_;  ///< of the event, or of the key, at hand
  bool too_long_ = false;
  std::optional<double> origin_;  ///< microseconds of the first kernel
};

}  // namespace gpuplan
