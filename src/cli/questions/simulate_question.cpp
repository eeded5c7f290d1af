#include "cli/questions/simulate_question.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "cli/io/exit_code.h"
#include "cli/io/read_file.h"
#include "cli/questions/choose_plan.h"
#include "input/prices/trace_file.h"
#include "input/question/sketch.h"
#include "input/text/csv.h"
#include "output/words/plan_words.h"
#include "plan/advice/whatif.h"
#include "plan/ranking/ranking.h"

namespace gpuplan::cli {
namespace {

/// "data/us-west-2a.json" is called us-west-2a.
std::string stem(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return name.substr(0, dot == 0 ? std::string::npos : dot);
}

/// A file named in a job lies beside it.
std::string beside(const std::string& job, const std::string& file) {
  const std::size_t slash = job.rfind('/');
  if (file.starts_with('/') || job == "-" || slash == std::string::npos) return file;
  return job.substr(0, slash + 1) + file;
}

Result<SimulatedTrace> load_trace(System& system, const std::string& file, int machines) {
  const auto text = read_file(system, file, kMaxTraceBytes);
  if (!text) return std::unexpected(text.error());
  const auto trace = read_trace(*text, shown_name(file));
  if (!trace) return std::unexpected(trace.error());
  const int most = *std::ranges::max_element(trace->machines);
  if (machines > 1 && most < machines)
    return failure(
        "has " + count_of(most, "machine") + " at most, and the job needs " + std::to_string(machines) + " at once",
        {shown_name(file)});
  return SimulatedTrace{stem(file), runs_of(*trace, machines), {}};
}

Result<void> take_starts(System& system, const std::string& file, std::vector<SimulatedTrace>& traces) {
  const auto text = read_file(system, file, CsvTable::kMaxBytes);
  if (!text) return std::unexpected(text.error());
  const auto starts = read_starts(*text, shown_name(file));
  if (!starts) return std::unexpected(starts.error());
  for (const TraceStart& start : *starts) {
    for (SimulatedTrace& trace : traces) {
      if (!start.trace.empty() && start.trace != trace.name) continue;
      const Place place{shown_name(file), start.line, 0};
      if (start.tick >= trace.runs.ticks())
        return failure("start_tick " + std::to_string(start.tick) + " is behind the end of " +
                           printable(trace.name, 60) + ", which has " + std::to_string(trace.runs.ticks()) + " ticks",
                       place);
      if (start.gap > Seconds{} && start.gap != trace.runs.gap)
        return failure("gap_seconds " + number_text(start.gap.value) + " is not that of " + printable(trace.name, 60) +
                           ", " + number_text(trace.runs.gap.value),
                       place);
      trace.starts.push_back(start.tick);
    }
  }
  for (const SimulatedTrace& trace : traces)
    if (trace.starts.empty())
      return failure("has no start for the trace " + printable(trace.name, 60), {shown_name(file)});
  return {};
}

Result<std::vector<SimulatedTrace>> load_traces(System& system, const std::vector<std::string>& files,
                                                const std::string& starts, int machines) {
  std::vector<SimulatedTrace> traces;
  for (const std::string& file : files) {
    auto trace = load_trace(system, file, machines);
    if (!trace) return std::unexpected(trace.error());
    traces.push_back(*std::move(trace));
  }
  if (starts.empty()) return traces;
  if (traces.empty()) return wrong_use("--starts: says where replays of traces begin; add --trace FILE");
  if (const auto taken = take_starts(system, starts, traces); !taken) return std::unexpected(taken.error());
  return traces;
}

/// Values of flags, each a usage error when it can not be read.
class Flags {
 public:
  /// Zero when nothing is said.
  Seconds time(std::string_view flag, const std::string& text, bool zero_is_fine) {
    if (text.empty()) return {};
    const auto seconds = parse_amount(text, AmountKind::kTime);
    if (!seconds) refuse(flag, seconds.error().message);
    else if (*seconds < 0 || (*seconds <= 0 && !zero_is_fine)) refuse_value(flag, text, AmountKind::kTime);
    return seconds ? Seconds{*seconds} : Seconds{};
  }
  std::optional<Interval<double>> range(std::string_view flag, const std::string& text, AmountKind kind) {
    if (text.empty()) return std::nullopt;
    const auto interval = parse_interval(text, kind);
    if (!interval) refuse(flag, interval.error().message);
    else if (interval->p10 < 0) refuse_value(flag, text, kind);
    return interval ? std::optional(*interval) : std::nullopt;
  }
  void refuse_value(std::string_view flag, const std::string& text, AmountKind kind) {
    refuse(flag, "expected " + std::string(expectation(kind)) + ", got '" + printable(text, 40) + "'");
  }
  void refuse(std::string_view flag, const std::string& message) {
    if (!error_) error_ = wrong_use(std::string(flag) + ": " + message).error();
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

template <class Unit>
Interval<Unit> in_units(const Interval<double>& range) {
  return {Unit{range.p10}, Unit{range.p50}, Unit{range.p90}};
}

void take_common(const SimulateOptions& options, const JobOptions& job, Simulation& simulation) {
  if (options.trials > 0) simulation.trials = options.trials;
  if (options.slices > 0) simulation.slices = options.slices;
  simulation.seed = job.seed;
}

/// The same machine with a price of this kind, the offer itself first; null when nobody has one.
template <class HasPrice>
const Offer* priced(const Offer& offer, const std::vector<const std::vector<Offer>*>& markets, HasPrice has_price) {
  if (has_price(offer)) return &offer;
  for (const std::vector<Offer>* market : markets)
    for (const Offer& other : *market)
      if (has_price(other) && same_machine(other, offer)) return &other;
  return nullptr;
}

}  // namespace

std::vector<SpotPolicy> asked_policies(const SimulateOptions& options, const Simulation& simulation) {
  const auto named = [&](std::string_view name) {
    return std::ranges::any_of(options.policies, [&](const std::string& one) { return iequals(one, name); });
  };
  std::vector<SpotPolicy> policies;
  for (const auto& entry : Names<SpotPolicy>::entries) {
    const bool asked =
        options.policies.empty() ? entry.value != SpotPolicy::kUniformProgressIdle : named("all") || named(entry.name);
    if (asked && can_simulate(simulation, entry.value)) policies.push_back(entry.value);
  }
  return policies;
}

Result<SimulateReport> ask_in_flags(System& system, const SimulateOptions& options, const JobOptions& job) {
  Flags flags;
  const auto spot_price = flags.range("--spot-price", options.spot_price, AmountKind::kPrice);
  const auto on_demand_price = flags.range("--on-demand-price", options.on_demand_price, AmountKind::kPrice);
  const auto rate = flags.range("--interruptions", job.wishes.interruptions, AmountKind::kRate);
  const auto work = flags.range("--work", options.work, AmountKind::kTime);
  SpotTerms terms;
  terms.checkpoint = flags.time("--checkpoint", options.checkpoint, true);
  terms.restart = flags.time("--restart", options.restart, true);
  terms.notice = flags.time("--notice", options.notice, true);
  terms.wait = flags.time("--wait", options.wait, true);
  terms.interval = flags.time("--interval", options.interval, false);
  SimulateReport report;
  Simulation& simulation = report.simulation;
  simulation.deadline = flags.time("--deadline", job.wishes.deadline, false);
  const auto value = flags.range("--value-of-time", job.wishes.value_of_time, AmountKind::kPrice);
  if (flags.error()) return std::unexpected(*flags.error());
  if (work->p10 <= 0) return wrong_use("--work: expected a time above zero, got '" + printable(options.work, 40) + "'");
  if (!spot_price) return wrong_use("--work: needs the price of a spot machine too; add --spot-price '$0.97/h'");
  if (options.traces.empty() && !rate)
    return wrong_use("--work: needs to know how spot machines come and go; add --trace FILE or --interruptions 5%/h");
  constexpr double kMostAnHour = 60;
  if (rate && rate->p90 > kMostAnHour / 3600)
    return wrong_use("--interruptions: expected once a minute (60/h) at most, got '" +
                     printable(job.wishes.interruptions, 40) + "'");
  if (!options.plan.empty()) return wrong_use("--plan: names a plan of a job, and --work stands for none");

  terms.machines = std::max(options.machines, 1);
  auto traces = load_traces(system, options.traces, options.starts, terms.machines);
  if (!traces) return std::unexpected(traces.error());
  simulation.traces = *std::move(traces);
  if (!simulation.traces.empty()) terms.machines = 1;  // what a trace says holds for all of them
  terms.rate = simulation.traces.empty() ? in_units<PerSecond>(*rate) : exactly(measured_rate(simulation.traces));
  simulation.spot_price = in_units<DollarsPerSecond>(*spot_price);
  if (on_demand_price) simulation.on_demand_price = in_units<DollarsPerSecond>(*on_demand_price);
  simulation.billing.increment = Seconds{};
  simulation.rate = terms.rate;
  simulation.machines = terms.machines;
  simulation.wait = terms.wait;
  simulation.restart = simulation.first_start = terms.restart;
  if (value) simulation.value_of_time = DollarsPerSecond{value->p50};
  simulation.goal = value ? Goal::kBestValue : Goal::kCheapest;
  if (!job.wishes.goal.empty()) {
    const auto goal = from_name<Goal>(job.wishes.goal);
    if (!goal)
      return wrong_use("--goal: '" + printable(job.wishes.goal, 40) + "' is none of best_value, cheapest, fastest");
    simulation.goal = *goal;
  }

  SimulatedPiece piece;
  piece.name = "work";
  piece.error = "work";
  piece.work = in_units<Seconds>(*work);
  piece.terms = terms;
  const bool saves = terms.checkpoint > Seconds{} || terms.interval > Seconds{};
  if (saves)
    piece.interval = terms.rate.p90 > PerSecond{} ? recoverable(terms, piece.work.p50).interval : terms.interval;
  simulation.pieces.push_back(std::move(piece));
  take_common(options, job, simulation);

  report.header = hours_words(Seconds{work->p50}) + " of work";
  if (simulation.deadline > Seconds{}) report.header += " · deadline " + hours_words(simulation.deadline);
  report.header += " · spot " + to_text(simulation.spot_price.p50);
  if (on_demand_price) report.header += ", on demand " + to_text(simulation.on_demand_price->p50);
  report.notes.emplace_back(
      saves ? "The first start takes as long as a restart. Between checkpoints an interruption loses what was done, "
              "unless the notice is long enough to write one."
            : "As in Wu et al., NSDI 2024: an interruption loses no work, and each start, the first one too, takes a "
              "restart that is billed. --checkpoint says what saving takes.");
  return report;
}

Result<AskedPlan> ask_plan(System& system, const SimulateOptions& options, const JobOptions& job_options,
                           const Catalogue& catalogue) {
  Flags flags;
  const Seconds restart = flags.time("--restart", options.restart, true);
  const Seconds notice = flags.time("--notice", options.notice, true);
  const Seconds wait = flags.time("--wait", options.wait, true);
  const Seconds interval = flags.time("--interval", options.interval, false);
  if (flags.error()) return std::unexpected(*flags.error());
  for (const auto& [flag, text] :
       {std::pair{"--on-demand-price", &options.on_demand_price}, std::pair{"--spot-price", &options.spot_price},
        std::pair{"--checkpoint", &options.checkpoint}})
    if (!text->empty()) return wrong_use(std::string(flag) + ": goes with --work; a job has its own");
  if (options.machines > 0) return wrong_use("--machines: goes with --work; a plan has its own number");

  auto question = read_question(system, job_options, catalogue);
  if (!question) return std::unexpected(question.error());
  Job job = std::move(question->loaded.job);
  if (!options.restart.empty()) job.spot.restart = Expected<Seconds>{exactly(restart)};
  if (!options.notice.empty()) job.spot.notice = notice;
  if (!options.wait.empty()) job.spot.wait = wait;
  std::vector<std::string> files = options.traces;
  if (files.empty() && !job.spot.trace.empty()) files.push_back(beside(job_options.job, job.spot.trace));

  const auto searched = api::search_job(std::move(job), question->known, catalogue, question->terms);
  if (!searched) return std::unexpected(searched.error());
  PlanReport plan_report(searched->found, searched->job, catalogue);
  api::name_market(*question, plan_report);
  AskedPlan asked;
  SimulateReport& report = asked.report;
  report.job = searched->job.name;
  asked.code = exit_code(searched->found);
  const Plan* pick = plan_report.pick();
  if (pick == nullptr) {
    asked.nothing_fits = nothing_fits_words(plan_report);
    asked.code = kNothingFits;
    return asked;
  }

  const std::vector<const std::vector<Offer>*> markets = {&searched->market, &searched->job.market.offers,
                                                          &question->known};
  const auto has_spot = [](const Offer& offer) { return offer.kind == OfferKind::kRented && offer.spot_price; };
  const auto on_demand = [](const Offer& offer) { return offer.kind == OfferKind::kRented && offer.price; };
  const auto can_be_spot = [&](const Plan& plan) {
    return plan.offer != nullptr && priced(*plan.offer, markets, has_spot) != nullptr;
  };
  const Plan* plan = nullptr;
  if (!options.plan.empty()) {
    const auto named = plan_with_id(searched->found, options.plan);
    if (!named) return std::unexpected(named.error());
    plan = *named;
    if (!can_be_spot(*plan)) {
      asked.nothing_fits.push_back(plan_report.name(*plan) +
                                   (plan->offer == nullptr
                                        ? " is on several offers: name a plan on one."
                                        : " has no spot price: add spot_price: to its offer, or name another plan."));
      asked.code = kNothingFits;
      return asked;
    }
  } else if (can_be_spot(*pick)) {
    plan = pick;
  } else {
    for (const Plan& one : searched->found.plans)
      if (can_be_spot(one) && (plan == nullptr || goal_key(searched->job, one) < goal_key(searched->job, *plan)))
        plan = &one;
    if (plan == nullptr) {
      asked.nothing_fits.emplace_back(
          "Nothing that can run the job has a spot price: add spot_price: to an offer of the market, or a price list "
          "with the columns spot and price_per_hour.");
      asked.code = kNothingFits;
      return asked;
    }
    report.notes.push_back("The pick, " + plan_report.name(*pick) +
                           (pick->offer == nullptr ? ", is on several offers" : ", has no spot price") +
                           ": simulated is the best plan on one offer with a spot price.");
  }

  if (plan->at_once > 1) {
    // One machine after the other is what a history follows.
    const auto alone = [&](const Plan& one) {
      return one.offer == plan->offer && one.nodes == plan->nodes && one.gpus == plan->gpus && one.at_once <= 1;
    };
    const auto found = std::ranges::find_if(searched->found.plans, alone);
    if (options.plan.empty() && found != searched->found.plans.end()) plan = &*found;
    report.notes.push_back(
        plan->at_once > 1 ? "Machines that run side by side are taken and billed together from beginning to end."
                          : "The pick, " + plan_report.name(*pick) + ", runs machines side by side: simulated is one.");
  }
  auto traces = load_traces(system, files, options.starts, std::max(plan->nodes, 1));
  if (!traces) return std::unexpected(traces.error());
  Offer spot_offer = *priced(*plan->offer, markets, has_spot);
  // Who asks for a rate here means these machines, whatever the market says of them.
  if (!job_options.wishes.interruptions.empty()) {
    spot_offer.interruptions.reset();
    spot_offer.band.reset();
  }
  const Offer* on_demand_offer = priced(*plan->offer, markets, on_demand);
  Job rated = searched->job;
  if (traces->empty() && !interruption_rate(rated, spot_offer)) {
    const auto assumed = parse_amount(kAssumedInterruptions, AmountKind::kRate);
    rated.spot.interruptions = exactly(PerSecond{assumed.value_or(0)});
    rated.spot.assumed = true;
  }
  if (traces->empty() && rated.spot.assumed)
    report.notes.push_back("Assumed: " + assumed_interruptions_words(kAssumedInterruptions));
  if (traces->empty() && !rated.spot.wait)
    report.notes.emplace_back(
        "Assumed: another spot machine is there at once (--wait or spot.wait says otherwise; in traces of AWS it took "
        "0.5 to 12 h on average, docs/spot.md).");
  report.simulation = simulation_of(rated, *plan, spot_offer, on_demand_offer, *std::move(traces), interval);
  take_common(options, job_options, report.simulation);
  if (!rated.spot.policy.empty()) report.wanted = from_name<SpotPolicy>(rated.spot.policy);
  report.plan = plan_report.name(*plan);
  report.plan_id = plan->id;

  const Simulation& simulation = report.simulation;
  report.header = printable(report.job, 60) + ": " + report.plan;
  if (const std::string place = place_words(spot_offer); !place.empty()) report.header += ", " + printable(place, 60);
  report.header += " · " + hours_words(simulation.median_work()) + " without interruptions";
  if (simulation.buffer > 0)
    report.header += ", " + hours_words(simulation.median_work() * (1 + simulation.buffer)) + " with the buffer of " +
                     percent(simulation.buffer);
  if (simulation.deadline > Seconds{}) report.header += " · deadline " + hours_words(simulation.deadline);
  report.header += " · spot " + to_text(simulation.spot_price.p50);
  if (simulation.on_demand_price) report.header += ", on demand " + to_text(simulation.on_demand_price->p50);
  if (simulation.pieces.size() > 1) {
    std::vector<std::string> names;
    for (const SimulatedPiece& piece : simulation.pieces)
      names.push_back(printable(piece.name, 60) + (piece.on_machine ? "" : " (no machine)"));
    report.notes.push_back("In order: " + join(names, ", ") + ".");
  }
  return asked;
}

}  // namespace gpuplan::cli
