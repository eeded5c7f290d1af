// How it is started, what to watch, and what to do when things are not as planned.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/check/watch_list.h"
#include "output/questions/sensitivity_report.h"
#include "output/report/report_words.h"
#include "output/report/run_steps.h"
#include "output/report/said_once.h"
#include "output/views/plan_views.h"
#include "output/words/collection_words.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/billing/interruptions.h"
#include "plan/notes/command_text.h"
#include "plan/ranking/fallback.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// "Set DATA_02_SFT: file or folder ..." as a line to fill in; empty: the note is about something else.
std::string variable_line(const std::string& note) {
  constexpr std::string_view kSet = "Set ";
  const std::size_t colon = note.find(": ");
  if (!note.starts_with(kSet) || colon == std::string::npos) return "";
  const std::string name = note.substr(kSet.size(), colon - kSet.size());
  const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; };
  if (name.empty() || !std::ranges::all_of(name, letter)) return "";
  std::string what = note.substr(colon + 2);
  std::ranges::replace(what, '\n', ' ');
  return "# " + what + "\nexport " + name + "=";
}

/// Machines that no script rents: what to look for, and how the scripts get there.
void add_renting(const PlanReport& report, const Plan& pick, const RunPart& run, Steps& steps) {
  std::vector<std::string> machines;
  for (const Lease& lease : pick.leases)
    if (lease.offer != nullptr && lease.offer->kind == OfferKind::kRented)
      machines.push_back(machine_words(report, pick, lease));
  steps.add("Rent " + join(machines, "; ") + ". It bills from then on.");
  steps.add("Copy the folder there, and go on where you are logged in. USER@HOST is what the provider shows.",
            "scp -r ../" + run.folder + " USER@HOST:\nssh USER@HOST\ncd " + run.folder);
}

std::vector<std::string> done_lines(const ReportParts& parts) {
  std::vector<std::string> lines, folders;
  const PlanReport& report = parts.plan;
  for (std::size_t i = 0; i < report.job.phases.size(); ++i) {
    const Phase& phase = report.job.phases[i];
    const std::string name = printable(phase.name, 40);
    for (const std::string& condition : phase.succeed_when) lines.push_back(name + ": " + printable(condition, 200));
    if (!phase.succeed_when.empty()) continue;
    const auto slug =
        std::ranges::find(parts.run.phase_slugs, static_cast<int>(i), &std::pair<int, std::string>::first);
    const bool marked = slug != parts.run.phase_slugs.end();
    if (!phase.yields.empty())
      lines.push_back(name + " gave " + printable(phase.yields, 120) +
                      (marked ? "; the file runs/" + slug->second + "/done is there" : ""));
    else if (marked) folders.push_back(slug->second);
    else lines.push_back(name + " is through");
  }
  if (folders.size() == 1) lines.push_back("the file runs/" + folders.front() + "/done is there");
  else if (!folders.empty())
    lines.push_back("the file \"done\" is there in " +
                    (folders.size() == report.job.phases.size()
                         ? "each of the " + count_text(static_cast<double>(folders.size())) + " folders of runs"
                         : "runs/" + listed(folders)));
  if (rents(*report.pick())) lines.emplace_back("nothing is rented any more: no machine, no disk, no bucket");
  return lines;
}

}  // namespace

ReportSection run_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  const RunPart& run = parts.run;
  ReportSection section{"run", "How do I run it?", "", {}};
  Steps steps(section);
  if (run.launch.empty()) {
    section.finding = run.why_not.empty() ? std::string() : "gpuplan writes no scripts for it: " + run.why_not;
    section.blocks.push_back(ChecksBlock{done_lines(parts)});
    return section;
  }
  // What is to be set stands in the step that sets it.
  std::vector<std::string> known;
  for (const std::string& note : run.notes)
    if (variable_line(note).empty()) known.push_back(note);
  section.blocks.push_back(FoldBlock{"Know before you start", {ListBlock{false, std::move(known)}}});
  steps.add(rents(pick) ? "Write the scripts. Nothing is rented or started." : "Write the scripts. Nothing is started.",
            launch_of(parts, pick) + " -o " + run.folder + "\ncd " + run.folder);
  std::string variables;
  for (const std::string& note : run.notes)
    if (const std::string line = variable_line(note); !line.empty())
      variables += (variables.empty() ? "" : "\n") + line;
  const auto add_variables = [&] {
    if (!variables.empty()) steps.add("Say where your things are; write the values behind the signs.", variables);
  };
  const bool by_hand = run.by_hand && rents(pick);
  if (!by_hand) add_variables();
  // What the scripts wait for comes after they were started, where something runs before it.
  const auto add_by_hand = [&](bool first) {
    for (const Phase& phase : report.job.phases) {
      if (!phase.before || phase.before->text.empty() || phase.needs.empty() != first) continue;
      steps.add(by_hand_words(phase) + (first ? "" : ". The scripts stop there until it is done."));
    }
  };
  add_by_hand(true);
  // Machines that are taken one after another, and what runs between them, each in its turn.
  const bool in_turn = by_hand && pick.leases.size() > 1;
  std::vector<RunPart::Step> commands;
  if (by_hand && !in_turn) {  // scripts of other launchers rent, copy and give back
    add_renting(report, pick, run, steps);
    add_variables();
  }
  std::string watch;
  for (const RunPart::Step& step : run.steps) {
    const std::vector<const PhasePlan*> about = phases_in(parts, pick, step.command);
    const auto begins = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::any_of(words, [&](std::string_view word) { return step.note.starts_with(word); });
    };
    // What comes while it runs and after it, in the words of the launchers.
    const bool later =
        begins({"status", "follow", "stop", "look", "logs", "GPU utilization", "cancel", "what it prints", "downloads",
                "terminates", "after an interruption", "if it failed", "again"});
    if (later) {
      watch += (watch.empty() ? "" : "\n") + step.command + "  # " + step.note;
      continue;
    }
    if (in_turn) {
      commands.push_back(step);
      continue;
    }
    std::string words = upper_first(step.note.empty() ? std::string("run this") : step.note);
    if (!about.empty()) words += " (" + phase_figures(report, pick, about) + ")";
    steps.add(words + (words.ends_with('.') ? "" : "."), step.command);
  }
  // Before the machines, which are given back one by one.
  if (in_turn && !watch.empty())
    steps.add("For later: on each machine, while it runs, watch it, and stop it when you have to.", watch);
  if (in_turn) add_machines_in_turn(parts, pick, commands, steps);
  else add_by_hand(false);
  if (!in_turn && !watch.empty()) steps.add("Watch it, and stop it when you have to.", watch);
  if (by_hand && !in_turn)
    steps.add(
        "Fetch the results to your own machine, then give back what is rented, its disks too: it bills until then.",
        "scp -r USER@HOST:" + run.folder + "/runs .");
  section.finding = "It takes " + count_of(steps.count(), "step") + ", " + hours_words(pick.hours.p50) +
                    (pick.cost.p50 > Dollars{} ? " and " + cost_words(pick.cost) + "." : ".");
  section.blocks.push_back(TextBlock{"Done when", true});
  section.blocks.push_back(ChecksBlock{done_lines(parts)});
  if (parts.cheaper) {
    const RentalOption& way = parts.ways[*parts.cheaper];
    std::string command = run.launch;
    command += std::string(" --set where.spot=") + (way.spot ? "only" : "never") +
               " --set schedule=" + std::string(name_of(way.schedule)) + " -o " + run.folder + "-cheaper";
    section.blocks.push_back(TextBlock{"For the cheaper way (" + rental_words(way) + ", " + cost_words(way.cost) +
                                       ") write other scripts, and follow the README.md in that folder:"});
    section.blocks.push_back(CodeBlock{"sh", command});
  }
  return section;
}

ReportSection trouble_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{"trouble", "What if it does not go as planned?", "", {}};
  struct Sign {
    WatchLine line;
    std::vector<std::string> phases;
  };
  std::vector<Sign> signs;
  std::size_t watched = 0;
  std::string commands;
  for (const PhasePlan& part : pick.phases) {
    const Phase& phase = phase_of(report, part);
    const Expectation expected = expectation_of(report.job, pick, part, strategy_words(part.estimate, phase));
    const bool goes_back = std::ranges::find(parts.run.anew, part.estimate->phase) == parts.run.anew.end() &&
                           command_resumes(phase) && with_due_checkpoints(report.job, part).checkpoints > 1;
    const std::vector<WatchLine> lines = watch_list(expected, goes_back);
    if (lines.empty()) continue;
    for (const WatchLine& line : lines) {
      const auto same = std::ranges::find_if(signs, [&](const Sign& sign) {
        return sign.line.sign == line.sign && sign.line.planned == line.planned && sign.line.advice == line.advice;
      });
      if (same == signs.end()) signs.push_back({line, {phase_name(report, part)}});
      else same->phases.push_back(phase_name(report, part));
    }
    ++watched;
    for (const auto& [position, slug] : parts.run.phase_slugs)
      if (position == part.estimate->phase)
        commands +=
            (commands.empty() ? "" : "\n") + std::string("gpuplan check runs/") + slug + "/log.txt --plan plan.json";
  }
  if (signs.empty()) return section;
  TableMaker table("watch", "",
                   {{"phase", "Phase", false},
                    {"sign", "You see", false},
                    {"planned", "Planned", false},
                    {"advice", "Do this", false}});
  for (const Sign& sign : signs)
    table.add({{watched < 2                     ? ""
                : sign.phases.size() == watched ? "all"
                                                : join(sign.phases, ", ")},
               {sign.line.sign},
               {sign.line.planned},
               {sign.line.advice}});
  section.blocks.push_back(table.take());
  section.finding = "Hold the log against the plan early: each figure below is this job's own.";
  if (report.job.buffer > 0)
    section.blocks.push_back(TextBlock{"Planned times are without the buffer of " + percent(report.job.buffer) +
                                       ", which is there for what goes wrong."});
  if (!commands.empty()) {
    section.blocks.push_back(TextBlock{"In the folder of the scripts, while it runs or after:"});
    section.blocks.push_back(CodeBlock{"sh", commands});
    section.blocks.push_back(TextBlock{
        "Exit codes of the scripts: 0 done, 6 a gate failed, 75 stopped (start it again: " + again_words(parts) +
        "), 78 an input is missing."});
  }
  return section;
}

ReportSection change_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  const Plan& pick = *report.pick();
  ReportSection section{"change", "What if something changes?", "", {}};
  if (parts.sensitivity != nullptr && !parts.sensitivity->inputs.empty()) {
    const bool costs = pick.cost.p50 > Dollars{};
    const std::vector<const SensitivityInput*> inputs = by_swing(*parts.sensitivity, pick);
    TableMaker table("sensitivity", "",
                     {{"input", "Input", false},
                      {"low", "From", true},
                      {"high", "To", true},
                      {"cost_usd", "Cost then", true},
                      {"hours", "Hours then", true},
                      {"other_pick", "Then recommended", false}});
    const auto money = [&](const SensitivityEnd& end) { return end.runs ? to_text(end.cost) : std::string(kNoValue); };
    const auto hours = [&](const SensitivityEnd& end) {
      return end.runs ? hours_text(end.hours) : std::string(kNoValue);
    };
    // "$98.75 … $98.75" says no more than "$98.75".
    const auto ends = [](const std::string& low, const std::string& high) {
      return low == high ? low : low + " … " + high;
    };
    constexpr std::size_t kRows = 9;
    constexpr double kStill = 0.03;  // of cost and of time: no reason to look
    const auto moves = [&](const SensitivityInput& input) {
      if (!input.low.runs || !input.high.runs || !other_picks(input).empty()) return true;
      return std::abs((input.high.cost - input.low.cost).value) > kStill * pick.cost.p50.value ||
             std::abs((input.high.hours - input.low.hours).value) > kStill * pick.hours.p50.value;
    };
    std::size_t still = 0;
    for (std::size_t i = 0; i < std::min(kRows, inputs.size()); ++i) {
      const SensitivityInput& input = *inputs[i];
      if (i > 0 && !moves(input)) {
        ++still;
        continue;
      }
      table.add({{printable(input.name, 80)},
                 {printable(input.low.value, 30)},
                 {printable(input.high.value, 30)},
                 {costs ? ends(money(input.low), money(input.high)) : std::string()},
                 {ends(hours(input.low), hours(input.high))},
                 {other_picks(input)}});
    }
    const SensitivityInput& first = *inputs.front();
    const std::string from = costs ? money(first.low) : hours(first.low),
                      to = costs ? money(first.high) : hours(first.high);
    const std::string what = costs ? "cost" : "time", unit = costs ? "" : " h";
    if (from == to)
      section.finding =
          "None of these inputs alone moves the " + what + " from " + from + unit + " by more than it shows.";
    else
      section.finding = "Most of all it hangs on " + printable(first.name, 80) + ": from " +
                        printable(first.low.value, 30) + " to " + printable(first.high.value, 30) + " the " + what +
                        " goes from " + from + " to " + to + unit + ".";
    section.blocks.push_back(table.take());
    section.blocks.push_back(
        TextBlock{"One input at a time, on the same machines: over its own range, or by " +
                  percent(parts.sensitivity->by) + " down and up (batches: half and double)." +
                  (still > 0 ? " Others move cost and time by less than " + percent(kStill) + "." : "")});
  }
  // Those that are other ways to rent the same machines stand with the bill.
  std::vector<const VariantReport*> variants;
  for (const VariantReport& variant : report.variants)
    if (!is_way(parts, variant)) variants.push_back(&variant);
  if (!variants.empty()) {
    TableMaker table("variants", "Variants of the job",
                     {{"variant", "Variant", false},
                      {"plan", "Plan", false},
                      {"hours", "Time", true},
                      {"hours_range", kRunsHead, true},
                      {"cost_usd", "Cost", true},
                      {"cost_usd_range", kRunsHead, true}});
    table.add({{"baseline"},
               {report.name(pick)},
               time_cell(pick.hours),
               {time_range(pick.hours)},
               money_text(pick.cost),
               {cost_range(pick.cost)}},
              RowMark::kPick);
    add_ranges(pick.hours, pick.cost, table);
    for (const VariantReport* variant : variants) {
      if (variant->pick) {
        table.add({{printable(variant->name, 60)},
                   {variant->plan + (variant->limits_missed ? " (misses the limits)" : "")},
                   time_cell(variant->pick->hours),
                   {time_range(variant->pick->hours)},
                   money_text(variant->pick->cost),
                   {cost_range(variant->pick->cost)}});
        add_ranges(variant->pick->hours, variant->pick->cost, table);
      } else {
        table.add({{printable(variant->name, 60)}, {"nothing fits"}});
      }
    }
    section.blocks.push_back(table.take());
  }
  if (section.empty() || parts.whatif_command.empty()) return section;
  section.blocks.push_back(TextBlock{"To ask for another case:"});
  section.blocks.push_back(CodeBlock{"sh", parts.whatif_command + " --sensitivity --details"});
  return section;
}

namespace {

/// An offer at one of its prices: spot machines and those on demand are had apart.
struct Machine {
  const Offer* offer = nullptr;
  bool spot = false;

  bool operator==(const Machine&) const = default;
};

bool takes(const Plan& plan, Machine machine) {
  return std::ranges::any_of(plan.phases, [&](const PhasePlan& part) {
    return part.offer != nullptr && Machine{part.offer, part.spot} == machine;
  });
}

/// "1x H100 SXM spot", "pool big".
std::string machine_name(Machine machine) {
  const Offer& offer = *machine.offer;
  if (offer.kind == OfferKind::kRented || offer.label.empty())
    return std::to_string(offer.gpus) + "x " + offer.gpu + (machine.spot ? " spot" : "");
  return (offer.kind == OfferKind::kPool ? "pool " : "") + printable(offer.label, 40);
}

/// The machines of the first that a stand-in does without, or still needs.
std::vector<Machine> machines_of(const Plan& first, const Plan& other, bool shared) {
  std::vector<Machine> found;
  for (const PhasePlan& part : first.phases) {
    if (part.offer == nullptr) continue;
    const Machine machine{part.offer, part.spot};
    if (takes(other, machine) == shared && std::ranges::find(found, machine) == found.end()) found.push_back(machine);
  }
  return found;
}

std::string names_of(const std::vector<Machine>& machines, std::string_view joint) {
  std::vector<std::string> names;
  for (const Machine& machine : machines) {
    std::string name = machine_name(machine);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return listed(names, joint);
}

/// What to take without each of the plan's machines: of the rows in their order, else of all plans by the job's goal.
/// "Then take X." of a plan of one kind of machine.
std::string stand_in_words(const PlanReport& report, const std::vector<const Plan*>& rows) {
  const Plan& first = *rows.front();
  const std::vector<Machine> machines = machines_of(first, first, true);
  const bool keeps = std::ranges::any_of(report.found.plans, &Plan::keeps_limits);
  std::vector<std::pair<const Plan*, std::vector<Machine>>> told;
  for (const Machine& machine : machines) {
    const Plan* instead = nullptr;
    for (const Plan* row : rows)
      if (instead == nullptr && !takes(*row, machine)) instead = row;
    if (instead == nullptr)
      for (const Plan& plan : report.found.plans)
        if (!takes(plan, machine) && (!keeps || plan.keeps_limits()) &&
            (instead == nullptr || goal_key(report.job, plan) < goal_key(report.job, *instead)))
          instead = &plan;
    const auto same = std::ranges::find(told, instead, &std::pair<const Plan*, std::vector<Machine>>::first);
    if (same == told.end()) told.push_back({instead, {machine}});
    else same->second.push_back(machine);
  }
  std::vector<std::string> words;
  for (const auto& [instead, without] : told) {
    const std::string names = names_of(without, "or");
    if (instead == nullptr)
      words.push_back("no other plan" + std::string(keeps ? " within the limits" : "") + " does without " + names +
                      (rows.size() > 1 ? "; with less of it: " + report.name(*rows[1]) : std::string()));
    else if (machines.size() == without.size()) words.push_back("then take " + report.name(*instead));
    else words.push_back("without " + names + " take " + report.name(*instead));
  }
  return upper_first(join(words, "; ")) + ".";
}

}  // namespace

ReportSection fallback_section(const ReportParts& parts) {
  const PlanReport& report = parts.plan;
  ReportSection section{"fallback", "What if I cannot get it?", "", {}};
  const ViewContent view = fallback_view(report, Screen{});
  std::vector<const Plan*> rows;
  if (view.table.rows() < 2) section.finding = view.notes.empty() ? std::string() : without_hints(view.notes.front());
  else {
    for (const Fallback& row : report.stand_ins()) rows.push_back(row.plan);
    section.finding = stand_in_words(report, rows);
    add_list(section, view.notes);
  }
  TableBlock order = table_block(view.table, "fallback", "",
                                 {{"role", "Order"},
                                  {"plan", "Plan"},
                                  {"where", "Provider"},
                                  {"usd_per_hour", "$ an hour"},
                                  {"below_usd_per_hour", "Take it up to"},
                                  {"hours", "Hours"},
                                  {"wait_hours", kQueueHead},
                                  {"cost_usd", "Cost"},
                                  {"offers", "Offers"},
                                  {"availability", "Availability"},
                                  {"limits", "Limits"}});
  // A stand-in that still needs machines of the first is none where these are not to be had.
  bool other = false;
  for (std::size_t r = 1; r < rows.size() && r < order.rows.size(); ++r) {
    std::string& role = order.rows[r].cells.front();
    if (role != "if unavailable" && role != "then") continue;
    const auto shared = machines_of(*rows.front(), *rows[r], true),
               spared = machines_of(*rows.front(), *rows[r], false);
    if (!shared.empty())
      role = spared.empty() ? std::string("if fewer are free") : "without " + names_of(spared, "and");
    else role = std::exchange(other, true) ? "then" : "if unavailable";
  }
  const std::string same = said_once(order, {"Provider", "Offers", "Availability", "Limits"});
  section.blocks.insert(section.blocks.begin(), TextBlock{same});
  section.blocks.insert(section.blocks.begin(), std::move(order));
  std::string search;
  std::vector<std::string> seen;
  for (const std::vector<Cell>& row : view.table.cells())
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (view.table.columns()[c].key != "id") continue;
      const auto plan = std::ranges::find(report.found.plans, row[c].text, &Plan::id);
      if (plan == report.found.plans.end() || plan->offer == nullptr || plan->offer->kind != OfferKind::kRented)
        continue;
      const std::string& gpu = plan->offer->gpu;
      if (std::ranges::find(seen, gpu) != seen.end() || gpu.find_first_of("\"'\\$`") != std::string::npos) continue;
      seen.push_back(gpu);
      search += (search.empty() ? "" : "\n") + std::string("gpuplan offers 'gpu=") + gpu +
                "' 'gpus>=" + std::to_string(plan->offer->gpus) + "'";
    }
  // The first ones, and the last, which asks for any GPU; nobody tries all of them.
  constexpr std::size_t kSearches = 3;
  std::string market;
  const std::vector<RunPart::Step>& searches = parts.run.searches;
  for (std::size_t i = 0; i < searches.size(); ++i)
    if (i < kSearches || i + 1 == searches.size())
      market += (market.empty() ? "# " : "\n# ") + searches[i].note + "\n" + searches[i].command;
  if (!market.empty()) {
    section.blocks.push_back(TextBlock{
        "To look for machines on Vast.ai, best first (nothing is rented). They ask for at most 10% more than the offer "
        "costs, even where the plan stays the better one above that, and for disk with room for the image." +
        (searches.size() > kSearches + 1 ? " More searches: vast/rent.sh of " + parts.launch_command + " --to vast."
                                         : std::string())});
    section.blocks.push_back(CodeBlock{"sh", market});
  }
  if (!search.empty()) {
    section.blocks.push_back(TextBlock{"To look for others in the price list:"});
    section.blocks.push_back(CodeBlock{"sh", search});
  }
  return section;
}

}  // namespace gpuplan
