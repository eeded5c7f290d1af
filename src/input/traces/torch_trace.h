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
  void plain(std::string_view bytes);
  std::size_t take_string(std::string_view bytes, std::size_t at);
  void take_sign(std::string_view bytes, std::size_t at);
  /// What was read belongs to an event, or is a key of the outermost object.
  bool collects() const { return in_events_ ? depth_ > 2 : depth_ == 1 && in_string_; }
  void collect(std::string_view text);
  void event(std::string_view text);
  void read_head();

  GpuTrace trace_;
  MaybeGzip bytes_;
  int depth_ = 0;  ///< of brackets; events are at 2
  bool in_string_ = false, escaped_ = false;
  bool in_events_ = false, ended_ = false, seen_ = false;
  std::string head_;      ///< what stands before the events
  std::string text_;      ///< of the event, or of the key, at hand
  std::size_t from_ = 0;  ///< where it goes on in the bytes at hand
  bool too_long_ = false;
  std::optional<double> origin_;  ///< microseconds of the first kernel
};

}  // namespace gpuplan
