#include "api/ask.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/accuracy/own_runs.h"
#include "api/accuracy/validate.h"
#include "api/audit/audit.h"
#include "api/door_question.h"
#include "api/door_runs.h"
#include "api/gpuplan.h"
#include "api/questions/facts.h"
#include "api/questions/fit_questions.h"
#include "api/questions/offers.h"
#include "api/questions/plan_answer.h"
#include "api/questions/whatif.h"
#include "api/report/report.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "input/job/schema.h"
#include "input/models/model_source.h"
#include "output/facts/gpus_report.h"
#include "output/facts/model_report.h"
#include "output/page/body.h"
#include "output/text/json_writer.h"
#include "output/views/plan_views.h"

namespace gpuplan {
namespace api {
namespace {

Verdict found_if(bool found) { return found ? Verdict::kFound : Verdict::kNothingFits; }

Result<std::vector<const PlanView*>> views_named(const std::vector<std::string>& names) {
  std::vector<const PlanView*> views;
  std::vector<std::string> known;
  for (const PlanView& view : plan_views()) {
    known.emplace_back(view.name);
    if (std::ranges::find(names, view.name) != names.end()) views.push_back(&view);
  }
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      return failure("show: unknown table '" + printable(name, 40) + "'; expected " + listed(known, "or"),
                     {"question"});
  return views;
}

Result<Reply> reply_plan(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto views = views_named(asked.show);
  if (!views) return std::unexpected(views.error());
  const bool compare = std::ranges::any_of(*views, [](const PlanView* view) { return view->make == evidence_view; });
  auto answer = ask_plan(asked.request, catalogue, {.compare_given = compare});
  if (!answer) return std::unexpected(std::move(answer.error()));
  answer->report().all = true;
  return Reply{answer->json({.all = asked.all, .explain = asked.explain, .views = *views}), answer->verdict()};
}

Result<Reply> reply_whatif(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto cases = whatif_cases(asked.request.set, asked.vary);
  if (!cases) return std::unexpected(cases.error());
  Request plain = asked.request;
  plain.set.clear();
  const auto answer = ask_whatif(plain, *cases, catalogue, "");
  if (!answer) return std::unexpected(answer.error());
  return Reply{answer->json(), verdict_of(answer->base().found)};
}

Result<Reply> reply_sensitivity(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto answer = ask_sensitivity(asked.request, asked.by, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{answer->json(), verdict_of(answer->base().found)};
}

Result<Reply> reply_fit(const DoorQuestion& asked, const Catalogue& catalogue) {
  const std::optional<NamedText>& job = asked.request.job;
  auto report = fit_questions({"", job ? &*job : nullptr, asked.request.set, asked.request.sketch, ModelFiles::kRefuse},
                              {}, catalogue);
  if (!report) return std::unexpected(std::move(report.error()));
  if (auto done = fill(*report, catalogue, asked.all); !done) return std::unexpected(std::move(done.error()));
  const bool held = job ? std::ranges::all_of(report->sections, &FitSection::held)
                        : std::ranges::any_of(report->sections, &FitSection::held);
  return Reply{fit_json(*report, catalogue, {.all = asked.all, .explain = asked.explain}), found_if(held)};
}

Result<Reply> reply_report(const DoorQuestion& asked, const Catalogue& catalogue) {
  ReportTerms terms{.arguments = asked.arguments};
  if (terms.arguments.empty() && asked.request.job) terms.arguments = shell_word(asked.request.job->name);
  const auto answer = ask_report(asked.request, terms, catalogue);
  if (!answer) return std::unexpected(answer.error());
  Reply told{answer->json(), answer->verdict()};
  auto page = page_body(told.document, answer->drawings());
  if (!page) return std::unexpected(std::move(page.error()));
  told.html = std::move(page->html);
  told.contents = std::move(page->contents);
  return told;
}

Result<Reply> reply_validate(const DoorQuestion& asked, const Catalogue& catalogue) {
  if (asked.runs && (asked.validate.left_out || asked.validate.first_contact))
    return failure(std::string(asked.validate.left_out ? "left_out" : "first_contact") +
                       " works only with the built-in runs, which the constants were fitted to; remove runs",
                   {"question"});
  auto runs =
      asked.runs ? read_measured_runs(*asked.runs, asked.kind, catalogue) : built_in_runs(asked.kind, catalogue);
  if (!runs) return std::unexpected(std::move(runs.error()));
  if (runs->empty()) return std::unexpected(runs->bad_lines.front());
  ValidateTerms terms = asked.validate;
  terms.all = asked.all;
  const auto answer = ask_validate(*std::move(runs), terms, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{answer->json()};
}

Result<Reply> reply_gpus(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto report = select_gpus(catalogue, asked.filter);
  if (!report) return std::unexpected(report.error());
  return Reply{gpus_json(*report), found_if(!report->rows.empty())};
}

Result<Reply> reply_offers(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto answer = ask_offers(asked.request, {.filter = asked.filter, .all = asked.all}, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{offers_json(answer->report), found_if(!answer->report.rows.empty())};
}

Result<Reply> reply_audit(const DoorQuestion& asked, const Catalogue& catalogue) {
  if (!asked.text) return failure("audit needs text: the plan", {"question"});
  const auto form = from_name<ClaimsForm>(asked.form);
  const auto answer =
      audit(*asked.text, form.value_or(ClaimsForm::kMarkdown), asked.request.job ? &asked.request : nullptr, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{audit_json(answer->report())};
}

Result<Reply> reply_model(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto found = find_model(catalogue, asked.model, "", ModelFiles::kRefuse);
  if (!found) return std::unexpected(found.error());
  ModelReport report = describe_model(found->shape, catalogue);
  report.source = found->source;
  report.notes = found->notes;
  return Reply{model_json(report)};
}

Result<Reply> reply(const DoorQuestion& asked, const Catalogue& catalogue) {
  switch (asked.ask) {
    case Ask::kPlan:
      return reply_plan(asked, catalogue);
    case Ask::kWhatIf:
      return reply_whatif(asked, catalogue);
    case Ask::kSensitivity:
      return reply_sensitivity(asked, catalogue);
    case Ask::kFit:
      return reply_fit(asked, catalogue);
    case Ask::kProfiles:
      return reply_profiles(asked, catalogue);
    case Ask::kSimulate:
      return reply_simulate(asked, catalogue);
    case Ask::kCheck:
      return reply_check(asked, catalogue);
    case Ask::kLaunch:
      return reply_launch(asked, catalogue);
    case Ask::kAudit:
      return reply_audit(asked, catalogue);
    case Ask::kReport:
      return reply_report(asked, catalogue);
    case Ask::kValidate:
      return reply_validate(asked, catalogue);
    case Ask::kGpus:
      return reply_gpus(asked, catalogue);
    case Ask::kOffers:
      return reply_offers(asked, catalogue);
    case Ask::kModel:
      return reply_model(asked, catalogue);
    case Ask::kSchema:
      return Reply{job_schema_json()};
    case Ask::kVersion:
      break;
  }
  JsonWriter json;
  json.begin_object().member("version", version()).end();
  return Reply{json.take()};
}

Result<Reply> reply(std::string_view question) {
  const auto asked = read_door_question(question);
  if (!asked) return std::unexpected(asked.error());
  std::vector<DataFile> own;
  for (const NamedText& table : asked->data) {
    const auto name = std::ranges::find(kDataFiles, table.name);
    if (name == kDataFiles.end())
      return failure("data: unknown table '" + printable(table.name, 40) + "'; gpus.csv and offers.csv are two",
                     {"question"});
    own.push_back({*name, table.name, table.text});
  }
  auto catalogue = read_facts(own);
  if (!catalogue) return std::unexpected(catalogue.error());
  if (!asked->own_runs) return reply(*asked, *catalogue);
  auto left_out = learn_from(*asked->own_runs, *catalogue);
  if (!left_out) return std::unexpected(std::move(left_out.error()));
  auto replied = reply(*asked, *catalogue);
  if (replied) replied->left_out = *std::move(left_out);
  return replied;
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMissesLimits:
      return "misses_limits";
    case Verdict::kNothingFits:
      return "nothing_fits";
    case Verdict::kFound:
      break;
  }
  return "found";
}

std::string wrong(const Error& error) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/answer@1").member("outcome", "wrong").key("error").begin_object();
  json.member("message", error.message);
  if (error.place.file.empty()) json.null_member("file");
  else json.member("file", error.place.file);
  json.member("line", error.place.line > 0 ? std::optional(error.place.line) : std::nullopt);
  json.member("column", error.place.column > 0 ? std::optional(error.place.column) : std::nullopt);
  json.end().end();
  return json.take();
}

void write_files(JsonWriter& json, const std::vector<LaunchFile>& files) {
  json.key("files").begin_array();
  for (const LaunchFile& file : files)
    json.begin_object().member("path", file.path).member("executable", file.executable).member("text", file.text).end();
  json.end();
}

}  // namespace
}  // namespace api

std::string ask(std::string_view question) {
  const auto replied = api::reply(question);
  if (!replied) return api::wrong(replied.error());
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/answer@1").member("outcome", api::word_of(replied->verdict));
  json.key("answer").document(replied->document);
  if (!replied->files.empty()) api::write_files(json, replied->files);
  if (!replied->why.empty()) json.member("why", replied->why);
  if (!replied->html.empty()) json.member("html", replied->html).member("contents", replied->contents);
  if (!replied->left_out.empty()) {
    json.key("own_runs_left_out").begin_array();
    for (const Error& row : replied->left_out)
      json.begin_object(true).member("line", row.place.line).member("message", row.message).end();
    json.end();
  }
  json.end();
  return json.take();
}

}  // namespace gpuplan
