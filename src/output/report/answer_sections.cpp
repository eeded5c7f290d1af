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
#include "output/explain/own_terms_words.h"
#include "output/report/report_words.h"
#include "output/report/said_once.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/ranking/ranking.h"

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
  words += wait_words(pick);
  if (pick.cost.p90 > Dollars{})
    words += " and " + (time.empty() ? with_range(cost_words(pick.cost), cost_range(pick.cost))
                                     : with_range(cost_words(pick.cost), cost_range(pick.cost), ""));
  if (pick.credits > Dollars{}) {
    // What is left to pay, or that nothing is.
    if (pick.cost.p90 <= Dollars{}) words += " and nothing to pay";
    words += ", " + credit_words(report.job, pick);
  }
  for (const std::string& part : beside_machines_words(pick, report.catalogue.answer_constants.beside_machines_share))
    words += "; " + part;
  // Where another plan is as good, why this one.
  if (report.found.recommendations.tied_with)
    for (const auto& [label, why] : pick_lines(report))
      if (label == "Why") words += ". It has " + without_hints(why);
  return words + ".";
}

std::string when_words(const PlanReport& report, const Plan& plan) {
  const std::string worth = worth_words(report.found, plan);
  std::string remark = row_remark(report, plan);
  if (plan.cost.p90 <= Dollars{} && remark.starts_with("cheapest"))  // so are others that cost nothing
    remark.erase(0, remark.find_first_not_of(", ", std::string_view("cheapest").size()));
  // Where the pick is as good as another and asks less, the values of an hour are the other's.
  const auto tied = report.found.recommendations.tied_with;
  if (&plan == report.pick()) {
    const std::string word(pick_word(report));
    if (tied) return word + ": about as good as " + report.name(report.plan(*tied)) + ", and asks less";
    return worth.empty() ? word : word + ": " + worth;
  }
  if (worth.empty()) {
    const std::vector<std::string> never = never_best(report);
    if (remark.empty() && std::ranges::find(never, report.name(plan)) != never.end())
      return "some other plan is better at every value of your time";
    return remark;
  }
  return remark.empty() ? worth : remark + ": " + worth;
}

/// What the words of the table mean that is no common knowledge.
std::string meaning_words(const PlanReport& report, const TableBlock& table) {
  std::string words;
  if (std::ranges::find(table.columns, "chance_best", &TableColumn::key) != table.columns.end() &&
      std::ranges::any_of(report.found.plans, [](const Plan& plan) { return plan.chance_best.has_value(); })) {
    words = "How often best: of cases drawn over all ranges together, the share in which the plan ";
    switch (report.job.goal) {
      case Goal::kBestValue:
        words += "costs least, your time at " + short_money(report.job.value_of_time * units::hour) + "/h included.";
        break;
      case Goal::kCheapest:
        words += "costs least.";
        break;
      case Goal::kFastest:
        words += "is done first.";
        break;
      case Goal::kFewestGpus:
        words += "is the best of those compared.";
        break;
    }
  }
  int most = 1;
  for (const Plan* plan : answer_rows(report)) most = std::max(most, plan->at_once);
  if (most > 1)
    words += (words.empty() ? "" : " ") + std::to_string(most) + " at a time: up to " + std::to_string(most) +
             " such machines in parallel, for phases that need not wait for each other.";
  return words;
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
                    {"wait_hours", kQueueHead, true},
                    {"cost_usd", "Cost", true},
                    {"cost_usd_range", kRunsHead, true},
                    {"chance_best", "How often best", true},
                    {"when", "Take it when", false}});
  const auto add = [&](const std::string& name, const Outcome<Seconds>& hours, const Outcome<Dollars>& cost,
                       const Seconds wait, const std::optional<double>& best, const std::string& when, RowMark mark) {
    table.add({{name},
               time_cell(hours),
               {time_range(hours)},
               wait_cell(wait),
               money_text(cost),
               {cost_range(cost)},
               best ? Cell(*best, chance_words(*best)) : Cell(),
               {when}},
              mark);
    add_ranges(hours, cost, table);
  };
  if (parts.cheaper) {
    const RentalOption& way = parts.ways[*parts.cheaper];
    add("same machine, " + rental_words(way), way.hours, way.cost, pick.wait.p50, std::nullopt,
        "you can live with this: " + given_up_words(way, pick), RowMark::kBest);
  }
  for (const Plan* plan : answer_rows(report))
    add(report.name(*plan), plan->hours, plan->cost, plan->wait.p50, plan->chance_best, when_words(report, *plan),
        plan == &pick       ? RowMark::kPick
        : plan->on_frontier ? RowMark::kNone
                            : RowMark::kBeaten);
  TableBlock block = table.take();
  const std::string meaning = meaning_words(report, block);
  section.blocks.push_back(std::move(block));
  section.blocks.push_back(TextBlock{meaning});
}

/// Changes of the job that were searched.
void add_changes(const PlanReport& report, std::string title, ReportSection& section) {
  if (report.limit_remedies.empty()) return;
  const bool nothing = report.found.plans.empty();
  TableMaker table("limit_remedies", std::move(title),
                   {{"change", "Change", false},
                    {"plan", "Plan", false},
                    {"hours", "Time", true},
                    {"cost_usd", "Cost", true},
                    {"then", "Then", false}});
  for (std::size_t i = 0; i < report.limit_remedies.size(); ++i) {
    const LimitRemedy& remedy = report.limit_remedies[i];
    table.add({{i < report.limit_changes.size() ? report.limit_changes[i] : remedy.change},
               {nothing ? remedy_plan(remedy) : std::string()},  // plans of the job have other figures there
               time_cell(remedy.hours),
               money_text(remedy.cost),
               {nothing ? fit_verdict(remedy) : limit_verdict(remedy, report.job.limits)}});
  }
  section.blocks.push_back(table.take());
}

}  // namespace

ReportSection answer_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{
      "answer", "What should I " + lower_first(take_words(pick)) + "?", answer_words(report, pick), {}};
  add_choices(parts, pick, section);
  // Time and cost stand in the finding, what they hold on the bill; interruptions among the risks.
  std::vector<std::string> lines;
  for (const auto& [label, words] : pick_lines(report))
    if (label == "Run" || (label == "Why" && !report.found.recommendations.tied_with))
      lines.push_back(join(std::vector<std::string>{label, words}, ": ") + ".");
  if (parts.cheaper) {
    const RentalOption& way = parts.ways[*parts.cheaper];
    lines.push_back("Cheaper way: " + rental_words(way) + ", " +
                    with_range(cost_words(way.cost), cost_range(way.cost), "") + " instead of " +
                    cost_words(pick.cost) + ". In the job: " + rental_settings(way) + ".");
  }
  for (const std::string& line : asked_words(report)) lines.push_back(line);
  if (pick.interruptions > 0)
    lines.push_back(chance_words(pick.chance_of_interruption()) + " chance of an interruption: see what may go wrong.");
  // Ranges that overlap are of cases that go together: who is the best in nearly all of them is no close call.
  constexpr double kNearlyAlways = 0.9;
  const bool clear = pick.chance_best.value_or(0) >= kNearlyAlways;
  if (const std::string words = close_words(report); !words.empty() && !clear) lines.push_back(words);
  const std::vector<Remark> said = remarks(report);
  for (const Remark& remark : said)
    if (!remark.warning && (remark.about == RemarkAbout::kOther || (remark.about == RemarkAbout::kRegret && !clear)) &&
        std::ranges::find(lines, remark.text) == lines.end())
      lines.push_back(remark.text);
  add_list(section, lines);
  for (const Remark& remark : said)
    if (remark.warning) section.blocks.push_back(NoteBlock{"Check first: " + without_hints(remark.text)});
  if (const std::vector<std::string> assumed = assumptions_told(report); weighty_assumptions(assumed) > 0)
    section.blocks.push_back(NoteBlock{"Check first: " + without_hints(assumed.front())});
  add_changes(report, "What would keep the limits", section);
  return section;
}

namespace {

/// One row for each plan, whatever it is wished for. Returns the plans' ids, one a row.
std::vector<std::string> join_wishes(TableBlock& table) {
  const auto at = std::ranges::find(table.columns, "id", &TableColumn::key) - table.columns.begin();
  if (at == std::ssize(table.columns)) return {};
  const auto id = static_cast<std::size_t>(at), when = id - 1;
  std::vector<TableRow> rows;
  for (TableRow& row : table.rows) {
    const auto same = std::ranges::find_if(
        rows, [&](const TableRow& other) { return !row.cells[id].empty() && other.cells[id] == row.cells[id]; });
    if (same == rows.end()) {
      rows.push_back(std::move(row));
      continue;
    }
    same->cells.front() += ", " + row.cells.front();
    // "cost counts: no plan is cheaper", "hours count: no plan is cheaper": the same reason for two wishes.
    std::string_view rest = row.cells[when];
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find("; "), rest.size());
      const std::string_view words = rest.substr(0, end);
      const std::size_t colon = words.find(": ");
      const std::string_view reason = colon == std::string_view::npos ? words : words.substr(colon + 2);
      if (!same->cells[when].contains(reason)) same->cells[when] += "; " + std::string(words);
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    if (row.mark == RowMark::kPick) same->mark = RowMark::kPick;
  }
  std::vector<std::string> ids;
  for (const TableRow& row : rows) ids.push_back(row.cells[id]);
  table.rows = std::move(rows);
  table.erase_column(id);
  return ids;
}

/// What an hour of each plan's machines costs, with what makes the bill another than hours at that price.
void tell_bills(const ReportParts& parts, const std::vector<std::string>& ids, TableBlock& table) {
  constexpr double kSeen = 0.04;
  const auto column = std::ranges::find(table.columns, "usd_per_hour", &TableColumn::key);
  if (column == table.columns.end()) return;
  const auto at = static_cast<std::size_t>(column - table.columns.begin());
  for (std::size_t i = 0; i < ids.size() && i < table.rows.size(); ++i) {
    const auto plan = std::ranges::find(parts.plan.found.plans, ids[i], &Plan::id);
    std::string& cell = table.rows[i].cells[at];
    if (ids[i].empty() || plan == parts.plan.found.plans.end() || cell.empty()) continue;
    const auto price = price_of(*plan);
    if (!price || *price <= DollarsPerSecond{} || plan->cost.p50 <= Dollars{}) continue;
    const Seconds billed = plan->machines_cost() / *price;
    if (billed < (1 - kSeen) * plan->hours.p50 || billed > (1 + kSeen) * plan->hours.p50)
      cell.insert(0, hours_words(billed) + " billed at ");
    if (const Dollars beside = plan->disk + plan->egress; beside > kSeen * plan->cost.p50)
      cell += ", and " + to_text(beside) + " for disks and transfers";
  }
}

/// The command that writes the scripts of each row, to be copied.
std::string start_commands(const ReportParts& parts, const std::vector<std::string>& ids) {
  std::string commands;
  for (const std::string& id : ids) {
    const auto plan = std::ranges::find(parts.plan.found.plans, id, &Plan::id);
    if (id.empty() || plan == parts.plan.found.plans.end()) continue;
    const std::string command = launch_of(parts, *plan);
    if (!command.empty())
      commands += (commands.empty() ? "" : "\n") + command + "  # " + printable(parts.plan.name(*plan), 80);
  }
  return commands;
}

}  // namespace

ReportSection choice_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const ViewContent view = decisions_view(report, Screen{});
  ReportSection section{"choice", "Which plan for which wish?", "", {}};
  if (view.table.rows() < 2 || report.found.plans.size() < 2) return section;
  const auto best = [](const Plan& plan) { return plan.on_frontier; };
  // The answer has said the rest.
  if (report.pick()->on_frontier && std::ranges::count_if(report.found.plans, best) == 1)
    section.finding = report.name(*report.pick()) + " is the cheapest and the fastest.";
  else section.finding = without_hints(view.notes.empty() ? std::string() : view.notes.front());
  TableBlock wishes = table_block(view.table, "choices", "",
                                  {{"priority", "Wish"},
                                   {"plan", "Plan"},
                                   {"hours", "Hours"},
                                   {"hours~", kRunsHead},
                                   {"wait_hours", kQueueHead},
                                   {"cost_usd", "Cost"},
                                   {"cost_usd~", "$, 8 in 10 runs"},
                                   {"usd_per_hour", "$ an hour"},
                                   {"where", "Provider"},
                                   {"MEMORY PER GPU", "Memory per GPU"},
                                   {"batch", "Batch"},
                                   {"limits", "Limits"},
                                   {"when", "Take it when"},
                                   {"id", "ID"}});
  const std::vector<std::string> ids = join_wishes(wishes);
  tell_bills(parts, ids, wishes);
  const std::string same = said_once(wishes, {"Provider", "Memory per GPU", "Batch"});
  section.blocks.push_back(std::move(wishes));
  section.blocks.push_back(TextBlock{same});
  if (std::string commands = start_commands(parts, ids); !commands.empty()) {
    section.blocks.push_back(TextBlock{"To start one of them, write its scripts:"});
    section.blocks.push_back(CodeBlock{"sh", std::move(commands)});
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
  return section;
}

ReportSection nothing_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const std::vector<std::string> why = nothing_fits_words(report);
  ReportSection section{"answer", "What should I rent?", "Nothing fits.", {}};
  if (!why.empty()) section.finding = without_hints(why.front());
  add_list(section, {why.begin() + (why.empty() ? 0 : 1), why.end()});
  add_changes(report, "What would make it run", section);
  const NearMiss& miss = report.found.tally.nearest;
  if (memory_is_to_blame(report) && miss.gpu != nullptr && !parts.remedies.empty()) {
    const bool enough = std::ranges::any_of(parts.remedies, &Remedy::enough);
    TableMaker table("remedies",
                     (enough ? "What would make it fit on " : "What would need less memory, and is not enough on ") +
                         std::string(miss.gpu->name),
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
