#include "laws/answer.h"

#include <cstdlib>

#include "api/questions/facts.h"
#include "input/models/model_source.h"
#include "input/prices/price_file.h"
#include "output/answer/plan_json.h"
#include "output/answer/plan_table.h"
#include "output/explain/explain.h"
#include "output/views/plan_views.h"
#include "plan/capacity/fit.h"

namespace gpuplan::laws {

const Catalogue& built_in() {
  static const Catalogue catalogue = [] {
    auto loaded = api::read_facts();
    if (!loaded) std::abort();
    return *std::move(loaded);
  }();
  return catalogue;
}

Asked ask(Case one, JobSource source, std::vector<Offer> known, int threads, std::shared_ptr<const Catalogue> facts) {
  auto answer = std::make_unique<Answer>();
  answer->facts = std::move(facts);
  const Catalogue& catalogue = answer->catalogue();
  const api::SearchTerms terms{.only_lists = !one.prices.empty(), .job_file = source.file, .how = {.threads = threads}};
  answer->asked = std::move(one);
  answer->source = std::move(source);
  answer->known = std::move(known);
  auto loaded = api::read_source(answer->source, catalogue);
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  auto searched = api::search_job(std::move(loaded->job), answer->known, catalogue, terms);
  if (!searched) return std::unexpected(std::move(searched.error()));
  answer->searched = *std::move(searched);
  answer->report.emplace(answer->searched.found, answer->searched.job, catalogue);
  answer->report->offers = answer->searched.market;
  answer->report->how = terms.how;
  answer->report->all = true;
  if (answer->plans().empty() && answer->found().market.used > 0)
    answer->report->unfit = unfit_phases(answer->searched.job, catalogue, answer->searched.market, answer->report->how);
  return answer;
}

Asked ask(const Case& one, int threads, std::shared_ptr<const Catalogue> facts) {
  const Catalogue& catalogue = facts ? *facts : built_in();
  std::vector<Offer> known = catalogue.offers;
  if (!one.prices.empty()) {
    auto read = read_prices(price_text(one.prices), "prices.csv", {}, catalogue);
    if (!read) return std::unexpected(std::move(read.error()));
    known = *std::move(read);
  }
  return ask(one, JobSource{.tree = one.job, .file = "job.yaml"}, std::move(known), threads, std::move(facts));
}

namespace {

std::vector<const PlanView*> every_view() {
  std::vector<const PlanView*> views;
  for (const PlanView& view : plan_views()) views.push_back(&view);
  return views;
}

}  // namespace

std::string plan_document(const Answer& answer, bool tables) {
  PlanJsonLook look{.all = true, .explain = tables};
  if (tables && !answer.plans().empty()) look.views = every_view();
  return plan_json(*answer.report, look);
}

std::string plan_page(const Answer& answer, const Screen& screen, bool tables) {
  PlanLook look;
  look.screen = screen;
  look.all = true;
  std::string text = plan_table(*answer.report, look);
  if (!tables || answer.plans().empty()) return text;
  for (const PlanView* view : every_view()) text += '\n' + view_text(view->make(*answer.report, screen), screen);
  if (const Plan* pick = answer.pick()) text += '\n' + explain_plan(*answer.report, *pick, screen);
  return text;
}

}  // namespace gpuplan::laws
