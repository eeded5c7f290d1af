#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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

/// Cards that are named as what something fits on, beside how much it is; weights of the document's one model.
class Holds {
 public:
  explicit Holds(Bench& bench) : bench_(bench), near_(bench), names_(bench.catalogue) {}

  void check() {
    find_model();
    for (const ClaimLine& line : bench_.document.lines) {
      if (!reads_as_prose(line)) continue;
      for (const GpuMention& gpu : line.said.gpus) told_to_fit(line, gpu);
      for (const ClaimAmount& one : line.said.quantities) weights(line, one);
    }
    for (const ClaimTable& table : bench_.document.tables)
      if (!table.headless && !table.across) columns(table);
  }

 private:
  /// Bytes of the largest such card, by how many there are; 0: it is not known.
  double room_of(const GpuMention& gpu) {
    double most = 0;
    for (const Gpu* one : names_.named(gpu.key))
      if (gpu.gigabytes == 0 || has_size(*one, gpu.gigabytes))
        most = std::max(most, one->memory.value * gpus_of_package(*one));
    return most * std::max(gpu.count, 1);
  }

  static bool splits(std::string_view lower) {
    return has_any(lower, {"offload", "shard", "cpu", "per gpu", "zero-", "fsdp", "quant", "bit", "n't", "not ", "each",
                           "almost", "if ", "only with", "no longer", "barely"});
  }

  /// "LoRA needs the weights (26 GB) and little more, so it fits on one RTX 4090"
  void told_to_fit(const ClaimLine& line, const GpuMention& gpu) {
    const std::string lower = to_lower(line.said.text);
    const std::size_t from = begin_of_sentence(lower, gpu.from), end = end_of_sentence(lower, gpu.to);
    std::string_view front = trim(std::string_view(lower).substr(from, gpu.from - from));
    const bool counted = gpu.count > 0;
    bool one_card = counted;
    for (const std::string_view word : {" one", " a single", " a", " an"})
      if (!one_card && front.ends_with(word))
        front = trim(front.substr(0, front.size() - word.size())), one_card = true;
    if (!one_card || !ends_with_word(front, {"fits on", "fit on", "fits in", "fits into", "fit into", "fits easily on",
                                             "runs on", "fit in"}))
      return;
    if (splits(std::string_view(lower).substr(from, end - from))) return;
    const ClaimAmount* need = nullptr;
    for (const ClaimAmount& one : line.said.quantities) {
      if (one.from < from || one.from >= end || one.dimension != ClaimDimension::kBytes) continue;
      if (need != nullptr || one.from > gpu.from || !is_single_value(one)) return;
      need = &one;
    }
    const double room = room_of(gpu);
    if (need == nullptr || room <= 0) return;
    const std::string_view words = std::string_view(lower).substr(from, need->from - from);
    if (!has_word_of(words, {"weights", "needs", "need", "takes", "take", "model", "requires", "uses"})) return;
    bench_.use(*need);
    // Files and lists say GB for GiB.
    if (need->low - need->low_step <= room) return;
    tell(line.line_of(gpu), line.label, gpu.text, need->text, room);
  }

  /// "Weights" beside "Fits on", "Runs on", "Smallest GPU".
  void columns(const ClaimTable& table) {
    std::size_t memory = table.heads.size(), fits_on = memory;
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
      const std::string name = to_lower(trim(table.heads[i].text));
      const bool fit = is_one_of(
          name, {"fits on", "fit on", "runs on", "smallest gpu", "minimum gpu", "min gpu", "gpu needed", "fits"});
      const bool size = !fit && has_any(name, {"weights", "memory", "vram", "footprint"});
      if (fit) fits_on = fits_on == table.heads.size() ? i : i;
      if (size && memory != table.heads.size()) return;
      if (size) memory = i;
    }
    if (memory == table.heads.size() || fits_on == table.heads.size()) return;
    for (const ClaimRow& row : table.rows) {
      const auto& need = row.cells[memory].quantities;
      const auto& gpus = row.cells[fits_on].gpus;
      if (need.size() != 1 || gpus.size() != 1 || need[0].dimension != ClaimDimension::kBytes ||
          !is_single_value(need[0]) || need[0].approximate)
        continue;
      std::string all;
      for (const ClaimText& cell : row.cells) all += to_lower(cell.text) + " | ";
      if (has_any(all, {"offload", "shard", "cpu", "per gpu", "not ", "no "})) continue;
      const double room = room_of(gpus[0]);
      bench_.use(need[0]);
      if (room > 0 && need[0].low - need[0].low_step > room)
        tell(row.line, row.cells.front().text, gpus[0].text, need[0].text, room);
    }
  }

  void tell(int line, const std::string& about, const std::string& said, const std::string& need, double room) {
    const auto is_there = [&](const Finding& one) { return one.line == line && one.said.contains(said); };
    if (std::ranges::any_of(bench_.findings, is_there)) return;
    bench_.find(FindingKind::kWrong, line, about, said, "does not fit",
                need + " are more than its " + told(ClaimDimension::kBytes, room));
  }

  /// The one size of a model that the document tells; 0: none, or several.
  void find_model() {
    bool several = false;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (one.dimension == ClaimDimension::kParameters && is_single_value(one)) {
          several = several || (params_ > 0 && params_ != one.low);
          params_ = one.low;
        }
    };
    for (const ClaimSection& section : bench_.document.sections) take(section.title);
    for (const ClaimLine& line : bench_.document.lines) take(line.said);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
    if (several) params_ = 0;
  }

  /// "Weights in FP8: 8 GB. In bf16 they would be 16 GB."
  void weights(const ClaimLine& line, const ClaimAmount& stated) {
    if (params_ <= 0 || stated.dimension != ClaimDimension::kBytes || !is_single_value(stated)) return;
    std::string front = front_of(line, stated);
    const std::string lower = to_lower(line.said.text);
    if (!lower.contains("weights") || has_any(lower, {"optimizer", "cache", "gradient", "adapter", "activation",
                                                      "with ", "total", "shard", "per gpu", "each"}))
      return;
    const bool says = is_one_of(
        trim(front),
        {"in bf16 they would be", "in fp16 they would be", "in bf16 they are", "in fp16 they are",
         "in bf16:", "in fp16:", "weights in bf16:", "weights in fp16:", "weights in fp8:", "weights in int8:",
         "weights in fp32:", "weights in int4:", "in int8 they would be", "in fp8 they would be",
         "in fp32 they would be", "in int4 they would be", "in int8 they are", "in fp8 they are", "in fp32 they are"});
    if (!says) return;
    double width = 0;
    for (const auto& [name, bytes] :
         {std::pair{"fp32", 4.0}, {"bf16", 2.0}, {"fp16", 2.0}, {"fp8", 1.0}, {"int8", 1.0}, {"int4", 0.5}})
      if (front.contains(name)) width = bytes;
    const double bytes = params_ * width;
    // Quantized weights have scales, and GiB are written as GB.
    constexpr double kMore = 1.3, kLess = 0.9;
    near_.judge(line, stated, {{bytes * kLess, bytes}, {bytes, bytes * (width < 2 ? kMore : 1.1)}},
                count_text(params_) + " parameters \xC3\x97 " + number_text(width) + " bytes");
  }

  Bench& bench_;
  Nearby near_;
  GpuNames names_;
  double params_ = 0;
};

}  // namespace

void check_holds(Bench& bench) { Holds(bench).check(); }

}  // namespace gpuplan::audit
