#include "evidence/audit/against_job.h"

#include <algorithm>
#include <cmath>

#include "base/sorting.h"
#include "base/text.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan {
namespace {

/// The number behind "batch" or "batch size".
const ClaimAmount* batch_in(const ClaimText& said) {
  const std::string lower = to_lower(said.text);
  for (const ClaimAmount& amount : said.quantities) {
    std::string_view before = trim(std::string_view(lower).substr(0, amount.from));
    for (const std::string_view sign : {"=", ":", "of", "size"})
      if (before.ends_with(sign)) before = trim(before.substr(0, before.size() - sign.size()));
    if (amount.dimension == ClaimDimension::kBare && amount.whole && before.ends_with("batch")) return &amount;
  }
  return nullptr;
}

}  // namespace

std::vector<Asked> asked_of_job(const ClaimDocument& document) {
  constexpr std::size_t kMost = 64;  // each is worked out by the model
  std::vector<Asked> asked;
  for (const ClaimLine& line : document.lines) {
    const std::string lower = to_lower(line.said.text);
    if (asked.size() >= kMost || line.said.gpus.size() != 1) continue;
    Asked one{line.line, line.said.gpus.front().text, line.said.gpus.front()};
    one.gpu.count = std::max(one.gpu.count, 1);
    const bool denied = lower.find("not fit") != std::string::npos || lower.find("n't fit") != std::string::npos;
    if (lower.find("fit") != std::string::npos && !denied) one.batch = batch_in(line.said);
    one.batch_per_gpu = lower.find("per gpu") != std::string::npos || lower.find("per-gpu") != std::string::npos;
    // "8x H100 takes 12 h"
    if (lower.find("take") != std::string::npos || lower.find("train") != std::string::npos)
      for (const ClaimAmount& amount : line.said.quantities)
        if (amount.dimension == ClaimDimension::kTime && one.time == nullptr) one.time = &amount;
    if (one.batch != nullptr || one.time != nullptr) asked.push_back(std::move(one));
  }
  for (const ClaimRecord& record : records_of(document)) {
    if (asked.size() >= kMost || record.row < 0 || record.total || record.gpu.empty()) continue;
    const ClaimFact* time = record.find(ClaimRole::kTotalTime);
    if (time == nullptr && record.all(ClaimRole::kTime).size() == 1) time = record.find(ClaimRole::kTime);
    if (time == nullptr) continue;
    Asked one{time->line, record.label, {}, time->value};
    one.gpu.key = record.gpu;
    one.gpu.gigabytes = record.gigabytes;
    one.gpu.count = std::max(record.count, 1);
    asked.push_back(std::move(one));
  }
  return asked;
}

void judge_by_job(Audit& audit, std::span<const Asked> asked, std::span<const Answered> answers) {
  for (std::size_t i = 0; i < asked.size() && i < answers.size(); ++i) {
    const Asked& one = asked[i];
    const Answered& answer = answers[i];
    if (!answer.known) continue;
    const auto find = [&](FindingKind kind, const std::string& said, std::string right, std::string how) {
      audit.findings.push_back({kind, one.line, one.about, said, std::move(right), std::move(how)});
    };
    if (one.batch != nullptr) {
      ++audit.checked;
      const double all = one.batch->high, each = one.batch_per_gpu ? all : std::ceil(all / one.gpu.count);
      if (answer.largest < each)
        find(FindingKind::kWrong, "batch " + one.batch->text + " fits",
             answer.largest > 0
                 ? "batch " + std::to_string(one.batch_per_gpu ? answer.largest : answer.largest * one.gpu.count)
                 : "does not fit",
             answer.largest > 0 ? std::to_string(answer.largest) + " sequences in parallel on a GPU of " + answer.name +
                                      " by the job's model; more by accumulation"
                                : "the job does not fit " + answer.name);
    }
    if (one.time != nullptr && answer.hours.p90.value > 0) {
      ++audit.checked;
      const ClaimEnds stated = ends_of(*one.time);
      if (stated.most() < answer.hours.p10.value || stated.least() > answer.hours.p90.value)
        find(FindingKind::kUnlikely, one.time->text,
             told(ClaimDimension::kTime, answer.hours.p10.value, answer.hours.p90.value),
             "the 80% range of the model for the job on " + answer.name);
    } else if (one.time != nullptr && !answer.holds) {
      ++audit.checked;
      find(FindingKind::kWrong, one.time->text, "does not fit",
           "no way to run the job on " + answer.name + " has room in its memory");
    }
  }
  sort_stably(audit.findings, {}, &Finding::line);
}

}  // namespace gpuplan
