#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/batch_parts.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// A global batch is so many whole micro-batches on every GPU, where nobody says how often gradients are accumulated.
/// With the accumulation it is a product (check_batches).
class Divisible {
 public:
  explicit Divisible(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimRecord& record : bench_.records) in_record(record);
    for (const ClaimLine& line : bench_.document.lines)
      if (reads_as_prose(line)) in_line(line);
  }

 private:
  void in_record(const ClaimRecord& record) {
    BatchFigures batch;
    batch.gpus = record.count;
    int line = record.line;
    for (const ClaimFact& one : record.facts) {
      const BatchPart part = one.role == ClaimRole::kGpus ? BatchPart::kGpus : batch_part_of(one.name);
      if (part == BatchPart::kNone) {
        // Nodes, replicas and the like multiply the GPUs.
        if (has_any(to_lower(one.name), {"node", "machine", "instance", "replica"})) return;
        continue;
      }
      if (!is_batch_count(*one.value)) return;
      batch.add(part, *one.value);
      if (part == BatchPart::kGlobal) line = one.line;
    }
    if (record.table < 0 && batch.gpus == 0 && !batch.says(BatchPart::kGpus)) batch.gpus = gpus_beside(record);
    judge(batch, line, record.label);
  }

  /// "- 6 GPUs", "- 8x H100": a line of the list that says nothing else; 0: there is none, or several.
  int gpus_beside(const ClaimRecord& record) const {
    constexpr std::size_t kLongest = 24;
    const int reach = static_cast<int>(record.facts.size()) + 1;
    int found = 0;
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.line < record.line - reach || line.line > record.line + reach || line.said.text.size() > kLongest)
        continue;
      const auto& all = line.said.quantities;
      const bool counted = all.size() == 1 && all[0].dimension == ClaimDimension::kGpus && is_batch_count(all[0]);
      const bool named = line.said.gpus.size() == 1 && line.said.gpus[0].count > 0;
      if (!counted && !named) continue;
      if (found != 0) return 0;
      found = named ? line.said.gpus[0].count : static_cast<int>(all[0].low);
    }
    return found;
  }

  void in_line(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    if (!lower.contains("batch")) return;
    for (const ClaimAmount& global : line.said.quantities) {
      if (!is_batch_count(global) || batch_part_in(lower, global) != BatchPart::kGlobal) continue;
      const std::size_t from = begin_of_sentence(lower, global.from), to = end_of_sentence(lower, global.to);
      const std::string_view sentence = std::string_view(lower).substr(from, to - from);
      if (has_any(sentence,
                  {"\xC3\x97", " x ", "=", "*", "node", "instead", "n't", "not ", "token", "accum", "machine"}))
        continue;
      BatchFigures batch;
      bool clear = true;
      for (const ClaimAmount& one : line.said.quantities) {
        if (one.from < from || one.from >= to) continue;
        const BatchPart part = is_batch_count(one) ? batch_part_in(lower, one) : BatchPart::kNone;
        if (part != BatchPart::kNone) batch.add(part, one);
        else if (!is_number_of_a_part(lower, one)) clear = clear && one.dimension != ClaimDimension::kBare;
      }
      int named = 0;
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.from >= from && gpu.from < to && gpu.count > 0) batch.gpus = gpu.count, ++named;
      if (clear && named <= 1) judge(batch, line.line_of(global), line.label);
    }
  }

  void judge(const BatchFigures& batch, int line, const std::string& label) {
    const ClaimAmount *global = batch.one(BatchPart::kGlobal), *micro = batch.one(BatchPart::kMicro);
    const double gpus = batch.count();
    if (global == nullptr || micro == nullptr || gpus < 1 || batch.says(BatchPart::kAccumulation)) return;
    for (const ClaimAmount* one : {global, micro}) bench_.use(*one);
    if (const ClaimAmount* stated = batch.one(BatchPart::kGpus); stated != nullptr) bench_.use(*stated);
    const double step = gpus * micro->low, passes = global->low / step;
    if (std::fabs(passes - std::round(passes)) * step < 0.5) return;
    if (!splits_) splits_ = splits_models(bench_.document);
    if (*splits_) return;
    const double below = std::floor(passes) * step, above = std::ceil(passes) * step;
    bench_.find(FindingKind::kWrong, line, label, "batch of " + global->text,
                (below > 0 ? count_text(below) + " or " : "") + count_text(above),
                number_text(gpus) + " GPUs \xC3\x97 " + micro->text + " = " + count_text(step) + ", and " +
                    global->text + " is no multiple of it");
  }

  Bench& bench_;
  std::optional<bool> splits_;  ///< looked for where something is wrong
};

}  // namespace

void check_divisible(Bench& bench) { Divisible(bench).check(); }

}  // namespace gpuplan::audit
