#include "api/runs/simulated_work.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "output/words/plan_words.h"

namespace gpuplan::api {
namespace {

template <class Unit>
Interval<Unit> in_units(const Interval<double>& range) {
  return {Unit{range.p10}, Unit{range.p50}, Unit{range.p90}};
}

}  // namespace

Result<SimulateReport> simulated_work(const SimulateWords& words, const Wishes& wishes, const SpotTexts& texts) {
  const auto said = read_work_terms(words, wishes, !texts.traces.empty());
  if (!said) return std::unexpected(said.error());
  SpotTerms terms;
  terms.checkpoint = said->times.checkpoint;
  terms.restart = said->times.restart;
  terms.notice = said->times.notice;
  terms.wait = said->times.wait;
  terms.interval = said->times.interval;
  terms.machines = std::max(words.machines, 1);
  auto traces = read_traces(texts, terms.machines);
  if (!traces) return std::unexpected(std::move(traces.error()));

  SimulateReport report;
  Simulation& simulation = report.simulation;
  simulation.traces = *std::move(traces);
  if (!simulation.traces.empty()) terms.machines = 1;  // what a trace says holds for all of them
  terms.rate = simulation.traces.empty() ? in_units<PerSecond>(*said->rate) : exactly(measured_rate(simulation.traces));
  simulation.deadline = said->deadline;
  simulation.spot_price = in_units<DollarsPerSecond>(said->spot_price);
  if (said->on_demand_price) simulation.on_demand_price = in_units<DollarsPerSecond>(*said->on_demand_price);
  simulation.billing.increment = Seconds{};
  simulation.rate = terms.rate;
  simulation.machines = terms.machines;
  simulation.wait = terms.wait;
  simulation.restart = simulation.first_start = terms.restart;
  if (said->value_of_time) simulation.value_of_time = DollarsPerSecond{said->value_of_time->p50};
  simulation.goal = said->goal;

  SimulatedPiece piece;
  piece.name = "work";
  piece.work = in_units<Seconds>(said->work);
  piece.terms = terms;
  const bool saves = terms.checkpoint > Seconds{} || terms.interval > Seconds{};
  if (saves)
    piece.interval = terms.rate.p90 > PerSecond{} ? recoverable(terms, piece.work.p50).interval : terms.interval;
  simulation.pieces.push_back(std::move(piece));

  report.header = hours_words(Seconds{said->work.p50}) + " of work";
  if (simulation.deadline > Seconds{}) report.header += " · deadline " + hours_words(simulation.deadline);
  report.header += " · spot " + to_text(simulation.spot_price.p50);
  if (simulation.on_demand_price) report.header += ", on demand " + to_text(simulation.on_demand_price->p50);
  report.notes.emplace_back(saves ? "The first start takes as long as a restart. An interruption loses the work since "
                                    "the last checkpoint, unless the notice is long enough to write one."
                                  : "Interruptions lose no work; every start, also the first, bills one restart (as in "
                                    "Wu et al., NSDI 2024). Change: --checkpoint.");
  return report;
}

}  // namespace gpuplan::api
