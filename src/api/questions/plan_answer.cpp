#include "api/questions/plan_answer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/question/sketch.h"
#include "plan/answer/market.h"
#include "plan/capacity/fit.h"

namespace gpuplan::api {
namespace {

VariantReport tell(const Variant& variant, const Searched& searched, const Catalogue& catalogue) {
  const PlanReport report(searched.found, searched.job, catalogue);
  VariantReport told{variant.name, variant.settings, std::nullopt, "", searched.found.recommendations.limits_missed,
                     variant.prose};
  if (const Plan* pick = report.pick()) {
    told.pick = *pick;
    told.plan = report.name(*pick);
  }
  return told;
}

/// The flag behind an address of the job, where a flag stands for it: "--nodes" of where.nodes, "--tokens" of
/// phases.train.train.data.tokens.
std::string_view flag_at(std::string_view address) {
  for (const WishFlag& flag : wish_flags())
    if (flag.address == address) return flag.name;
  if (!address.starts_with("phases.")) return "";
  const std::string_view key = address.substr(address.rfind('.') + 1);
  for (const SketchFlag& flag : sketch_flags())
    if (flag.name.substr(2) == key) return flag.name;
  return "";
}

/// "where.nodes: [2]" as "--nodes 2": what changes the job, as somebody says it who asked in flags.
std::string in_flags(std::string_view change) {
  const std::size_t colon = change.find(": ");
  if (colon == std::string_view::npos) return std::string(change);
  const std::string_view flag = flag_at(change.substr(0, colon));
  if (flag.empty()) return std::string(change);
  std::string_view value = change.substr(colon + 2), remark;
  if (const std::size_t bracket = value.find(" ("); bracket != std::string_view::npos) {
    remark = value.substr(bracket);
    value = value.substr(0, bracket);
  }
  if (value == "all") return "leave out " + std::string(flag) + std::string(remark);
  if (value.starts_with('[') && value.ends_with(']')) value = value.substr(1, value.size() - 2);
  return std::string(flag) + " " + shell_word(std::string(value)) + std::string(remark);
}

/// "method: lora" as "--method lora", "4 GPUs (tp 2)" as "--counts 4 (tp 2)", or, where the question says how many GPUs
/// a machine has, as "--gpu '4x H100 SXM' (tp 2)".
std::string remedy_in_flags(const std::string& change, const Job& job) {
  if (const std::size_t gpus = change.find(" GPUs");
      gpus != std::string::npos && gpus > 0 && std::ranges::all_of(change.substr(0, gpus), is_digit)) {
    const std::vector<GpuChoice>& choices = job.where.gpus;
    const bool each = choices.size() == 1 && choices.front().count > 0 && job.where.counts.empty();
    const std::string number = change.substr(0, gpus);
    return (each ? "--gpu " + shell_word(number + "x " + choices.front().gpu) : "--counts " + number) +
           change.substr(gpus + 5);
  }
  if (change.starts_with("micro: auto")) return "leave out --micro";
  std::string flag = in_flags("phases." + change);
  if (!flag.starts_with("--")) return change;
  if (flag.starts_with("--sequence")) std::erase(flag, ',');
  return flag;
}

/// Each change of a list with commas. Amounts have none that a blank follows.
std::string all_in_flags(std::string_view changes) {
  std::string text;
  while (true) {
    const std::size_t comma = changes.find(", ");
    text += (text.empty() ? "" : ", ") + in_flags(changes.substr(0, comma));
    if (comma == std::string_view::npos) return text;
    changes.remove_prefix(comma + 2);
  }
}

/// The market of a job, and what there is of the GPU that came nearest in any number.
std::vector<Offer> any_number_of_gpus(const Searched& searched, const std::vector<Offer>& known,
                                      const Catalogue& catalogue) {
  Job job = searched.job;
  if (const Gpu* gpu = searched.found.tally.nearest.gpu) job.where.gpus = {{gpu->name, 0}};
  job.where.counts.clear();
  MarketFilter filter;
  std::vector<Offer> market = market_for(job, catalogue, known, filter);
  market.insert(market.end(), searched.market.begin(), searched.market.end());
  return market;
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
  std::vector<Remedy> told{};  ///< the same, as the user asks for them
  PlanReport report;
};

PlanAnswer::PlanAnswer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
PlanAnswer::PlanAnswer(PlanAnswer&&) noexcept = default;
PlanAnswer& PlanAnswer::operator=(PlanAnswer&&) noexcept = default;
PlanAnswer::~PlanAnswer() = default;

PlanReport& PlanAnswer::report() { return parts_->report; }
const PlanReport& PlanAnswer::report() const { return parts_->report; }
const Searched& PlanAnswer::searched() const { return parts_->searched; }
const Question& PlanAnswer::question() const { return parts_->question; }
const JobSource& PlanAnswer::source() const { return parts_->question.loaded.source; }
Verdict PlanAnswer::verdict() const { return verdict_of(parts_->searched.found); }
const std::vector<Remedy>& PlanAnswer::remedies() const { return parts_->told; }

std::string PlanAnswer::json(PlanJsonLook look) const {
  look.job_file = source().file;
  look.job_text = flow_text(source().tree);
  return plan_json(parts_->report, look, parts_->remedies);
}

Result<PlanAnswer> ask_plan(const Request& request, const Catalogue& catalogue, const PlanLook& look,
                            VariantProgress progress, void* context) {
  auto question = read_question(request, catalogue, false);
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
  report.break_even = break_even(report.job, report.found, report.compared());
  blame_phases(found, catalogue, asked.terms, report);
  name_market(asked, report);
  report.in_flags = !request.job;
  report.limit_remedies = tried_remedies(found, asked.known, catalogue, asked.terms);
  if (report.in_flags)
    for (const LimitRemedy& remedy : report.limit_remedies) report.limit_changes.push_back(all_in_flags(remedy.change));

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
    ignoring.how.chances = false;
    auto other = search_job(found.job, asked.known, catalogue, ignoring);
    if (!other) return std::unexpected(std::move(other.error()));
    const Searched& modelled = parts->modelled.emplace(*std::move(other));
    report.by_model = &parts->by_model.emplace(modelled.found, modelled.job, catalogue);
  }
  if (found.found.plans.empty() && !only_spot_is_missing(found.found) && !only_spot_is_refused(found.found))
    parts->remedies =
        remedies(found.job, catalogue, found.found.tally.nearest, any_number_of_gpus(found, asked.known, catalogue));
  parts->told = parts->remedies;
  if (report.in_flags)
    for (Remedy& remedy : parts->told) remedy.change = remedy_in_flags(remedy.change, found.job);
  return PlanAnswer(std::move(parts));
}

}  // namespace gpuplan::api
