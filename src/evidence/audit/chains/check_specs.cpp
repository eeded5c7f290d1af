#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/chains/nearby.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// What the data sheets say of speeds of arithmetic and NVLink, and what several cards have together.
class Specs {
 public:
  explicit Specs(Bench& bench) : bench_(bench), names_(bench.catalogue) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line)) continue;
      for (const GpuMention& gpu : line.said.gpus) {
        together(line, gpu);
        speed_told(line, gpu);
        joined(line, gpu);
      }
    }
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.headless || table.across) continue;
      for (std::size_t i = 1; i < table.heads.size(); ++i) column(table, i);
    }
  }

 private:
  /// The number before a name: "four L40S", "4x L40S", "4 L40S"; 0: none.
  static double count_before(const ClaimLine& line, const GpuMention& gpu) {
    if (gpu.count > 1) return gpu.count;
    const std::string front = to_lower(line.said.text.substr(0, gpu.from));
    const std::string_view words = trim(front);
    const std::size_t blank = words.rfind(' ');
    const auto numbers = number_words(blank == std::string_view::npos ? words : words.substr(blank + 1));
    return numbers.size() == 1 && numbers[0] > 1 ? numbers[0] : 0;
  }

  /// "Four L40S have 192 GB together", "2x H200 have 282 GB of memory": of all, or of each.
  void together(const ClaimLine& line, const GpuMention& gpu) {
    const double count = count_before(line, gpu);
    if (count < 2) return;
    const std::string lower = to_lower(line.said.text);
    for (const ClaimAmount& stated : line.said.quantities) {
      if (stated.from < gpu.to || stated.dimension != ClaimDimension::kBytes || !is_single_value(stated)) continue;
      const std::string gap(trim(std::string_view(lower).substr(gpu.to, stated.from - gpu.to)));
      const std::string_view behind = trim(std::string_view(lower).substr(stated.to));
      const bool has =
          is_one_of(gap, {"have", "has", "offer", "provide", "give", "give us", "together have", "have together",
                          "give a total of", "have a total of", "cards have", "gpus have"});
      const bool whole = behind.empty() || is_one_of(behind, {"."}) ||
                         starts_with_any(behind, {"together", "in total", "in all", "of memory", "of vram", "of hbm",
                                                  "of gpu memory", "combined", "vram", "total"});
      if (!has || !whole || has_any(behind, {"left", "free", "each", "host", "per "})) return;
      double near = 0;
      for (const Gpu* one : names_.named(gpu.key)) {
        const double size = std::round(one->memory / units::GiB);
        if (gpu.gigabytes > 0 && !has_size(*one, gpu.gigabytes)) continue;
        const double gigabytes = stated.low / (stated.unit > 0 && stated.unit != 1 ? unit_of(stated) : 1e9);
        for (const int cards : {1, gpus_of_package(*one)})
          for (const double many : {1.0, count}) {
            constexpr double kSame = 0.05;
            if (std::fabs(gigabytes - size * many * cards) <= kSame / 5 * size * many * cards)
              return bench_.use(stated);
          }
        for (const double made : sizes_of(*one))
          for (const double many : {1.0, count})
            if (fits(stated, ends_of(made * many * 1e9)) || fits(stated, ends_of(made * many * units::GiB.value)))
              return bench_.use(stated);
        if (near == 0 || std::fabs(size * count - gigabytes) < std::fabs(near - gigabytes)) near = size * count;
      }
      constexpr double kFar = 1.6;
      const double gigabytes = stated.low / unit_of(stated);
      if (near <= 0 || gigabytes > kFar * near || near > kFar * gigabytes) return;
      tell(line.line_of(stated), gpu.text, stated, number_text(near) + " GB",
           number_text(count) + " \xC3\x97 " + number_text(near / count) + " GB");
      return;
    }
  }
  /// Bytes of a GB as it is written.
  static double unit_of(const ClaimAmount& one) {
    return one.unit >= units::GiB.value && one.unit < 1.1e9 ? one.unit : 1e9;
  }

  /// Formats that a text names, as their speeds.
  static std::vector<FlopsPerSecond Gpu::*> formats_in(std::string_view lower) {
    std::vector<FlopsPerSecond Gpu::*> found;
    for (const auto& [names, format] : {std::pair{std::vector{"bf16", "bfloat16"}, &Gpu::bf16},
                                        {std::vector{"fp16", "half precision", "float16"}, &Gpu::fp16},
                                        {std::vector{"fp8"}, &Gpu::fp8},
                                        {std::vector{"tf32"}, &Gpu::tf32},
                                        {std::vector{"fp32", "float32"}, &Gpu::fp32}})
      for (const std::string_view name : names)
        if (lower.contains(name)) {
          found.push_back(format);
          break;
        }
    return found;
  }

  /// "The A100 delivers 312 TFLOP/s of dense bf16": no achieved speed.
  void speed_told(const ClaimLine& line, const GpuMention& gpu) {
    const std::string lower = to_lower(line.said.text);
    const std::size_t from = begin_of_sentence(lower, gpu.from), end = end_of_sentence(lower, gpu.to);
    int named = 0;
    for (const GpuMention& one : line.said.gpus) named += one.from >= from && one.from < end ? 1 : 0;
    if (named != 1 || gpu.count > 1) return;
    for (const ClaimAmount& stated : line.said.quantities) {
      if (stated.from < gpu.to || stated.from >= end || stated.dimension != ClaimDimension::kOperationRate ||
          !is_single_value(stated))
        continue;
      const std::string gap(trim(std::string_view(lower).substr(gpu.to, stated.from - gpu.to)));
      if (!is_one_of(gap, {"has", "delivers", "offers", "provides", "peaks at", "has a peak of", "does", "is rated at",
                           "(", ":", "gives", "has about", "is rated for"}))
        return;
      // Up to the end of the clause: "; we assume 40%" is of something else.
      const std::size_t stop = std::min(lower.find_first_of(";,.)", stated.to), lower.size());
      const std::string_view behind = std::string_view(lower).substr(stated.to, stop - stated.to);
      const auto formats = formats_in(behind);
      if (formats.size() != 1 ||
          has_any(behind, {"achiev", "effective", "mfu", "reach", "real", "measured", "sustain"}))
        return;
      speed(line.line_of(stated), gpu, stated, formats, behind);
      return;
    }
  }

  void speed(int line, const GpuMention& gpu, const ClaimAmount& stated,
             const std::vector<FlopsPerSecond Gpu::*>& formats, std::string_view words) {
    const bool dense = words.contains("dense"), sparse = words.contains("spars");
    double near = 0;
    for (const Gpu* one : names_.named(gpu.key)) {
      if (gpu.gigabytes > 0 && !has_size(*one, gpu.gigabytes)) continue;
      for (const auto format : formats) {
        const double known = (one->*format).value;
        // What is not known of one may be what is told.
        if (known <= 0) return;
        // Whole cards, and clocks as makers round them.
        constexpr double kSame = 0.06;
        for (const double times : {1.0, 2.0})
          if ((times == 1 ? !sparse || !dense : !dense || sparse) &&
              std::fabs(stated.low - known * times * gpus_of_package(*one)) <= kSame * known * times)
            return bench_.use(stated);
        const double right = known * (sparse && !dense ? 2 : 1);
        if (near == 0 || std::fabs(right - stated.low) < std::fabs(near - stated.low)) near = right;
      }
    }
    if (near > 0) tell(line, gpu.text, stated, told(ClaimDimension::kOperationRate, near), "as its data sheet says");
  }

  /// "8x L40S with NVLink", where no such card has it.
  void joined(const ClaimLine& line, const GpuMention& gpu) {
    const std::string lower = to_lower(line.said.text);
    const std::string_view behind = trim(std::string_view(lower).substr(gpu.to));
    bool with = false;
    for (const std::string_view word : {"with nvlink", "over nvlink", "(nvlink)", "connected by nvlink",
                                        "connected with nvlink", "joined by nvlink", "linked by nvlink"})
      with = with || behind.starts_with(word);
    if (!with || has_link(gpu.key).value_or(true)) return;
    const int at = line.line_of(gpu);
    bench_.find(FindingKind::kWrong, at, gpu.text, gpu.text + " with NVLink", "no NVLink", "the card has PCIe alone");
  }

  /// Any card of the name has NVLink; nullopt: it is not known.
  std::optional<bool> has_link(const std::string& key) {
    const auto& all = names_.named(key);
    if (all.empty()) return std::nullopt;
    return std::ranges::any_of(
        all, [](const Gpu* one) { return one->vendor != "nvidia" || one->link.value > 0 || one->link_needs_bridge; });
  }

  void column(const ClaimTable& table, std::size_t place) {
    const std::string head = to_lower(table.heads[place].text);
    const bool link = head == "nvlink";
    const bool speeds = has_any(head, {"tflop"}) &&
                        !has_any(head, {"achiev", "effective", "real", "measured", "mfu", "sustain", "$", "per "});
    const auto formats = formats_in(head);
    if (!link && (!speeds || formats.size() != 1)) return;
    for (const ClaimRow& row : table.rows) {
      if (row.cells.front().gpus.size() != 1) continue;
      const GpuMention& gpu = row.cells.front().gpus.front();
      if (gpu.count > 1) continue;
      const ClaimText& cell = row.cells[place];
      if (link) {
        const std::string lower = to_lower(trim(cell.text));
        const std::optional<bool> has = has_link(gpu.key);
        if (has && !*has && is_one_of(lower, {"yes", "y", "\xE2\x9C\x93", "\xE2\x9C\x85", "\xE2\x9C\x94"}))
          bench_.find(FindingKind::kWrong, row.line, gpu.text, cell.text, "no", "the card has PCIe alone");
        continue;
      }
      if (cell.quantities.size() != 1 || cell.quantities[0].range() || cell.quantities[0].approximate) continue;
      ClaimAmount stated = cell.quantities[0];
      if (stated.dimension == ClaimDimension::kBare) {
        constexpr double kTera = 1e12;
        stated.dimension = ClaimDimension::kOperationRate;
        stated.low *= kTera, stated.high *= kTera, stated.low_step *= kTera, stated.high_step *= kTera;
      }
      if (stated.dimension == ClaimDimension::kOperationRate) speed(row.line, gpu, stated, formats, head);
    }
  }

  void tell(int line, const std::string& about, const ClaimAmount& stated, const std::string& right,
            const std::string& how) {
    bench_.use(stated);
    const auto is_there = [&](const Finding& one) { return one.line == line && one.said == stated.text; };
    if (std::ranges::none_of(bench_.findings, is_there))
      bench_.find(FindingKind::kWrong, line, about, stated.text, right, how);
  }

  Bench& bench_;
  GpuNames names_;
};

}  // namespace

void check_specs(Bench& bench) { Specs(bench).check(); }

}  // namespace gpuplan::audit
