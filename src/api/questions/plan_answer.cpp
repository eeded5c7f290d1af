#include "api/questions/plan_answer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plan/capacity/fit.h"

namespace gpuplan::api {
namespace {

VariantReport tell(const Variant& variant, const Searched& searched, const Catalogue& catalogue) {
  const PlanReport report(searched.found, searched.job, catalogue);
  VariantReport told{variant.name, variant.settings, std::nullopt, "", searched.found.recommendations.limits_missed};
  if (const Plan* pick = report.pick()) {
    told.pick = *pick;
    told.plan = report.name(*pick);
  }
  return told;
}

bool has_given(const Job& job) {
  return std::ranges::any_of(job.phases, [](const Phase& phase) { return !phase.given.empty(); });
}

}  // namespace

struct PlanAnswer::Parts {
  Parts(Question asked, Searched answer, const Catalogue& catalogue)
      : question(std::move(asked)), searched(std::move(answer)), report(searched.found, searched.job, catalogue) {}

  Question question;
  Searched searched;
  std::vector<Searched> variants{};  ///< their picks point into these
  std::optional<Searched> modelled{};
  std::optional<PlanReport> by_model{};
  std::vector<Remedy> remedies{};
  PlanReport report;
};

PlanAnswer::PlanAnswer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PlanAnswer::PlanAnswer(PlanAnswer&&) noexcept = default;
PlanAnswer& PlanAnswer::operator=(PlanAnswer&&) noexcept = default;
PlanAnswer::~PlanAnswer() = default;

PlanReport& PlanAnswer::report() { return parts_->report; }
const PlanReport& PlanAnswer::report() const { return parts_->report; }
const Searched& PlanAnswer::searched() const { return parts_->searched; }
const JobSource& PlanAnswer::source() const { return parts_->question.loaded.source; }
Verdict PlanAnswer::verdict() const { return verdict_of(parts_->searched.found); }
const std::vector<Remedy>& PlanAnswer::remedies() const { return parts_->remedies; }

std::string PlanAnswer::json(PlanJsonLook look) const {
  look.job_file = source().file;
  look.job_text = flow_text(source().tree);
  return plan_json(parts_->report, look, parts_->remedies);
}

Result<PlanAnswer> ask_plan(const Request& request, const Catalogue& catalogue, const PlanLook& look,
                            VariantProgress progress, void* context) {
  auto question = read_question(request, catalogue);
  if (!question) return std::unexpected(std::move(question.error()));
  auto searched = search_job(std::move(question->loaded.job), question->known, catalogue, question->terms);
  if (!searched) return std::unexpected(std::move(searched.error()));
  auto parts = std::make_unique<PlanAnswer::Parts>(*std::move(question), *std::move(searched), catalogue);
  const Question& asked = parts->question;
  const Searched& found = parts->searched;
  PlanReport& report = parts->report;
  if (!look.command.empty()) report.command = look.command;
  report.offers = found.market;
  report.how = asked.terms.how;
  blame_phases(found, catalogue, asked.terms, report);
  name_market(asked, report);
  report.limit_remedies = tried_remedies(found, asked.known, catalogue, asked.terms);

  const int all = static_cast<int>(asked.loaded.variants.size());
  if (progress != nullptr && all > 0) progress(context, 0, all);
  for (int i = 0; i < all; ++i) {
    auto variant = search_job(std::move(parts->question.loaded.variants[static_cast<std::size_t>(i)]), asked.known,
                              catalogue, asked.terms);
    if (!variant) return std::unexpected(std::move(variant.error()));
    parts->variants.push_back(*std::move(variant));
    if (progress != nullptr) progress(context, i + 1, all);
  }
  for (std::size_t i = 0; i < parts->variants.size(); ++i)
    report.variants.push_back(tell(found.job.variants[i], parts->variants[i], catalogue));

  // A table of both kinds of figure needs the other answer as well.
  if (look.compare_given && !asked.terms.how.ignore_given && has_given(found.job)) {
    SearchTerms ignoring = asked.terms;
    ignoring.how.ignore_given = true;
    auto other = search_job(found.job, asked.known, catalogue, ignoring);
    if (!other) return std::unexpected(std::move(other.error()));
    const Searched& modelled = parts->modelled.emplace(*std::move(other));
    report.by_model = &parts->by_model.emplace(modelled.found, modelled.job, catalogue);
  }
  if (found.found.plans.empty() && !only_spot_is_missing(found.found))
    parts->remedies = remedies(found.job, catalogue, found.found.tally.nearest);
  return PlanAnswer(std::move(parts));
}

}  // namespace gpuplan::api
