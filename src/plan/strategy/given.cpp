#include "plan/strategy/given.h"

namespace gpuplan {

namespace {

/// Work divided by an uncertain rate: the slow end of the rate is the long end of the time.
template <class Rate>
Interval<Seconds> over(double work, const Interval<Rate>& rate, double units) {
  const auto time = [&](Rate r) { return Seconds{work / (r.value * units)}; };
  return {time(rate.p90), time(rate.p50), time(rate.p10)};
}

}  // namespace

const Given* given_for(const Phase& phase, const std::string& gpu, int gpus, int replica_gpus) {
  const Given* best = nullptr;
  int best_rank = 0;
  for (const Given& given : phase.given) {
    if (!given.gpu.empty() && given.gpu != gpu) continue;
    int rank = given.gpu.empty() ? 1 : 2;
    if (given.gpus == gpus) rank += 4;
    else if (given.gpus == replica_gpus && gpus % replica_gpus == 0) rank += 2;
    else if (given.gpus != 0) continue;
    if (rank > best_rank) {
      best = &given;
      best_rank = rank;
    }
  }
  return best;
}

bool states_speed(const Given& given) {
  return given.tokens_per_second || given.samples_per_second || given.seconds_per_step || given.seconds_per_sample ||
         given.time;
}

double given_units(const Given& given, int gpus, int replicas) {
  return given.gpus > 0 ? static_cast<double>(gpus) / given.gpus : replicas;
}

std::optional<Interval<Seconds>> given_time(const Given& given, const GivenWork& work, double units) {
  if (given.time) return given.time;
  if (given.seconds_per_step && work.steps > 0) return *given.seconds_per_step * work.steps;
  if (given.tokens_per_second) return over(work.tokens, *given.tokens_per_second, units);
  if (given.samples_per_second) return over(work.samples, *given.samples_per_second, units);
  if (given.seconds_per_sample) return *given.seconds_per_sample * (work.samples / units);
  return std::nullopt;
}

void apply_given(const Given& given, const GivenWork& work, double units, double overhead_share,
                 PhaseEstimate& estimate) {
  if (given.memory) estimate.memory_total = *given.memory;
  const auto time = given_time(given, work, units);
  if (!time) return;
  const Interval<Seconds> model = estimate.work;
  estimate.work = *time * (1 + overhead_share);
  estimate.evidence = Evidence::kGiven;
  estimate.work_is_model = false;
  estimate.whole_time_given = given.time.has_value();
  if (estimate.work.p50 < model.p10 || estimate.work.p50 > model.p90) estimate.model_interval = model;
}

}  // namespace gpuplan
