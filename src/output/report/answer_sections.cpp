// The first sections: what to take, and which plan for which wish; why nothing fits where nothing does.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/answer/answer_head.h"
#include "output/answer/answer_rows.h"
#include "output/answer/parts/api_words.h"
#include "output/answer/parts/limit_table.h"
#include "output/answer/parts/remedy_table.h"
#include "output/answer/remarks.h"
#include "output/report/report_words.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

std::string lower_first(std::string text) {
  if (text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

/// What to take and what to reckon with, in one sentence.
std::string answer_words(const PlanReport& report, const Plan& pick) {
  std::string words = verdict_words(report);
  constexpr std::string_view kRecommended = "Recommended: ";
  if (words.starts_with(kRecommended)) words = take_words(pick) + " " + words.substr(kRecommended.size());
  const std::string time = time_range(pick.hours);
  words += ". Plan for " + with_range(hours_words(pick.hours.p50), time);
  if (pick.cost.p90 > Dollars{})
    words += " and " + (time.empty() ? with_range(cost_words(pick.cost), cost_range(pick.cost))
                                     : with_range(cost_words(pick.cost), cost_range(pick.cost), ""));
  for (const std::string& part : beside_machines_words(pick, report.catalogue.answer_constants.beside_machines_share))
    words += "; " + part;
  return words + ".";
}

std::string when_words(const PlanReport& report, const Plan& plan) {
  const std::string worth = worth_words(report.found, plan);
  std::string remark = row_remark(report, plan);
  if (plan.cost.p90 <= Dollars{} && remark.starts_with("cheapest"))  // so are others that cost nothing
    remark.erase(0, remark.find_first_not_of(", ", std::string_view("cheapest").size()));
  // Where the pick is as good as another and asks less, the values of an hour are the other's.
  const bool tied = report.found.recommendations.tied_with.has_value();
  if (&plan == report.pick()) {
    const std::string word(pick_word(report));
    return worth.empty() || tied ? word : word + ": " + worth;
  }
  if (worth.empty()) return remark;
  return remark.empty() ? worth : remark + ": " + worth;
}

/// What somebody lets go of who takes that way in place of the plan.
std::string given_up_words(const RentalOption& option, const Plan& plan) {
  std::vector<std::string> words;
  if (option.schedule == Schedule::kStopWhenIdle && (plan.kept || plan.at_once > 1 || option.human_without))
    words.emplace_back("machines are given back while idle, so they must be found again and their disks are lost");
  if (option.human_without) words.emplace_back("no GPU is at hand during manual work");
  if (option.spot && !plan.spot)
    words.push_back(chance_words(option.chance_of_interruption) + " chance of an interruption");
  return listed(words);
}

void add_choices(const ReportParts& parts, const Plan& pick, ReportSection& section) {
  const PlanReport& report = parts.plan;
  TableMaker table("answer", "",
                   {{"way", "Way", false},
                    {"hours", "Time", true},
                    {"hours_range", kRunsHead, true},
                    {"cost_usd", "Cost", true},
                    {"cost_usd_range", kRunsHead, true},
                    {"chance_best", "How often best", true},
                    {"when", "Take it when", false}});
  const auto add = [&](const std::string& name, const Outcome<Seconds>& hours, const Outcome<Dollars>& cost,
                       const std::optional<double>& best, const std::string& when, RowMark mark) {
    table.add({{name},
               time_cell(hours),
               {time_range(hours)},
               money_text(cost),
               {cost_range(cost)},
               best ? Cell(*best, chance_words(*best)) : Cell(),
               {when}},
              mark);
  };
  if (parts.cheaper) {
    const RentalOption& way = parts.ways[*parts.cheaper];
    add("same machine, " + rental_words(way), way.hours, way.cost, std::nullopt,
        "you can live with this: " + given_up_words(way, pick), RowMark::kBest);
  }
  for (const Plan* plan : answer_rows(report))
    add(report.name(*plan), plan->hours, plan->cost, plan->chance_best, when_words(report, *plan),
        plan == &pick       ? RowMark::kPick
        : plan->on_frontier ? RowMark::kNone
                            : RowMark::kBeaten);
  section.blocks.push_back(table.take());
}

}  // namespace

ReportSection answer_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{
      "answer", "What should I " + lower_first(take_words(pick)) + "?", answer_words(report, pick), {}};
  add_choices(parts, pick, section);
  std::vector<std::string> lines;
  for (const auto& [label, words] : pick_lines(report))
    lines.push_back(join(std::vector<std::string>{label, words}, ": ") + ".");
  if (parts.cheaper) {
    const RentalOption& way = parts.ways[*parts.cheaper];
    lines.push_back("Cheaper way: " + rental_words(way) + ", " +
                    with_range(cost_words(way.cost), cost_range(way.cost), "") + " instead of " +
                    cost_words(pick.cost) + ". What it takes: " + given_up_words(way, pick) +
                    ". In the job: " + rental_settings(way) + ".");
  }
  for (const std::string& line : limit_words(report)) lines.push_back(line);
  if (const std::string words = value_words(report); !words.empty()) lines.push_back("What would change it: " + words);
  if (const std::string words = close_words(report); !words.empty()) lines.push_back(words);
  for (const Remark& remark : remarks(report))
    if (!remark.warning && std::ranges::find(lines, remark.text) == lines.end()) lines.push_back(remark.text);
  add_list(section, lines);
  for (const Remark& remark : remarks(report))
    if (remark.warning) section.blocks.push_back(NoteBlock{"Check first: " + without_hints(remark.text)});
  if (!report.limit_remedies.empty()) {
    TableMaker table(
        "limit_remedies", "What would keep the limits",
        {{"change", "Change", false}, {"hours", "Time", true}, {"cost_usd", "Cost", true}, {"then", "Then", false}});
    for (std::size_t i = 0; i < report.limit_remedies.size(); ++i) {
      const LimitRemedy& remedy = report.limit_remedies[i];
      table.add({{i < report.limit_changes.size() ? report.limit_changes[i] : remedy.change},
                 time_cell(remedy.hours),
                 money_text(remedy.cost),
                 {report.found.plans.empty() ? fit_verdict(remedy) : limit_verdict(remedy, report.job.limits)}});
    }
    section.blocks.push_back(table.take());
  }
  return section;
}

namespace {

/// "Leave out 4x A100 and 1x B200: 4x H100 is at least as fast and as cheap.": one for each plan that beats others,
/// the first of which are the most worth a look. Plans that turn out best now and then are none of them.
std::vector<std::string> left_out_words(const PlanReport& report, const std::vector<std::string>& chosen) {
  constexpr std::size_t kNamed = 6, kLines = 4;
  constexpr double kNowAndThen = 0.05;
  struct Beaten {
    const Plan* by;
    std::vector<std::string> names;
  };
  std::vector<Beaten> all;
  for (const Plan& plan : report.found.plans) {
    // Where nothing is paid, fewer GPUs are a reason to take the slower one.
    if (plan.dominated_by.empty() || plan.cost.p90 <= Dollars{} || std::ranges::find(chosen, plan.id) != chosen.end() ||
        plan.chance_best.value_or(0) >= kNowAndThen)
      continue;
    const Plan* by = &report.plan(plan.dominated_by.front());
    auto found = std::ranges::find(all, by, &Beaten::by);
    if (found == all.end()) found = all.insert(all.end(), Beaten{by, {}});
    found->names.push_back(report.name(plan));
  }
  std::vector<std::string> lines;
  std::size_t others = 0;
  for (Beaten& one : all) {
    if (lines.size() == kLines) {
      others += one.names.size();
      continue;
    }
    const std::size_t more = one.names.size() - std::min(one.names.size(), kNamed);
    one.names.resize(one.names.size() - more);
    if (more > 0) one.names.push_back(count_text(static_cast<double>(more)) + " more");
    lines.push_back("Leave out " + listed(one.names) + ": " + report.name(*one.by) +
                    " is at least as fast and as cheap.");
  }
  if (others > 0)
    lines.push_back("Beaten as well: " + count_of(static_cast<double>(others), "more plan") + " (--show dominated).");
  return lines;
}

}  // namespace

ReportSection choice_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const ViewContent view = decisions_view(report, Screen{});
  ReportSection section{"choice", "Which plan for which wish?", "", {}};
  if (view.table.rows() < 2 || report.found.plans.size() < 2) return section;
  section.finding = without_hints(view.notes.empty() ? std::string() : view.notes.front());
  section.blocks.push_back(table_block(view.table, "choices", "",
                                       {{"priority", "Wish"},
                                        {"plan", "Plan"},
                                        {"hours", "Hours"},
                                        {"hours~", kRunsHead},
                                        {"cost_usd", "Cost"},
                                        {"cost_usd~", "$, 8 in 10 runs"},
                                        {"limits", "Limits"},
                                        {"when", "Take it when"}}));
  section.blocks.push_back(table_block(view.table, "choice_machines", "Their machines",
                                       {{"priority", "Wish"},
                                        {"where", "Provider"},
                                        {"usd_per_hour", "$ an hour"},
                                        {"MEMORY PER GPU", "Memory per GPU"},
                                        {"batch", "Batch"}}));
  std::string commands;
  std::vector<std::string> seen;
  for (const std::vector<Cell>& row : view.table.cells()) {
    std::string id;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (view.table.columns()[i].key == "id") id = row[i].text;
    if (id.empty() || std::ranges::find(seen, id) != seen.end()) continue;
    seen.push_back(id);
    const auto plan = std::ranges::find(report.found.plans, id, &Plan::id);
    if (plan == report.found.plans.end()) continue;
    if (const std::string command = launch_of(parts, *plan); !command.empty())
      commands += (commands.empty() ? "" : "\n") + std::string("# ") + row.front().text + ": " + report.name(*plan) +
                  "\n" + command + " -o run-" + plan->id;
  }
  if (const Offer* offer = report.pick()->offer; offer != nullptr && offer->kind != OfferKind::kRented)
    section.blocks.push_back(table_block(pool_view(report, Screen{}).table, "pool", "By number of GPUs",
                                         {{"plan", "Plan"},
                                          {"GPUS", "GPUs"},
                                          {"MEMORY PER GPU", "GiB per GPU"},
                                          {"hours", "Hours"},
                                          {"hours~", kRunsHead},
                                          {"free_share", "Left free"},
                                          {"complexity", "Set-up"},
                                          {"chance_in_time", "In time"},
                                          {"when", "What for"}}));
  if (parts.cheaper) {
    const RentalOption& way = parts.ways[*parts.cheaper];
    section.blocks.push_back(TextBlock{
        "These keep to the terms of the job. On others the recommended machines cost less: " + rental_words(way) +
        ", " + cost_words(way.cost) + "."});
  }
  add_list(section, left_out_words(report, seen));
  if (seen.size() > 1 && !commands.empty()) {
    const bool rented = offers_to_rent(report.found.plans);
    section.blocks.push_back(TextBlock{std::string("Scripts for each of them (nothing is ") +
                                       (rented ? "rented or started):" : "started):")});
    section.blocks.push_back(CodeBlock{"sh", commands});
  }
  return section;
}

ReportSection nothing_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const std::vector<std::string> why = nothing_fits_words(report);
  ReportSection section{"answer", "What should I rent?", "Nothing fits.", {}};
  if (!why.empty()) section.finding = without_hints(why.front());
  add_list(section, {why.begin() + (why.empty() ? 0 : 1), why.end()});
  const NearMiss& miss = report.found.tally.nearest;
  if (memory_is_to_blame(report) && miss.gpu != nullptr && !parts.remedies.empty()) {
    TableMaker table("remedies", "What would make it fit on " + std::string(miss.gpu->name),
                     {{"change", "Change", false}, {"needed_gib", "GiB per GPU", true}, {"then", "Then", false}});
    for (const Remedy& remedy : parts.remedies)
      table.add({{remedy.change},
                 {remedy.needed / units::GiB, gib_text(remedy.needed) + " of " + gib_text(miss.usable)},
                 {std::string(remedy_verdict(remedy, miss.usable))}},
                remedy.enough ? RowMark::kBest : RowMark::kNone);
    section.blocks.push_back(table.take());
  }
  std::vector<std::string> lines;
  if (const std::string market = market_words(report); !market.empty()) lines.push_back(market);
  if (report.found.market.used > 0) lines.push_back(tally_words(report));
  add_list(section, lines);
  return section;
}

}  // namespace gpuplan
