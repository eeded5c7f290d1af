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
      if (!table.headless && !table.across) {
        columns(table);
        by_width(table);
      }
  }

 private:
  /// Bytes that programs can take of the largest such card, by how many there are; 0: it is not known.
  double room_of(const GpuMention& gpu) {
    double most = 0;
    for (const Gpu* one : names_.named(gpu.key))
      if (gpu.gigabytes == 0 || has_size(*one, gpu.gigabytes))
        most = std::max(most, one->usable.value * gpus_of_package(*one));
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
    if (need->low - need->low_step / 2 <= room) return;
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
      if (fit) fits_on = i;
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
      if (room > 0 && need[0].low - need[0].low_step / 2 > room)
        tell(row.line, row.cells.front().text, gpus[0].text, need[0].text, room);
    }
  }

  /// "Bytes per parameter" beside "Weights": by the one model of the document, where two rows bear it out.
  void by_width(const ClaimTable& table) {
    std::size_t width = table.heads.size(), size = width;
    for (std::size_t i = 1; i < table.heads.size(); ++i) {
      const std::string name = to_lower(trim(table.heads[i].text));
      if (has_any(name, {"bytes/param", "bytes per param", "bytes / param"})) width = i;
      else if (!name.contains("gpu") && has_any(name, {"weights", "memory", "gb", "size"}))
        size = size == table.heads.size() ? i : width;
    }
    if (params_ <= 0 || width == table.heads.size() || size == table.heads.size() || size == width) return;
    const auto of = [&](const ClaimRow& row, std::size_t place) {
      const auto& all = row.cells[place].quantities;
      return all.size() == 1 && is_single_value(all[0]) ? &all[0] : nullptr;
    };
    std::vector<const ClaimRow*> off;
    int good = 0;
    for (const ClaimRow& row : table.rows) {
      const ClaimAmount *bytes = of(row, width), *stated = of(row, size);
      if (bytes == nullptr || stated == nullptr || stated->dimension != ClaimDimension::kBytes) continue;
      if (fits(*stated, ends_of(bytes->low * params_))) ++good;
      else off.push_back(&row);
    }
    if (good < 2 || off.size() != 1) return;
    const ClaimAmount& stated = *of(*off[0], size);
    const double right = of(*off[0], width)->low * params_;
    const auto is_there = [&](const Finding& one) { return one.line == off[0]->line && one.said == stated.text; };
    bench_.use(stated);
    if (bench_.right.contains(stated.id) || std::ranges::any_of(bench_.findings, is_there)) return;
    bench_.find(FindingKind::kWrong, off[0]->line, off[0]->cells.front().text, stated.text,
                told(stated, ends_of(right)),
                count_text(params_) + " parameters \xC3\x97 " + of(*off[0], width)->text + " bytes");
  }

  void tell(int line, const std::string& about, const std::string& said, const std::string& need, double room) {
    const auto is_there = [&](const Finding& one) { return one.line == line && one.said.contains(said); };
    if (std::ranges::any_of(bench_.findings, is_there)) return;
    bench_.find(FindingKind::kWrong, line, about, said, "does not fit",
                need + " are more than its " + told(ClaimDimension::kBytes, room));
  }

  /// "13B parameters", "our 8B model", "a 1.3B decoder".
  static bool is_model(const ClaimText& said, const ClaimAmount& one) {
    if (one.range() || one.low <= 0) return false;
    if (one.dimension == ClaimDimension::kParameters) return true;
    const std::string_view behind = trim(std::string_view(said.text).substr(one.to));
    if (one.dimension != ClaimDimension::kBare || !one.text.ends_with('B')) return false;
    // Up to three words behind it.
    std::string_view words = behind.substr(0, std::min(behind.find_first_of(".,;:()"), behind.size()));
    constexpr std::size_t kLongest = 28;
    words = words.substr(0, kLongest);
    return has_word_of(to_lower(words), {"model", "decoder", "llm", "transformer", "network"}) &&
           !has_word_of(to_lower(words), {"tokens", "token", "and", "of", "per", "for"});
  }

  /// The one size of a model that the document tells; 0: none, or several.
  void find_model() {
    bool several = false;
    const auto take = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities)
        if (is_model(said, one)) {
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
    const std::string front = front_of(line, stated);
    const std::string lower = to_lower(line.said.text);
    if (is_of_gradients(line, stated)) return judge_weights(line, stated, front.substr(front.rfind("gradients in")));
    if (!lower.contains("weights") || has_any(lower, {"optimizer", "cache", "gradient", "adapter", "activation",
                                                      "with ", "total", "shard", "per gpu", "each"}))
      return;
    const bool says = is_one_of(
        trim(front),
        {"in bf16 they would be", "in fp16 they would be", "in bf16 they are", "in fp16 they are",
         "in bf16:", "in fp16:", "weights in bf16:", "weights in fp16:", "weights in fp8:", "weights in int8:",
         "weights in fp32:", "weights in int4:", "in int8 they would be", "in fp8 they would be",
         "in fp32 they would be", "in int4 they would be", "in int8 they are", "in fp8 they are", "in fp32 they are"});
    if (says) judge_weights(line, stated, front);
  }

  /// "gradients in fp16 3 GB"
  static bool is_of_gradients(const ClaimLine& line, const ClaimAmount& stated) {
    const std::string front = front_of(line, stated);
    const std::size_t at = front.rfind("gradients in ");
    if (at == std::string::npos) return false;
    return is_one_of(std::string_view(front).substr(at + std::string_view("gradients in ").size()),
                     {"fp16", "bf16", "fp32", "fp16:", "bf16:", "fp32:", "fp16 are", "bf16 are", "fp16 take",
                      "bf16 take", "fp16 add", "bf16 add", "fp32 are", "fp32 take"});
  }

  void judge_weights(const ClaimLine& line, const ClaimAmount& stated, const std::string& front) {
    double width = 0;
    for (const auto& [name, bytes] :
         {std::pair{"fp32", 4.0}, {"bf16", 2.0}, {"fp16", 2.0}, {"fp8", 1.0}, {"int8", 1.0}, {"int4", 0.5}})
      if (front.contains(name)) width = bytes;
    const double bytes = params_ * width;
    // Quantized weights have scales, and GiB are written as GB.
    constexpr double kMore = 1.3, kLess = 0.9;
    near_.judge(line, stated, {{bytes * kLess, bytes}, {bytes, bytes * (width < 2 ? kMore : 1.1)}},
                count_text(params_) + " parameters \xC3\x97 " + number_text(width) + " bytes", 3, true);
  }

  Bench& bench_;
  Nearby near_;
  GpuNames names_;
  double params_ = 0;
};

}  // namespace

void check_holds(Bench& bench) { Holds(bench).check(); }

}  // namespace gpuplan::audit
