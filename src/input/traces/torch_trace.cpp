#include "input/traces/torch_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace gpuplan {
namespace {

constexpr std::size_t kLongestEvent = std::size_t{1} << 20U;
constexpr std::size_t kMostPieces = 4'000'000;  // 64 MB
constexpr std::size_t kMostSteps = 100'000;
constexpr std::string_view kSpaces = " \t\r\n";

/// Walks over one event, an object that is closed. What is no JSON ends the walk.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  /// Calls `take(key, value)` for the members of the object at hand; a value is a string without its quotes, a number,
  /// or a whole object.
  template <class Take>
  void members(Take take) {
    if (!eat('{')) return;
    while (!eat('}')) {
      const auto key = string();
      if (!key || !eat(':')) return;
      const auto value = any();
      if (!value) return;
      take(*key, *value);
      eat(',');
    }
  }

 private:
  bool eat(char c) {
    at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size());
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<std::string_view> string() {
    if (!eat('"')) return std::nullopt;
    const std::size_t from = at_;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') ++at_;
      else if (text_[at_] == '"') return text_.substr(from, at_++ - from);
    }
    return std::nullopt;
  }
  std::optional<std::string_view> any() {
    at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size());
    if (at_ >= text_.size()) return std::nullopt;
    if (text_[at_] == '"') return string();
    const std::size_t from = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (!string()) return std::nullopt;
        --at_;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (depth > 0 && (c == '}' || c == ']')) {
        --depth;
      } else if (depth == 0 && (c == ',' || c == '}')) {
        break;
      }
    }
    std::string_view value = text_.substr(from, at_ - from);
    value = value.substr(0, value.find_last_not_of(kSpaces) + 1);
    if (value.empty()) return std::nullopt;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

bool TorchTrace::begins(std::string_view bytes) {
  std::string start;
  MaybeGzip().feed(bytes, [&](std::string_view out) { start += out; });
  const std::size_t brace = start.find_first_not_of(kSpaces);
  if (brace == std::string::npos || start[brace] != '{') return false;
  return start.find("\"traceEvents\"") != std::string::npos ||
         start.substr(0, 200).find("\"schemaVersion\"") != std::string::npos;
}

void TorchTrace::feed(std::string_view bytes) {
  bytes_.feed(bytes, [this](std::string_view out) {
    for (const char c : out) take(c);
  });
}

void TorchTrace::take(char c) {
  const bool inside = in_events_ && depth_ > 2;
  const bool key = !in_events_ && depth_ == 1;
  if (inside || (key && in_string_)) {
    if (text_.size() < kLongestEvent) text_ += c;
    else too_long_ = true;
  }
  if (in_string_) {
    if (escaped_) escaped_ = false;
    else if (c == '\\') escaped_ = true;
    else if (c == '"') in_string_ = false;
    return;
  }
  switch (c) {
    case '"':
      in_string_ = true;
      if (key) text_.clear();
      break;
    case '{':
    case '[':
      if (in_events_ && depth_ == 2) text_ = c;
      if (c == '[' && depth_ == 1 && text_ == "traceEvents\"") in_events_ = seen_ = true;
      ++depth_;
      break;
    case '}':
    case ']':
      --depth_;
      if (in_events_ && depth_ == 2) {
        if (!too_long_) event(text_);
        too_long_ = false;
        text_.clear();
      }
      if (in_events_ && depth_ < 2) in_events_ = false;
      if (depth_ <= 0) ended_ = true;
      break;
    default:
      break;
  }
}

void TorchTrace::event(std::string_view text) {
  ++trace_.events;
  std::string_view name, category, phase, args;
  std::optional<double> start, length;
  Walk(text).members([&](std::string_view key, std::string_view value) {
    if (key == "name") name = value;
    else if (key == "cat") category = value;
    else if (key == "ph") phase = value;
    else if (key == "args") args = value;
    else if (key == "ts") start = number(value);
    else if (key == "dur") length = number(value);
  });
  constexpr double kLongest = 4.2e6;  // microseconds: what 32 bits of nanoseconds hold; no kernel takes seconds
  if (phase != "X" || !start || !length || *length < 0) return;
  if (category == "user_annotation" && name.starts_with("ProfilerStep#")) {
    if (trace_.steps.size() < kMostSteps) trace_.steps.push_back(*length * 1e-6 * units::second);
    return;
  }
  const bool copy = category == "gpu_memcpy" || category == "gpu_memset" || category == "Memcpy";
  if (!copy && category != "kernel" && category != "Kernel") return;
  if (trace_.pieces.size() >= kMostPieces) {
    ++trace_.left_out;
    return;
  }
  double device = 0;
  if (args.starts_with('{'))
    Walk(args).members([&](std::string_view key, std::string_view value) {
      if (key == "device") device = number(value).value_or(0);
    });
  if (!origin_) origin_ = start;
  constexpr double kFarthest = 1e12;  // microseconds from the first kernel: eleven days
  if (std::abs(*start - *origin_) > kFarthest) return;
  trace_.pieces.push_back({.start = static_cast<std::int64_t>((*start - *origin_) * 1000),
                           .length = static_cast<std::uint32_t>(std::min(*length, kLongest) * 1000),
                           .device = static_cast<std::uint16_t>(std::clamp(device, 0.0, 65535.0)),
                           .kind = copy ? KernelKind::kCopy : kind_of_kernel(name)});
}

Result<GpuTrace> TorchTrace::finish() {
  if (bytes_.unfinished() || !ended_) trace_.cut_off = true;
  if (!seen_) return failure("no \"traceEvents\" in it: expected a trace of the PyTorch profiler (*.pt.trace.json)");
  if (trace_.pieces.empty())
    return failure(
        "nothing ran on a GPU in this trace; profile with activities=[ProfilerActivity.CPU, "
        "ProfilerActivity.CUDA]" +
        std::string(trace_.cut_off ? " (the file ends in the middle)" : ""));
  return std::move(trace_);
}

}  // namespace gpuplan
