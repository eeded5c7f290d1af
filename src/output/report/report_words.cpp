#include "output/report/report_words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/advice/profiles.h"
#include "plan/billing/interruptions.h"
#include "plan/notes/command_text.h"
#include "plan/notes/interruption_notes.h"

namespace gpuplan {

std::string time_range(const Outcome<Seconds>& hours) {
  return time_range(Interval<Seconds>{hours.p10, hours.p50, hours.p90});
}

std::string time_range(const Interval<Seconds>& time) {
  constexpr double kExactMinutes = 10;  // below them hours_words() has tenths of a minute, range_words() seconds
  if (time.p50 >= units::minute && time.p50 < kExactMinutes * units::minute && !time.exact()) {
    const std::string low = significant_text(time.p10 / units::minute, 2);
    const std::string high = significant_text(time.p90 / units::minute, 2);
    return (low == high ? low : low + kRangeDash + high) + " min";
  }
  // "39 min (32–47)": in the unit of the median.
  const std::string words = range_words(time);
  const std::size_t open = words.find(" ("), close = words.rfind(')'), blank = words.find(' ');
  if (open == std::string::npos || close == std::string::npos || blank >= open) return "";
  return words.substr(open + 2, close - open - 2) + words.substr(blank, open - blank);
}

std::string time_words(const Interval<Seconds>& time) {
  const std::string range = time_range(time);
  return hours_words(time.p50) + (range.empty() ? "" : " (" + range.substr(0, range.find(' ')) + ")");
}

std::string cost_range(const Outcome<Dollars>& cost) {
  const std::string range = cost.p10 == cost.p90 ? std::string() : outcome_text(cost);
  return range.empty() ? range : "$" + range;
}

std::string with_range(std::string words, std::string_view range, std::string_view of) {
  if (!range.empty()) words.append(" (").append(of).append(range).append(")");
  return words;
}

std::string bill_money(Dollars money, Dollars total) {
  if (money <= Dollars{}) return kNoValue;
  // Cents, and below a dollar hundredths of them, as plans are billed (plan/billing/bill_pay.cpp).
  const int digits = total < Dollars{1} ? 4 : 2;
  const double units = total < Dollars{1} ? 1e4 : 100;
  const double all = std::round(money / units::dollar * units);
  std::string rest = std::to_string(static_cast<long long>(std::fmod(all, units)));
  rest.insert(0, static_cast<std::size_t>(digits) - std::min(rest.size(), static_cast<std::size_t>(digits)), '0');
  return "$" + count_text(std::floor(all / units)) + "." + rest;
}

Cell time_cell(const Outcome<Seconds>& hours) { return {hours.p50 / units::hour, hours_words(hours.p50)}; }
Cell wait_cell(Seconds wait) { return wait > Seconds{} ? Cell(wait / units::hour, hours_text(wait)) : Cell(); }
Cell money_text(const Outcome<Dollars>& cost) { return {cost.p50 / units::dollar, cost_words(cost)}; }

void add_ranges(const Outcome<Seconds>& hours, const Outcome<Dollars>& cost, TableMaker& table) {
  if (hours.p10 != hours.p90) table.range("hours_range", hours.p10 / units::hour, hours.p90 / units::hour);
  if (cost.p10 != cost.p90) table.range("cost_usd_range", cost.p10 / units::dollar, cost.p90 / units::dollar);
}

std::string without_hints(std::string text) {
  const auto is_hint = [&](std::size_t at) { return text.compare(at, 2, "--") == 0; };
  for (std::size_t from = 0; (from = text.find(" (", from)) != std::string::npos;) {
    const std::size_t end = text.find(')', from);
    if (end != std::string::npos && is_hint(from + 2)) text.erase(from, end + 1 - from);
    else ++from;
  }
  // "(3 more: --show evidence)", "2 more issues: --show problems".
  for (std::size_t from = 0; (from = text.find(": --show", from)) != std::string::npos;) {
    std::size_t end = from + 3;
    while (end < text.size() && text[end] != ')' && text[end] != ';' && text[end] != '.') ++end;
    text.erase(from, end - from);
  }
  for (const std::string_view sign : {"✔ ", "~ ", "! "})
    if (text.starts_with(sign)) text.erase(0, sign.size());
  return text;
}

std::vector<std::string> without_hints(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts)
    if (std::string plain = without_hints(text); !plain.empty()) result.push_back(std::move(plain));
  return result;
}

void add_list(ReportSection& section, const std::vector<std::string>& items) {
  section.blocks.push_back(ListBlock{false, without_hints(items)});
}

std::string phase_name(const PlanReport& report, const PhasePlan& part) {
  return printable(phase_of(report, part).name, 40);
}

std::string take_words(const Plan& plan) { return rents(plan) ? "Rent" : "Use"; }

std::string again_words(const ReportParts& parts) {
  const Plan& pick = *parts.plan.pick();
  const Job& job = parts.plan.job;
  std::vector<std::string> names, unsure;
  for (const int position : parts.run.anew) {
    // The plan counts some of them as going on: their programs may find their own checkpoints.
    const auto part =
        std::ranges::find(pick.phases, position, [](const PhasePlan& one) { return one.estimate->phase; });
    const bool counted = part != pick.phases.end() && can_be_interrupted(job, *part) &&
                         !spot_terms(job, part->estimate, *part->offer).anew;
    (counted ? unsure : names).push_back(printable(job.phases[static_cast<std::size_t>(position)].name, 40));
  }
  std::string goes_on = "it goes on from the last checkpoint";
  if (!unsure.empty()) goes_on += ", in " + listed(unsure) + " if the program finds its own, as the plan assumes";
  if (names.empty()) return goes_on;
  const bool all = std::ranges::all_of(pick.phases, [&](const PhasePlan& part) {
    return part.offer == nullptr || std::ranges::find(parts.run.anew, part.estimate->phase) != parts.run.anew.end();
  });
  return (all && unsure.empty() ? std::string() : goes_on + ", but ") + listed(names) +
         (names.size() == 1 ? " begins anew" : " begin anew");
}

std::string same_as(const PlanReport& report, const RentalOption& option) {
  const auto same = [&](const Outcome<Seconds>& hours, const Outcome<Dollars>& cost) {
    return hours.p50 == option.hours.p50 && cost.p50 == option.cost.p50;
  };
  for (const VariantReport& variant : report.variants)
    if (variant.pick && same(variant.pick->hours, variant.pick->cost)) return "variant " + printable(variant.name, 40);
  for (const Plan& plan : report.found.plans)
    if (same(plan.hours, plan.cost)) return report.name(plan);
  return "";
}

bool is_way(const ReportParts& parts, const VariantReport& variant) {
  return variant.pick && parts.ways.size() > 1 && std::ranges::any_of(parts.ways, [&](const RentalOption& way) {
           return way.hours.p50 == variant.pick->hours.p50 && way.cost.p50 == variant.pick->cost.p50;
         });
}

namespace {

bool is_weighty(const std::string& assumption) { return assumption.contains(" the phase would "); }

}  // namespace

std::vector<std::string> assumptions_told(const PlanReport& report) {
  std::vector<std::string> lines = report.job.from_config;
  lines.insert(lines.end(), report.found.assumptions.begin(), report.found.assumptions.end());
  std::ranges::stable_partition(lines, is_weighty);
  return lines;
}

std::size_t weighty_assumptions(const std::vector<std::string>& told) {
  return static_cast<std::size_t>(std::ranges::count_if(told, is_weighty));
}

std::string launch_of(const ReportParts& parts, const Plan& plan) {
  if (parts.run.launch.empty()) return "";
  return parts.run.launch + " --plan " + plan.id + (plan.fit == Fit::kTight ? " --allow-tight" : "");
}

std::string command_run(const PlanReport& report, const PhasePlan& part) {
  const Phase& phase = phase_of(report, part);
  const PhaseEstimate& estimate = part.estimate;
  if (const auto* cpu = std::get_if<CpuPhase>(&phase.work)) return std::string(trim(cpu->command));
  if (phase.command.empty()) return "";
  const std::string command = filled_command(
      phase, estimate,
      estimate.node ? profile_name(estimate.node->gpu->name, estimate.gpus, estimate.nodes) : std::string(kCpuProfile));
  return std::string(trim(command));
}

std::string commands_run(const PlanReport& report, const Plan& pick) {
  std::string text;
  for (const PhasePlan& part : pick.phases)
    if (const std::string command = command_run(report, part); !command.empty())
      text += (text.empty() ? "# " : "\n# ") + phase_name(report, part) + "\n" + command;
  return text;
}

std::optional<LinksBlock> script_links(const ReportParts& parts, std::string_view section) {
  constexpr std::string_view kPhases = "phases/";
  const bool all = section == "basis";
  if (section != "work" && section != "run" && !all) return std::nullopt;
  LinksBlock block{.text = section == "work" ? "Scripts of the phases"
                           : all             ? "Files in " + parts.run.folder
                                             : "Scripts that start it",
                   .links = {}};
  for (const RunPart::Script& script : parts.run.scripts) {
    const bool of_phase = script.path.starts_with(kPhases);
    if (!script.beside || (!all && of_phase != (section == "work"))) continue;
    const std::string name = of_phase && !all ? script.path.substr(kPhases.size()) : script.path;
    block.links.emplace_back(name, parts.run.folder + "/" + script.path);
  }
  if (block.links.empty()) return std::nullopt;
  return block;
}

}  // namespace gpuplan
