#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Columns that say whether something fits on a card, beside one that says how much it is.
class Fits {
 public:
  explicit Fits(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimTable& table : bench_.document.tables) {
      if (table.headless || table.across) continue;
      const std::size_t memory = memory_column(table);
      if (memory == table.heads.size()) continue;
      for (std::size_t i = 0; i < table.heads.size(); ++i)
        if (const double room = room_of(table.heads[i]); room > 0) column(table, i, memory, room);
    }
  }

 private:
  /// "Weights", "VRAM needed (GB)", "Model size": the only such column; as many as there are columns: none, or several.
  static std::size_t memory_column(const ClaimTable& table) {
    std::size_t found = table.heads.size();
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
      const std::string name = to_lower(table.heads[i].text);
      if (name.contains("fit") || !has_any(name, {"weights", "memory", "vram", "footprint"})) continue;
      if (found != table.heads.size()) return table.heads.size();
      found = i;
    }
    return found;
  }

  /// What the card, or the cards, of "Fits on one H100", "fits 2x A100 80GB", "Fits in 24 GB" have; 0: it is no such
  /// head, or says more, such as in which format.
  double room_of(const ClaimText& head) {
    const std::string lower = to_lower(head.text);
    if (!has_word_of(lower, {"fits", "fit"}) ||
        has_any(lower, {"bit", "fp8", "fp4", "int8", "int4", "nf4", "quant", "offload", "lora", "shard", "zero", "with",
                        "max", "context", "batch"}))
      return 0;
    if (head.gpus.size() == 1 && std::ranges::all_of(head.quantities, [](const ClaimAmount& one) {
          return one.dimension == ClaimDimension::kBytes;
        })) {
      const GpuMention& gpu = head.gpus.front();
      // "Fits on H100" may be on any number of them.
      if (gpu.count == 0 && !has_word_of(lower, {"one", "single", "a", "an"})) return 0;
      double most = 0;
      for (const Gpu* made : names_.named(gpu.key))
        if (gpu.gigabytes == 0 || has_size(*made, gpu.gigabytes))
          most = std::max(most, made->memory.value * gpus_of_package(*made));
      return most * std::max(gpu.count, 1);
    }
    if (!head.gpus.empty() || head.quantities.size() != 1) return 0;
    const ClaimAmount& size = head.quantities.front();
    if (size.dimension != ClaimDimension::kBytes || size.range()) return 0;
    // GB of cards are GiB.
    constexpr double kGB = 1e9;
    return size.unit == kGB ? size.low * (units::GiB.value / kGB) : size.low;
  }

  static bool is_yes(std::string_view text) {
    const std::string lower = to_lower(trim(text));
    return is_one_of(lower, {"yes", "y", "\xE2\x9C\x93", "\xE2\x9C\x94", "\xE2\x9C\x85", "\xE2\x9C\x94\xEF\xB8\x8F"});
  }

  void column(const ClaimTable& table, std::size_t place, std::size_t memory, double room) {
    for (const ClaimRow& row : table.rows) {
      const auto& stated = row.cells[memory].quantities;
      if (!is_yes(row.cells[place].text) || stated.size() != 1 || stated[0].dimension != ClaimDimension::kBytes ||
          stated[0].range() || stated[0].approximate)
        continue;
      std::string all;
      for (const ClaimText& cell : row.cells) all += to_lower(cell.text) + " | ";
      if (has_any(all, {"offload", "shard", "cpu", "per gpu", "zero"})) continue;
      bench_.use(stated[0]);
      if (stated[0].low - stated[0].low_step <= room) continue;
      bench_.find(FindingKind::kWrong, row.line, row.cells.front().text, table.heads[place].text + ": yes", "no",
                  stated[0].text + " are more than the " + told(ClaimDimension::kBytes, room) + " of the card");
    }
  }

  Bench& bench_;
  GpuNames names_{bench_.catalogue};
};

}  // namespace

void check_fits(Bench& bench) { Fits(bench).check(); }

}  // namespace gpuplan::audit
