#include "plan/strategy/phase_terms.h"

#include <algorithm>
#include <cmath>

#include "base/whole.h"
#include "domain/facts/published_weights.h"
#include "model/communication.h"
#include "plan/strategy/checkpoints.h"
#include "plan/strategy/phase_search.h"
#include "plan/strategy/practice.h"

namespace gpuplan {

namespace {

/// More jobs in a row than this nobody submits.
constexpr double kMostJobs = 1000;

/// Bytes over an uncertain rate: the slow end of the rate is the long end of the time.
Interval<Seconds> over(const Interval<Bytes>& bytes, const Interval<BytesPerSecond>& rate) {
  return {bytes.p10 / rate.p90, bytes.p50 / rate.p50, bytes.p90 / rate.p10};
}

/// A rate, and who says it.
struct Rate {
  Interval<BytesPerSecond> value{};
  TermOrigin origin = TermOrigin::kAssumed;
};

Rate rate_of(const std::optional<Interval<BytesPerSecond>>& stated, const Assumption& assumed) {
  if (stated) return {*stated, TermOrigin::kModel};
  return {as<BytesPerSecond>(assumed), TermOrigin::kAssumed};
}

MovingRate moving_rate(const std::optional<Interval<BytesPerSecond>>& stated, const Assumption& assumed,
                       const PhaseEstimate& estimate) {
  MovingRate rate{.value = stated ? *stated : as<BytesPerSecond>(assumed), .stated = stated.has_value()};
  const BytesPerSecond front = estimate.node ? estimate.node->front : BytesPerSecond{};
  if (front <= BytesPerSecond{} || front >= rate.value.p90) return rate;
  rate.limit = front;
  rate.value = {std::min(rate.value.p10, front), std::min(rate.value.p50, front), front};
  return rate;
}

Rate with_origin(const MovingRate& rate) {
  return {rate.value, rate.known() ? TermOrigin::kModel : TermOrigin::kAssumed};
}

/// Of one model, as its engine fetches it.
double stored_bytes(const ModelUse& use, const PhaseEstimate& estimate) {
  const std::string_view engine = estimate.framework != nullptr ? std::string_view(estimate.framework->name) : "";
  return bytes_of(published_format(use.shape.native, estimate.strategy.weights, engine));
}

/// Sizes on disk of what a phase begins with, and what its GPUs take of it.
class Inputs {
 public:
  Inputs(const PhaseWorkload& workload, const Catalogue& catalogue, const PhaseEstimate& estimate)
      : workload_(workload), assumed_(catalogue.assumptions), estimate_(estimate) {}

  /// Weights on the disk of the fullest machine.
  Bytes weights() const {
    if (workload_.generation) return generation_weights();
    if (!workload_.training) return {};
    const auto& train = std::get<TrainPhase>(workload_.phase->work);
    if (estimate_.start == StartFrom::kScratch) return {};
    double bytes = 0;
    for (const ModelUse& use : train.models)
      if (!use.drawn && !use.custom) bytes += use.params() * bytes_of(use.shape.native);
    return Bytes{bytes};
  }

  Interval<Bytes> data() const {
    if (workload_.generation) {
      const GenerationWork& work = *workload_.generation;
      return as<Bytes>(assumed_.text_bytes) * (work.samples * work.prompt_tokens);
    }
    if (!workload_.training) return {};
    if (workload_.defaults.storage.data) return exactly(*workload_.defaults.storage.data);
    return training_data(*workload_.training, std::get<TrainPhase>(workload_.phase->work));
  }

 private:
  Bytes generation_weights() const {
    const auto& generate = std::get<GeneratePhase>(workload_.phase->work);
    const Strategy& strategy = estimate_.strategy;
    double bytes = 0;
    for (const ModelUse& use : generate.models)
      bytes += use.params() * (generate.weight_bits ? *generate.weight_bits / 8 : stored_bytes(use, estimate_));
    const auto models = static_cast<double>(generate.models.size());
    if (strategy.placement == Placement::kOneModelPerGpu && models > 1) {
      const int each = std::max(1, strategy.tp * strategy.pp);
      const double here = std::clamp(estimate_.node->gpus / each, 1, std::max(1, static_cast<int>(strategy.dp)));
      bytes *= std::min(1.0, here * estimate_.rounds / models);
    }
    if (const auto& guess = generate.speculation; guess && guess->draft)
      bytes += guess->draft->params() * bytes_of(guess->draft->shape.native);
    return Bytes{bytes};
  }

  /// Everything that is read once, whatever the number of epochs.
  Interval<Bytes> training_data(const TrainingWork& work, const TrainPhase& train) const {
    const double epochs = std::max(1.0, train.epochs.value_or(1));
    const ModelUse& first = train.models.front();
    if (first.custom) return {};
    const bool images = first.shape.kind == ModelKind::kVit || first.shape.kind == ModelKind::kDit;
    if (images) {
      // A number of steps says what is seen, over and over, and not how much there is.
      const double seen = work.samples_total / epochs;
      const Interval<double> there = train.data.samples ? exactly(*train.data.samples) : as<double>(assumed_.image_set);
      const Interval<Bytes> each = as<Bytes>(assumed_.image_bytes);
      return {each.p10 * std::min(seen, there.p10), each.p50 * std::min(seen, there.p50),
              each.p90 * std::min(seen, there.p90)};
    }
    double tokens = work.sequences_total * work.mean_tokens / epochs;
    if (train.data.samples) {
      const double each = train.rollouts                 ? train.rollouts->prompt_tokens.mean
                          : train.data.tokens_per_sample ? train.data.tokens_per_sample->mean * work.rows
                                                         : work.mean_tokens;
      tokens = std::min(tokens, *train.data.samples * each);
    }
    return as<Bytes>(assumed_.text_bytes) * tokens;
  }

  const PhaseWorkload& workload_;
  const Assumptions& assumed_;
  const PhaseEstimate& estimate_;
};

/// From the command to the first step or token, once everything is on the disk.
struct Start {
  Interval<Seconds> load{}, warm_up{};
  TermOrigin load_origin = TermOrigin::kAssumed;
};

Start start_of(const PhaseWorkload& workload, const Catalogue& catalogue, const PhaseEstimate& estimate,
               Bytes weights) {
  const Assumptions& assumed = catalogue.assumptions;
  Start start;
  const Rate disk = rate_of(workload.defaults.storage.disk_rate, assumed.disk);
  start.load_origin = disk.origin;
  // Read once by a machine (the page cache serves its other ranks), then to all GPUs at the same time.
  if (weights > Bytes{} && estimate.node)
    start.load = over(exactly(weights), disk.value) +
                 exactly(estimate.memory.weights * estimate.rounds / host_rate(*estimate.node->gpu));
  start.warm_up = as<Seconds>(assumed.start);
  if (workload.training && estimate.strategy.compile) start.warm_up = start.warm_up + as<Seconds>(assumed.compile);
  if (estimate.rollouts) start.warm_up = start.warm_up + as<Seconds>(assumed.graphs);
  if (workload.generation && estimate.framework != nullptr &&
      (estimate.framework->cuda_graphs || estimate.framework->compile))
    start.warm_up = start.warm_up + as<Seconds>(assumed.graphs) * estimate.rounds;
  return start;
}

/// What of a phase's time its own keys account for.
struct Stated {
  bool start = false;       ///< fetching, loading and warm-up
  bool everything = false;  ///< checkpoints and uploads too

  explicit Stated(const Phase& phase, bool whole_time_given) {
    everything = whole_time_given || phase.overhead.stated;
    start = everything || phase.setup.has_value();
  }
};

double evaluations(const Phase& phase, const PhaseEstimate& estimate) {
  if (!phase.evaluate) return 0;
  if (phase.evaluate->every_steps > 0) return std::floor(estimate.steps / phase.evaluate->every_steps);
  if (phase.evaluate->every_time) return std::floor(estimate.work.p50 / *phase.evaluate->every_time);
  return 0;
}

void set(PhaseEstimate& estimate, TimeTerm term, const Interval<Seconds>& time, TermOrigin origin) {
  estimate.terms[static_cast<std::size_t>(term)] = time;
  estimate.origins[static_cast<std::size_t>(term)] = origin;
}

void sum_up(PhaseEstimate& estimate) {
  estimate.extra = {};
  for (const Interval<Seconds>& term : estimate.terms) estimate.extra = estimate.extra + term;
  estimate.fetch = estimate.term(TimeTerm::kFetch);
}

void add_stated(const Phase& phase, PhaseEstimate& estimate) {
  if (phase.setup) set(estimate, TimeTerm::kSetup, phase.setup->time.range, TermOrigin::kJob);
  if (phase.before) set(estimate, TimeTerm::kManual, phase.before->time.range, TermOrigin::kJob);
  if (phase.evaluate)
    set(estimate, TimeTerm::kEvaluate, phase.evaluate->time.range * evaluations(phase, estimate), TermOrigin::kJob);
  set(estimate, TimeTerm::kOverhead, phase.overhead.time.range + phase.overhead.each_model.range * estimate.rounds,
      TermOrigin::kJob);
}

/// Text that comes out, and activations that stay.
void add_results(const PhaseWorkload& workload, const Catalogue& catalogue, PhaseEstimate& estimate) {
  if (!workload.generation) return;
  const auto& generate = std::get<GeneratePhase>(workload.phase->work);
  if (!generate.forward_only)
    estimate.results_bytes = Bytes{catalogue.assumptions.text_bytes.value.p50 * estimate.tokens};
  if (estimate.collection.any() && estimate.collection.on_disk) estimate.results_bytes += estimate.collection.kept.all;
}

/// Writing all of them, at the rate of one machine.
Interval<Seconds> checkpoint_time(const Interval<BytesPerSecond>& rate, const PhaseEstimate& estimate) {
  return over(exactly(estimate.checkpoint_bytes / checkpoint_writers(estimate)), rate) * estimate.checkpoints;
}

void add_disks(const PhaseWorkload& workload, Bytes weights, PhaseEstimate& estimate) {
  estimate.disk_price = workload.defaults.storage.disk_price;
  estimate.egress_price = workload.defaults.storage.egress_price;
  if (estimate.collection.any()) {
    estimate.disk_bytes = estimate.collection.disk;
    estimate.machine_disk_bytes = estimate.collection.machine_disk;
    if (estimate.collection.disk_price) estimate.disk_price = estimate.collection.disk_price;
    return;
  }
  const double machines = std::max(1, estimate.nodes);
  const Bytes kept = kept_bytes(workload.defaults.checkpoint, estimate);
  const Bytes each = weights + estimate.data_bytes;
  estimate.disk_bytes = each * machines + kept + estimate.results_bytes;
  estimate.machine_disk_bytes = each + kept / checkpoint_writers(estimate) + estimate.results_bytes;
}

}  // namespace

PhaseDefaults defaults_of(const Job& job, const Phase& phase) {
  PhaseDefaults defaults;
  defaults.storage = job.storage;
  defaults.inet_down = job.where.inet_down;
  defaults.checkpoint = phase.checkpoint ? *phase.checkpoint : job.checkpoint;
  if (job.spot.restart) defaults.restart = job.spot.restart->range.p50;
  defaults.stretch = 1 + job.buffer;
  defaults.confidence = job.limits.confidence;
  if (const auto host = std::ranges::find(job.phases, phase.on, &Phase::name); host != job.phases.end())
    defaults.fetched = fetches_the_same(*host, phase);
  return defaults;
}

MovingRate download_rate(const PhaseDefaults& defaults, const Assumptions& assumed, const PhaseEstimate& estimate) {
  const bool by_floor = !defaults.storage.download_rate && defaults.inet_down;
  const auto stated = by_floor ? std::optional(exactly(*defaults.inet_down)) : defaults.storage.download_rate;
  MovingRate rate = moving_rate(stated, assumed.download, estimate);
  rate.by_floor = by_floor;
  return rate;
}

MovingRate upload_rate(const PhaseDefaults& defaults, const Assumptions& assumed, const PhaseEstimate& estimate) {
  return moving_rate(defaults.storage.upload_rate, assumed.upload, estimate);
}

bool can_resume(const Phase& phase) {
  return std::holds_alternative<TrainPhase>(phase.work) || std::holds_alternative<GeneratePhase>(phase.work);
}

bool names_checkpoints(std::string_view text) {
  return text.contains("{checkpoints}") || text.contains("GPUPLAN_CHECKPOINTS") || text.contains("resume");
}

bool starts_over(const Phase& phase) {
  const auto* fixed = std::get_if<FixedPhase>(&phase.work);
  return fixed != nullptr && !fixed->human && !names_checkpoints(phase.command);
}

void add_terms(const PhaseWorkload& workload, const Catalogue& catalogue, PhaseEstimate& estimate) {
  const Phase& phase = *workload.phase;
  const PhaseDefaults& defaults = workload.defaults;
  const Assumptions& assumed = catalogue.assumptions;
  add_stated(phase, estimate);
  if (!workload.training && !workload.generation) return sum_up(estimate);

  if (workload.training) estimate.start = start_from(catalogue.practice_constants, *workload.training);
  const Stated stated(phase, estimate.whole_time_given);
  const Inputs inputs(workload, catalogue, estimate);
  const Bytes weights = inputs.weights();
  const Interval<Bytes> data = inputs.data();
  const double machines = std::max(1, estimate.nodes);
  estimate.weights_bytes = weights * machines;
  estimate.data_bytes = data.p50;
  add_results(workload, catalogue, estimate);

  if (!stated.start) {
    Rate down = with_origin(download_rate(defaults, assumed, estimate));
    if (!data.exact()) down.origin = TermOrigin::kAssumed;
    if (!defaults.fetched) set(estimate, TimeTerm::kFetch, over(exactly(weights) + data, down.value), down.origin);
    const Start start = start_of(workload, catalogue, estimate, weights);
    set(estimate, TimeTerm::kLoad, start.load, start.load_origin);
    set(estimate, TimeTerm::kWarmUp, start.warm_up, TermOrigin::kAssumed);
  }
  const Rate up = with_origin(upload_rate(defaults, assumed, estimate));
  if (workload.training) {
    const CheckpointRule& rule = defaults.checkpoint;
    const Rate where = leaves_machine(rule) ? up : rate_of(defaults.storage.disk_rate, assumed.disk);
    estimate.checkpoint_rate = where.value.p50 * checkpoint_writers(estimate);
    set_checkpoints(rule, checkpoints_of(rule, catalogue.practice_constants, estimate), estimate);
    if (!stated.everything) set(estimate, TimeTerm::kCheckpoint, checkpoint_time(where.value, estimate), where.origin);
  }
  if (!defaults.storage.results.empty() && !stated.everything) {
    // A model leaves from one machine, samples from where they are.
    const double from = workload.generation ? machines : 1;
    set(estimate, TimeTerm::kUpload, over(exactly(estimate.results_bytes / from), up.value), up.origin);
  }
  add_disks(workload, weights, estimate);
  sum_up(estimate);
}

std::optional<int> cut_into_jobs(const PhaseWorkload& workload, const Catalogue& catalogue, Seconds limit,
                                 PhaseEstimate& estimate) {
  const PhaseDefaults& defaults = workload.defaults;
  const Seconds most = limit / defaults.stretch;
  const Seconds all = estimate.work.p90 + estimate.extra.p90;
  if (all <= most) return 1;
  if (!can_resume(*workload.phase)) return std::nullopt;
  // Each job after the first starts anew; each but the last ends with a checkpoint.
  Interval<Seconds> restart{};
  TermOrigin origin = TermOrigin::kJob;
  if (defaults.restart) {
    restart = exactly(*defaults.restart);
  } else if (workload.phase->setup) {
    restart = workload.phase->setup->time.range;
  } else {
    const Start start = start_of(workload, catalogue, estimate, Inputs(workload, catalogue, estimate).weights());
    restart = start.load + start.warm_up;
    origin = TermOrigin::kAssumed;
  }
  if (estimate.checkpoint_rate > BytesPerSecond{})
    restart = restart + exactly(estimate.checkpoint_bytes / estimate.checkpoint_rate);
  if (restart.p90 >= most) return std::nullopt;
  // More jobs write more checkpoints, which take time of them.
  const Interval<Seconds> written = estimate.term(TimeTerm::kCheckpoint);
  double jobs = 1;
  double checkpoints = estimate.checkpoints;
  Interval<Seconds> more{};
  for (double needed = 2; needed > jobs;) {
    jobs = needed;
    if (jobs > kMostJobs) return std::nullopt;
    if (workload.training && estimate.steps >= 1) {
      const double apart = longest_apart(estimate, whole<int>(jobs)) / estimate.work.p50 * estimate.steps;
      checkpoints = std::max(estimate.checkpoints, std::ceil(estimate.steps / std::max(1.0, std::floor(apart))));
      more = written * (checkpoints / estimate.checkpoints - 1);
    }
    needed = std::ceil((all + more.p90 - restart.p90) / (most - restart.p90) - 1e-9);
  }
  set(estimate, TimeTerm::kRestart, restart * (jobs - 1), origin);
  if (checkpoints > estimate.checkpoints) {
    set(estimate, TimeTerm::kCheckpoint, written + more, estimate.origin(TimeTerm::kCheckpoint));
    recount_checkpoints(defaults.checkpoint, checkpoints, estimate);
  }
  sum_up(estimate);
  return whole<int>(jobs);
}

std::vector<std::string> fetched_models(const Phase& phase) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<ModelUse>& uses) {
    for (const ModelUse& use : uses) names.push_back(use.name);
  };
  if (const auto* train = std::get_if<TrainPhase>(&phase.work)) add(train->models);
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work)) add(generate->models);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

bool fetches_the_same(const Phase& earlier, const Phase& later) {
  return std::ranges::includes(fetched_models(earlier), fetched_models(later));
}

Dollars disk_dollars(const Offer& offer, bool taken_away, const PhaseEstimate& phase, Seconds time) {
  const auto& price = offer.disk_price ? offer.disk_price : phase.disk_price;
  const Bytes held = phase.disk_bytes + (taken_away ? phase.spare_disk_bytes : Bytes{});
  return price ? *price * held * time : Dollars{};
}

bool stays_home(const Phase& phase) { return std::holds_alternative<CpuPhase>(phase.work) && phase.on.empty(); }

bool results_leave(const Job& job, int phase) {
  if (!job.storage.results.empty()) return true;
  const std::string& name = job.phases[static_cast<std::size_t>(phase)].name;
  return std::ranges::none_of(job.phases, [&](const Phase& later) {
    return !stays_home(later) && std::ranges::find(later.needs, name) != later.needs.end();
  });
}

Dollars egress_dollars(const Offer& offer, const PhaseEstimate& phase, Bytes bytes) {
  const auto& price = offer.egress_price ? offer.egress_price : phase.egress_price;
  return price ? *price * bytes : Dollars{};
}

}  // namespace gpuplan
