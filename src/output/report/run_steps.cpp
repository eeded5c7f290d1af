#include "output/report/run_steps.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/report/report_words.h"
#include "output/words/collection_words.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/billing/interruptions.h"
#include "plan/billing/ledger.h"

namespace gpuplan {
namespace {

/// What is rented, or used, from one time to another, with all that is typed for it.
struct Turn {
  const Lease* lease = nullptr;  ///< null: one's own machine
  std::vector<const PhasePlan*> phases;
  Seconds from{}, to{};
  std::string sets, starts;  ///< lines of commands
};

/// "DATA_02_SFT" of "02-sft".
std::string in_capitals(std::string_view slug) {
  std::string text;
  for (const char c : slug) text += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

std::string typed(const Turn& turn) {
  return turn.sets + (turn.sets.empty() || turn.starts.empty() ? "" : "\n") + turn.starts;
}

void add_line(std::string& text, const RunPart::Step& step, bool noted) {
  if (!text.empty()) text += '\n';
  if (noted && !step.note.empty()) text += "# " + step.note + "\n";
  text += step.command;
}

bool rented(const Turn& turn) { return turn.lease != nullptr && turn.lease->offer->kind == OfferKind::kRented; }

std::string name_of_turn(const PlanReport& report, const Turn& turn) {
  std::vector<std::string> names;
  for (const PhasePlan* part : turn.phases) names.push_back(phase_name(report, *part));
  return listed(names);
}

std::vector<Turn> turns_of(const ReportParts& parts, const Plan& pick, const std::vector<RunPart::Step>& commands) {
  const RunPart& run = parts.run;
  std::vector<Turn> turns;
  for (const Lease& lease : pick.leases) {
    Turn turn{.lease = &lease, .phases = {}, .from = lease.from, .to = lease.to, .sets = {}, .starts = {}};
    for (const int position : lease.phases) turn.phases.push_back(&pick.phases[static_cast<std::size_t>(position)]);
    turns.push_back(std::move(turn));
  }
  for (const PhasePlan& part : pick.phases)
    if (part.offer == nullptr)
      turns.push_back(
          {.lease = nullptr, .phases = {&part}, .from = part.start, .to = end_of(part), .sets = {}, .starts = {}});
  const auto has = [&](const Turn& turn, int position) {
    return std::ranges::any_of(turn.phases, [&](const PhasePlan* part) { return part->estimate->phase == position; });
  };
  for (const RunPart::Step& step : commands) {
    const auto about = phases_in(parts, pick, step.command);
    if (step.command.starts_with("export ")) {
      // Of one phase, whose name it has; or of all.
      const auto names = [&](const std::pair<int, std::string>& slug) {
        return step.command.contains("_" + in_capitals(slug.second) + "=");
      };
      const auto slug = std::ranges::find_if(run.phase_slugs, names);
      for (Turn& turn : turns)
        if (slug != run.phase_slugs.end() ? has(turn, slug->first) : turn.lease != nullptr)
          add_line(turn.sets, step, true);
      continue;
    }
    const auto turn = std::ranges::find_if(
        turns, [&](const Turn& one) { return !about.empty() && has(one, about.front()->estimate->phase); });
    if (turn == turns.end()) continue;
    const auto again = std::ranges::count(step.note, ';') > 0 || turn->starts.find('\n') != std::string::npos;
    add_line(turn->starts, step, again);
  }
  return turns;
}

class InTurn {
 public:
  InTurn(const ReportParts& parts, const Plan& pick, const std::vector<RunPart::Step>& commands, Steps& steps)
      : report_(parts.plan), parts_(parts), pick_(pick), steps_(steps), turns_(turns_of(parts, pick, commands)) {}

  void add() {
    struct Event {
      Seconds at;
      bool start;
      std::size_t turn;
    };
    std::vector<Event> events;
    for (std::size_t t = 0; t < turns_.size(); ++t) {
      events.push_back({turns_[t].from, true, t});
      events.push_back({turns_[t].to, false, t});
    }
    // Medians of parts put what follows an end a little before it: whose results are needed ends first.
    std::ranges::stable_sort(events, [&](const Event& a, const Event& b) {
      if (a.start != b.start && a.turn != b.turn) {
        const Event& end = a.start ? b : a;
        const Event& start = a.start ? a : b;
        constexpr double kSame = 0.02;  // of all the time
        if ((end.at - start.at).value < kSame * pick_.hours.p50.value &&
            (start.at - end.at).value < kSame * pick_.hours.p50.value)
          return !a.start;
      }
      return a.at < b.at;
    });
    running_.assign(turns_.size(), false);
    for (const Event& event : events) {
      if (event.start) start(event.turn);
      else end(event.turn);
    }
  }

 private:
  const Phase& phase(const PhasePlan* part) const { return phase_of(report_, *part); }

  void start(std::size_t t) {
    const Turn& turn = turns_[t];
    const std::string& folder = parts_.run.folder;
    std::vector<std::string> beside;
    for (std::size_t other = 0; other < turns_.size(); ++other)
      if (running_[other])
        for (const PhasePlan* part : turns_[other].phases) beside.push_back(phase_name(report_, *part));
    const bool many = beside.size() > 1;
    const std::string during = beside.empty() ? "" : ", while " + listed(beside) + (many ? " run" : " runs");
    const std::string figures = phase_figures(report_, pick_, turn.phases);
    running_[t] = true;
    if (turn.lease == nullptr) {
      steps_.add("On your own machine, in the folder of the scripts" + during + ": " + figures + ".", typed(turn));
    } else {
      const std::string machine = machine_words(report_, pick_, *turn.lease);
      steps_.add(
          (rented(turn) ? "Rent " + machine + during + ". It bills from then on." : "Use " + machine + during + ".") +
              " Copy the folder there, with the runs that are in it. USER@HOST is what " +
              (rented(turn) ? "the provider shows." : "you log in to."),
          "scp -r ../" + folder + " USER@HOST:\nssh USER@HOST\ncd " + folder);
      steps_.add("On that machine: " + figures + "." + (turn.sets.empty() ? "" : " Write the values behind the signs."),
                 typed(turn));
    }
    for (const PhasePlan* part : turn.phases) {
      const Phase& about = phase(part);
      if (about.before && !about.before->text.empty() && !about.needs.empty())
        steps_.add(by_hand_words(about) + ". The scripts stop there until it is done.");
    }
  }

  /// What other turns that have begun need of this one.
  std::vector<const PhasePlan*> waiting(const Turn& turn) const {
    std::vector<const PhasePlan*> found;
    for (std::size_t other = 0; other < turns_.size(); ++other) {
      if (!running_[other] || &turns_[other] == &turn) continue;
      for (const PhasePlan* part : turns_[other].phases)
        if (std::ranges::any_of(turn.phases, [&](const PhasePlan* own) {
              return std::ranges::find(phase(part).needs, phase(own).name) != phase(part).needs.end();
            }))
          found.push_back(part);
    }
    return found;
  }

  void end(std::size_t t) {
    const Turn& turn = turns_[t];
    running_[t] = false;
    const std::string& folder = parts_.run.folder;
    if (turn.lease != nullptr)
      steps_.add("When " + name_of_turn(report_, turn) + (turn.phases.size() > 1 ? " are" : " is") +
                     " done: on your own machine, in the folder of the scripts, fetch the runs" +
                     (rented(turn) ? ", then give the machine back, its disk too: it bills until then." : "."),
                 "scp -r USER@HOST:" + folder + "/runs .");
    if (const auto waits = waiting(turn); !waits.empty()) {
      std::vector<std::string> names, folders;
      for (const PhasePlan* part : waits) names.push_back(phase_name(report_, *part));
      for (const PhasePlan* part : turn.phases)
        for (const auto& [position, slug] : parts_.run.phase_slugs)
          if (position == part->estimate->phase) folders.push_back("runs/" + slug);
      steps_.add("Copy them on to the machine of " + listed(names) +
                     ". Where its script has stopped for want of them, start it again.",
                 "scp -r " + join(folders, " ") + " USER@HOST:" + folder + "/runs/");
    }
  }

  const PlanReport& report_;
  const ReportParts& parts_;
  const Plan& pick_;
  Steps& steps_;
  std::vector<Turn> turns_;
  std::vector<bool> running_;
};

}  // namespace

void Steps::add(const std::string& words, const std::string& code) {
  section_.blocks.push_back(TextBlock{"Step " + std::to_string(++count_) + ". " + words, true});
  if (!code.empty()) section_.blocks.push_back(CodeBlock{"sh", code});
}

std::vector<const PhasePlan*> phases_in(const ReportParts& parts, const Plan& pick, const std::string& command) {
  std::vector<const PhasePlan*> found;
  for (const PhasePlan& part : pick.phases) {
    const auto named = [&](const std::vector<std::pair<int, std::string>>& slugs) {
      return std::ranges::any_of(slugs, [&](const std::pair<int, std::string>& slug) {
        return slug.first == part.estimate->phase && command.find(slug.second) != std::string::npos;
      });
    };
    if (named(parts.run.phase_slugs) || named(parts.run.machine_slugs)) found.push_back(&part);
  }
  return found;
}

std::string machine_words(const PlanReport& report, const Plan& pick, const Lease& lease) {
  const Offer& offer = *lease.offer;
  std::string words = (lease.nodes > 1 ? count_of(lease.nodes, "machine") + " of " : std::string()) +
                      std::to_string(offer.gpus) + "x " + offer.gpu;
  if (const std::string place = place_words(offer); !place.empty()) words += " at " + place;
  if (!offer.instance.empty()) words += " (" + printable(offer.instance, 40) + ")";
  if (offer.kind == OfferKind::kRented)
    words += std::string(lease.spot ? ", spot" : ", on demand") + ", " + price_words(offer, lease.spot) +
             (lease.nodes > 1 ? " each" : "");
  Bytes disk{};
  for (const int position : lease.phases)
    disk += with_due_checkpoints(report.job, pick.phases[static_cast<std::size_t>(position)]).machine_disk_bytes;
  if (disk > Bytes{}) words += ", with " + disk_text(disk) + " free on its disk for the job";
  return words;
}

std::string phase_figures(const PlanReport& report, const Plan& pick, const std::vector<const PhasePlan*>& phases) {
  std::vector<std::string> names;
  for (const PhasePlan* part : phases)
    names.push_back(phase_name(report, *part) + ", " + hours_words(part->hours.p50) +
                    (part->cost.p50 > Dollars{} ? ", " + bill_money(part->cost.p50, pick.cost.p50) : ""));
  return join(names, "; ");
}

std::string by_hand_words(const Phase& phase) {
  return "By hand, before " + printable(phase.name, 40) + " (" + time_words(phase.before->time.range) +
         "): " + printable(phase.before->text, 400);
}

void add_machines_in_turn(const ReportParts& parts, const Plan& pick, const std::vector<RunPart::Step>& commands,
                          Steps& steps) {
  InTurn(parts, pick, commands, steps).add();
}

}  // namespace gpuplan
