#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

enum class Part { kNone, kGlobal, kMicro, kAccumulation, kGpus };
constexpr std::size_t kParts = 5;

/// The four numbers that belong together; nullptr: not said, or several times.
struct Batch {
  std::array<const ClaimAmount*, kParts> said{};
  std::array<int, kParts> times{};
  int gpus = 0;  ///< by name: "8x H100"

  void add(Part part, const ClaimAmount& value) {
    const auto place = static_cast<std::size_t>(part);
    said[place] = &value;
    ++times[place];
  }
  const ClaimAmount* one(Part part) const {
    const auto place = static_cast<std::size_t>(part);
    return times[place] == 1 ? said[place] : nullptr;
  }
  double count() const {
    const ClaimAmount* stated = one(Part::kGpus);
    return times[static_cast<std::size_t>(Part::kGpus)] > 1 ? 0 : stated != nullptr ? stated->low : gpus;
  }
};

bool is_count(const ClaimAmount& one) {
  constexpr double kMost = 1e9;
  return (one.dimension == ClaimDimension::kBare || one.dimension == ClaimDimension::kGpus ||
          one.dimension == ClaimDimension::kSamples || one.dimension == ClaimDimension::kSteps ||
          one.dimension == ClaimDimension::kTimes) &&
         one.whole && !one.range() && !one.approximate && !one.odd && one.low >= 1 && one.low <= kMost;
}

/// What a head or label says that a number is.
Part part_of(std::string_view name) {
  const std::string lower = to_lower(name);
  if (has_any(lower, {"tokens", "time", "memory"})) return Part::kNone;
  if (lower.contains("accum")) return Part::kAccumulation;
  if (has_any(lower, {"micro", "per-device batch", "per device batch", "batch per gpu", "batch per device",
                      "batch size per gpu", "batch size per device", "per-gpu batch"}))
    return Part::kMicro;
  if (has_any(lower, {"global batch", "effective batch", "total batch"})) return Part::kGlobal;
  return Part::kNone;
}

/// What a sentence says that a number is, by the words around it.
Part part_in(std::string_view lower, const ClaimAmount& value) {
  std::string_view before = trim(lower.substr(0, value.from));
  const std::string_view behind = lower.substr(value.to);
  if (value.dimension == ClaimDimension::kGpus) return Part::kGpus;
  for (const std::string_view word : {" is", " of", " size", ":", " size", " over", " steps", " ="})
    if (before.ends_with(word)) before = trim(before.substr(0, before.size() - word.size()));
  if (ends_with_word(before,
                     {"accumulation", "accumulate", "accumulating", "accumulated", "grad accum", "grad_accum"}) ||
      starts_with_any(behind, {" accumulation", " gradient accumulation", "-step accumulation",
                               " steps of accumulation", " steps of gradient accumulation", " accumulated"}))
    return Part::kAccumulation;
  if (ends_with_word(before, {"micro-batch", "micro batch", "microbatch", "micro-batches", "per-device batch",
                              "per-gpu batch", "batch per gpu"}) ||
      starts_with_any(behind, {" per gpu", "/gpu", " per device", " a gpu", " sequences per gpu", " samples per gpu",
                               " sequences a gpu"}))
    return Part::kMicro;
  if (ends_with_word(before, {"global batch", "effective batch", "total batch", "the batch", "batch size"}) ||
      before == "batch")
    return Part::kGlobal;
  return Part::kNone;
}

/// GPUs × micro-batch × accumulation = global batch, in rows, sheets, lists and sentences.
class Batches {
 public:
  explicit Batches(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimRecord& record : bench_.records) in_record(record);
    for (const ClaimLine& line : bench_.document.lines)
      if (!line.code) in_line(line);
  }

 private:
  /// Where a copy of the model is on several GPUs fewer of them have samples of their own.
  bool is_parallel() const {
    const auto says = [](const std::string& text) {
      const std::string lower = to_lower(text);
      return has_any(lower, {"tensor", "pipeline", "context parallel", "context-parallel", "sequence parallel",
                             "sequence-parallel", "model parallel", "model-parallel", "data parallel", "data-parallel",
                             "expert parallel", "device_map", "replica"}) ||
             has_word(lower, "tp") || has_word(lower, "pp") || has_word(lower, "cp") || has_word(lower, "dp");
    };
    const auto in_cell = [&](const ClaimText& cell) { return says(cell.text); };
    return std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) { return says(line.said.text); }) ||
           std::ranges::any_of(bench_.document.tables, [&](const ClaimTable& table) {
             return std::ranges::any_of(table.heads, in_cell) ||
                    std::ranges::any_of(table.rows,
                                        [&](const ClaimRow& row) { return std::ranges::any_of(row.cells, in_cell); });
           });
  }

  void in_record(const ClaimRecord& record) {
    Batch batch;
    batch.gpus = record.count;
    std::vector<double> others;
    int line = record.line;
    for (const ClaimFact& one : record.facts) {
      const Part part = one.role == ClaimRole::kGpus ? Part::kGpus : part_of(one.name);
      if (part != Part::kNone && is_count(*one.value)) batch.add(part, *one.value);
      else if (part != Part::kNone) return;  // "4 M tokens", "8-16"
      else if (is_count(*one.value)) others.push_back(one.value->low);
      if (part == Part::kGlobal) line = one.line;
    }
    judge(batch, line, record.label, others);
  }

  void in_line(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    if (!lower.contains("batch") || !lower.contains("accum")) return;
    constexpr std::size_t kMost = 40;
    const auto& all = line.said.quantities;
    if (all.size() > kMost) return;
    for (const ClaimAmount& global : all) {
      if (!is_count(global) || part_in(lower, global) != Part::kGlobal) continue;
      const std::size_t from = begin_of_sentence(lower, global.from), to = end_of_sentence(lower, global.to);
      const std::string_view sentence = std::string_view(lower).substr(from, to - from);
      // A sum that is written out is checked as one.
      if (has_any(sentence, {"\xC3\x97", " x ", "=", "*", "node", "sequence length", "instead", "n't", "not "}))
        continue;
      Batch batch;
      bool clear = true;
      for (const ClaimAmount& one : all) {
        if (one.from < from || one.from >= to) continue;
        const Part part = is_count(one) ? part_in(lower, one) : Part::kNone;
        if (part != Part::kNone) batch.add(part, one);
        else clear = clear && one.dimension != ClaimDimension::kBare && one.dimension != ClaimDimension::kSteps;
      }
      int named = 0;
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.from >= from && gpu.from < to && gpu.count > 0) batch.gpus = gpu.count, ++named;
      if (clear && named <= 1) judge(batch, line.line, line.label, {});
    }
  }

  void judge(const Batch& batch, int line, const std::string& label, const std::vector<double>& others) {
    const ClaimAmount *global = batch.one(Part::kGlobal), *micro = batch.one(Part::kMicro),
                      *accumulation = batch.one(Part::kAccumulation);
    const double gpus = batch.count();
    if (global == nullptr || micro == nullptr || accumulation == nullptr || gpus < 1) return;
    for (const ClaimAmount* one : {global, micro, accumulation}) bench_.use(*one);
    if (const ClaimAmount* stated = batch.one(Part::kGpus); stated != nullptr) bench_.use(*stated);
    const double right = gpus * micro->low * accumulation->low;
    const auto is = [&](double value) { return std::fabs(value - global->low) < 0.5; };
    if (is(right)) return;
    // In tokens, of several nodes, or of GPUs that share a copy: whatever else is counted beside them.
    for (const double one : others) {
      if (is(right * one) || is(right / one)) return;
      for (const double other : others)
        if (is(right * one * other) || is(right / one / other) || is(right * one / other)) return;
    }
    if (!parallel_) parallel_ = is_parallel();
    if (*parallel_) return;
    bench_.find(FindingKind::kWrong, line, label, "batch of " + global->text, count_text(right),
                number_text(gpus) + " GPUs \xC3\x97 " + micro->text + " \xC3\x97 " + accumulation->text);
  }

  Bench& bench_;
  std::optional<bool> parallel_;  ///< looked for where something else is wrong
};

}  // namespace

void check_batches(Bench& bench) { Batches(bench).check(); }

}  // namespace gpuplan::audit
