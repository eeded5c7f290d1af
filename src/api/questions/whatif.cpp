#include "api/questions/whatif.h"

#include <deque>
#include <optional>
#include <utility>

#include "api/questions/sensitivity.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "output/text/json_writer.h"
#include "output/words/plan_words.h"
#include "plan/advice/unfit.h"
#include "plan/advice/whatif.h"

namespace gpuplan::api {
namespace {

/// Why the machines of the pick are no plan any more.
std::string why_not(const Searched& base, const Plan& pick, const Job& job, const std::vector<Offer>& market,
                    const Catalogue& catalogue, bool ignore_given) {
  if (pick.offer == nullptr) return "its phases would use other offers";
  const Offer* offer = counterpart(*pick.offer, base.market, market);
  if (offer == nullptr) return "filtered out (where)";
  const auto miss = obstacle(job, catalogue, *offer, pick.gpus, {.ignore_given = ignore_given});
  if (!miss) return pick.spot ? "spot machines are filtered out" : "filtered out on demand";
  if (miss->gpu == nullptr) return "it cannot run the job";
  return "it no longer fits (" + gib_text(miss->needed) + " of " + gib_text(miss->usable) + " GiB per GPU)";
}

/// A case with everything that its report refers to.
struct Case {
  ChangedJob changed;
  std::optional<Result<Searched>> searched;
  std::optional<PlanReport> plan_report;
  std::optional<int> stays;  ///< position of the plan
  std::string stays_not;
  std::optional<std::vector<UnfitPhase>> unfit;  ///< where nothing fits
};

/// Finds what the report needs and lets go of the rest: two hundred markets with their plans are a gigabyte.
void compare(const Searched& base, const Catalogue& catalogue, const SearchTerms& terms, Case& one) {
  Searched& searched = **one.searched;
  const auto& plans = searched.found.plans;
  const std::optional<int> base_pick = base.found.recommendations.pick;
  const Plan* stays = nullptr;
  if (plans.empty()) {
    PlanReport plan_report(searched.found, searched.job, catalogue);
    blame_phases(searched, catalogue, terms, plan_report);
    one.unfit = std::move(plan_report.unfit);
  }
  if (base_pick) {
    const Plan& pick = base.found.plans[static_cast<std::size_t>(*base_pick)];
    stays = staying({base.found, base.market}, pick, {searched.found, searched.market});
    if (stays == nullptr && !plans.empty())
      one.stays_not = why_not(base, pick, searched.job, searched.market, catalogue, terms.how.ignore_given);
    else if (stays == nullptr) one.stays_not = "nothing can run the job any more";
  }
  std::vector<int> kept;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool pick = searched.found.recommendations.pick == static_cast<int>(i);
    if (!pick && !plans[i].on_frontier && &plans[i] != stays) continue;
    if (&plans[i] == stays) one.stays = static_cast<int>(kept.size());
    kept.push_back(static_cast<int>(i));
  }
  keep_only(kept, searched.found, searched.market);
}

std::string document(const PlanReport& plan_report, auto&& write) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/whatif@1").member("job", plan_report.job.name);
  write(json);
  json.end();
  return json.take();
}

}  // namespace

template <>
struct WhatIfAnswer<WhatIfReport>::Parts {
  explicit Parts(Question asked) : question(std::move(asked)) {}
  const Searched& base() const { return **cases.front().searched; }
  std::string json() const {
    return document(*cases.front().plan_report, [&](JsonWriter& out) { write_whatif(out, report); });
  }

  Question question;
  std::deque<Case> cases{};
  WhatIfReport report{};
};

template <>
struct WhatIfAnswer<SensitivityReport>::Parts {
  Parts(Searched found, const Catalogue& catalogue)
      : searched(std::move(found)), plan_report(searched.found, searched.job, catalogue) {}
  const Searched& base() const { return searched; }
  std::string json() const {
    return document(plan_report, [&](JsonWriter& out) { write_sensitivity(out, report); });
  }

  Searched searched;
  PlanReport plan_report;
  SensitivityReport report{};
};

template <class Report>
WhatIfAnswer<Report>::WhatIfAnswer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
template <class Report>
WhatIfAnswer<Report>::WhatIfAnswer(WhatIfAnswer&&) noexcept = default;
template <class Report>
WhatIfAnswer<Report>& WhatIfAnswer<Report>::operator=(WhatIfAnswer&&) noexcept = default;
template <class Report>
WhatIfAnswer<Report>::~WhatIfAnswer() = default;
template <class Report>
const Report& WhatIfAnswer<Report>::report() const {
  return parts_->report;
}
template <class Report>
const Searched& WhatIfAnswer<Report>::base() const {
  return parts_->base();
}
template <class Report>
std::string WhatIfAnswer<Report>::json() const {
  return parts_->json();
}
template class WhatIfAnswer<WhatIfReport>;
template class WhatIfAnswer<SensitivityReport>;

Result<CasesAnswer> ask_whatif(const Request& request, const std::vector<AskedCase>& asked, const Catalogue& catalogue,
                               const std::string& command) {
  auto read = read_question(request, catalogue);
  if (!read) return std::unexpected(std::move(read.error()));
  auto parts = std::make_unique<CasesAnswer::Parts>(*std::move(read));
  const Question& question = parts->question;
  std::deque<Case>& cases = parts->cases;
  for (const AskedCase& each : asked) {
    auto changed = changed_job(question, each.settings, catalogue);
    if (!changed) return std::unexpected(blamed(std::move(changed.error()), each));
    cases.emplace_back().changed = *std::move(changed);
  }
  cases.front().searched = search_job(std::move(cases.front().changed.job), question.known, catalogue, question.terms);
  if (!*cases.front().searched) return std::unexpected(cases.front().searched->error());
  const Searched& base = parts->base();
  SearchTerms alone = question.terms;
  alone.how.threads = 1;  // one thread a case
  auto work = [&](int index) {
    Case& one = cases[static_cast<std::size_t>(index) + 1];
    one.searched = search_job(std::move(one.changed.job), question.known, catalogue, alone);
    if (*one.searched) compare(base, catalogue, alone, one);
  };
  parallel_for(static_cast<int>(cases.size()) - 1, request.how.threads, work);

  WhatIfReport& report = parts->report;
  report.command = command;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Case& one = cases[i];
    if (!*one.searched) return std::unexpected(one.searched->error());
    const Searched& searched = **one.searched;
    PlanReport& plan_report = one.plan_report.emplace(searched.found, searched.job, catalogue);
    name_market(question, plan_report);
    plan_report.unfit = one.unfit;
    if (i == 0) blame_phases(searched, catalogue, question.terms, plan_report);
    WhatIfCase& shown = report.cases.emplace_back();
    const AskedCase& typed = asked[i];
    shown.title = typed.title;
    shown.settings.assign(typed.settings.begin() + static_cast<std::ptrdiff_t>(typed.titled), typed.settings.end());
    shown.plan_report = &plan_report;
    shown.stays = one.stays ? &plan_report.plan(*one.stays) : nullptr;
    shown.stays_not = one.stays_not;
    for (std::size_t k = 0; k < one.changed.changes.size(); ++k)
      for (const Change& change : one.changed.changes[k])
        shown.changes.push_back({typed.settings[k], change.address, change.before, change.after});
  }
  return CasesAnswer(std::move(parts));
}

Result<SensitivityAnswer> ask_sensitivity(const Request& request, double by, const Catalogue& catalogue) {
  const auto question = read_question(request, catalogue);
  if (!question) return std::unexpected(question.error());
  auto searched = search_job(question->loaded.job, question->known, catalogue, question->terms);
  if (!searched) return std::unexpected(std::move(searched.error()));
  auto parts = std::make_unique<SensitivityAnswer::Parts>(*std::move(searched), catalogue);
  name_market(*question, parts->plan_report);
  blame_phases(parts->searched, catalogue, question->terms, parts->plan_report);
  parts->report = sensitivity(*question, parts->searched, catalogue, by);
  parts->report.plan_report = &parts->plan_report;
  return SensitivityAnswer(std::move(parts));
}

}  // namespace gpuplan::api
