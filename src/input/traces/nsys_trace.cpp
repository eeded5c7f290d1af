#include "input/traces/nsys_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostKernels = 4'000'000;
constexpr std::size_t kMostRanges = 100'000;
constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL", kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY",
                           kSets = "CUPTI_ACTIVITY_KIND_MEMSET", kStrings = "StringIds", kRanges = "NVTX_EVENTS",
                           kDevices = "TARGET_INFO_GPU";

Seconds median_of(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return static_cast<double>(values[values.size() / 2]) * 1e-9 * units::second;
}

std::vector<std::int64_t> gaps_of(std::vector<std::int64_t> starts) {
  std::ranges::sort(starts);
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < starts.size(); ++i) gaps.push_back(starts[i] - starts[i - 1]);
  return gaps;
}

/// "Step 12" and "step_13" are one range that comes again.
std::string without_numbers(std::string_view text) {
  std::string name = to_lower(text.substr(0, 80));
  std::erase_if(name, [](char c) { return is_digit(c); });
  return name;
}

class Reader {
 public:
  explicit Reader(SqliteFile file) : file_(std::move(file)) {}

  Result<GpuTrace> read() {
    trace_.profiler = TraceSource::kNsightSystems;
    if (!file_.has(kStrings) || (!file_.has(kKernels) && !file_.has(kRanges)))
      return failure("an SQLite database, but none that Nsight Systems exports (no table " + std::string(kStrings) +
                     "); write one with: nsys export --type sqlite report.nsys-rep");
    Result<void> good = pieces(kKernels, false);
    if (good) good = pieces(kCopies, true);
    if (good) good = pieces(kSets, true);
    if (good) good = names();
    if (good) good = ranges();
    if (good) good = devices();
    if (!good) {
      // What was read before the damage is worth telling.
      if (trace_.pieces.empty()) return std::unexpected(good.error());
      trace_.cut_off = true;
    }
    if (trace_.pieces.empty())
      return failure("no kernels in this report; profile with: nsys profile --trace=cuda,nvtx ...");
    mark_steps();
    return std::move(trace_);
  }

 private:
  Result<void> pieces(std::string_view table, bool copies) {
    constexpr std::array<std::string_view, 4> kColumns = {"start", "end", "deviceId", "demangledName"};
    constexpr std::int64_t kLongest = 0xFFFFFFFF, kFarthest = 1'000'000'000'000'000;  // nanoseconds: eleven days
    return file_.rows(table, kColumns, [&](std::span<const SqliteValue> row) {
      ++trace_.events;
      if (row[0].kind != SqliteValue::Kind::kInteger || row[1].kind != SqliteValue::Kind::kInteger) return;
      if (!origin_) origin_ = row[0].integer;
      // Differences of hostile numbers may not fit.
      const double start = static_cast<double>(row[0].integer) - static_cast<double>(*origin_);
      const double length = static_cast<double>(row[1].integer) - static_cast<double>(row[0].integer);
      if (std::abs(start) > static_cast<double>(kFarthest) || length < 0) return;
      if (trace_.pieces.size() == kMostKernels) {
        ++trace_.left_out;
        return;
      }
      trace_.pieces.push_back({.start = row[0].integer - *origin_,
                               .length = static_cast<std::uint32_t>(std::min(length, static_cast<double>(kLongest))),
                               .device = static_cast<std::uint16_t>(std::clamp<std::int64_t>(row[2].integer, 0, 65535)),
                               .kind = copies ? KernelKind::kCopy : KernelKind::kOther});
      names_.push_back(copies ? -1 : row[3].integer);
    });
  }

  Result<void> names() {
    std::unordered_map<std::int64_t, KernelKind> kinds;
    for (const std::int64_t name : names_) kinds.emplace(name, KernelKind::kOther);
    constexpr std::array<std::string_view, 2> kColumns = {"id", "value"};
    auto good = file_.rows(kStrings, kColumns, [&](std::span<const SqliteValue> row) {
      if (const auto found = kinds.find(row[0].integer); found != kinds.end())
        found->second = kind_of_kernel(row[1].text);
      const std::string text = without_numbers(row[1].text);
      if (is_step(text)) step_texts_.emplace(row[0].integer, text);
    });
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (trace_.pieces[i].kind != KernelKind::kCopy) trace_.pieces[i].kind = kinds.at(names_[i]);
    return good;
  }

  static bool is_step(std::string_view text) {
    return text.find("step") != std::string_view::npos || text.find("iter") != std::string_view::npos;
  }

  Result<void> ranges() {
    constexpr std::array<std::string_view, 4> kColumns = {"start", "end", "text", "textId"};
    return file_.rows(kRanges, kColumns, [&](std::span<const SqliteValue> row) {
      if (row[0].kind != SqliteValue::Kind::kInteger || row[1].kind != SqliteValue::Kind::kInteger ||
          row[1].integer <= row[0].integer)
        return;
      std::string text = without_numbers(row[2].text);
      if (row[2].kind != SqliteValue::Kind::kText) {
        const auto found = step_texts_.find(row[3].integer);
        if (found == step_texts_.end()) return;
        text = found->second;
      }
      if (!is_step(text) || count_ == kMostRanges) return;
      ++count_;
      marked_[text].emplace_back(row[0].integer, row[1].integer);
    });
  }

  Result<void> devices() {
    constexpr std::array<std::string_view, 1> kColumns = {"name"};
    return file_.rows(kDevices, kColumns, [&](std::span<const SqliteValue> row) {
      if (trace_.gpu.empty()) trace_.gpu = printable(row[0].text, 80);
    });
  }

  /// The ranges that cover most of the time are the steps; of two or fewer their own lengths count.
  void mark_steps() {
    const std::vector<std::pair<std::int64_t, std::int64_t>>* best = nullptr;
    double most = 0;
    for (const auto& [text, ranges] : marked_) {
      double covered = 0;
      for (const auto& [start, end] : ranges) covered += static_cast<double>(end) - static_cast<double>(start);
      if (covered > most) {
        most = covered;
        best = &ranges;
      }
    }
    if (best == nullptr) {
      step_by_kernels();
      return;
    }
    std::vector<std::int64_t> starts;
    for (const auto& [start, end] : *best) {
      starts.push_back(start);
      if (best->size() < 3) trace_.steps.push_back(static_cast<double>(end - start) * 1e-9 * units::second);
    }
    if (best->size() >= 3)
      for (const std::int64_t gap : gaps_of(starts))
        trace_.steps.push_back(static_cast<double>(gap) * 1e-9 * units::second);
  }

  /// Without marks: the rarest kernel that comes again and again at even times is one of the end of steps.
  void step_by_kernels() {
    constexpr std::size_t kFewest = 4, kMost = 5000;
    std::map<std::int64_t, std::vector<std::int64_t>> starts;
    const std::uint16_t device = trace_.pieces.front().device;
    for (std::size_t i = 0; i < trace_.pieces.size(); ++i)
      if (trace_.pieces[i].device == device && names_[i] >= 0) {
        auto& one = starts[names_[i]];
        if (one.size() <= kMost) one.push_back(trace_.pieces[i].start);
      }
    const std::vector<std::int64_t>* rarest = nullptr;
    for (const auto& [name, times] : starts) {
      if (times.size() < kFewest || times.size() > kMost) continue;
      const std::vector<std::int64_t> gaps = gaps_of(times);
      const double middle = median_of(gaps).value * 1e9;
      constexpr double kEven = 0.1;
      const auto even = std::ranges::count_if(
          gaps, [&](std::int64_t gap) { return std::abs(static_cast<double>(gap) - middle) <= kEven * middle; });
      if (middle <= 0 || 10 * even < 9 * static_cast<std::ptrdiff_t>(gaps.size())) continue;
      if (rarest == nullptr || times.size() < rarest->size()) rarest = &times;
    }
    if (rarest == nullptr) return;
    for (const std::int64_t gap : gaps_of(*rarest))
      trace_.steps.push_back(static_cast<double>(gap) * 1e-9 * units::second);
  }

  SqliteFile file_;
  GpuTrace trace_;
  std::vector<std::int64_t> names_;  ///< by piece; -1: a copy
  std::unordered_map<std::int64_t, std::string> step_texts_;
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> marked_;
  std::size_t count_ = 0;
  std::optional<std::int64_t> origin_;
};

}  // namespace

Result<GpuTrace> read_nsys_trace(PlacedBytes& bytes) {
  auto file = SqliteFile::open(bytes);
  if (!file) return std::unexpected(file.error());
  return Reader(*std::move(file)).read();
}

}  // namespace gpuplan
