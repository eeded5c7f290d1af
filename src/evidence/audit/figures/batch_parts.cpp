#include "evidence/audit/figures/batch_parts.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {

bool is_batch_count(const ClaimAmount& one) {
  constexpr double kMost = 1e9;
  return (one.dimension == ClaimDimension::kBare || one.dimension == ClaimDimension::kGpus ||
          one.dimension == ClaimDimension::kSamples || one.dimension == ClaimDimension::kSteps ||
          one.dimension == ClaimDimension::kTimes) &&
         one.whole && !one.range() && !one.approximate && !one.odd && one.low >= 1 && one.low <= kMost;
}

BatchPart batch_part_of(std::string_view name) {
  const std::string lower = to_lower(name);
  if (has_any(lower, {"tokens", "time", "memory"})) return BatchPart::kNone;
  if (lower.contains("accum")) return BatchPart::kAccumulation;
  if (has_any(lower, {"micro", "per-device batch", "per device batch", "batch per gpu", "batch per device",
                      "batch size per gpu", "batch size per device", "per-gpu batch"}))
    return BatchPart::kMicro;
  if (has_any(lower, {"global batch", "effective batch", "total batch"})) return BatchPart::kGlobal;
  return BatchPart::kNone;
}

BatchPart batch_part_in(std::string_view lower, const ClaimAmount& value) {
  std::string_view before = trim(lower.substr(0, value.from));
  const std::string_view behind = lower.substr(value.to);
  if (value.dimension == ClaimDimension::kGpus) return BatchPart::kGpus;
  for (const std::string_view word : {" is", " of", " size", ":", " size", " over", " steps", " ="})
    if (before.ends_with(word)) before = trim(before.substr(0, before.size() - word.size()));
  if (ends_with_word(before,
                     {"accumulation", "accumulate", "accumulating", "accumulated", "grad accum", "grad_accum"}) ||
      starts_with_any(behind, {" accumulation", " gradient accumulation", "-step accumulation",
                               " steps of accumulation", " steps of gradient accumulation", " accumulated"}))
    return BatchPart::kAccumulation;
  if (ends_with_word(before, {"micro-batch", "micro batch", "microbatch", "micro-batches", "per-device batch",
                              "per-gpu batch", "batch per gpu"}) ||
      starts_with_any(behind, {" per gpu", "/gpu", " per device", " a gpu", " sequences per gpu", " samples per gpu",
                               " sequences a gpu"}))
    return BatchPart::kMicro;
  if (ends_with_word(before, {"global batch", "effective batch", "total batch", "the batch", "batch size"}) ||
      before == "batch" ||
      (ends_with_word(before, {"the same"}) && starts_with_any(behind, {" sequences", " samples", " examples"})))
    return BatchPart::kGlobal;
  return BatchPart::kNone;
}

bool is_number_of_a_part(std::string_view lower, const ClaimAmount& value) {
  return ends_with_word(trim(lower.substr(0, value.from)),
                        {"stage", "phase", "run", "experiment", "option", "plan", "table", "part", "version", "wp"});
}

bool splits_models(const ClaimDocument& document) {
  const auto says = [](const std::string& text) {
    const std::string lower = to_lower(text);
    return has_any(lower, {"tensor", "pipeline", "context parallel", "context-parallel", "sequence parallel",
                           "sequence-parallel", "model parallel", "model-parallel", "data parallel", "data-parallel",
                           "expert parallel", "device_map", "replica"}) ||
           has_word(lower, "tp") || has_word(lower, "pp") || has_word(lower, "cp") || has_word(lower, "dp");
  };
  const auto in_cell = [&](const ClaimText& cell) { return says(cell.text); };
  return std::ranges::any_of(document.lines, [&](const ClaimLine& line) { return says(line.said.text); }) ||
         std::ranges::any_of(document.tables, [&](const ClaimTable& table) {
           return std::ranges::any_of(table.heads, in_cell) ||
                  std::ranges::any_of(table.rows,
                                      [&](const ClaimRow& row) { return std::ranges::any_of(row.cells, in_cell); });
         });
}

}  // namespace gpuplan::audit
