#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"
#include "evidence/audit/gpu_names.h"

namespace gpuplan::audit {
namespace {

/// Lists state 1000 for 1024, and what is left of a card: sizes so close are one.
constexpr double kSameSize = 0.08;
/// Bandwidths of data sheets, of makers and of tools differ by so much.
constexpr double kSameBandwidth = 0.12;

/// Memory and bandwidth of GPUs, against what they are made with.
class Cards {
 public:
  explicit Cards(Bench& bench) : bench_(bench), names_(bench.catalogue) {}

  void check() {
    for (const ClaimSection& section : bench_.document.sections) look(section.line, section.title);
    for (const ClaimLine& line : bench_.document.lines) {
      look(line.line, line.said);
      if (!line.code) told_of(line);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows) {
        for (const ClaimText& cell : row.cells) look(row.line, cell);
        columns(table, row);
      }
  }

 private:
  /// "8x H100 40GB"
  void look(int line, const ClaimText& said) {
    for (const GpuMention& gpu : said.gpus)
      if (gpu.gigabytes > 0 && told_.insert(gpu.key + number_text(gpu.gigabytes)).second)
        size_of(line, gpu, gpu.gigabytes, gpu.text);
  }

  void size_of(int line, const GpuMention& gpu, double gigabytes, const std::string& said) {
    std::vector<double> sizes;
    for (const Gpu* one : names_.named(gpu.key)) {
      const double size = std::round(one->memory / units::GiB);
      if (std::fabs(size - gigabytes) <= std::max(kSameSize * size, 1.0)) return;
      sizes.push_back(size);
    }
    if (sizes.empty()) return;
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<std::string> words;
    for (const double size : sizes) words.push_back(number_text(size) + " GB");
    bench_.find(FindingKind::kWrong, line, gpu.text, said, listed(words, "or"),
                "no " + names_.written(gpu.key) + " with " + number_text(gigabytes) + " GB is made");
  }

  void bandwidth_of(int line, const GpuMention& gpu, const ClaimAmount& stated) {
    double near = 0;
    bool good = false, exact = false;
    for (const Gpu* one : names_.named(gpu.key)) {
      if (gpu.gigabytes > 0 && std::fabs(std::round(one->memory / units::GiB) - gpu.gigabytes) > 1) continue;
      const double known = one->bandwidth.value;
      if (near == 0 || (!exact && std::fabs(known - stated.low) < std::fabs(near - stated.low))) near = known;
      if (squeeze(one->name) == gpu.key && !exact) exact = true, near = known;
      good = good || std::fabs(known - stated.low) <= kSameBandwidth * known;
    }
    bench_.use(stated);
    if (near > 0 && !good)
      bench_.find(FindingKind::kWrong, line, gpu.text, stated.text, told(ClaimDimension::kByteRate, near),
                  "memory bandwidth as its data sheet says");
  }

  /// Columns "VRAM" and "bandwidth" beside GPUs.
  void columns(const ClaimTable& table, const ClaimRow& row) {
    if (table.headless || row.cells.front().gpus.size() != 1) return;
    const GpuMention& gpu = row.cells.front().gpus.front();
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      const std::string head = to_lower(table.heads[i].text);
      const auto& all = row.cells[i].quantities;
      if (all.size() != 1 || all[0].range() || all[0].approximate) continue;
      if (all[0].dimension == ClaimDimension::kBytes && gpu.count <= 1 &&
          (head == "vram" || head == "gpu memory" || head == "gpu ram" || head.starts_with("vram ("))) {
        bench_.use(all[0]);
        size_of(row.line, gpu, gigabytes_of(all[0]), all[0].text);
      }
      if (all[0].dimension == ClaimDimension::kByteRate && head.contains("bandwidth") && !head.contains("link"))
        bandwidth_of(row.line, gpu, all[0]);
    }
  }

  static double gigabytes_of(const ClaimAmount& memory) {
    return std::round(memory.low / (memory.unit > 1e9 ? memory.unit : 1e9));
  }

  /// "the RTX 4090 has 32 GB", "RTX 4090 (16 GB)", "A100 SXM 80GB has 1,555 GB/s"
  void told_of(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    for (const GpuMention& gpu : line.said.gpus)
      for (const ClaimAmount& amount : line.said.quantities) {
        if (amount.from < gpu.to || amount.range() || amount.approximate || amount.at_least || amount.at_most) continue;
        const std::string between(trim(std::string_view(lower).substr(gpu.to, amount.from - gpu.to)));
        const std::string_view behind = std::string_view(lower).substr(amount.to);
        if (amount.dimension == ClaimDimension::kBytes && gpu.gigabytes == 0)
          memory_told(line.line, lower, gpu, amount, between, behind);
        if (amount.dimension == ClaimDimension::kByteRate) bandwidth_told(line, lower, gpu, amount, between, behind);
      }
  }

  void memory_told(int line, const std::string& lower, const GpuMention& gpu, const ClaimAmount& amount,
                   const std::string& between, std::string_view behind) {
    const bool bracket = between == "(";
    if (!bracket && !one_of(between, {"has", "have", "with", "comes with", "come with", "offers", "offer", "has only",
                                      "have only", "have a total of", "have in all"}))
      return;
    // Memory that is taken, free or of the host is another.
    if (has_any(lower, {"batch", "fit",   "need", " use", "take", "peak", "require", "weights", "model",   "cache",
                        "free",  " left", "host", "disk", "cpu",  "swap", "limit",   "reserve", "offload", "mig"}))
      return;
    bool ends = false;
    for (const std::string_view end : {".", ",", ";", ")", " and ", " of vram", " vram", " of memory", " memory",
                                       " of hbm", " hbm", " gddr", " each", ":", " in all", " in total", " per gpu"})
      ends = ends || (behind.starts_with(end) && (end != "." || behind.size() < 2 || behind[1] == ' '));
    if (!ends && !trim(behind).empty()) return;
    // "two H100 with 160 GB"
    const std::string_view front = trim(std::string_view(lower).substr(0, gpu.from));
    for (const std::string_view number :
         {"two", "three", "four", "six", "eight", "sixteen", "pair of", "several", "all"})
      if (front.ends_with(number)) return;
    const double size = gigabytes_of(amount);
    if (gpu.count > 1) return memory_of_all(line, gpu, amount, size, behind);
    // In brackets stands anything; the sizes of cards are few.
    if (bracket && std::ranges::none_of(bench_.catalogue.gpus,
                                        [&](const Gpu& one) { return std::round(one.memory / units::GiB) == size; }))
      return;
    bench_.use(amount);
    if (told_.insert(gpu.key + number_text(size)).second) size_of(line, gpu, size, amount.text);
  }

  /// "8x H100 have 640 GB": of all of them, or of each.
  void memory_of_all(int line, const GpuMention& gpu, const ClaimAmount& amount, double size, std::string_view behind) {
    const bool each = has_any(behind, {" each", "per gpu"});
    double near = 0;
    for (const Gpu* one : names_.named(gpu.key)) {
      const double card = std::round(one->memory / units::GiB), all = card * gpu.count;
      const bool fits_each = std::fabs(card - size) <= std::max(kSameSize * card, 1.0),
                 fits_all = std::fabs(all - size) <= kSameSize * all;
      if (fits_each || (fits_all && !each)) return;
      const double right = each ? card : all;
      if (near == 0 || std::fabs(right - size) < std::fabs(near - size)) near = right;
    }
    // "2x RTX 4090 (800 GB)": of something else.
    constexpr double kOff = 2.5;
    if (near == 0 || size > kOff * near || near > kOff * size) return;
    bench_.use(amount);
    if (told_.insert(gpu.text + number_text(size)).second)
      bench_.find(FindingKind::kWrong, line, gpu.text, amount.text, number_text(near) + " GB",
                  each ? "memory of one " + names_.written(gpu.key)
                       : std::to_string(gpu.count) + " \xC3\x97 " + number_text(near / gpu.count) + " GB");
  }

  void bandwidth_told(const ClaimLine& line, const std::string& lower, const GpuMention& gpu, const ClaimAmount& amount,
                      const std::string& between, std::string_view behind) {
    constexpr double kLeast = 2e11;  // slower ones are those of links and disks
    if (amount.low < kLeast) return;
    if (has_any(lower, {"link",    "pcie 3", "pcie 4",  "pcie 5",       "gen4",       "gen5",      "infiniband",
                        "network", "disk",   "nvme",    "storage",      "achiev",     "effective", "measured",
                        "reach",   "host",   "load",    "copi",         "ethernet",   "xgmi",      "fabric",
                        "l2",      "cache",  "between", "interconnect", "all-reduce", "allreduce", "utiliz",
                        "sustain", "stream", "total",   "aggregate",    "in all",     "ddr"}) ||
        lower.contains('%'))
      return;
    const bool named = has_any(lower, {"bandwidth", "hbm"});
    if (!one_of(between, {"has", "with", "gives", "offers"}) && !(named && one_of(between, {"", ":", "(", "at", "is"})))
      return;
    if (!named && !trim(behind).empty() && !behind.starts_with(".") && !behind.starts_with(",") &&
        !behind.starts_with(" of memory") && !behind.starts_with(" memory") && !behind.starts_with(")"))
      return;
    // What joins GPUs is quoted in the same unit.
    for (const Gpu* one : names_.named(gpu.key))
      for (const double share : {1.0, 0.5})
        if (one->link.value > 0 && std::fabs(one->link.value * share - amount.low) < 0.02 * amount.low) return;
    bandwidth_of(line.line, gpu, amount);
  }

  static bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
  }

  Bench& bench_;
  GpuNames names_;
  std::set<std::string> told_;
};

}  // namespace

void check_cards(Bench& bench) { Cards(bench).check(); }

}  // namespace gpuplan::audit
