// gpuplan whatif JOB: the job and changes of it side by side, or what its hours and cost depend on most.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/amount.h"
#include "base/parallel.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/load/load_catalogue.h"
#include "cli/options/common_options.h"
#include "cli/questions/job_question.h"
#include "cli/questions/sensitivity.h"
#include "cli/questions/whatif_cases.h"
#include "output/questions/sensitivity_report.h"
#include "output/questions/whatif_report.h"
#include "output/text/json_writer.h"
#include "output/words/plan_words.h"

namespace gpuplan::cli {
namespace {

struct Options {
  Common common;
  JobOptions job;
  std::vector<std::string> vary;  ///< ADDRESS=A,B,C
  bool sensitivity = false;
  std::string by;  ///< share
};

constexpr const char* kHowToRead =
    "What is compared:\n"
    "  The job as it stands, each --set alone, all of them together, and every combination of the values\n"
    "  of --vary on top of them. Each is planned anew. Where that picks other machines, a second table\n"
    "  tells what happens to who stays with those of the job as it stands. x BASE: times the hours or the\n"
    "  cost of the job as it stands.\n"
    "\nAddresses and values:\n"
    "  samples=x2        an address may be short where only one in the job is meant; gpuplan names it\n"
    "  offers[*].price=+10%\n"
    "                    every item of a list; x2, x0.5, +10% and -20% multiply what the job states\n"
    "  --vary batch=4,8  a comma parts values, except inside [] and {}\n"
    "\nSensitivity:\n"
    "  Every amount that the job states, the price and gpuplan's own error are moved one at a time, by their\n"
    "  own range where they have one, else by --by down and up (batches are halved and doubled). Hours and\n"
    "  cost are those of the pick's machines.\n"
    "\nThe exit code is that of the job as it stands: 3 nothing fits, 4 it misses the deadline or budget.\n";

/// Why the machines of the pick are no plan any more.
std::string why_not(const Searched& base, const Plan& pick, const Job& job, const std::vector<Offer>& market,
                    const Catalogue& catalogue, bool ignore_given) {
  if (pick.offer == nullptr) return "its phases would be on other offers";
  const Offer* offer = counterpart(*pick.offer, base.market, market);
  if (offer == nullptr) return "it is not among the offers that count";
  const auto miss = obstacle(job, catalogue, *offer, pick.gpus, {.ignore_given = ignore_given});
  if (!miss) return pick.spot ? "it does not count as a spot machine" : "it does not count that way";
  if (miss->gpu == nullptr) return "it can not run the job";
  return "it no longer fits, " + gib_text(miss->needed) + " GiB a GPU where " + gib_text(miss->usable) + " are usable";
}

/// A case with everything that its report refers to.
struct Case {
  ChangedJob changed;
  std::optional<Result<Searched>> searched;
  std::optional<PlanStory> story;
  std::optional<int> stays;  ///< position of the plan
  std::string stays_not;
  std::optional<std::vector<UnfitPhase>> unfit;  ///< where nothing fits
};

/// Finds what the report needs and lets go of the rest: two hundred markets with their plans are a gigabyte.
void compare(const Searched& base, const Catalogue& catalogue, const JobOptions& options, Case& one) {
  Searched& searched = **one.searched;
  const auto& plans = searched.found.plans;
  const std::optional<int> base_pick = base.found.recommendations.pick;
  const Plan* stays = nullptr;
  if (plans.empty()) {
    PlanStory story(searched.found, searched.job, catalogue);
    blame_phases(searched, catalogue, options, story);
    one.unfit = std::move(story.unfit);
  }
  if (base_pick) {
    const Plan& pick = base.found.plans[static_cast<std::size_t>(*base_pick)];
    stays = staying({base.found, base.market}, pick, {searched.found, searched.market});
    if (stays == nullptr && !plans.empty())
      one.stays_not = why_not(base, pick, searched.job, searched.market, catalogue, options.ignore == "given");
    else if (stays == nullptr) one.stays_not = "nothing runs the job any more";
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

std::string document(const PlanStory& story, auto&& write) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/whatif@1").member("job", story.job.name);
  write(json);
  json.end();
  return json.take();
}

int run_cases(const Options& options, const Catalogue& catalogue) {
  const auto asked = whatif_cases(options.job.set, options.vary);
  if (!asked) return complain(asked.error());
  JobOptions plain = options.job;
  plain.set.clear();
  const auto question = read_question(plain, catalogue);
  if (!question) return complain(question.error());

  std::deque<Case> cases;
  for (const AskedCase& each : *asked) {
    auto changed = changed_job(*question, each.settings, plain, catalogue);
    if (!changed) return complain(blamed(std::move(changed.error()), each));
    cases.emplace_back().changed = *std::move(changed);
  }
  cases.front().searched = search_job(std::move(cases.front().changed.job), question->known, catalogue, plain);
  if (!*cases.front().searched) return complain(cases.front().searched->error());
  const Searched& base = **cases.front().searched;
  JobOptions alone = plain;
  alone.jobs = 1;  // one thread a case
  auto work = [&](int index) {
    Case& one = cases[static_cast<std::size_t>(index) + 1];
    one.searched = search_job(std::move(one.changed.job), question->known, catalogue, alone);
    if (*one.searched) compare(base, catalogue, alone, one);
  };
  parallel_for(static_cast<int>(cases.size()) - 1, thread_count(options.job), work);

  WhatIfReport report;
  report.command = command_words("whatif", options.job, options.common.data_folder);
  for (const std::string& vary : options.vary) report.command += " --vary " + shell_word(vary);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Case& one = cases[i];
    if (!*one.searched) return complain(one.searched->error());
    const Searched& searched = **one.searched;
    PlanStory& story = one.story.emplace(searched.found, searched.job, catalogue);
    name_market(*question, story);
    story.unfit = one.unfit;
    if (i == 0) blame_phases(searched, catalogue, options.job, story);
    WhatIfCase& shown = report.cases.emplace_back();
    const AskedCase& typed = (*asked)[i];
    shown.title = typed.title;
    shown.settings.assign(typed.settings.begin() + static_cast<std::ptrdiff_t>(typed.titled), typed.settings.end());
    shown.story = &story;
    shown.stays = one.stays ? &story.plan(*one.stays) : nullptr;
    shown.stays_not = one.stays_not;
    for (std::size_t k = 0; k < one.changed.changes.size(); ++k)
      for (const Change& change : one.changed.changes[k])
        shown.changes.push_back({typed.settings[k], change.address, change.before, change.after});
  }
  return deliver_form(
      options.common, exit_code(base.found), [&](const Screen& screen) { return whatif_text(report, screen); },
      [&] { return document(*cases.front().story, [&](JsonWriter& out) { write_whatif(out, report); }); },
      [&] { return whatif_csv(report); });
}

int run_sensitivity(const Options& options, const Catalogue& catalogue) {
  if (!options.vary.empty())
    return complain(wrong_use("--sensitivity: moves every input by itself; leave --vary away"));
  const auto by = parse_amount(options.by.empty() ? "20%" : options.by, AmountKind::kShare);
  if (!by || *by <= 0 || *by >= 1)
    return complain(wrong_use("--by: expected a share above 0% and below 100% such as 10%, got '" +
                              printable(options.by, 40) + "'"));
  const auto question = read_question(options.job, catalogue);
  if (!question) return complain(question.error());
  const auto searched = search_job(question->loaded.job, question->known, catalogue, options.job);
  if (!searched) return complain(searched.error());
  PlanStory story(searched->found, searched->job, catalogue);
  name_market(*question, story);
  blame_phases(*searched, catalogue, options.job, story);
  SensitivityReport report = sensitivity(*question, *searched, catalogue, options.job, *by);
  report.story = &story;
  return deliver_form(
      options.common, exit_code(searched->found),
      [&](const Screen& screen) { return sensitivity_text(report, screen); },
      [&] { return document(story, [&](JsonWriter& out) { write_sensitivity(out, report); }); },
      [&] { return sensitivity_csv(report); });
}

int run(const Options& options) {
  const auto catalogue = load_catalogue(options.common.data_folder);
  if (!catalogue) return complain(catalogue.error());
  if (!options.by.empty() && !options.sensitivity)
    return complain(wrong_use("--by: says how far --sensitivity moves inputs; add --sensitivity"));
  return options.sensitivity ? run_sensitivity(options, *catalogue) : run_cases(options, *catalogue);
}

}  // namespace

CommandSpec whatif_command() {
  auto options = std::make_shared<Options>();
  CommandSpec command{.name = "whatif",
                      .summary = "a job and changes of it side by side; what its hours and cost depend on most",
                      .examples =
                          "  gpuplan whatif job.yaml --set samples=x2\n"
                          "  gpuplan whatif job.yaml --set epochs=16 --set where.spot=only\n"
                          "  gpuplan whatif job.yaml --vary batch=4,8,16 --vary sequence=1024,2048\n"
                          "  gpuplan whatif examples/collection.yaml --set 'market.offers[*].price=-20%'\n"
                          "  gpuplan whatif job.yaml --sensitivity\n",
                      .notes = kHowToRead};
  add_job_options(command, options->job);
  for (OptionSpec& option : command.options)
    if (option.names == "--set")
      option.help =
          "a change such as samples=x2 or limits.deadline=\"12 h\"; may be given again. With --sensitivity: "
          "part of the job";
  command.options.push_back({.names = "--vary",
                             .target = &options->vary,
                             .help = "a value tried in several ways, on top of every --set; may be given again",
                             .value = "ADDRESS=A,B,C"});
  command.options.push_back(
      {.names = "--sensitivity", .target = &options->sensitivity, .help = "which inputs move cost and hours most"});
  command.options.push_back({.names = "--by",
                             .target = &options->by,
                             .help = "how far --sensitivity moves what has no range of its own; 20% unless given",
                             .value = "SHARE"});
  add_output_options(command, options->common);
  add_data_option(command, options->common.data_folder);
  set_run<run>(command, options);
  return command;
}

}  // namespace gpuplan::cli
