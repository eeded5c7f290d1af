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
#include "evidence/audit/figures/repeats.h"
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
      before == "batch" ||
      (ends_with_word(before, {"the same"}) && starts_with_any(behind, {" sequences", " samples", " examples"})))
    return Part::kGlobal;
  return Part::kNone;
}

/// "Stage 2", "run 3": which one, and not how many.
bool is_number_of_a_part(std::string_view lower, const ClaimAmount& value) {
  return ends_with_word(trim(lower.substr(0, value.from)),
                        {"stage", "phase", "run", "experiment", "option", "plan", "table", "part", "version", "wp"});
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
    steps(record, batch);
  }

  /// Samples × epochs / batch = steps. Each epoch may leave out, or fill up, its last step.
  void steps(const ClaimRecord& record, const Batch& batch) {
    const auto samples = record.all(ClaimRole::kSamples), stated = record.all(ClaimRole::kSteps);
    if (samples.size() != 1 || stated.size() != 1 || !is_count(*samples[0]->value) || !is_count(*stated[0]->value))
      return;
    const ClaimAmount &of = *samples[0]->value, &said = *stated[0]->value;
    const ClaimAmount* size = batch.one(Part::kGlobal);
    std::vector<double> sizes;
    if (size != nullptr) {
      sizes.push_back(size->low);
    } else {
      const auto batches = record.all(ClaimRole::kBatch);
      // Of one GPU, or of all; before accumulation, or after it.
      // "1 x 1,024 x 1 = 1,024": which of them it is nobody knows.
      const auto told = [&](const ClaimFact& one) { return !batches.empty() && one.name == batches[0]->name; };
      if (std::ranges::count_if(record.facts, told) != 1 || batches.size() != 1 || !is_count(*batches[0]->value) ||
          has_any(to_lower(batches[0]->name), {"token", "eval"}))
        return;
      size = batches[0]->value;
      const ClaimAmount* accumulation = batch.one(Part::kAccumulation);
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
        else if (!is_number_of_a_part(lower, one))
          clear = clear && one.dimension != ClaimDimension::kBare && one.dimension != ClaimDimension::kSteps;
      }
      int named = 0;
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.from >= from && gpu.from < to && gpu.count > 0) batch.gpus = gpu.count, ++named;
      if (clear && named <= 1) judge(batch, line.line_of(global), line.label, {});
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
