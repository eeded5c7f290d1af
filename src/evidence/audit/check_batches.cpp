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
#include "evidence/audit/figures/batch_parts.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/repeats.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

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
  void in_record(const ClaimRecord& record) {
    BatchFigures batch;
    batch.gpus = record.count;
    std::vector<double> others;
    int line = record.line;
    for (const ClaimFact& one : record.facts) {
      const BatchPart part = one.role == ClaimRole::kGpus ? BatchPart::kGpus : batch_part_of(one.name);
      if (part != BatchPart::kNone && is_batch_count(*one.value)) batch.add(part, *one.value);
      else if (part != BatchPart::kNone) return;  // "4 M tokens", "8-16"
      else if (is_batch_count(*one.value)) others.push_back(one.value->low);
      if (part == BatchPart::kGlobal) line = one.line;
    }
    judge(batch, line, record.label, others);
    steps(record, batch);
  }

  /// Samples × epochs / batch = steps. Each epoch may leave out, or fill up, its last step.
  void steps(const ClaimRecord& record, const BatchFigures& batch) {
    const auto samples = record.all(ClaimRole::kSamples), stated = record.all(ClaimRole::kSteps);
    if (samples.size() != 1 || stated.size() != 1 || !is_batch_count(*samples[0]->value) ||
        !is_batch_count(*stated[0]->value))
      return;
    const ClaimAmount &of = *samples[0]->value, &said = *stated[0]->value;
    const ClaimAmount* size = batch.one(BatchPart::kGlobal);
    std::vector<double> sizes;
    if (size != nullptr) {
      sizes.push_back(size->low);
    } else {
      const auto batches = record.all(ClaimRole::kBatch);
      // Of one GPU, or of all; before accumulation, or after it.
      // "1 x 1,024 x 1 = 1,024": which of them it is nobody knows.
      const auto told = [&](const ClaimFact& one) { return !batches.empty() && one.name == batches[0]->name; };
      if (std::ranges::count_if(record.facts, told) != 1 || batches.size() != 1 ||
          !is_batch_count(*batches[0]->value) || has_any(to_lower(batches[0]->name), {"token", "eval"}))
        return;
      size = batches[0]->value;
      const ClaimAmount* accumulation = batch.one(BatchPart::kAccumulation);
      for (const double gpus : {1.0, std::max(batch.count(), 1.0)})
        for (const double more : {1.0, accumulation == nullptr ? 1.0 : accumulation->low})
          sizes.push_back(size->low * gpus * more);
    }
    const ClaimFact* epochs = record.find(ClaimRole::kEpochs);
    const bool repeated = epochs != nullptr && !epochs->value->range();
    // Of steps alone nobody knows how often they go over the samples.
    if (!repeated) return;
    const double factor_of_epochs = epochs->value->low;
    std::vector<double> times = repeats_of(record);
    // Epochs that are told count, where the samples are not those of all of them.
    const bool of_all = has_any(to_lower(samples[0]->name), {"seen", "total", "all"});
    if (!of_all) std::erase_if(times, [&](double one) { return std::fmod(one, factor_of_epochs) != 0; });
    times.insert(times.begin(), of_all ? 1 : factor_of_epochs);
    for (const ClaimAmount* one : {&of, &said, size}) bench_.use(*one);
    for (const double one : sizes)
      for (const double factor : times)
        if (std::fabs(of.low * factor / one - said.low) <= factor + (said.low_step + of.low_step * factor / one) / 2)
          return;
    // Packed samples, held-out ones and steps by tokens are fewer.
    if (says_otherwise()) return;
    const double factor = times.front();
    bench_.find(FindingKind::kWrong, stated[0]->line, record.label, said.text + " steps",
                count_text(std::ceil(of.low * factor / sizes.back())),
                of.text + (!of_all ? " \xC3\x97 " + epochs->value->text : "") + " / " + number_text(sizes.back()));
  }

  bool says_otherwise() const {
    const auto says = [](const std::string& text) {
      return has_any(to_lower(text), {"pack", "held out", "held-out", "validation", "early stop", "truncat", "filter"});
    };
    return std::ranges::any_of(bench_.document.lines, [&](const ClaimLine& line) { return says(line.said.text); }) ||
           std::ranges::any_of(bench_.document.tables, [&](const ClaimTable& table) {
             return std::ranges::any_of(table.heads, [&](const ClaimText& head) { return says(head.text); });
           });
  }

  void in_line(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    if (!lower.contains("batch") || !lower.contains("accum")) return;
    constexpr std::size_t kMost = 40;
    const auto& all = line.said.quantities;
    if (all.size() > kMost) return;
    for (const ClaimAmount& global : all) {
      if (!is_batch_count(global) || batch_part_in(lower, global) != BatchPart::kGlobal) continue;
      const std::size_t from = begin_of_sentence(lower, global.from), to = end_of_sentence(lower, global.to);
      const std::string_view sentence = std::string_view(lower).substr(from, to - from);
      // A sum that is written out is checked as one.
      if (has_any(sentence, {"\xC3\x97", " x ", "=", "*", "node", "sequence length", "instead", "n't", "not "}))
        continue;
      BatchFigures batch;
      bool clear = true;
      for (const ClaimAmount& one : all) {
        if (one.from < from || one.from >= to) continue;
        const BatchPart part = is_batch_count(one) ? batch_part_in(lower, one) : BatchPart::kNone;
        if (part != BatchPart::kNone) batch.add(part, one);
        else if (!is_number_of_a_part(lower, one))
          clear = clear && one.dimension != ClaimDimension::kBare && one.dimension != ClaimDimension::kSteps;
      }
      int named = 0;
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.from >= from && gpu.from < to && gpu.count > 0) batch.gpus = gpu.count, ++named;
      if (clear && named <= 1) judge(batch, line.line_of(global), line.label, {});
    }
  }

  void judge(const BatchFigures& batch, int line, const std::string& label, const std::vector<double>& others) {
    const ClaimAmount *global = batch.one(BatchPart::kGlobal), *micro = batch.one(BatchPart::kMicro),
                      *accumulation = batch.one(BatchPart::kAccumulation);
    const double gpus = batch.count();
    if (global == nullptr || micro == nullptr || accumulation == nullptr || gpus < 1) return;
    for (const ClaimAmount* one : {global, micro, accumulation}) bench_.use(*one);
    if (const ClaimAmount* stated = batch.one(BatchPart::kGpus); stated != nullptr) bench_.use(*stated);
    const double right = gpus * micro->low * accumulation->low;
    const auto is = [&](double value) { return std::fabs(value - global->low) < 0.5; };
    if (is(right)) return;
    // In tokens, of several nodes, or of GPUs that share a copy: whatever else is counted beside them.
    for (const double one : others) {
      if (is(right * one) || is(right / one)) return;
      for (const double other : others)
        if (is(right * one * other) || is(right / one / other) || is(right * one / other)) return;
    }
    if (!parallel_) parallel_ = splits_models(bench_.document);
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
