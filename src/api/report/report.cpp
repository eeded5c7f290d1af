#include "api/report/report.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/questions/sensitivity.h"
#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/job/address.h"
#include "launch/launch_folder.h"
#include "launch/work/work.h"
#include "output/charts/svg/svg.h"
#include "output/report/report_parts.h"
#include "output/text/json_writer.h"
#include "output/words/plan_words.h"
#include "plan/ranking/fallback.h"
#include "plan/ranking/ranking.h"

namespace gpuplan::api {
namespace {

constexpr std::size_t kFolderLetters = 40;
constexpr std::size_t kLongestValue = 80;  // of the job, in a record
constexpr std::size_t kMostValues = 400;

std::string command_of(const std::string& name, const std::string& arguments) {
  return "gpuplan " + name + (arguments.empty() ? "" : " " + arguments);
}

/// Offers of a job or a price list that name no provider may be anybody's.
bool may_be_on_vast(const Plan& pick) {
  return pick.offer != nullptr && pick.offer->kind == OfferKind::kRented &&
         (pick.offer->provider.empty() || pick.offer->provider == "vast");
}

/// How the pick would be started; nothing is written.
RunPart run_part(const PlanReport& report, const Plan& pick, const std::string& command) {
  RunPart run;
  const std::string_view to = launcher_for(pick);
  for (const Launcher& launcher : launchers()) {
    if (launcher.name != to) continue;
    auto launch = lay_out(report.job, pick, report.catalogue, report.name(pick),
                          command + " --to " + std::string(to) + " --plan " + pick.id);
    if (!launch) {
      run.why_not = printable(launch.error().message, 300);
      return run;
    }
    launch->one_script = one_script_name(launcher, *launch);
    launch->fallbacks = market_order(report.job, report.found, report.stand_ins());
    auto folder = launch_folder(*launch, launcher, "{}");
    if (!folder) {
      run.why_not = printable(folder.error().message, 300);
      return run;
    }
    run.launch = command + " --to " + std::string(to);
    run.by_hand = to == "bash";
    run.folder = "run-" + slug_of(report.job.name, kFolderLetters, "job");
    for (const std::string& line : folder->next) {
      const std::size_t at = line.find("  # ");
      run.steps.push_back(at == std::string::npos ? RunPart::Step{line, ""}
                                                  : RunPart::Step{line.substr(0, at), line.substr(at + 4)});
    }
    run.notes = folder->notes;
    for (const Unwritten& lacking : unwritten(report.job, pick, report.catalogue))
      run.notes.push_back(lacking.sentence());
    for (const LaunchFile& file : folder->files)
      if (std::string use = use_of(*launch, file); !use.empty())
        run.scripts.push_back({.path = file.path, .use = std::move(use)});
    if (may_be_on_vast(pick))
      for (MarketSearch& search : vast_searches(*launch))
        run.searches.push_back({std::move(search.command), std::move(search.about)});
    for (const LaunchPhase& laid : launch->phases)
      run.phase_slugs.emplace_back(static_cast<int>(laid.phase - report.job.phases.data()), laid.slug);
    const std::vector<std::string> anew = slugs_begun_anew(*launch);
    for (const auto& [position, slug] : run.phase_slugs)
      if (std::ranges::find(anew, slug) != anew.end()) run.anew.push_back(position);
    for (const LaunchGroup& group : launch->groups)
      for (const int position : group.phases) {
        const LaunchPhase& laid = launch->phases[static_cast<std::size_t>(position)];
        run.machine_slugs.emplace_back(static_cast<int>(laid.phase - report.job.phases.data()), group.slug);
      }
  }
  return run;
}

std::string market_hash(const PlanReport& report) {
  std::uint64_t hash = hash_of("");
  const auto add = [&](std::string_view text) { hash = hash_of(text, hash); };
  for (const Offer& offer : report.offers) {
    add(offer.provider + "|" + offer.region + "|" + offer.instance + "|" + offer.gpu + "|" +
        std::to_string(offer.gpus));
    for (const auto& price : {offer.price, offer.spot_price}) add(price ? number_text(price->p50.value) : "-");
  }
  return short_id(hash, kLongestId);
}

/// "8x A100 SXM 40GB at aws, p4d.24xlarge, spot".
std::string record_name(const Plan& plan) {
  const Offer& offer = *plan.offer;
  std::string text = std::to_string(offer.gpus) + "x " + offer.gpu;
  if (const std::string place = place_words(offer); !place.empty()) text += " at " + place;
  if (!offer.instance.empty()) text += ", " + printable(offer.instance, 40);
  return text + (plan.spot ? ", spot" : "");
}

}  // namespace

struct ReportAnswer::Parts {
  explicit Parts(PlanAnswer answer) : plan(std::move(answer)) {}
  PlanAnswer plan;
  std::string command{};
  ReportDocument document{};
};

ReportAnswer::ReportAnswer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ReportAnswer::ReportAnswer(ReportAnswer&&) noexcept = default;
ReportAnswer& ReportAnswer::operator=(ReportAnswer&&) noexcept = default;
ReportAnswer::~ReportAnswer() = default;

const ReportDocument& ReportAnswer::document() const { return parts_->document; }
std::vector<DrawnChart> ReportAnswer::drawings() const {
  std::vector<DrawnChart> drawn;
  for (const ChartBlock* chart : charts_in(document()))
    drawn.push_back({chart->chart.key, svg_of(chart->chart, {.theme = ChartTheme::kBoth})});
  return drawn;
}

const PlanAnswer& ReportAnswer::plan() const { return parts_->plan; }

std::string ReportAnswer::json() const {
  JsonWriter json;
  write_report(json, parts_->document);
  return json.take();
}

GuideRecord ReportAnswer::record() const {
  const PlanReport& report = parts_->plan.report();
  GuideRecord record{.version = GPUPLAN_VERSION, .command = parts_->command, .prices = {}, .market = {}};
  record.made = report.today;
  record.prices = count_of(report.found.market.used, "offer");
  if (!report.found.as_of.empty()) record.prices += ", prices from " + printable(report.found.as_of, 20);
  record.market = market_hash(report);
  std::uint64_t rest = hash_of("");
  std::size_t left = 0;
  for (const JobPlace& place : places(parts_->plan.source().tree)) {
    if (place.tree == nullptr || !place.tree->is_scalar()) continue;
    std::string value = place.tree->text;
    if (record.job.size() >= kMostValues) {
      rest = hash_of(place.address + "=" + value, rest);
      ++left;
      continue;
    }
    if (value.size() > kLongestValue) value = printable(value, kLongestValue) + " #" + short_id(hash_of(value));
    record.job.push_back({place.address, std::move(value)});
  }
  if (left > 0) record.job.push_back({count_of(static_cast<double>(left), "more value"), "#" + short_id(rest)});
  const Plan* pick = report.pick();
  if (pick == nullptr) {
    record.answer.push_back({"pick", "nothing fits"});
    return record;
  }
  record.answer = {
      {"pick", report.name(*pick)}, {"hours", hours_words(pick->hours.p50)}, {"cost", cost_words(pick->cost)}};
  for (const Plan& plan : report.found.plans) {
    if ((!plan.on_frontier && &plan != pick) || plan.offer == nullptr) continue;
    const auto& price = plan.spot ? plan.offer->spot_price : plan.offer->price;
    if (!price) continue;
    const std::string name = record_name(plan);
    if (std::ranges::find(record.offers, name, &GuideRecord::Named::name) == record.offers.end())
      record.offers.push_back({name, to_text(price->p50)});
  }
  return record;
}

Result<ReportAnswer> ask_report(const Request& request, const ReportTerms& terms, const Catalogue& catalogue) {
  const bool told = !terms.arguments.empty();
  const PlanLook look{.compare_given = true, .command = told ? command_of("plan", terms.arguments) : std::string()};
  auto answer = ask_plan(request, catalogue, look);
  if (!answer) return std::unexpected(std::move(answer.error()));
  auto parts = std::make_unique<ReportAnswer::Parts>(*std::move(answer));
  PlanAnswer& plan = parts->plan;
  const PlanReport& report = plan.report();
  ReportParts from{.plan = report, .remedies = plan.remedies()};
  from.version = GPUPLAN_VERSION;
  from.charts = terms.charts;
  SensitivityReport moved;
  if (told) {
    from.command = parts->command = command_of("report", terms.arguments);
    from.plan_command = command_of("plan", terms.arguments);
    from.whatif_command = command_of("whatif", terms.arguments);
    from.launch_command = command_of("launch", terms.arguments);
  }
  if (const Plan* pick = report.pick()) {
    plan.report().fallbacks = report.stand_ins();
    if (rents(*pick)) {
      from.ways = rental_options(report.job, catalogue, *pick, report.how);
      from.cheaper = cheaper_way(report.job, *pick, from.ways);
    }
    if (terms.sensitivity) {
      constexpr double kBy = 0.2;
      constexpr std::size_t kInputs = 9;  // that a reader looks at
      moved = sensitivity(plan.question(), plan.searched(), catalogue, kBy, kInputs);
      moved.plan_report = &report;
      for (SensitivityInput& input : moved.inputs)
        if (input.source == "model") input.low.value = "low end", input.high.value = "high end";
      from.sensitivity = &moved;
    }
    if (told) from.run = run_part(report, *pick, from.launch_command);
    if (terms.beside)
      for (RunPart::Script& script : from.run.scripts)
        script.beside = terms.beside->has(from.run.folder + "/" + script.path);
  }
  parts->document = report_document(from);
  return ReportAnswer(std::move(parts));
}

}  // namespace gpuplan::api
