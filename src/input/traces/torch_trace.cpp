#include "input/traces/torch_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestEvent = std::size_t{1} << 20U;
constexpr std::size_t kMostPieces = 4'000'000;  // 64 MB
constexpr std::size_t kMostSteps = 100'000;
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::size_t kLongestHead = std::size_t{64} << 10U;

/// What changes how the text goes on, outside of strings.
constexpr auto kSigns = [] {
  std::array<bool, 256> signs{};
  for (const char c : std::string_view("\"{}[]")) signs[static_cast<unsigned char>(c)] = true;
  return signs;
}();

/// Whether an event may be of a kind that is read; most are of the CPU. Writers put the kind near the front.
bool may_matter(std::string_view event) {
  constexpr std::string_view kKey = "\"cat\"";
  constexpr std::size_t kNear = 256;
  const std::size_t key = event.substr(0, kNear).find(kKey);
  if (key == std::string_view::npos) return true;
  const std::size_t at = event.find('"', key + kKey.size());
  if (at == std::string_view::npos) return true;
  const std::string_view kind = event.substr(at + 1, 16);
  for (const std::string_view known :
       {"kernel\"", "Kernel\"", "gpu_memcpy\"", "gpu_memset\"", "Memcpy\"", "user_annotation\""})
    if (kind.starts_with(known)) return true;
  return false;
}

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
  bytes_.feed(bytes, [this](std::string_view out) { plain(out); });
}

void TorchTrace::collect(std::string_view text) {
  if (text_.size() + text.size() <= kLongestEvent) text_ += text;
  else too_long_ = true;
}

void TorchTrace::plain(std::string_view bytes) {
  if (!seen_ && head_.size() < kLongestHead) head_ += bytes.substr(0, kLongestHead - head_.size());
  from_ = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (in_string_) {
      at = take_string(bytes, at);
      continue;
    }
    while (at < bytes.size() && !kSigns[static_cast<unsigned char>(bytes[at])]) ++at;
    if (at == bytes.size()) break;
    take_sign(bytes, at);
    ++at;
  }
  if (collects()) collect(bytes.substr(from_));
}

/// To behind the end of the string, or of the bytes.
std::size_t TorchTrace::take_string(std::string_view bytes, std::size_t at) {
  for (; at < bytes.size(); ++at) {
    if (escaped_) {
      escaped_ = false;
    } else if (bytes[at] == '\\') {
      escaped_ = true;
    } else if (bytes[at] == '"') {
      if (!in_events_ && depth_ == 1) collect(bytes.substr(from_, at - from_));  // a key, or a value of that level
      in_string_ = false;
      return at + 1;
    }
  }
  return at;
}

/// A quote or bracket outside of strings.
void TorchTrace::take_sign(std::string_view bytes, std::size_t at) {
  switch (const char c = bytes[at]) {
    case '"':
      in_string_ = true;
      if (in_events_ || depth_ != 1) break;
      text_.clear();
      too_long_ = false;
      from_ = at + 1;
      break;
    case '{':
    case '[':
      if (in_events_ && depth_ == 2) {
        text_.clear();
        too_long_ = false;
        from_ = at;
      }
      if (c == '[' && depth_ == 1 && text_ == "traceEvents") in_events_ = seen_ = true;
      ++depth_;
      break;
    default:
      --depth_;
      if (in_events_ && depth_ == 2) {
        const std::string_view here = bytes.substr(from_, at + 1 - from_);
        if (text_.empty() && !too_long_) {
          if (here.size() <= kLongestEvent) event(here);
        } else {
          collect(here);
          if (!too_long_) event(text_);
        }
        text_.clear();
        too_long_ = false;
      }
      if (in_events_ && depth_ < 2) in_events_ = false;
      if (depth_ <= 0) ended_ = true;
      break;
  }
}

void TorchTrace::event(std::string_view text) {
  ++trace_.events;
  if (!may_matter(text)) return;
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

/// "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", ...}], "distributedInfo": {..., "world_size": 8}
void TorchTrace::read_head() {
  const std::string_view head = std::string_view(head_).substr(0, head_.find("\"traceEvents\""));
  const auto value_of = [&](std::string_view key, std::size_t from) {
    std::size_t at = head.find(key, from);
    if (at == std::string_view::npos) return std::string_view();
    at = head.find_first_not_of(" :\t\n", at + key.size());
    return at == std::string_view::npos ? std::string_view() : head.substr(at);
  };
  if (const std::size_t devices = head.find("\"deviceProperties\""); devices != std::string_view::npos)
    if (const std::string_view name = value_of("\"name\"", devices); name.starts_with('"'))
      trace_.gpu = printable(name.substr(1, name.find('"', 1) - 1), 80);
  const std::string_view size = value_of("\"world_size\"", 0);
  if (const auto gpus = number(size.substr(0, size.find_first_not_of("0123456789"))); gpus && *gpus >= 1)
    trace_.processes = gpus;
}

Result<GpuTrace> TorchTrace::finish() {
  read_head();
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
