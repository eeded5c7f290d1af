#include "laws/questions.h"

#include <algorithm>

#include "api/questions/fit_questions.h"
#include "api/questions/sensitivity.h"
#include "api/runs/check.h"
#include "api/runs/simulate.h"
#include "input/prices/price_file.h"
#include "laws/answer.h"
#include "laws/command.h"
#include "laws/figures.h"
#include "laws/launchable.h"
#include "output/answer/plan_json.h"
#include "output/questions/sensitivity_report.h"
#include "output/questions/whatif_report.h"
#include "output/runs/check_report.h"
#include "output/text/json_writer.h"
#include "plan/capacity/fit.h"

namespace gpuplan::laws {
namespace {

constexpr Screen kMarkdown{.columns = 1000, .colour = false, .markup = Markup::kMarkdown};

/// What is wrong with an error; `placed`: the job or the price list is to blame, so file and line belong to it.
std::string told(const Error& error, bool placed) {
  std::string wrong = wrong_error(error);
  if (wrong.empty() && placed && !error.usage && (error.place.file.empty() || error.place.line <= 0))
    wrong = "an error without file and line: " + error.message;
  return wrong;
}

std::string first_of(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults)
    if (!fault.empty()) return fault;
  return "";
}

std::string written(auto&& write) {
  JsonWriter json;
  json.begin_object();
  write(json);
  json.end();
  return json.take();
}

/// A job may call its phases nan, and a price list its places: what is told of them then says so too, and proves
/// nothing.
bool says_nan(std::string_view job, std::string_view prices = "") {
  return !wrong_words(job).empty() || !wrong_words(prices).empty();
}

api::Request request_of(const std::string& job, std::string_view prices) {
  api::Request request{.job = api::NamedText{"asked.yaml", job}};
  if (!prices.empty()) request.prices = {{"asked.csv", std::string(prices)}};
  return request;
}

}  // namespace

std::string wrong_answer(const std::string& job, std::string_view prices) {
  auto source = parse_job(job, "job.yaml");
  if (!source) return told(source.error(), false);
  const bool lines = !source->tree.children.empty();  // a file without a word has no line to name
  Case one;
  std::vector<Offer> known = built_in().offers;
  if (!prices.empty()) {
    auto read = read_prices(prices, "prices.csv", {}, built_in());
    if (!read) return told(read.error(), false);
    known = *std::move(read);
    one.prices.emplace_back();  // says that the list takes the place of every other market
  }
  const Asked answer = ask(std::move(one), *std::move(source), std::move(known), 1, nullptr);
  if (!answer) return told(answer.error(), lines);
  if (says_nan(job, prices)) return "";
  return first_of({wrong_figures(**answer), wrong_words(plan_page(**answer, Screen{}, true)),
                   wrong_words(plan_page(**answer, kMarkdown, false)), wrong_words(plan_csv(*(*answer)->report, true)),
                   wrong_folders(**answer)});
}

std::string wrong_whatif(const std::string& job, std::string_view prices, const std::string& setting) {
  if (says_nan(job)) return "";
  const auto question = api::read_question(request_of(job, prices), built_in());
  if (!question) return told(question.error(), false);
  const auto base = api::search_job(question->loaded.job, question->known, built_in(), question->terms);
  if (!base) return told(base.error(), true);
  PlanReport plan_report(base->found, base->job, built_in());
  SensitivityReport moved = api::sensitivity(*question, *base, built_in(), 0.2);
  moved.plan_report = &plan_report;
  WhatIfReport report;
  WhatIfCase& now = report.cases.emplace_back();
  now.title = "as it stands";
  now.plan_report = &plan_report;
  now.stays = plan_report.pick();
  std::optional<api::Searched> other;
  std::optional<PlanReport> changed_report;
  const auto changed = api::changed_job(*question, {setting}, built_in());
  if (!changed)
    if (std::string wrong = told(changed.error(), false); !wrong.empty()) return wrong;
  if (changed) {
    auto found = api::search_job(changed->job, question->known, built_in(), question->terms);
    if (!found) return told(found.error(), true);
    other = *std::move(found);
    changed_report.emplace(other->found, other->job, built_in());
    WhatIfCase& changed_case = report.cases.emplace_back();
    changed_case.settings = {setting};
    changed_case.plan_report = &*changed_report;
  }
  return first_of({wrong_words(sensitivity_text(moved, Screen{})), wrong_words(sensitivity_csv(moved)),
                   wrong_document(written([&](JsonWriter& json) { write_sensitivity(json, moved); })),
                   wrong_words(whatif_text(report, Screen{})), wrong_words(whatif_csv(report)),
                   wrong_document(written([&](JsonWriter& json) { write_whatif(json, report); }))});
}

std::string wrong_simulation(const std::string& job, std::string_view prices) {
  if (says_nan(job)) return "";
  auto question = api::read_question(request_of(job, prices), built_in());
  if (!question) return told(question.error(), false);
  const auto answer = api::simulate_job(*std::move(question), {.words = {.trials = 30}}, built_in());
  if (!answer) return told(answer.error(), false);
  if (!answer->nothing_fits.empty()) return wrong_document(answer->json());
  const SimulateReport& report = answer->report;
  return first_of({wrong_words(simulate_text(report, Screen{})), wrong_words(simulate_csv(report)),
                   wrong_document(simulate_json(report))});
}

std::string wrong_fit(const std::string& job) {
  if (says_nan(job)) return "";
  const api::NamedText asked{"asked.yaml", job};
  const UserConfig config;
  const Sketch sketch;
  auto report = api::fit_questions({"", &asked, {}, sketch}, config, built_in());
  if (!report) return told(report.error(), false);
  report->counts = {1, 4};
  for (FitSection& section : report->sections) {
    section.job.where.gpus = {{"H100 SXM", 0}, {"T4", 0}};
    auto rows = smallest_counts(section.job, 0, built_in(), report->counts);
    if (!rows) return told(rows.error(), true);
    section.rows = *std::move(rows);
  }
  const FitLook look{.explain = true};
  return first_of({wrong_words(fit_table(*report, built_in(), look)), wrong_words(fit_csv(*report, look)),
                   wrong_document(fit_json(*report, built_in(), look))});
}

std::string wrong_check(const std::string& job, std::string_view prices, std::string_view log) {
  const auto question = api::CheckQuestion::read(request_of(job, prices), {}, built_in());
  if (!question) return told(question.error(), false);
  if (!question->nothing_fits().empty()) return "";
  const auto answer = api::check_texts(*question, {{"run.log", std::string(log)}});
  if (!answer) return told(answer.error(), false);
  const CheckReport report = answer->report();
  // A log may say nan itself: only figures are judged.
  check_text(report, Screen{});
  check_csv(report);
  check_json(report);
  return "";
}

}  // namespace gpuplan::laws
