#include "api/audit/audit.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/against_job.h"
#include "evidence/audit/audit.h"
#include "plan/capacity/fit.h"

namespace gpuplan::api {
namespace {

/// The GPUs of the catalogue that a plan may mean: names that begin so, with that memory.
std::vector<const Gpu*> meant(const GpuMention& mention, const Catalogue& catalogue) {
  std::vector<const Gpu*> gpus;
  for (const Gpu& gpu : catalogue.gpus) {
    const std::string name = squeeze(gpu.name);
    bool same = name == mention.key;
    for (const std::string& alias : gpu.aliases) same = same || squeeze(alias) == mention.key;
    // "A100" is A100 SXM and A100 PCIe; "A10" is not A100.
    same = same || (name.starts_with(mention.key) && is_letter(name[mention.key.size()]));
    constexpr double kSame = 1.5;  // GB
    if (same && mention.gigabytes > 0 && std::fabs(std::round(gpu.memory / units::GiB) - mention.gigabytes) > kSame)
      same = false;
    if (same) gpus.push_back(&gpu);
  }
  return gpus;
}

/// The widest that any of them says: a plan that is right for one of them is right.
Answered answer(const Asked& asked, const Job& job, const SearchResult& found, const Catalogue& catalogue) {
  Answered answered;
  const std::vector<const Gpu*> gpus = meant(asked.gpu, catalogue);
  if (gpus.empty()) return answered;
  answered.name = std::to_string(asked.gpu.count) + "x " + gpus.front()->name;
  if (asked.time != nullptr)
    for (const Plan& plan : found.plans) {
      if (plan.spot || plan.gpus != asked.gpu.count || std::ranges::find(gpus, plan.node.gpu) == gpus.end()) continue;
      const auto& hours = plan.hours;
      if (!answered.known) answered.hours = {hours.p10, hours.p50, hours.p90};
      answered.known = true;
      answered.hours.p10 = std::min(answered.hours.p10, hours.p10);
      answered.hours.p90 = std::max(answered.hours.p90, hours.p90);
    }
  if (asked.batch == nullptr && answered.known) return answered;
  Job there = job;
  there.where.gpus.clear();
  for (const Gpu* gpu : gpus) there.where.gpus.push_back({gpu->name, 0});
  bool any = false, all_tried = true;
  int largest = 0;
  for (std::size_t phase = 0; phase < there.phases.size(); ++phase) {
    const Phase& one = there.phases[phase];
    if (!std::holds_alternative<TrainPhase>(one.work) && !std::holds_alternative<GeneratePhase>(one.work)) continue;
    const auto rows = fit_phase(there, static_cast<int>(phase), catalogue, {asked.gpu.count});
    if (!rows) {
      all_tried = false;
      continue;
    }
    int best = 0;
    bool held = false;
    for (const FitRow& row : *rows) {
      held = held || row.best.has_value();
      if (row.best) best = std::max(best, row.largest_micro_batch);
    }
    answered.holds = answered.holds && (held || rows->empty());
    largest = any ? std::min(largest, best) : best;
    any = true;
  }
  answered.known = answered.known || (any && all_tried);
  answered.largest = largest;
  return answered;
}

}  // namespace

Result<AuditAnswer> audit(const NamedText& plan, ClaimsForm form, const Request* job, const Catalogue& catalogue) {
  const auto document = read_claims(plan.text, form, plan.name, catalogue);
  if (!document) return std::unexpected(document.error());
  AuditAnswer told{audit_claims(*document, catalogue), plan.name, ""};
  if (job == nullptr) return told;
  auto question = read_question(*job, catalogue);
  if (!question) return std::unexpected(std::move(question.error()));
  told.job = job->job ? job->job->name : "the job";
  const Job asked_job = question->loaded.job;
  const auto searched = search_job(question->loaded.job, question->known, catalogue, question->terms);
  if (!searched) return std::unexpected(searched.error());
  const std::vector<Asked> asked = asked_of_job(*document);
  std::vector<Answered> answers;
  for (const Asked& one : asked) answers.push_back(answer(one, asked_job, searched->found, catalogue));
  judge_by_job(told.audit, asked, answers);
  return told;
}

}  // namespace gpuplan::api
