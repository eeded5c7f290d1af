#include <cstdint>

#include "base/random.h"
#include "plan/advice/spot_simulation.h"
#include "self_check/hash.h"

namespace gpuplan::self_check {
namespace {

using units::hour;
using units::minute;

Trace made_up_trace() {
  Trace trace{10 * minute, {}};
  Random random(1);
  for (bool up = true; trace.machines.size() < 1000; up = !up)
    trace.machines.insert(trace.machines.end(), 1 + static_cast<std::size_t>(random.exponential(up ? 12 : 6)),
                          up ? 1 : 0);
  return trace;
}

void add_result(Hash& hash, const PolicyResult& one) {
  for (const Seconds time : one.hours_at) hash.add(time);
  for (const Dollars money : one.cost_at) hash.add(money);
  for (const Seconds time : {one.spot, one.on_demand, one.work_on_spot, one.work_on_demand, one.lost, one.waited})
    hash.add(time);
  hash.add(one.interruptions);
  hash.add(one.late);
}

void add_simulation(Hash& hash, const Simulation& simulation) {
  for (const auto& entry : Names<SpotPolicy>::entries) add_result(hash, simulate_policy(simulation, entry.value, 1));
  if (const auto bound = simulate_bound(simulation)) hash.add(bound->cost);
  for (const IntervalChoice& choice : interval_choices(simulation, simulation.pieces.front())) {
    hash.add(choice.interval);
    hash.add(choice.more);
  }
}

}  // namespace

void add_policies(Hash& hash) {
  Simulation simulation;
  SimulatedPiece piece;
  piece.name = "work";
  piece.work = {40 * hour, 48 * hour, 57.6 * hour};
  piece.terms.rate = {0.02 / hour, 0.05 / hour, 0.125 / hour};
  piece.terms.checkpoint = minute;
  piece.terms.restart = 5 * minute;
  piece.interval = recoverable(piece.terms, piece.median()).interval;
  simulation.pieces = {piece};
  simulation.rate = piece.terms.rate;
  simulation.restart = piece.terms.restart;
  simulation.wait = 30 * minute;
  simulation.deadline = 62 * hour;
  simulation.spot_price = exactly(1 * units::dollar / hour);
  simulation.on_demand_price = exactly(3 * units::dollar / hour);
  simulation.trials = 300;
  add_simulation(hash, simulation);
  simulation.bathtub = Bathtub{};
  add_simulation(hash, simulation);
  simulation.traces = {{"made up", runs_of(made_up_trace()), {}}};
  add_simulation(hash, simulation);
}

}  // namespace gpuplan::self_check
