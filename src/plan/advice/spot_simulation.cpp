#include "plan/advice/spot_simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/random.h"
#include "base/sorting.h"
#include "base/threads/parallel.h"
#include "base/whole.h"
#include "domain/market/offer_price.h"
#include "plan/answer/market.h"
#include "plan/billing/bill.h"
#include "plan/billing/error_factors.h"
#include "plan/billing/ledger.h"
#include "plan/billing/own_terms.h"
#include "plan/billing/timeline.h"
#include "spot/checkpointing.h"

namespace gpuplan {
namespace {

constexpr double kNotReached = std::numeric_limits<double>::infinity();

/// Random numbers of a history: what is uncertain of the job, and how machines come and go.
constexpr std::uint64_t kJobStream = 0x6A6F62;
constexpr std::uint64_t kLivesStream = 0x6C69766573;

/// Everything that is the same for all histories.
class Trials {
 public:
  explicit Trials(const Simulation& simulation) : simulation_(simulation) {
    task_.deadline = simulation.deadline / (1 + simulation.buffer);
    task_.restart = simulation.restart;
    task_.first_start = simulation.first_start;
    task_.slices = simulation.slices;
    task_.billing = simulation.billing;
    task_.billed = billed_seconds;
    for (const SimulatedPiece& piece : simulation.pieces) {
      const SpotTerms& terms = piece.terms;
      const bool warned = terms.notice > Seconds{} && terms.notice >= terms.checkpoint;
      const bool free = terms.checkpoint <= Seconds{} && piece.interval <= Seconds{};
      task_.pieces.push_back({.interval = piece.interval,
                              .checkpoint = terms.checkpoint,
                              .saved_by_notice = warned || free,
                              .on_machine = piece.on_machine});
      for (const ErrorWeight& error : piece.errors) scores_ = std::max(scores_, error.factor + 1);
    }
    extras_ = scores_;
    scores_ += simulation.pieces.size();
    if (simulation.bathtub) {
      lives_.push_back(Lifetimes::bathtub(*simulation.bathtub, simulation.machines));
    } else {
      for (const PerSecond rate : rate_levels(simulation.rate))
        lives_.push_back(Lifetimes::exponential(rate, simulation.machines));
    }
    for (std::size_t t = 0; t < simulation.traces.size(); ++t)
      for (const int tick : simulation.traces[t].starts) starts_.emplace_back(t, tick);
  }

  struct Drawn {
    SpotTask task;
    DollarsPerSecond spot_price{}, on_demand_price{};
    std::size_t trace = 0;
    int tick = 0;
    std::vector<double> scores{};
  };
  Drawn begin() const { return {.task = task_, .scores = std::vector<double>(scores_)}; }

  /// The job of one history under a policy: its work, its prices, and where a replay begins.
  void draw(int trial, SpotPolicy policy, Drawn& drawn) const {
    Random random(simulation_.seed ^ kJobStream, static_cast<std::uint64_t>(trial));
    for (double& score : drawn.scores) score = random.normal();
    const double spot_score = random.normal();
    const double on_demand_score = random.normal();
    for (std::size_t i = 0; i < simulation_.pieces.size(); ++i) {
      const SimulatedPiece& piece = simulation_.pieces[i];
      double score = 0;
      for (const ErrorWeight& error : piece.errors) score += error.weight * drawn.scores[error.factor];
      const Seconds time = at(piece.work, score) + at(piece.extra, drawn.scores[extras_ + i]);
      drawn.task.pieces[i].work = std::max(time, Seconds{});
      if (piece.saving.p50 <= Seconds{}) continue;
      // One disk takes as long for every checkpoint of a history. Policies on spot write their own.
      const Seconds saving = at(piece.saving, drawn.scores[extras_ + i]);
      drawn.task.pieces[i].checkpoint = piece.terms.checkpoint * (saving / piece.saving.p50);
      if (policy == SpotPolicy::kOnDemand) drawn.task.pieces[i].work += saving;
    }
    drawn.spot_price = at(simulation_.spot_price, spot_score);
    if (simulation_.on_demand_price) drawn.on_demand_price = at(*simulation_.on_demand_price, on_demand_score);
    if (simulation_.traces.empty()) return;
    if (!starts_.empty()) {
      std::tie(drawn.trace, drawn.tick) = starts_[static_cast<std::size_t>(trial) % starts_.size()];
      return;
    }
    drawn.trace = static_cast<std::size_t>(trial) % simulation_.traces.size();
    const TraceRuns& runs = simulation_.traces[drawn.trace].runs;
    // From a start at which the trace lasts for the whole time, if there is one: a trace that ends begins anew.
    const Seconds needed = std::max(task_.deadline, simulation_.median_work());
    const auto ticks = clamped<std::int32_t>(std::ceil(needed / runs.gap));
    const std::int64_t wholly = runs.ticks() - ticks + 1;
    drawn.tick = whole<int>(random.below(static_cast<std::uint64_t>(wholly > 0 ? wholly : runs.ticks())));
  }

  SpotOutcome run(int trial, SpotPolicy policy, const Drawn& drawn) const {
    if (!simulation_.traces.empty())
      return replay(drawn.task, policy, simulation_.traces[drawn.trace].runs, drawn.tick);
    Random random(simulation_.seed ^ kLivesStream, static_cast<std::uint64_t>(trial));
    const Lifetimes& lives = lives_[static_cast<std::size_t>(trial) % lives_.size()];
    return simulate(drawn.task, policy, {lives, simulation_.wait}, random);
  }

 private:
  const Simulation& simulation_;
  SpotTask task_;
  std::size_t extras_ = 0;  ///< the score of the first piece's extra time; before it those of errors
  std::size_t scores_ = 0;  ///< of a job
  std::vector<Lifetimes> lives_;
  std::vector<std::pair<std::size_t, int>> starts_;
};

/// Sums over some histories.
struct Sums {
  SpotOutcome outcome{.interruptions = 0, .starts = 0};
  double on_demand_squares = 0;
  Dollars credited{};
  int late = 0, unfinished = 0;

  void add(const SpotOutcome& one) {
    add_up(one);
    on_demand_squares += one.work_on_demand.value * one.work_on_demand.value;
    late += one.in_time ? 0 : 1;
    unfinished += one.finished ? 0 : 1;
  }
  void add(const Sums& other) {
    add_up(other.outcome);
    on_demand_squares += other.on_demand_squares;
    credited += other.credited;
    late += other.late;
    unfinished += other.unfinished;
  }

 private:
  void add_up(const SpotOutcome& one) {
    outcome.spot += one.spot;
    outcome.on_demand += one.on_demand;
    outcome.work_on_spot += one.work_on_spot;
    outcome.work_on_demand += one.work_on_demand;
    outcome.lost += one.lost;
    outcome.waited += one.waited;
    outcome.interruptions += one.interruptions;
    outcome.starts += one.starts;
  }
};

/// Between the two nearest of sorted values; infinite as soon as one of them is.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double low = sorted[below];
  const double high = sorted[std::min(below + 1, sorted.size() - 1)];
  if (high == kNotReached) return place > static_cast<double>(below) ? kNotReached : low;
  return low + (high - low) * (place - static_cast<double>(below));
}

template <class T>
void tell(std::vector<double>& values, Outcome<T>& outcome, std::array<T, kSimulatedShares.size()>& at_shares) {
  // The sum before sorting: in the order of the histories.
  outcome.mean = T{std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size())};
  std::ranges::sort(values);
  outcome.p10 = T{quantile(values, 0.1)};
  outcome.p50 = T{quantile(values, 0.5)};
  outcome.p90 = T{quantile(values, 0.9)};
  for (std::size_t i = 0; i < kSimulatedShares.size(); ++i) at_shares[i] = T{quantile(values, kSimulatedShares[i])};
}

/// Phases with their places in time by the plan.
struct Placed {
  const PhasePlan* phase;
  double from, to;
};

std::vector<Placed> in_order(const Plan& plan) {
  std::vector<Placed> placed;
  for (const PhasePlan& phase : plan.phases) placed.push_back({&phase, phase.start.value, end_of(phase).value});
  sort_stably(placed, {}, &Placed::from);
  return placed;
}

Seconds busy(const PhasePlan& phase) { return phase.estimate->work.p50 + phase.estimate->extra.p50; }

/// Random numbers are drawn for the factors that are left: those of pieces which share a part of their errors, and one
/// for each other piece.
void number_errors(std::vector<SimulatedPiece>& pieces, std::size_t factors) {
  std::vector<ErrorWeights> all;
  for (const SimulatedPiece& piece : pieces) all.push_back(piece.errors);
  std::map<std::size_t, std::size_t> numbers;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (const auto first = one_factor(all, i)) pieces[i].errors = {{factors + *first, 1}};
    for (ErrorWeight& error : pieces[i].errors)
      error.factor = numbers.emplace(error.factor, numbers.size()).first->second;
  }
}

/// Phases from `first` to before `last`, which overlap, as one piece.
SimulatedPiece piece_of(const Job& job, const Offer& offer, std::span<const Placed> phases, ErrorFactors& errors) {
  SimulatedPiece piece;
  const PhasePlan* longest = phases.front().phase;
  double from = phases.front().from, to = phases.front().to;
  double together = 0, alone = 0;
  piece.on_machine = false;
  for (const Placed& each : phases) {
    const PhasePlan& phase = *each.phase;
    piece.name += (piece.name.empty() ? "" : " + ") + job.phases[static_cast<std::size_t>(phase.estimate->phase)].name;
    if (busy(phase) > busy(*longest)) longest = &phase;
    from = std::min(from, each.from);
    to = std::max(to, each.to);
    together += each.to - each.from;
    alone += busy(phase).value;
    piece.on_machine = piece.on_machine || phase.offer != nullptr;
  }
  // The plan's own times may hold a buffer and interruptions; a phase alone is told without them.
  const double factor = phases.size() == 1 || together <= 0 ? 1 : (to - from) / together * alone / busy(*longest).value;
  const PhaseEstimate& estimate = longest->estimate;
  piece.work = estimate.work * factor;
  piece.saving = estimate.term(TimeTerm::kCheckpoint) * factor;
  const Interval<Seconds> extra = estimate.extra * factor;
  const auto rest = [](Seconds all, Seconds part) { return std::max(all - part, Seconds{}); };
  piece.extra = {rest(extra.p10, piece.saving.p10), rest(extra.p50, piece.saving.p50),
                 rest(extra.p90, piece.saving.p90)};
  piece.errors = errors.of(estimate);
  if (piece.on_machine) piece.terms = spot_terms(job, estimate, offer);
  return piece;
}

/// What credits pay of bills.
class Payer {
 public:
  explicit Payer(const Simulation& simulation) : job_(job_of(simulation)), own_(job_) {}
  Payer(const Payer&) = delete;
  Payer& operator=(const Payer&) = delete;
  Dollars pays(Dollars bill, Seconds time) const {
    return job_.credits.empty() ? Dollars{} : own_.credited(job_.credits.front().provider, bill, time);
  }

 private:
  static Job job_of(const Simulation& simulation) {
    Job job;
    job.credits = simulation.credits;
    job.market.today = simulation.today;
    return job;
  }
  Job job_;
  OwnTerms own_;
};

}  // namespace

Seconds Simulation::median_work() const {
  Seconds sum{};
  for (const SimulatedPiece& piece : pieces) sum += piece.median();
  return sum;
}

int Simulation::histories() const {
  std::size_t starts = 0;
  for (const SimulatedTrace& trace : traces) starts += trace.starts.size();
  return starts > 0 ? clamped<int>(starts) : trials;
}

Simulation simulation_of(const Job& job, const Plan& plan, const Offer& spot_offer, const Offer* on_demand_offer,
                         std::vector<SimulatedTrace> traces, Seconds interval, const ErrorModel& errors) {
  Simulation result;
  // Machines side by side count as one set from beginning to end.
  const double paid = machines_paid(*plan.offer, plan.nodes, plan.gpus) * std::max(plan.at_once, 1);
  result.spot_price = price_today(spot_offer, true) * paid;
  if (on_demand_offer != nullptr) result.on_demand_price = price_today(*on_demand_offer, false) * paid;
  result.billing = spot_offer.billing;
  result.traces = std::move(traces);
  result.deadline = job.limits.deadline.value_or(Seconds{});
  result.confidence = job.limits.confidence;
  result.buffer = job.buffer;
  result.goal = job.goal;
  result.value_of_time = job.value_of_time;

  // A trace says how often machines are taken away, in the place of everything else.
  Job asked = job;
  Offer offer = spot_offer;
  if (!result.traces.empty()) {
    offer.interruptions = exactly(measured_rate(result.traces));
    asked.spot.bathtub.reset();
  }
  const std::vector<Placed> placed = in_order(plan);
  ErrorFactors factors(errors);
  for (std::size_t first = 0; first < placed.size();) {
    std::size_t last = first + 1;
    double to = placed[first].to;
    constexpr double kTouch = 1e-3;  // seconds: one that begins as another ends does not overlap it
    for (; last < placed.size() && placed[last].from < to - kTouch; ++last) to = std::max(to, placed[last].to);
    result.pieces.push_back(piece_of(asked, offer, std::span(placed).subspan(first, last - first), factors));
    first = last;
  }
  number_errors(result.pieces, factors.size());
  bool any = false;
  for (SimulatedPiece& piece : result.pieces) {
    if (!piece.on_machine || piece.median() <= Seconds{}) continue;
    if (interval > Seconds{}) piece.terms.interval = interval;
    // The trace's rate is that of all machines together.
    if (!result.traces.empty()) piece.terms.machines = 1;
    const bool stays = piece.terms.rate.p90 <= PerSecond{} && !piece.terms.bathtub;
    piece.interval = stays ? piece.terms.interval : recoverable(piece.terms, piece.median()).interval;
    result.machines = any ? std::max(result.machines, piece.terms.machines) : piece.terms.machines;
    result.rate = piece.terms.rate;
    result.bathtub = piece.terms.bathtub;
    result.wait = piece.terms.wait;
    result.restart = piece.terms.restart;
    any = true;
  }
  return result;
}

bool can_simulate(const Simulation& simulation, SpotPolicy policy) {
  if (needs_deadline(policy) && simulation.deadline <= Seconds{}) return false;
  return policy == SpotPolicy::kSpotOnly || simulation.on_demand_price.has_value();
}

PolicyResult simulate_policy(const Simulation& simulation, SpotPolicy policy, int threads) {
  constexpr int kChunk = 256;  // histories whose sums are added in order
  const Trials trials(simulation);
  const Payer payer(simulation);
  const int count = simulation.histories();
  const int chunks = (count + kChunk - 1) / kChunk;
  std::vector<double> hours(static_cast<std::size_t>(count)), cost(static_cast<std::size_t>(count));
  std::vector<Sums> sums(static_cast<std::size_t>(chunks));
  auto work = [&](int chunk) {
    Trials::Drawn drawn = trials.begin();
    for (int trial = chunk * kChunk; trial < std::min(count, (chunk + 1) * kChunk); ++trial) {
      trials.draw(trial, policy, drawn);
      const SpotOutcome outcome = trials.run(trial, policy, drawn);
      const double stretch = 1 + simulation.buffer;
      const Seconds time = outcome.wall * stretch;
      const Dollars bill = cost_of(outcome, drawn.spot_price, drawn.on_demand_price) * stretch;
      const Dollars credited = outcome.finished ? payer.pays(bill, time) : Dollars{};
      hours[static_cast<std::size_t>(trial)] = outcome.finished ? time.value : kNotReached;
      cost[static_cast<std::size_t>(trial)] = outcome.finished ? (bill - credited).value : kNotReached;
      sums[static_cast<std::size_t>(chunk)].add(outcome);
      sums[static_cast<std::size_t>(chunk)].credited += credited;
    }
  };
  parallel_for(chunks, threads, work);

  Sums all;
  for (const Sums& some : sums) all.add(some);
  PolicyResult result;
  result.policy = policy;
  result.histories = count;
  tell(hours, result.hours, result.hours_at);
  tell(cost, result.cost, result.cost_at);
  const double stretch = (1 + simulation.buffer) / count;
  result.spot = all.outcome.spot * stretch;
  result.on_demand = all.outcome.on_demand * stretch;
  result.work_on_spot = all.outcome.work_on_spot * stretch;
  result.work_on_demand = all.outcome.work_on_demand * stretch;
  result.credited = all.credited / count;
  const double mean = all.outcome.work_on_demand.value / count;
  result.work_on_demand_deviation =
      Seconds{std::sqrt(std::max(all.on_demand_squares / count - mean * mean, 0.0)) * (1 + simulation.buffer)};
  result.lost = all.outcome.lost * stretch;
  result.waited = all.outcome.waited * stretch;
  // Hours of the buffer meet as many interruptions as others.
  result.interruptions = static_cast<double>(all.outcome.interruptions) * stretch;
  result.starts = static_cast<double>(all.outcome.starts) / count +
                  static_cast<double>(all.outcome.interruptions) * simulation.buffer / count;
  result.late = simulation.deadline > Seconds{} ? static_cast<double>(all.late) / count : 0;
  result.unfinished = static_cast<double>(all.unfinished) / count;
  return result;
}

std::optional<BoundResult> simulate_bound(const Simulation& simulation) {
  if (simulation.traces.empty() || simulation.deadline <= Seconds{} || !simulation.on_demand_price) return std::nullopt;
  const Trials trials(simulation);
  const Payer payer(simulation);
  const int count = simulation.histories();
  Trials::Drawn drawn = trials.begin();
  BoundResult result;
  for (int trial = 0; trial < count; ++trial) {
    trials.draw(trial, SpotPolicy::kSpotOnly, drawn);  // a bound has no checkpoints
    const LowerBound bound = lower_bound(drawn.task, simulation.traces[drawn.trace].runs, drawn.tick, drawn.spot_price,
                                         std::max(drawn.on_demand_price, drawn.spot_price));
    result.spot += bound.spot;
    result.on_demand += bound.on_demand;
    result.work_on_spot += bound.work_on_spot;
    result.work_on_demand += bound.work_on_demand;
    // Who knows the future may begin while the credits last.
    result.cost += bound.cost - payer.pays(bound.cost * (1 + simulation.buffer), Seconds{}) / (1 + simulation.buffer);
  }
  const double stretch = (1 + simulation.buffer) / count;
  result.spot *= stretch;
  result.on_demand *= stretch;
  result.work_on_spot *= stretch;
  result.work_on_demand *= stretch;
  result.cost *= stretch;
  return result;
}

PerSecond measured_rate(const std::vector<SimulatedTrace>& traces) {
  double interruptions = 0;
  Seconds up{};
  for (const SimulatedTrace& trace : traces) {
    const TraceStatistics facts = statistics(trace.runs);
    interruptions += facts.interruptions;
    up += facts.length * facts.available;
  }
  return up > Seconds{} ? interruptions / up : PerSecond{};
}

void choose_best(const Simulation& simulation, SimulationResult& result) {
  const auto in_time = [&](const PolicyResult& one) {
    return one.unfinished <= 0 && 1 - one.late >= simulation.confidence;
  };
  const auto key = [&](const PolicyResult& one) {
    const double hours = one.hours.mean.value;
    const double dollars = one.cost.mean.value;
    switch (simulation.goal) {
      case Goal::kFastest:
        return std::pair(hours, dollars);
      case Goal::kBestValue:
        return std::pair(dollars + simulation.value_of_time.value * hours, hours);
      case Goal::kCheapest:
      case Goal::kFewestGpus:
        break;
    }
    return std::pair(dollars, hours);
  };
  result.best.reset();
  for (std::size_t i = 0; i < result.policies.size(); ++i) {
    const PolicyResult& one = result.policies[i];
    if (!result.best) {
      result.best = i;
      continue;
    }
    const PolicyResult& best = result.policies[*result.best];
    const bool good = in_time(one), was = in_time(best);
    const bool better = good != was                      ? good
                        : !good && one.late != best.late ? one.late < best.late
                                                         : key(one) < key(best);
    if (better) result.best = i;
  }
}

std::vector<IntervalChoice> interval_choices(const Simulation& simulation, const SimulatedPiece& piece) {
  const Seconds work = piece.median();
  const SpotTerms& terms = piece.terms;
  std::vector<IntervalChoice> choices;
  const PerSecond rate = terms.rate.p50 * terms.machines;
  if (!piece.on_machine || work <= Seconds{} || rate <= PerSecond{} || terms.checkpoint <= Seconds{}) return choices;
  SpotTerms free = terms;
  free.interval = Seconds{};
  const Seconds best = recoverable(free, work).interval;
  const auto add = [&](std::string name, Seconds interval) {
    SpotTerms other = terms;
    other.interval = std::clamp(interval, std::min(Seconds{1}, work), work);
    IntervalChoice choice{std::move(name), other.interval};
    choice.wall = with_interruptions(other, work).wall;
    choices.push_back(std::move(choice));
  };
  add("best by search", best);
  add("Young 1974", young_interval(rate, terms.checkpoint));
  add("Daly 2006, first order", daly_interval(rate, terms.checkpoint));
  add("Daly 2006, higher order", daly_higher_interval(rate, terms.checkpoint));
  if (terms.interval > Seconds{}) add("as set", terms.interval);
  add("a quarter of the best", best / 4);
  add("half of the best", best / 2);
  add("twice the best", best * 2);
  add("four times the best", best * 4);
  for (IntervalChoice& choice : choices) {
    choice.more = choice.wall - choices.front().wall;
    choice.dollars = simulation.spot_price.p50 * choice.more;
  }
  return choices;
}

}  // namespace gpuplan
