#include "api/runs/launch.h"

#include <algorithm>
#include <utility>

#include "api/runs/job_place.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/declaration/other_words.h"
#include "input/question/plan_file.h"
#include "launch/parts/smoke_job.h"
#include "launch/work/work.h"
#include "output/answer/plan_json.h"
#include "output/answer/remarks.h"
#include "output/words/plan_report.h"
#include "output/words/plan_words.h"
#include "plan/ranking/fallback.h"

namespace gpuplan::api {
namespace {

constexpr std::size_t kSlug = 40;  // letters of a folder

/// A plan to launch and what is to be said of the choice.
struct Chosen {
  const Plan* plan = nullptr;
  std::string note;  ///< empty: nothing
};

/// The plan that was kept in this file, among those of today.
Result<Chosen> still_there(const SearchResult& found, const KeptChoice& kept, const std::string& file) {
  const auto match = std::ranges::find(found.plans, kept.id, &Plan::id);
  if (match == found.plans.end())
    return failure("its plan " + printable(kept.id, 40) + " (" + printable(kept.label, 60) +
                       ") is not among the plans of this job with these offers; use the same --prices, --set and "
                       "--as-of as for the plan, or plan again",
                   {file});
  Chosen chosen{&*match, ""};
  Dollars today{};
  for (const PhasePlan& part : match->phases) today += part.cost.p50;
  constexpr double kWorthALine = 0.01;
  if (kept.cost > Dollars{} && (today > kept.cost * (1 + kWorthALine) || today < kept.cost * (1 - kWorthALine)))
    chosen.note = "Prices changed: " + short_money(kept.cost) + " when saved, " + short_money(today) + " now.";
  return chosen;
}

/// What one of LaunchTerms::plans means.
Result<Chosen> chosen_plan(const AskedPlan& asked, const Searched& searched) {
  if (!asked.kept) {
    const auto plan = plan_with_id(searched.found, asked.id);
    if (!plan) return std::unexpected(plan.error());
    return Chosen{*plan, ""};
  }
  const auto kept = read_plan_file(asked.kept->text, asked.kept->name);
  if (!kept) return std::unexpected(kept.error());
  if (const auto same = made_for(*kept, searched.job.name); !same) return std::unexpected(same.error());
  if (const auto named = plan_named(*kept, ""); !named) return std::unexpected(named.error());
  return still_there(searched.found, *kept->source.kept, kept->file);
}

bool same_machines(const Lease& a, const Lease& b) {
  const Offer& one = *a.offer;
  const Offer& other = *b.offer;
  return one.kind == other.kind && one.provider == other.provider && one.region == other.region &&
         one.instance == other.instance && one.gpu == other.gpu && one.gpus == other.gpus && one.label == other.label &&
         a.spot == b.spot;
}

/// The trial's plan on machines of the plan that it tries; else the recommended one.
const Plan* plan_of_trial(const Plan& tried, const SearchResult& found, const PlanReport& plan_report) {
  const auto alike = [&](const Plan& plan) {
    if (plan.fit != Fit::kFits || plan.leases.empty()) return false;
    // In a pool each phase has a lease of its own.
    const auto like_first = [&](const Lease& lease) { return same_machines(lease, plan.leases.front()); };
    return std::ranges::all_of(plan.leases, like_first) && std::ranges::any_of(tried.leases, like_first);
  };
  const auto match = std::ranges::find_if(found.plans, alike);
  return match != found.plans.end() ? &*match : plan_report.pick();
}

std::string tight_words(const PlanReport& plan_report, const Plan& plan) {
  return plan_report.name(plan) + " may run out of memory: " + memory_words(plan) +
         " per GPU at P50, more than there is at P90. To launch it anyway: --allow-tight";
}

/// The plans that are meant.
Result<std::vector<Chosen>> chosen_plans(const LaunchTerms& terms, const Question& question, const Searched& searched,
                                         const PlanReport& plan_report) {
  const SearchResult& found = searched.found;
  std::vector<Chosen> chosen;
  for (const AskedPlan& asked : terms.plans) {
    if (!asked.kept && iequals(asked.id, "all")) {
      for (const Plan& plan : found.plans)
        if (plan.fit == Fit::kFits || terms.allow_tight) chosen.push_back({&plan, ""});
    } else {
      const auto one = chosen_plan(asked, searched);
      if (!one) return std::unexpected(one.error());
      chosen.push_back(*one);
    }
  }
  if (terms.plans.empty() && question.written.kept) {
    const auto one = still_there(found, *question.written.kept, question.terms.job_file);
    if (!one) return std::unexpected(one.error());
    chosen.push_back(*one);
  } else if (terms.plans.empty()) {
    chosen.push_back({plan_report.pick(), ""});
  }
  if (chosen.empty()) return wrong_use(tight_words(plan_report, *plan_report.pick()));  // and so are all others
  for (const Chosen& one : chosen)
    if (one.plan->fit == Fit::kTight && !terms.allow_tight) return wrong_use(tight_words(plan_report, *one.plan));
  return chosen;
}

/// Who rents of one provider wants the best plan there, unless the job or the question names another or that
/// provider has none.
Result<Searched> search_for(const Launcher& launcher, const LaunchTerms& terms, const Question& question,
                            const Catalogue& catalogue) {
  const Job& job = question.loaded.job;
  const bool open = job.where.providers.empty() && terms.plans.empty() && !question.written.kept;
  if (launcher.ids != nullptr && open) {
    Job there = job;
    there.where.providers = {std::string(launcher.name)};
    // What it has no name for can be priced there, and not rented from here.
    std::vector<Offer> named = question.known;
    std::erase_if(named, [&](const Offer& offer) {
      const LauncherNames* names = gpuplan::launcher_names(offer.gpu);
      return names == nullptr || (names->*launcher.ids).empty();
    });
    auto found = search_job(there, named, catalogue, question.terms);
    if (!found || !found->found.plans.empty()) return found;
  }
  return search_job(job, question.known, catalogue, question.terms);
}

/// Where the machine of a plan is listed, when a launcher rents of another provider.
std::string elsewhere_words(const Launcher& launcher, const Plan& plan) {
  if (launcher.ids == nullptr) return "";
  std::vector<std::string> others;
  for (const Lease& lease : plan.leases)
    if (const std::string& provider = lease.offer->provider;
        !provider.empty() && !iequals(provider, launcher.name) && std::ranges::find(others, provider) == others.end())
      others.push_back(provider);
  if (others.empty()) return "";
  return "Hours are those of the plan, and the price is that of " + listed(others) + ", not " +
         std::string(launcher.name) + "'s: look it up before you rent.";
}

std::string top_folder(const LaunchTerms& terms, const Launcher& launcher, const Job& job) {
  std::string folder = !terms.folder.empty() ? terms.folder
                       : !terms.name.empty() ? terms.name
                                             : slug_of(job.name, kSlug, "job") + "-" + std::string(launcher.name);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

}  // namespace

struct LaunchAnswer::Trial {
  const Plan& plan;
  std::vector<std::string> notes;
};

struct LaunchAnswer::Parts {
  Parts(Question asked, Searched answer, const Catalogue& catalogue)
      : question(std::move(asked)), searched(std::move(answer)), plan_report(searched.found, searched.job, catalogue) {}

  /// Adds the folder of one plan.
  Result<void> lay_out(const Chosen& chosen, const Launcher& launcher, const LaunchTerms& terms,
                       const std::string& command, bool several, const Trial* trial);

  Question question;
  Searched searched;
  PlanReport plan_report;
  std::vector<std::unique_ptr<Launch>> launches{};  ///< the report points at them
  LaunchReport report{};
  std::string top{};
  Verdict verdict = Verdict::kFound;
  std::vector<std::string> why{};
};

Result<void> LaunchAnswer::Parts::lay_out(const Chosen& chosen, const Launcher& launcher, const LaunchTerms& terms,
                                          const std::string& command, bool several, const Trial* trial) {
  const Plan& plan = *chosen.plan;
  const JobSource& source = question.loaded.source;
  auto launch = gpuplan::lay_out(searched.job, plan, plan_report.catalogue, plan_report.name(plan),
                                 command + " --to " + std::string(launcher.name) +
                                     (trial != nullptr ? " --smoke" : " --plan " + plan.id) +
                                     (terms.name.empty() ? "" : " --name " + terms.name));
  if (!launch) return std::unexpected(placed(launch.error(), source));
  if (trial != nullptr) {
    launch->smoke = true;
    launch->notes = trial->notes;
  } else {
    launch->notes = warnings(plan_report, plan);
  }
  if (!terms.name.empty()) {
    launch->name = terms.name;
    launch->slug = slug_of(terms.name, kSlug, "job");
  }
  launch->one_script = one_script_name(launcher, *launch);
  if (searched.found.recommendations.pick)
    launch->fallbacks = market_order(searched.job, searched.found, plan_report.compared());
  launches.push_back(std::make_unique<Launch>(*std::move(launch)));
  PlanJsonLook look;
  look.launched = &plan;
  look.job_file = source.file;
  look.job_text = flow_text(source.tree);
  auto folder = launch_folder(*launches.back(), launcher, plan_json(plan_report, look));
  if (!folder) return std::unexpected(placed(folder.error(), source));
  if (!chosen.note.empty()) folder->notes.insert(folder->notes.begin(), chosen.note);
  if (std::string words = elsewhere_words(launcher, plan); !words.empty())
    folder->notes.insert(folder->notes.begin(), std::move(words));
  const std::string path = several ? top + "/" + slug_of(plan_report.name(plan), kSlug, "plan") + "-" + plan.id : top;
  report.folders.push_back({path, launches.back().get(), *std::move(folder), {}});
  return {};
}

LaunchAnswer::LaunchAnswer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LaunchAnswer::LaunchAnswer(LaunchAnswer&&) noexcept = default;
LaunchAnswer& LaunchAnswer::operator=(LaunchAnswer&&) noexcept = default;
LaunchAnswer::~LaunchAnswer() = default;

LaunchReport& LaunchAnswer::report() { return parts_->report; }
const LaunchReport& LaunchAnswer::report() const { return parts_->report; }
const std::string& LaunchAnswer::top() const { return parts_->top; }
Verdict LaunchAnswer::verdict() const { return parts_->verdict; }
const std::vector<std::string>& LaunchAnswer::why() const { return parts_->why; }
std::string LaunchAnswer::json() const { return launch_json(parts_->report); }

std::vector<LaunchFile> LaunchAnswer::files() const {
  const std::vector<WrittenFolder>& folders = parts_->report.folders;
  if (folders.empty()) return {};
  if (folders.size() == 1) return folders.front().folder.files;
  std::vector<LaunchFile> all = {{"README.md", plans_index(parts_->report, parts_->top)}};
  for (const WrittenFolder& one : folders)
    for (const LaunchFile& file : one.folder.files)
      all.push_back({one.path.substr(parts_->top.size() + 1) + "/" + file.path, file.text, file.executable});
  return all;
}

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const Launcher& launcher : launchers()) names.emplace_back(launcher.name);
  return names;
}

Result<const Launcher*> launcher_named(const std::string& name) {
  if (name.empty()) return wrong_use("missing --to: one of " + join(launcher_names(), ", "));
  for (const Launcher& launcher : launchers())
    if (iequals(launcher.name, name)) return &launcher;
  const std::string unknown = "--to: unknown launcher '" + printable(name, 40) + "'";
  if (const std::string_view advice = advice_on("launcher", name); !advice.empty())
    return wrong_use(unknown + "; " + std::string(advice));
  const std::vector<std::string> known = launcher_names();
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string hint = did_you_mean(name, candidates);
  return wrong_use(unknown + (hint.empty() ? "; expected " + listed(known, "or") : hint));
}

Result<LaunchAnswer> LaunchAnswer::of(const Request& request, const LaunchTerms& terms, const Catalogue& catalogue,
                                      const Trial* trial) {
  const auto launcher = launcher_named(terms.to);
  if (!launcher) return std::unexpected(launcher.error());
  if (!terms.name.empty())
    if (const auto plain = check_launch_name(terms.name); !plain) return std::unexpected(plain.error());
  auto question = read_question(request, catalogue);
  if (!question) return std::unexpected(std::move(question.error()));
  auto searched = search_for(**launcher, terms, *question, catalogue);
  if (!searched) return std::unexpected(std::move(searched.error()));
  auto parts = std::make_unique<LaunchAnswer::Parts>(*std::move(question), *std::move(searched), catalogue);
  const Searched& found = parts->searched;
  PlanReport& plan_report = parts->plan_report;
  if (!terms.plan_command.empty()) plan_report.command = terms.plan_command;
  plan_report.offers = found.market;
  plan_report.how = parts->question.terms.how;
  name_market(parts->question, plan_report);
  blame_phases(found, catalogue, parts->question.terms, plan_report);
  parts->report.job = found.job.name;
  parts->report.launcher = terms.to;
  if (found.found.plans.empty()) {
    parts->verdict = Verdict::kNothingFits;
    parts->why = nothing_fits_words(plan_report);
    return LaunchAnswer(std::move(parts));
  }
  if (terms.plans.empty() && trial == nullptr && found.found.recommendations.limits_missed) {
    parts->verdict = Verdict::kMissesLimits;
    parts->why = {"no plan meets the job's limits (details: gpuplan plan); to launch the closest anyway: --plan " +
                  plan_report.pick()->id};
    return LaunchAnswer(std::move(parts));
  }
  auto chosen = trial != nullptr ? std::vector<Chosen>{{plan_of_trial(trial->plan, found.found, plan_report), ""}}
                                 : chosen_plans(terms, parts->question, found, plan_report);
  if (!chosen) return std::unexpected(chosen.error());
  parts->report.launcher = (*launcher)->name;
  parts->top = top_folder(terms, **launcher, found.job);
  std::string command = terms.command;
  if (command.empty()) command = "gpuplan launch " + shell_word(request.job ? request.job->name : "JOB");
  for (const Chosen& one : *chosen)
    if (const auto laid = parts->lay_out(one, **launcher, terms, command, chosen->size() > 1, trial); !laid)
      return std::unexpected(laid.error());
  return LaunchAnswer(std::move(parts));
}

Result<LaunchAnswer> LaunchAnswer::trial_of(const Request& request, const LaunchTerms& terms,
                                            const Catalogue& catalogue) {
  // The plan is that of the job; the trial may have fewer GPUs.
  Request whole = request;
  whole.wishes.counts.clear();
  whole.wishes.nodes.clear();
  auto planned = of(whole, terms, catalogue, nullptr);
  if (!planned || planned->verdict() != Verdict::kFound) return planned;
  if (planned->report().folders.size() > 1) return wrong_use("--smoke tries one plan: name it with --plan ID");
  const Launch& launch = *planned->report().folders.front().launch;
  const bool machines = request.wishes.counts.empty() && request.wishes.nodes.empty();
  const JobSource& source = planned->parts_->question.loaded.source;
  auto job = smoke_job(source.tree, launch, machines);
  if (!job) return std::unexpected(placed(job.error(), source));
  Request small = request;
  small.job = NamedText{"smoke.yaml", std::move(job->text)};
  small.sketch = {};
  small.set.clear();
  small.wishes = {};
  small.wishes.counts = request.wishes.counts;
  small.wishes.nodes = request.wishes.nodes;
  LaunchTerms trial_terms = terms;
  trial_terms.plans.clear();
  const Trial trial{launch.plan, std::move(job->notes)};
  return of(small, trial_terms, catalogue, &trial);
}

Result<LaunchAnswer> ask_launch(const Request& request, const LaunchTerms& terms, const Catalogue& catalogue) {
  return terms.smoke ? LaunchAnswer::trial_of(request, terms, catalogue)
                     : LaunchAnswer::of(request, terms, catalogue, nullptr);
}

}  // namespace gpuplan::api
