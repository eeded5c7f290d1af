#include "api/gpuplan.h"

#include <algorithm>

#include "api/flags.h"
#include "api/questions/facts.h"
#include "api/questions/plan_answer.h"
#include "output/answer/short_answer.h"

namespace gpuplan {
namespace {

Problem problem_of(const Error& error) {
  return {error.message, error.place.file, error.place.line, error.place.column};
}

std::vector<api::NamedText> named(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<api::NamedText> all;
  for (const auto& [name, text] : texts) all.push_back({name, text});
  return all;
}

Result<api::Request> request_of(const PlanQuestion& question) {
  api::Request request{
      .set = question.set, .prices = named(question.prices), .rates = question.rates, .as_of = question.as_of};
  if (!question.job.empty()) request.job = api::NamedText{question.job_name, question.job};
  for (const auto& [name, value] : question.flags)
    if (auto set = api::set_flag(name, value, request.sketch, request.wishes); !set)
      return std::unexpected(std::move(set.error()));
  request.how = {
      .ignore_given = question.ignore_given, .threads = std::max(1, question.threads), .seed = question.seed};
  return request;
}

template <class Amount, class Unit>
Range range_of(const gpuplan::Outcome<Amount>& amount, Unit unit) {
  return {amount.p10 / unit, amount.p50 / unit, amount.p90 / unit};
}

PlanSummary summary_of(const PlanReport& report, const Plan& plan) {
  return {.id = plan.id,
          .name = report.name(plan),
          .gpus = plan.gpus_at_once(),
          .spot = plan.spot,
          .keeps_limits = plan.keeps_limits(),
          .on_frontier = plan.on_frontier,
          .hours = range_of(plan.hours, units::hour),
          .dollars = range_of(plan.cost, units::dollar)};
}

}  // namespace

std::expected<Facts, Problem> Facts::built_in() { return with({}); }

std::expected<Facts, Problem> Facts::with(const std::vector<std::pair<std::string, std::string>>& tables) {
  std::vector<DataFile> own;
  for (const auto& [name, text] : tables) {
    const auto known = std::ranges::find(kDataFiles, name);
    if (known == kDataFiles.end()) return std::unexpected(Problem{"unknown table", name});
    own.push_back({*known, name, text});
  }
  auto catalogue = api::read_facts(own);
  if (!catalogue) return std::unexpected(problem_of(catalogue.error()));
  return Facts(std::make_shared<const Catalogue>(*std::move(catalogue)));
}

struct PlanReply::Parts {
  Facts facts;
  api::PlanAnswer answer;
};

PlanReply::PlanReply(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PlanReply::PlanReply(PlanReply&&) noexcept = default;
PlanReply& PlanReply::operator=(PlanReply&&) noexcept = default;
PlanReply::~PlanReply() = default;

PlanOutcome PlanReply::outcome() const {
  switch (parts_->answer.verdict()) {
    case api::Verdict::kMissesLimits:
      return PlanOutcome::kMissesLimits;
    case api::Verdict::kNothingFits:
      return PlanOutcome::kNothingFits;
    case api::Verdict::kFound:
      break;
  }
  return PlanOutcome::kFound;
}

std::vector<PlanSummary> PlanReply::plans() const {
  const PlanReport& report = parts_->answer.report();
  std::vector<PlanSummary> all;
  for (const Plan& plan : report.found.plans) all.push_back(summary_of(report, plan));
  return all;
}

std::optional<PlanSummary> PlanReply::pick() const {
  const PlanReport& report = parts_->answer.report();
  const Plan* pick = report.pick();
  return pick == nullptr ? std::nullopt : std::optional(summary_of(report, *pick));
}

std::vector<std::string> PlanReply::why() const {
  const PlanReport& report = parts_->answer.report();
  if (report.found.plans.empty()) return nothing_fits_words(report);
  std::vector<std::string> why{pick_words(report)};
  for (std::string& line : summary_words(report)) why.push_back(std::move(line));
  return why;
}

std::string PlanReply::text(int columns) const {
  return short_answer(parts_->answer.report(), {.columns = columns}, parts_->answer.remedies());
}

std::string PlanReply::json(bool all) const { return parts_->answer.json({.all = all}); }

std::expected<PlanReply, Problem> plan(const Facts& facts, const PlanQuestion& question) {
  const auto request = request_of(question);
  if (!request) return std::unexpected(problem_of(request.error()));
  auto answer = api::ask_plan(*request, facts.catalogue());
  if (!answer) return std::unexpected(problem_of(answer.error()));
  answer->report().all = true;
  return PlanReply(std::make_unique<PlanReply::Parts>(facts, *std::move(answer)));
}

std::string_view version() { return GPUPLAN_VERSION; }

}  // namespace gpuplan
